#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Exactness: where the clock counts instructions, every line of every method has variance 0, its min
# is the count that the disassembly predicts, and two boots print the same bytes.
use strict;
use warnings;

use Baretick;
use Seq;
use Test::More;

my $predicted = Seq::predict();
my @clock     = ('-rtc', 'base=2000-01-01T00:00:00,clock=vm');

sub counting_boot {
    my ($shift, $append, $name) = @_;
    return boot(
        name => $name, cpu => 'max', icount => $shift, append => $append, extra => \@clock,
        timeout => 120
    );
}

for my $shift (0, 3) {
    my $scale = 2**$shift;
    my $b = counting_boot($shift, 'suite=tsc detail=full', "shift $shift");
    boot_ok($b);
    my @records = @{ read_records($b->{log})->{records} };
    my ($wrong, $lines, $methods) = Seq::wrong_lines($predicted, $scale, @records);
    is_deeply($wrong, [], "shift $shift: each of $lines lines is what the disassembly predicts");
    my @there = map { /^tsc\.method\.(.*)/ ? $1 : () }
        map { $_->{name} } grep { $_->{note} !~ /^SKIP/ } @{ read_ktap($b->{log})->{results} };
    cmp_ok(scalar @there, '>=', 12, "shift $shift: 0 to 6 in ten forms, 7 and 7m are there");
    is_deeply([ sort keys %$methods ], [ sort @there ], "shift $shift: each of them was measured");
    # Four workloads under four preambles in mem form, one in reg form, 16 lines each.
    cmp_ok($lines, '==', @there * 17 * 16, "shift $shift: no line is missing");
    my %times;
    $times{"@$_{qw(method form work pre)}"}++ for map { $_->{keys} } grep { $_->{type} eq 'series' } @records;
    is_deeply([ scalar keys %times, grep { $times{$_} > 1 } sort keys %times ], [ @there * 17 ],
        "shift $shift: each series once");
    is_deeply([ Seq::wrong_series($predicted, $scale, @records) ], [],
        "shift $shift: so are the series' figures");

    my ($step) = map { $_->{keys}{step} } grep { $_->{type} eq 'recommend' } @records;
    is($step, $scale, "shift $shift: the step is $scale");
}

# ---- a clock that counts instructions is known as such, whatever CPUID leaves out

for my $shift (0, 3) {
    my $b = boot(name => "no hypervisor bit, shift $shift", cpu => 'max,-hypervisor', icount => $shift,
        append => 'suite=stability profile=quick exit=debug', extra => \@clock, timeout => 120);
    boot_ok($b);
    my ($machine) = records_of($b->{log}, 'machine');
    is($machine->{emulated}, 'the clock counts instructions',
        "no hypervisor bit, shift $shift: CPUID and SMBIOS say hardware, the clock does not");
    like($b->{log}, qr/^emulated the clock counts instructions: /m,
        "no hypervisor bit, shift $shift: the clock does not");
    like($b->{log}, qr/^TRUST: UNKNOWN emulated;/m, "no hypervisor bit, shift $shift: never judged");
}

my @twice = map { counting_boot(0, '', "twice, $_") } 1, 2;
boot_ok($_) for @twice;
ok($twice[0]{log} eq $twice[1]{log}, 'two boots print the same bytes')
    or diag(first_difference(map { $_->{log} } @twice));

# The stability loop is a line of the recommended method's `loop` with 500 turns.
my ($recommended) = records_of($twice[0]{log}, 'recommend');
my ($stability) = records_of($twice[0]{log}, 'stability');
my $loop = $predicted->{ Seq::symbol($recommended->{method}, qw(loop none mem)) };
my $round = $loop->{base} + 500 * $loop->{step};
is("@$stability{qw(method min max)}", "$recommended->{method} $round $round",
    "stability: the recommended method's rounds, of $round instructions");

sub first_difference {
    my ($x, $y) = map { [ split /\n/, $_ ] } @_;
    for my $i (0 .. $#$x) {
        return "line $i:\n  $x->[$i]\n  " . ($y->[$i] // '(end)') if $x->[$i] ne ($y->[$i] // '');
    }
    return 'the second is longer';
}

my $matrix = counting_boot(0, 'suite=tsc method=matrix', 'matrix');
boot_ok($matrix);
my $source = Seq::from_source();
my (@wrong, $cells);
for my $k (map { $_->{keys} } grep { $_->{type} eq 'matrix' } @{ read_records($matrix->{log})->{records} }) {
    my ($s) = grep { $source->{starts}[$_] eq $k->{start} } 0 .. $#{ $source->{starts} };
    my ($e) = grep { $source->{ends}[$_] eq $k->{end} } 0 .. $#{ $source->{ends} };
    my $p = $predicted->{"seq_mx_${s}_$e"};
    $cells++;
    push @wrong, "$k->{start} .. $k->{end}: min $k->{min} variance $k->{var}, predicted $p->{base}"
        if $k->{min} != $p->{base} || $k->{var} ne '0.000';
}
is_deeply(\@wrong, [], 'every cell of the matrix is what the disassembly predicts');
my ($starts, $ends) = map { scalar grep { !/serialize/ } @{ $source->{$_} } } qw(starts ends);
is($cells, $starts * $ends, 'of each start with each end but those with SERIALIZE');

# ---- the XSAVE suite: what is left of a row's samples is the instruction itself

my $xsave = counting_boot(0, 'suite=xsave detail=full', 'xsave');
boot_ok($xsave);
my @rows = records_of($xsave->{log}, 'xsave');
my $twin = $predicted->{seq_x_empty}{base};
cmp_ok(scalar @rows, '>', 50, 'xsave: there are blocks of rows');
is_deeply([ grep { $_ ne $twin } map { $_->{overhead} } @rows ], [],
    "xsave: the overhead is the $twin instructions of the empty twin");
my @dear;
for my $row (@rows) {
    push @dear, map { "$row->{event} RFBM $row->{rfbm}: $_=$row->{$_}" }
        grep { $row->{$_} ne '1' } qw(min max avg avg97 p50 p99);
}
is_deeply(\@dear, [], 'xsave: every row is one instruction long');

done_testing;
