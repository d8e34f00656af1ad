#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Positive controls of the gaps suite: SMIs made on purpose are counted and found, all of them and
# nothing else, with the times that the handler itself noted; and where one would do harm or nothing,
# the kernel says so instead.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::UNIX;
use lib dirname(__FILE__);
use Baretick;
use Test::More;
use Time::HiRes qw(sleep);

# One tick an instruction, and an MSR_SMI_COUNT: QEMU has it for Intel alone.
sub counting_boot {
    my ($name, $machine, $append, %more) = @_;
    return boot(
        name => $name, machine => $machine, cpu => 'max,vendor=GenuineIntel', icount => 0,
        append => "suite=gaps $append", timeout => 120, %more
    );
}

# The keys that differ from those wanted, in words.
sub off_from {
    my ($keys, %want) = @_;
    return map { "$_=" . ($keys->{$_} // '(none)') . ", not $want{$_}" }
        grep { ($keys->{$_} // '') ne $want{$_} } sort keys %want;
}

# ---- a handler of our own: SMIs of known length, at 200 instants

my $n = 200;
my @table = (sprintf '%-5s %9s %6s %6s %6s %6s %6s %8s %14s', 'board', 'ticks', 'asked', 'counted',
    'found', 'missed', 'false', 'late', 'length off by');

# The gaps of the log are what SMIs of this length must look like. A turn is what the loop needs
# from a read to the same read of the next turn; a gap between two turns holds `outer` of it anyway.
sub known_length {
    my ($machine, $ticks) = @_;
    my $name = "$machine, $ticks ticks";
    my $b = counting_boot($name, $machine, "smi=handler:$ticks threshold=4");
    boot_ok($b);
    my $log = read_records($b->{log});
    my ($smi)  = records_of($log, 'smi');
    my ($gaps) = records_of($log, 'gaps');
    ok($smi && $gaps, "$name: records of the control and of the gaps") or return;
    my $turn = $gaps->{inner} + $gaps->{outer};

    is_deeply([ off_from($smi, map({ $_ => $n } qw(asked written counted noted above found)),
        missed => 0, other => 0, stay => $ticks) ], [], "$name: all found, nothing else");
    is_deeply([ off_from($gaps, n => $n, smi => $n, backwards => 0, contradictions => 0) ], [],
        "$name: as many gaps, and as many SMIs counted by the CPU");
    cmp_ok($smi->{late}, '<=', $turn, "$name: each gap begins within a turn of the handler");
    my @off = @$smi{qw(over_min over_max)};
    ok(0 <= $off[0] && $off[1] <= $turn, "$name: each length within a turn") or diag("@off");

    # The same from what else the log says of the gaps: their sum, and the first of them.
    my $mean = $gaps->{stolen} / $n;
    ok($ticks <= $mean && $mean <= $ticks + $turn, "$name: $mean stolen each");
    my @listed = map { [ split /:/ ] } map { split /,/, $_->{list} } records_of($log, 'gaplist');
    my @wrong  = grep {
             $_->[1] < $ticks + $gaps->{outer}
          || $_->[1] > $ticks + $gaps->{outer} + $turn
          || $_->[2] ne 'smi'
    } @listed;
    is(@listed, 64, "$name: the first are listed");
    is_deeply(\@wrong, [], "$name: each with its length and cause");
    my %apart = map { ($listed[$_][0] - $listed[ $_ - 1 ][0] => 1) } 1 .. $#listed;
    cmp_ok(scalar keys %apart, '>', 50, "$name: at instants of no pattern");
    is($gaps->{period}, 0, "$name: so no period is named");

    push @table, sprintf '%-5s %9d %6d %6d %6d %6d %6d %8d %14s', $machine, $ticks,
        @$smi{qw(asked counted found missed other late)}, "$off[0]..$off[1]";
    return;
}

known_length('pc',  $_) for 100, 1000, 1_000_000;
known_length('q35', $_) for 316, 10_000, 100_000, 1_000_000;
diag($_) for @table;

# Below the threshold nothing may be found, and nothing counts as missed.
my $short = counting_boot('below the threshold', 'pc', 'smi=inject:40,handler:100', icount => 3);
boot_ok($short);
my ($below) = records_of($short->{log}, 'smi');
is_deeply([ off_from($below, written => 40, counted => 40, noted => 40, above => 0, found => 0,
    missed => 0, other => 0) ], [], 'below the threshold: 40 came, none is a gap');
is((records_of($short->{log}, 'gaps'))[0]{n}, 0, 'below the threshold: no gap');
like(check_named(read_ktap($short->{log}), 'gaps.control')->{note},
    qr/^SKIP 40 SMIs asked, 40 written, 0 found, 0 missed, 0 other gaps: none was long enough; threshold \d+ ticks$/,
    'below the threshold: nothing is proven, and it is said');

# ---- firmware's own handler

for my $machine (qw(pc q35)) {
    my $b = counting_boot("inject, $machine", $machine, 'smi=inject:150 threshold=4');
    boot_ok($b);
    my ($smi) = records_of($b->{log}, 'smi');
    is_deeply([ off_from($smi, map({ $_ => 150 } qw(asked written counted found)), missed => 0,
        other => 0) ], [], "inject, $machine: asked, written, counted and found are one number");
    like($b->{log}, qr/^SMIs on demand, port b2h, value 00h$/m, "inject, $machine: says what");
}

# Firmware's own, shorter than the threshold: how long it took nobody knows, so it counts as missed.
my $one = boot(name => 'inject, short', machine => 'q35', cpu => 'max,vendor=GenuineIntel', icount => 3,
    append => 'suite=gaps soak=1 smi=inject:1', timeout => 60);
like(check_named(read_ktap($one->{log}), 'gaps.control')->{note},
    qr/^failed: 1 SMIs asked, 1 written, 0 found, 1 missed, 0 other gaps; threshold \d+ ticks$/,
    'inject, short: a failure that names the threshold');

# An AMD CPU does not count them: they are found all the same.
my $amd = counting_boot('inject, no count', 'pc', 'smi=inject:25 threshold=4', cpu => 'max',
    icount => 3);
boot_ok($amd);
my ($uncounted) = records_of($amd->{log}, 'smi');
is_deeply([ off_from($uncounted, written => 25, found => 25, missed => 0, other => 0) ], [],
    'inject, no count: all found');
ok(!exists $uncounted->{counted}, 'inject, no count: none is claimed');

my $off = counting_boot('not asked', 'q35', 'threshold=4');
boot_ok($off);
is_deeply([ records_of($off->{log}, 'smi') ], [], 'not asked: no control');
is_deeply([ off_from((records_of($off->{log}, 'gaps'))[0], n => 0, smi => 0) ], [],
    'not asked: no SMI, no gap');

# What may make SMIs, as the chipset's own registers say where they are known.
my ($sources) = records_of($off->{log}, 'smisources');
is_deeply([ off_from($sources, chipset => 'ICH9', port => '0x630', enable => '0x21', global => 1,
    enabled => 'apm', pending => 'none') ], [], 'q35: SMIs come from writes to port B2h alone');
is_deeply([ records_of($short->{log}, 'smisources') ], [], 'pc: a chipset that is not known');

# ---- refused

sub refused {
    my ($name, $why, $options, %boot) = @_;
    my $b = boot(name => $name, cpu => 'max,vendor=GenuineIntel', timeout => 90,
        append => "suite=gaps $options", %boot);
    boot_ok($b);
    like($b->{log}, qr/^smi= refused: $why$/m, "$name: says why");
    my $check = check_named(read_ktap($b->{log}), 'gaps.control');
    like($check && $check->{note}, qr/^SKIP smi= refused: $why$/, "$name: the check is skipped");
    is_deeply([ records_of($b->{log}, 'smi') ], [], "$name: nothing was tried");
    return $b;
}

my $zero = qr/FADT SMI_CMD is 0: a write could hang the machine/;
refused('q35 without SMM', $zero, 'smi=inject:5', machine => 'q35,smm=off');
refused('pc without SMM, handler', $zero, 'smi=handler:500', machine => 'pc,smm=off');
refused('microvm', qr/the FADT says hardware-reduced ACPI: there is no SMI_CMD/, 'smi=inject:5',
    machine => 'microvm');
refused('no ACPI', qr/there is no FADT, so no SMI_CMD is known/, 'smi=inject:5',
    machine => 'microvm,acpi=off');

my $real = qr/replacing an SMI handler is refused where no emulator is known/;
refused('no hypervisor, handler', $real, 'smi=handler:500 exit=debug', machine => 'q35',
    cpu => 'max,vendor=GenuineIntel,-hypervisor', icount => 3);
refused('unnamed hypervisor, handler', $real, 'smi=handler:500', machine => 'q35',
    cpu => 'max,vendor=GenuineIntel,tcg-cpuid=off', icount => 3);

# Firmware without SMM names the port all the same. GRUB has no command line but its menu's.
sub image_with {
    my ($options) = @_;
    my ($cfg, $iso) = map { built("test-logs/smi-menu.$_") } qw(cfg iso);
    open my $f, '>', $cfg or die "$cfg: $!\n";
    print $f "set timeout=0\nmenuentry smi {\n\tmultiboot2 /boot/baretick.elf $options\n}\n";
    close $f or die "$cfg: $!\n";
    my $status = run_bounded(60, "$cfg.log", root() . '/tools/mkiso', $iso, built('baretick.elf'), $cfg);
    is($status, 0, 'an image with that menu') or diag(slurp("$cfg.log"));
    unlink $cfg, "$cfg.log";
    return $iso;
}

my $image = image_with('suite=gaps smi=handler:500');
my $ovmf = refused('OVMF', qr/writes to SMI_CMD make no SMI: APMC_EN or GBL_SMI_EN is 0/, '', machine => 'q35',
    uefi => 1, medium => 'cd', image => $image, memory => 256);
unlink $image;
($sources) = records_of($ovmf->{log}, 'smisources');
is_deeply([ off_from($sources, enable => '0x0', global => 0, enabled => 'none') ], [],
    'OVMF: nothing may make an SMI');
like($ovmf->{log}, qr/GBL_SMI_EN is 0: all off/, 'OVMF: and it is said');

# ---- firmware gets its handler back

# The 128 bytes at A8000h as QEMU's monitor reads them: while the suite runs and after its end.
sub handlers_of {
    my ($name, $append) = @_;
    my $path = built("test-logs/smi-$$");
    unlink glob "$path.*";
    my $pid = in_child(sub {
        my $monitor;
        for my $when ([ running => qr/ watched, /m ], [ ended => qr/^baretick: halted/m ]) {
            for (1 .. 400) {
                last if slurp("$path.log") =~ $when->[1];
                sleep 0.05;
            }
            $monitor //= IO::Socket::UNIX->new(Peer => "$path.socket") or return 1;
            print $monitor "pmemsave 0xa8000 128 \"$path.$when->[0]\"\n";
            $monitor->flush;
            sleep 0.3;
        }
        print $monitor "quit\n";
        $monitor->flush;
        sleep 0.3;
        return 0;
    });
    my $b = boot(name => $name, machine => 'q35', cpu => 'max,vendor=GenuineIntel', serial => 0,
        timeout => 60, append => "suite=gaps soak=6 exit=halt $append",
        extra => [ '-serial', "file:$path.log", '-monitor', "unix:$path.socket,server=on,wait=off" ]);
    waitpid $pid, 0;
    is($? >> 8, 0, "$name: the monitor was reached");
    is($b->{status}, 0, "$name: ended from outside");
    my @bytes = map { slurp("$path.$_") } qw(running ended);
    unlink glob "$path.*";
    return @bytes;
}

my @without = handlers_of('handler not asked for', '');
my @with    = handlers_of('handler asked for', 'smi=inject:5,handler:1000');
is(length $without[1], 128, 'the handler can be looked at from outside');
is($without[0], $without[1], 'not asked for: firmware has its own');
isnt($with[0], $without[0], 'asked for: it has ours meanwhile');
is($with[1], $without[1], 'asked for: at the end it has its own again');

done_testing;
