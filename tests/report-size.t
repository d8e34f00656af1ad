#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The default report is at most 64 KiB on the wire, on the machine where it is longest: every method
# there, and XSAVE's widest sweep, whose part comes from a recorded AMX machine.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my $most = 65536;

# Bytes with CR LF of each section; what comes before the first suite is `head`, the last is `end`.
sub sections {
    my ($log) = @_;
    my ($at, %bytes) = ('head');
    for my $line (split /\n/, $log) {
        $at = $1 if $line =~ /^== (\w+)/;
        $at = 'end' if $line =~ /^KTAP /;
        $bytes{$at} += 2 + length $line;
    }
    return %bytes;
}

my $unit = built('unit/test_report_size');
my ($xsave) = map { /^report-size: xsave (\d+) bytes/ ? $1 : () } split /\n/, `$unit 2>&1`;
ok($xsave, 'the widest sweep of the xsave suite is known') or BAIL_OUT("$unit does not tell");

# Sample counts make no bytes, so a small budget does.
my $run = hosted([qw(profile=standard budget=3)]);
is($run->{status}, 0, 'a standard run');
my %part = sections($run->{log});
ok($part{$_}, "... has a section $_") for qw(head tsc stability gaps end summary);

my $kernel = boot(append => 'suite=exits', name => 'head');
my %kernel = sections($kernel->{log});
note("head: $part{head} bytes in a process, $kernel{head} in the kernel");
$part{head} = $kernel{head} if $kernel{head} > $part{head};

# Methods that this CPU lacks would be as long as the others.
my @measured = $run->{log} =~ /^\@bt seq=\d+ type=rows method=(\S+) /mg;
cmp_ok(scalar @measured, '>=', 4, '... measured the methods that need no more than RDTSC');
$part{tsc} *= 14 / @measured;

$part{xsave} = $xsave;
my $sum = 0;
for (sort keys %part) {
    note(sprintf '%-10s %6d bytes', $_, $part{$_});
    $sum += int $part{$_};
}
cmp_ok($sum, '<=', $most, "$sum bytes on the wire");

done_testing();
