#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Whose log is it: names from firmware that may hold anything, what ident=off leaves out, the label,
# the date, the memory, how it was booted, and the checksum of what was measured.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my $short = 'suite=gaps profile=quick soak=1';
my $uuid  = '12345678-9abc-def0-1234-56789abcdef0';

sub record {
    my ($b, $type) = @_;
    my ($k) = records_of($b->{log}, $type);
    return $k // {};
}

# QEMU's word for one structure; a comma is written twice.
sub smbios {
    my ($type, %field) = @_;
    s/,/,,/g for values %field;
    return ('-smbios', join ',', "type=$type", map { "$_=$field{$_}" } sort keys %field);
}

# What a terminal could take for a command is nowhere in the log.
sub printable {
    my ($b) = @_;
    my @odd = grep { /[^\t -~]/ } split /\n/, $b->{log};
    s/([^ -~])/sprintf '\\x%02X', ord $1/ge for @odd;
    is_deeply(\@odd, [], "$b->{name}: the log is printable ASCII");
    return;
}

# ---- good names

my @named = (
    smbios(0, vendor => 'Acme', version => 'F.12', date => '03/04/2025'),
    smbios(1, manufacturer => 'Acme', product => 'Anvil 9', serial => 'SN-0042', uuid => $uuid),
    smbios(2, manufacturer => 'Boardly', product => 'B1, rev 2', serial => 'BSN-77'),
);
my $named = boot(name => 'names', cpu => 'max', memory => 200, extra => [
        @named, '-rtc', 'base=2031-05-06T07:08:09'
    ], append => "$short label=\"rack 7, \\\"left\\\" = #3\"");
boot_ok($named);
printable($named);
my $board = record($named, 'board');
is($board->{firmware}, 'Acme F.12 03/04/2025', 'firmware: vendor, version and date');
is($board->{board}, 'Boardly B1, rev 2', "board: its own maker's, not the system's");
is($board->{serial}, 'SN-0042', "serial: the system's");
is($board->{uuid}, $uuid, 'uuid as it was given');
is($board->{label}, 'rack 7, "left" = #3', 'the label comes back byte for byte');
my $machine = record($named, 'machine');
like($machine->{rtc}, qr/^2031-05-06T07:08:[0-5]\d$/, 'the date of the clock');
my $mib = $machine->{memory} / 1048576;
cmp_ok($mib, '<=', 200, "memory: $mib MiB usable, of 200");
cmp_ok($mib, '>', 197, '... and not much less');
is("$machine->{boot}, $machine->{cpus}", 'pvh, 1', 'booted by PVH, one CPU');
isnt($machine->{vendor}, '', 'the CPU has a vendor');
like($machine->{brand}, qr/QEMU/, '... and a brand');
is($machine->{hypervisor}, 'TCGTCGTCGTCG', '... and a hypervisor');
like(record($named, 'begin')->{build}, qr/^[0-9a-f]{7,}/, 'the build is named');

# ---- names that are not known

my $bare = boot(name => 'microvm', machine => 'microvm', append => $short);
boot_ok($bare);
is_deeply([ @{ record($bare, 'board') }{qw(firmware board serial uuid label)} ], [ ('') x 5 ],
    'microvm: no SMBIOS, so nothing is said');

my $zero = boot(name => 'no uuid', append => $short,
    extra => [ smbios(1, uuid => '00000000-0000-0000-0000-000000000000') ]);
is(record($zero, 'board')->{uuid}, '', 'a UUID of zeros is none');

# ---- hostile names

my %hostile = (
    'control bytes' => "a\e[2J\e]0;own\a\r\n\@bt seq=1 type=end records=1\tb\x7f",
    'quotes'        => 'say "hi" \\x41 \\" crc=00000000 \\',
    'high bytes'    => "caf\xc3\xa9 \xff\xfe\x80\x9b31m",
    '300 bytes'     => 'x' x 299 . 'y',
    'blanks'        => "   \t  ",
);
for my $kind (sort keys %hostile) {
    my $name = $hostile{$kind};
    my $b = boot(name => $kind, append => $short, extra => [
        smbios(0, vendor => $name, version => $name, date => $name),
        smbios(1, manufacturer => $name, product => $name, serial => $name),
        smbios(2, manufacturer => $name, product => $name),
    ]);
    boot_ok($b);
    printable($b);
    my $k = record($b, 'board');
    (my $want = $name) =~ s/[^ -~]/?/g;
    $want = substr $want, 0, 63;
    # Blanks and control bytes at the ends go; those within become question marks.
    $want = '' if $kind eq 'blanks';
    is($k->{serial}, $want, "$kind: the serial is what is left of it");
    cmp_ok(length $k->{$_}, '<=', 63, "$kind: $_ is cut") for qw(firmware board);
}

# ---- ident=off: none of it, in no line

my $off = boot(name => 'ident=off', append => "$short ident=off", extra => \@named);
boot_ok($off);
my $k = record($off, 'board');
is_deeply([ grep { exists $k->{$_} } qw(board serial uuid) ], [], 'ident=off: the keys are left out');
for my $secret ('SN-0042', 'BSN-77', $uuid, 'Boardly', 'Anvil', 'F.12') {
    unlike($off->{log}, qr/\Q$secret\E/i, "ident=off: $secret is nowhere in the log");
}

# ---- the measured code: in kernel, process and image the same

my @code = map { record($_, 'options')->{code} } $named, $bare, $off;
my $hosted = hosted([qw(suite=gaps profile=quick soak=1 label=x)]);
push @code, record($hosted, 'options')->{code};
like($code[0], qr/^[0-9A-F]{8}$/, 'the checksum of the measured code is in the log');
is_deeply([ grep { $_ ne $code[0] } @code ], [], '... the same in kernel and process');
is(record($hosted, 'board')->{label}, 'x', 'a process has a label too');
is(record($hosted, 'machine')->{boot}, 'process', '... and says that it is one');

# ---- from the image: names by the boot information and by UEFI's table

for my $way ([ 'BIOS', 'pc', 0 ], [ 'UEFI', 'q35', 1 ]) {
    my ($name, $machine_type, $uefi) = @$way;
    my $b = boot(name => "image, $name", machine => $machine_type, medium => 'cd', uefi => $uefi,
        memory => 256, timeout => 300, extra => [ @named[ 2 .. $#named ] ]);
    boot_ok($b);
    my ($m, $names) = map { record($b, $_) } qw(machine board);
    is($m->{boot}, 'multiboot2', "$name: booted by multiboot2");
    like($m->{loader}, qr/^GRUB 2/, "$name: the loader is named");
    is($names->{serial}, 'SN-0042', "$name: the serial is found");
    is($names->{uuid}, $uuid, "$name: so is the UUID");
    isnt($names->{firmware}, '', "$name: and the firmware, $names->{firmware}");
    is(record($b, 'options')->{code}, $code[0], "$name: the same measured code");
}

done_testing();
