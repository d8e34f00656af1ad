#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The one image by every firmware and medium it is made for, and the sizes that were promised.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my $iso = built('baretick.iso');
my $elf = built('baretick.elf');

ok(-s $iso, 'the image is built') or BAIL_OUT("$iso is missing: make iso");
cmp_ok(-s $iso, '<=', 5 << 20, 'the image is at most 5 MiB');

# What the ELF's segments take in memory, by its own program headers.
sub loaded_bytes {
    my ($bytes) = @_;
    my ($phoff) = unpack 'x32 Q<', $bytes;
    my ($phentsize, $phnum) = unpack 'x54 S< S<', $bytes;
    my $sum = 0;
    for my $i (0 .. $phnum - 1) {
        my ($type, $filesz) = unpack 'L< x28 Q<', substr $bytes, $phoff + $i * $phentsize, 56;
        $sum += $filesz if $type == 1;
    }
    return $sum;
}

my $size = loaded_bytes(slurp($elf));
cmp_ok($size, '>', 4096, 'the kernel has something to load');
cmp_ok($size, '<=', 256 << 10, 'the kernel loads at most 256 KiB');

my @ways = (
    { name => 'BIOS CD', medium => 'cd', timeout => 180 },
    { name => 'BIOS USB', medium => 'usb', timeout => 180 },
    { name => 'BIOS disk', machine => 'q35', medium => 'disk', timeout => 180 },
    { name => 'UEFI CD', machine => 'q35', medium => 'cd', uefi => 1, timeout => 300 },
    { name => 'UEFI USB', machine => 'q35', medium => 'usb', uefi => 1, timeout => 300 },
);
for my $way (@ways) {
    my $b = boot(%$way, memory => 256, cpu => 'max');
    # GRUB's screen is in the log before ours: only our lines are read.
    boot_ok($b);
    is_deeply(read_ktap($b->{log})->{problems}, [], "$b->{name}: verdict is well formed");
    my ($m) = grep { $_->{type} eq 'machine' } @{ read_records($b->{log})->{records} };
    is($m->{keys}{boot}, 'multiboot2', "$b->{name}: booted by multiboot2");
    like($m->{keys}{loader} // '', qr/GRUB/, "$b->{name}: the loader is known");
}

done_testing();
