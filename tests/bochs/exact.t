#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The clock of Bochs moves one tick an instruction: every line of every TSC method is what the
# disassembly predicts, as under QEMU's -icount, and a boot repeats byte by byte.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__), dirname(__FILE__) . '/..';
use Baretick;
use Bochs;
use Seq;
use Test::More;

my $predicted = Seq::predict();

sub methods_there {
    my ($b) = @_;
    my @names = map { $_->{name} } grep { $_->{note} !~ /^SKIP/ } @{ read_ktap($b->{log})->{results} };
    return sort map { /^tsc\.method\.(.*)/ ? $1 : () } @names;
}

my %fewest = (corei7_skylake_x => 12, core2_penryn_t9600 => 4);
for my $model (sort keys %fewest) {
    my $b = bochs(model => $model, options => 'suite=tsc detail=full');
    bochs_ok($b);
    my $r = read_records($b->{log});
    my ($wrong, $lines, $methods) = Seq::wrong_lines($predicted, 1, @{ $r->{records} });
    is_deeply($wrong, [], "$model: each of $lines lines is what the disassembly predicts");
    my @there = methods_there($b);
    cmp_ok(scalar @there, '>=', $fewest{$model}, "$model: the methods of this CPU: @there");
    is_deeply([ sort keys %$methods ], \@there, "$model: each of them was measured");
    # Four workloads under four preambles in mem form, one in reg form, 16 lines each.
    cmp_ok($lines, '==', @there * 17 * 16, "$model: no line is missing");
    is_deeply([ Seq::wrong_series($predicted, 1, @{ $r->{records} }) ], [],
        "$model: so are the series' figures");
    my ($recommend) = records_of($r, 'recommend');
    is($recommend->{step}, 1, "$model: the step is one tick");
    my ($machine) = records_of($r, 'machine');
    is($machine->{emulated}, 'SMBIOS names Bochs', "$model: known as emulated");
}

my @twice = map { bochs(model => 'ryzen', options => 'suite=tsc,stability,xsave', name => $_) }
    'ryzen', 'ryzen again';
bochs_ok($_) for @twice;
ok($twice[0]{log} eq $twice[1]{log}, 'two boots print the same bytes');

done_testing();
