#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The gaps suite against gaps whose cause and length are known: none where the clock counts
# instructions, SMIs on demand, NMIs and machine checks from outside, a watchdog, a stopped emulator.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::UNIX;
use List::Util qw(sum0);
use lib dirname(__FILE__);
use Baretick;
use Test::More;
use Time::HiRes qw(sleep time);

my $failed = 35;                            # isa-debug-exit with 11h
my $intel  = 'max,vendor=GenuineIntel';     # whose SMIs MSR_SMI_COUNT counts
my ($inner, $outer) = (5, 31);              # instructions within a turn and from turn to turn

sub note_of {
    my ($b, $name) = @_;
    my $check = check_named(read_ktap($b->{log}), $name);
    return $check ? ($check->{ok} ? 'ok ' : 'not ok ') . $check->{note} : 'none';
}

# The windows' records add up to what is said of all.
sub adds_up {
    my ($b) = @_;
    my ($all) = records_of($b->{log}, 'gaps');
    my @parts = records_of($b->{log}, 'gap');
    my (@wrong, %cause);
    for my $key (qw(windows watched turns n stolen smi nmi mce)) {
        my $sum = sum0(map { $_->{$key} } @parts);
        push @wrong, "$key: $sum, in all $all->{$key}" if $sum != $all->{$key};
    }
    for (@parts, $all) {
        next if $_->{causes} eq 'none';
        my $sign = $_ == $all ? -1 : 1;
        $cause{$1} += $sign * $2 while $_->{causes} =~ /(\w+):(\d+)/g;
    }
    push @wrong, grep { $cause{$_} } sort keys %cause;
    my $decades = sum0($all->{decades} =~ /\d+:(\d+):\d+/g);
    push @wrong, "decades: $decades of $all->{n}" if $decades != $all->{n};
    my @list = map { split /,/, $_->{list} } records_of($b->{log}, 'gaplist');
    my $kept = $all->{n} < 64 ? $all->{n} : 64;
    push @wrong, scalar(@list) . " gaps listed, not $kept" if @list != $kept;
    my @at = map { (split /:/)[0] } @list;
    push @wrong, 'the list is not in order' if grep { $at[$_] < $at[ $_ - 1 ] } 1 .. $#at;
    is_deeply(\@wrong, [], "$b->{name}: windows, causes, decades and list add up");
    return $all;
}

