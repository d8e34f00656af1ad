#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The program behind `make bench`: the pairs are the instructions that its table names, a seed
# repeats the order, every reader has a row, and what is asked wrongly is told.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

# ---- the machine code

my %pair = (
    tsc    => 'rdtsc',
    lf     => 'lfence; rdtsc',
    tscplf => 'rdtscp; lfence',
    mf     => 'mfence; rdtsc',
    mflf   => 'mfence; lfence; rdtsc',
    cpuid  => 'cpuid; rdtsc',
);

# All of a symbol's instructions that read the time or order it, in their order.
sub reads {
    my ($symbol) = @_;
    my $object = built('hosted/kern/peers/pairs.asm.o');
    my ($in, @names) = (0);
    for (`objdump -d --no-show-raw-insn -M intel $object`) {
        # A local label of the sequence's own begins with two dots.
        $in = $1 eq $symbol || $in && $1 =~ /^\.\./ if /^[0-9a-f]+ <([^>]+)>:/;
        push @names, $1 if $in && /^\s+[0-9a-f]+:\s+(rdtscp?|[lm]fence|cpuid)\b/;
    }
    return join '; ', @names;
}

for my $name (sort keys %pair) {
    is(reads("pair_${name}_$_"), "$pair{$name}; $pair{$name}", "pair_${name}_$_") for qw(empty loop);
}
is(reads('turn_read'), 'lfence; rdtsc', 'a turn with one read');
is(reads('turn_bare'), '', 'a turn with none');

# ---- the program

sub bench {
    my (@words) = @_;
    my $command = join ' ', built('baretick-bench'), @words;
    my $out = `timeout 120 $command 2>&1 </dev/null`;
    return ($? >> 8, $out);
}

my @small = qw(lines=6 samples=200 windows=2);
my ($status, $out) = bench('peers', @small, 'seed=42');
is($status, 0, 'readers side by side: status 0');
like($out, qr/^\Q$_\E +\d+ +\d+ +\d+ /m, "... a row of $_")
    for 'method 5', 'method 6', 'method 5 into a matrix', 'clock_gettime, ticks~',
    'clock_gettime (ns)', grep { !/rdtscp/ } values %pair;
# A clock of long steps may have let no time pass.
like($out, qr/^method 5 .* (?:1\.00|-) +(?:1\.00|-)$/m, '... and method 5 is what the others are compared with');
is_deeply([ grep { length > 100 } split /\n/, $out ], [], '... at most 100 columns');

my ($order) = $out =~ /order \(seed 42, CRC-32 of the order ([0-9A-F]{8})\)/;
ok($order, '... names its seed and order');
like((bench('peers', @small, 'seed=42'))[1], qr/seed 42, CRC-32 of the order $order\b/,
    'the same seed gives the same order');
unlike((bench('peers', @small, 'seed=43'))[1], qr/CRC-32 of the order $order\b/,
    'another seed gives another');

($status, $out) = bench('turn', @small);
is($status, 0, 'cost of a sample: status 0');
like($out, qr/^whole turn .*: (?:\d+\.\d{3}|unknown), /m, '... says the ratio');

($status, $out) = bench('alarms', @small);
is($status, 0, 'false alarms: status 0');
like($out, qr/^rulers $_: +20 windows, /m, "... $_") for 'back to back', '20 ms apart';

for my $wrong ('rdtsc', 'lines=0', 'lines=100001', 'samples=many', 'line=3', 'seed=') {
    ($status, $out) = bench($wrong);
    is($status, 2, "$wrong: status 2");
    like($out, qr/^baretick-bench: \Q$wrong\E: expected /m, "$wrong: is named");
}

done_testing();
