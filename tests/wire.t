#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What goes over the serial line, byte by byte, and the status that a caller sees with it. Short
# boots: what is measured does not matter here.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my ($passed, $failed) = (33, 35);    # isa-debug-exit with 10h and 11h

# A boot whose bytes are kept as they came: {raw} beside what boot() gives.
sub wire_boot {
    my ($words, %a) = @_;
    my $path = built("test-logs/wire-$$");
    unlink $path;
    my $b = boot(name => $words, append => "suite=stability profile=quick $words", serial => 0,
        cpu => 'max', extra => [ '-serial', "file:$path", '-rtc', 'base=2031-12-06T17:58:09' ], %a);
    $b->{raw} = slurp($path);
    ($b->{log} = $b->{raw}) =~ s/\r\n/\n/g;
    unlink $path;
    return $b;
}

my $run = wire_boot('label=wire');
boot_ok($run);
cmp_ok($run->{raw} =~ tr/\n//, '>', 50, 'there are lines');
unlike($run->{raw}, qr/(?<!\r)\n/, 'each line ends in CR LF');
unlike($run->{raw}, qr/\r(?!\n)/, 'and CR stands nowhere else');
like($run->{raw}, qr/\r\n\z/, 'the last line is whole');
unlike($run->{raw}, qr/[^\r\n -~]/, 'all else is printable');
my ($longest) = sort { $b <=> $a } map { length } grep { /^\@bt / } split /\n/, $run->{log};
cmp_ok($longest, '<=', 1024, 'no record is longer than 1024 bytes');
is(read_records($run->{log})->{records}[-1]{keys}{result}, 'pass', 'the end record says pass');

my ($machine) = records_of($run->{log}, 'machine');
like($machine->{rtc}, qr/^2031-12-06T17:5[89]:\d\d$/, 'the time is the clock\'s');

# Begin and end come even so: without them a log cannot be known to be whole.
my $off = wire_boot('records=off');
boot_ok($off);
is(join(' ', map { $_->{type} } @{ read_records($off->{log})->{records} }), 'begin end',
    'records=off: begin and end');

# ---- what is not ok is no success, to the caller and in the end record

my $wrong = wire_boot('threshold=many');
is($wrong->{status}, $failed, 'a wrong option: ends as failure');
my $r = read_records($wrong->{log});
is_deeply($r->{problems}, [], 'a wrong option: a whole log');
is($r->{records}[-1]{keys}{result}, 'fail', 'a wrong option: the end record says fail');
like($wrong->{log}, qr/^RESULT   FAIL/m, 'a wrong option: so does the summary');

# ---- other ends: the machine is off or reset, which QEMU tells by 0 and -no-reboot

for my $exit (qw(poweroff reboot)) {
    for my $machine (qw(pc q35)) {
        my $end = wire_boot("exit=$exit", machine => $machine, timeout => 30);
        is($end->{status}, 0, "exit=$exit on $machine: it is");
        is_deeply(read_records($end->{log})->{problems}, [], "exit=$exit on $machine: a whole log");
        unlike($end->{log}, qr/^baretick: halted/m, "exit=$exit on $machine: not by halting");
    }
}

my $help = wire_boot('help');
like($help->{log}, qr/^\s+suite=/m, 'help: prints the options');
isnt(scalar @{ read_records($help->{log})->{problems} }, 0, 'help: is no run');

done_testing();