# Boots while a child waits for a text in the log and then calls what it is given: with a function
# that sends lines to QEMU's monitor, and with the process id of QEMU.
sub disturbed {
    my ($name, $text, $do, %boot) = @_;
    my $at  = built("test-logs/gaps-$$");
    unlink "$at.log", "$at.mon", "$at.pid";
    my $pid = in_child(sub {
        my $seen;
        for (1 .. 400) {
            last if $seen = slurp("$at.log") =~ $text;
            sleep 0.02;
        }
        my $monitor = IO::Socket::UNIX->new(Peer => "$at.mon") or return 1;
        $do->(sub { print $monitor map {"$_\n"} @_; $monitor->flush }, slurp("$at.pid") + 0);
        # What is still unread when the connection ends is lost.
        print $monitor "info status\n";
        $monitor->flush;
        my $said = '';
        while ($said !~ /VM status/) {
            sysread($monitor, $said, 4096, length $said) or last;
        }
        return $seen ? 0 : 2;
    });
    my $b = boot(name => $name, serial => 0, %boot, extra => [
        @{ $boot{extra} // [] }, '-serial', "file:$at.log", '-pidfile', "$at.pid",
        '-monitor', "unix:$at.mon,server=on,wait=off"
    ]);
    waitpid $pid, 0;
    is($? >> 8, 0, "$name: the monitor was reached");
    ($b->{log} = slurp("$at.log")) =~ s/\r//g;
    unlink "$at.log", "$at.mon", "$at.pid";
    return $b;
}

# ---- nothing there, nothing found

my $b = boot(name => 'quiet', cpu => $intel, icount => 0, append => 'suite=gaps');
boot_ok($b);
my $all = adds_up($b);
is("$all->{n} $all->{most} $all->{inner} $all->{outer}", "0 $outer $inner $outer",
    'no gap, and no difference above the usual');
is($all->{turns}, 4000000, 'as many turns as an emulator gets unasked');
like(note_of($b, 'gaps.seen'), qr/^ok SKIP emulated.*: 0 gaps in [\d.]+ ms: below \d+ a second \(95%\)/,
    'not judged, and said with its bound');
like($b->{log}, qr/^NOT SEEN gaps outside the [\d.]+ ms watched/m, 'the summary says for how long');

# ---- soak=, progress, limits that are kept

$b = boot(name => 'soak', cpu => $intel, icount => 6,
    append => 'suite=gaps soak=12 limit.gap=1984t limit.smi=1/h');
boot_ok($b);
$all = adds_up($b);
is(int($all->{watched} / 1e9 + 0.5), 12, 'twelve seconds are watched');
is($all->{windows}, 12, 'a window a second');
is_deeply([ map { $_->{windows} } records_of($b->{log}, 'gap') ], [ (2) x 6 ], 'a record for two windows');
is_deeply([ map { $_->{threshold} } records_of($b->{log}, 'gap') ], [ ($all->{threshold}) x 6 ],
    'each tells what a gap is, should it be the last');
is_deeply([ $b->{log} =~ /^# (\d+) s of 12 s watched, 0 gaps$/mg ], [ map { 2 * $_ } 1 .. 6 ],
    'with each a line of progress');
like(note_of($b, 'gaps.limit.gap'), qr/^ok longest 1984 ticks/, 'limit.gap is kept');
like(note_of($b, 'gaps.limit.smi'), qr/^ok 0 SMI in 12 s: below 15 a minute/, 'limit.smi is kept');

# ---- limits that are passed, and limits that nobody can check

$b = boot(name => 'limit passed', icount => 6, cpu => 'max',
    append => 'suite=gaps soak=1 limit.gap=1983t limit.smi=1/h');
is($b->{status}, $failed, 'a limit that is passed fails the run');
like(note_of($b, 'gaps.limit.gap'), qr/^not ok failed: longest 1984 ticks, limit 1983/,
    'limit.gap is passed');
like(note_of($b, 'gaps.limit.smi'), qr/^not ok failed: cannot be checked: n\/a: AMD/,
    'without a count of SMIs their limit is not ok');
$b = boot(name => 'no frequency', machine => 'microvm', icount => 6, cpu => $intel,
    append => 'suite=gaps soak=1 limit.gap=1s smi=inject:1');
is($b->{status}, $failed, 'no frequency: fails');
like(note_of($b, 'gaps.limit.gap'), qr/^not ok failed: cannot be checked: the TSC's frequency/,
    'no frequency: a limit in seconds is not ok');
like(note_of($b, 'gaps.control'), qr/^ok SKIP smi= refused: /, 'no SMI_CMD: refused');
unlike($b->{log} =~ /(== gaps.*?== summary)/s ? $1 : 's', qr/\d (s|ms|us|ns)\b/,
    'no frequency: no time is told');

# ---- options that are wrong

for my $wrong ('soak=0', 'limit.gap=5', 'limit.smi=5/day', 'smi=inject') {
    $b = boot(name => $wrong, icount => 6, append => "suite=gaps $wrong");
    is($b->{status}, $failed, "$wrong: fails");
    like(note_of($b, 'options'), qr/^not ok failed: \Q$wrong\E: expected /, "$wrong: is told");
}

# ---- SMIs on demand

$b = boot(name => 'SMIs', cpu => $intel, icount => 0,
    append => 'suite=gaps soak=1 threshold=4 smi=inject:100 limit.smi=99/s');
is($b->{status}, $failed, 'SMIs: the limit is passed');
like(note_of($b, 'gaps.limit.smi'), qr/^not ok failed: 100 SMI in/, 'SMIs: limit.smi is not ok');
$all = adds_up($b);
is("$all->{n} $all->{smi} $all->{causes}", '100 100 smi:100', 'SMIs: each is a gap of that cause');
my ($smi) = records_of($b->{log}, 'smi');
is("@$smi{qw(asked written counted found missed other)}", '100 100 100 100 0 0',
    'SMIs: asked, written, counted, found; none missed, nothing else found');

# Our handler's own times are the truth; what is below the threshold must not be found.
my @table;
for my $row ([ 2, 30000, 16 ], [ 2, 1000, 4000 ]) {
    my ($shift, $stay, $threshold) = @$row;
    $b = boot(name => "handler $stay", cpu => $intel, icount => $shift, machine => 'q35',
        append => "suite=gaps soak=1 threshold=$threshold smi=inject:200,handler:$stay");
    boot_ok($b);
    ($smi) = records_of($b->{log}, 'smi');
    my $found = $stay > $threshold ? 200 : 0;
    is("@$smi{qw(written counted noted above found missed other)}", "200 200 200 $found $found 0 0",
        "handler $stay, threshold $threshold: all found that are above it, and nothing else");
    cmp_ok($smi->{$_}, '<=', ($inner + $outer) << $shift, "handler $stay: $_ is within a turn")
        for qw(late over_max);
    push @table, sprintf '%8d %9d %8d %5d %6d %5d %4d %8d', $stay, $threshold,
        @$smi{qw(written found missed other late over_max)};
}
note('    stay threshold  written found missed other late over_max');
note($_) for @table;

# ---- disturbed from outside: NMIs, a machine check, one NMI that is below the threshold

# Each has to come within a window, not while a line is printed: that is a thousandth of this time.
my @outside = (icount => 4, cpu => $intel);
$b = disturbed('NMIs', qr/watched, /, sub {
    my ($send) = @_;
    for ('nmi', 'nmi', 'mce 0 1 0xb000000000000000 5 0 0') {
        sleep 0.1;
        $send->($_);
    }
    sleep 0.1;
}, @outside, append => 'suite=gaps soak=20 threshold=20');
$all = adds_up($b);
is("$all->{n} $all->{causes}", '3 nmi:2,mce:1', 'each NMI and machine check is a gap of that cause');
is($all->{contradictions}, 0, 'and nothing contradicts');

$b = disturbed('short NMI', qr/watched, /, sub { sleep 0.1; $_[0]->('nmi'); sleep 0.1 }, @outside,
    append => 'suite=gaps soak=20 threshold=1000000');
$all = adds_up($b);
is("$all->{n} $all->{nmi} $all->{contradictions}", '0 1 1', 'an NMI too short for a gap is counted');
like($b->{log}, qr/^window \d+: gaps 0, NMI \+1: the counts do not explain each other$/m,
    'what contradicts is printed as it is');

# One that comes before any suite, while the clocks are asked, is told all the same.
$b = disturbed('early NMI', qr/^baretick: console /m, sub { $_[0]->('nmi') }, cpu => $intel,
    icount => 0, append => 'suite=gaps soak=1');
like(note_of($b, 'machine.traps'), qr/^ok unstable: 1 NMI, 0 machine checks since the start/,
    'an early NMI is told');
my ($clocked) = records_of($b->{log}, 'tsc');
cmp_ok(abs($clocked->{khz} - 1e6), '<', 500, 'nor does it move the clock');
note('it came late: ', (records_of($b->{log}, 'gaps'))[0]{nmi});

# ---- a watchdog: TCO_TMR 2 is 1.2 s; TCO1_CNT runs; SMI_EN gets TCO_EN; TCO_RLD starts it

$b = disturbed('watchdog', qr/watched, /, sub {
    my ($send) = @_;
    $send->('o /h 0x672 2', 'o /h 0x668 0', 'o /w 0x630 0x2021', 'o /h 0x660 1');
    sleep 0.2;
}, icount => 6, cpu => $intel, machine => 'q35', extra => [ '-action', 'watchdog=none' ],
    append => 'suite=gaps soak=45 threshold=1000');
$all = adds_up($b);
cmp_ok($all->{n}, '>=', 10, 'watchdog: its SMIs are gaps');
is($all->{causes}, "smi:$all->{n}", 'watchdog: and known as such');
cmp_ok(abs($all->{period} - 1.2e9), '<', 1.2e7, 'watchdog: the period is 1.2 s within 1%');
cmp_ok($all->{period_bits}, '>=', 20, 'watchdog: by strong evidence');
like($b->{log}, qr/^SMIs may come from: apm,tco \(ICH9\)$/m, 'watchdog: the chipset names it');

# ---- a stopped emulator is a gap of about that length

my $slept = built("test-logs/gaps-$$.slept");
$b = disturbed('stopped', qr/watched, /, sub {
    my (undef, $qemu) = @_;
    sleep 0.3;    # not while the line is printed
    my $start = time;
    kill STOP => $qemu;
    sleep 0.8;
    kill CONT => $qemu;
    open my $f, '>', $slept or die "$slept: $!\n";
    print $f time - $start;
    close $f;
}, cpu => 'max', append => 'suite=gaps soak=6 limit.gap=700ms');
$all = adds_up($b);
my ($tsc) = records_of($b->{log}, 'tsc');
my $longest = $all->{longest} / ($tsc->{khz} || 1) / 1000;
cmp_ok($longest, '>=', 0.79, 'stopped: the gap is as long');
# Where the host is busy both take longer.
cmp_ok($longest, '<', 2 * slurp($slept) + 0.2, 'stopped: and not much longer');
unlink $slept;
is($b->{status}, $failed, 'stopped: limit.gap=700ms is passed');

# ---- a process

my $p = hosted([qw(suite=gaps soak=1 smi=inject:1 limit.gap=1000000000t)]);
$p->{name} = 'process';
$all = adds_up($p);
like(note_of($p, 'gaps.smi'), qr/^ok SKIP n\/a: a process/, 'process: SMIs are not counted');
like(note_of($p, 'gaps.control'), qr/^ok SKIP smi= refused: a process/, 'process: none is made');
my ($keeps) = note_of($p, 'gaps.limit.gap') =~ /^((?:not )?ok) .*longest /;
is($p->{status}, ($keeps // '') eq 'ok' ? 0 : 1, 'process: a limit in ticks is checked, and decides');
($tsc) = records_of($p->{log}, 'tsc');
cmp_ok($all->{watched}, '>=', 0.9 * ($tsc->{trusted} ? 1000 * $tsc->{khz} : 1e9), 'process: a second is watched');
is(hosted([qw(suite=gaps soak=1 limit.smi=9/s)])->{status}, 1,
    'process: a limit of SMIs cannot be checked');

done_testing();
