#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What must never pass in silence: each protection of the page tables is tried, the machine is
# disturbed from outside, and a CPU that cannot run the kernel is told so.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::UNIX;
use lib dirname(__FILE__);
use Baretick;
use Test::More;
use Time::HiRes qw(sleep);

my $failed = 35;    # isa-debug-exit with 11h

sub crash_ok {
    my ($option, $what, %more) = @_;
    my $b = boot(name => "panic=$option", append => "panic=$option", %more);
    is($b->{status}, $failed, "$b->{name}: ends as failure");
    like($b->{log}, $what, "$b->{name}: names the fault");
    like($b->{log}, qr/during: crashing on purpose/, "$b->{name}: names the step");
    return $b;
}

crash_ok('test', qr/PANIC: panic=test$/m);
crash_ok('text', qr/#PF.*\n.*\n\s*write at 0{10}100000, against the page's rights/);
crash_ok('data', qr/#PF.*\n.*\n\s*execution at [0-9a-f]{16}, against the page's rights/);
crash_ok('stack', qr/#DF.*\n.*\n.*guard page of the main stack: stack overflow/);
crash_ok('text', qr/#PF/, machine => 'microvm');
crash_ok('stack', qr/#DF/, machine => 'q35', memory => 5120);

# ---- a CPU without NX: told, and W^X is off

crash_ok('data', qr/PANIC: panic= did not crash/, cpu => 'qemu64,-nx');
my $no_nx = boot(name => 'no NX', cpu => 'qemu64,-nx', append => 'suite=stability samples=10');
is($no_nx->{status}, 33, 'no NX: runs');
like($no_nx->{log}, qr/no NX: writable memory is executable/, 'no NX: is told');

# ---- CPUs without long mode

for my $cpu (('qemu32', '486', 'max,-lm')) {
    my $b = boot(name => "cpu $cpu", cpu => $cpu);
    is($b->{status}, $failed, "cpu $cpu: ends as failure");
    like($b->{log}, qr/^baretick: this CPU has no 64-bit mode/m, "cpu $cpu: says why");
}

# ---- models whose XSAVE hangs the emulator when it is switched on

for my $cpu ('max,-xsaveopt,-xgetbv1', 'Opteron_G4') {
    my $b = boot(name => "cpu $cpu", cpu => $cpu, append => 'suite=tsc,xsave lines=2 samples=10');
    boot_ok($b);
    my $check = check_named(read_ktap($b->{log}), 'xsave');
    is($check && $check->{note}, 'SKIP QEMU hangs on CR4.OSXSAVE when CPUID.D.1:EAX is 0',
        "cpu $cpu: XSAVE is left alone");
}

# ---- disturbed from outside, while the kernel measures

# Boots a run of minutes, or of the lines given, gives each command to QEMU's monitor once it
# measures, takes the log.
sub disturb {
    my ($name, $lines, @commands) = @_;
    my $socket = built("test-logs/crash-monitor-$$");
    my $log    = built('test-logs/crash-disturbed.log');
    unlink $socket, $log;
    my $pid = in_child(sub {
        for (1 .. 200) {
            last if slurp($log) =~ /type=tsc /;
            sleep 0.05;
        }
        my $monitor = IO::Socket::UNIX->new(Peer => $socket) or return 1;
        for (@commands) {
            print $monitor "$_\n";
            $monitor->flush;
            sleep 0.3;
        }
        return 0;
    });
    my $b = boot(name => $name, timeout => 60, serial => 0, cpu => 'max',
        append => "suite=tsc lines=$lines samples=10000",
        extra  => [ '-serial', "file:$log", '-monitor', "unix:$socket,server=on,wait=off" ]);
    waitpid $pid, 0;
    is($? >> 8, 0, "$name: the monitor was reached");
    ($b->{log} = slurp($log)) =~ s/\r//g;
    unlink $socket, $log;
    return $b;
}

my $b = disturb('machine checks', 1000, 'mce 0 1 0xb000000000000000 5 0 0',
    'mce 0 1 0xb200000000000000 5 0 0');
like($b->{log}, qr/MCG_STATUS 5, restartable\n.*bank 1 status b000000000000000$/m,
    'a check that can be survived is in the log');
like($b->{log}, qr/bank 1 status b200000000000000\n+.*PANIC: #MC/, 'one that cannot ends the run');
is($b->{status}, $failed, 'as failure');
like($b->{log}, qr/machine checks survived 1,/, 'the first was counted');

$b = disturb('machine check without return', 1000, 'mce 0 1 0xb000000000000000 4 0 0');
like($b->{log}, qr/MCG_STATUS 4, not restartable\n.*\n+.*PANIC: #MC/, 'no return: a crash');
is($b->{status}, $failed, 'no return: as failure');

# Hardware corrected it, and no #MC came: the banks alone know.
$b = disturb('corrected error', 30, 'mce 0 2 0x9000000000000153 0 0 0');
like($b->{log}, qr/^machine check: without #MC: bank 2 status 9000000000000153$/m,
    'a corrected error is in the log');
like(check_named(read_ktap($b->{log}), 'machine.traps')->{note} // '',
    qr/^unstable: 0 NMI, 0 machine checks since the start, 1 banks with an error that raised none$/,
    '... and told of the run');
is($b->{status}, 33, 'corrected error: not ok it is not');

# An NMI is told of the run, and of the windows where it hit one: the rest of the time is printing.
$b = disturb('NMIs', 30, ('nmi') x 6);
my $k = read_ktap($b->{log});
my ($quiet, $traps) = map { check_named($k, $_)->{note} // '' } qw(tsc.quiet machine.traps);
like($quiet, qr/\b[1-6] NMI, 0 machine checks, 0 SMI while measuring/, 'NMIs: told of the windows');
like($traps, qr/^unstable: 6 NMI, 0 machine checks since the start/, 'NMIs: told of the run');
is($b->{status}, 33, 'NMIs: not ok they are not');

done_testing();
