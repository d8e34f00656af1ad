#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The image in Bochs as it is, on two processors; and the ways a run ends there: with 0 for success
# alone, and what went wrong is never a success.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__), dirname(__FILE__) . '/..';
use Baretick;
use Bochs;
use Test::More;

my $short = 'suite=tsc,xsave profile=quick lines=2 samples=20';

# ---- the image as it is, its menu and default options; two processors

my $smp = bochs(model => 'corei7_icelake_u', count => 2, name => 'as built, 2 CPUs');
bochs_ok($smp);
ktap_ok($smp);
my $machine = emulated_ok($smp);
is($machine->{boot}, 'multiboot2', 'as built: booted by multiboot2');
is($machine->{cpus}, 2, 'as built: both processors are known');

# ---- ends

my $off = bochs(model => 'ryzen', name => 'exit=poweroff', options => "$short exit=poweroff");
is_deeply(read_records($off->{log})->{problems}, [], 'exit=poweroff: a whole log');
like($off->{said}, qr/soft power off/, 'exit=poweroff: by ACPI');

my $wrong = bochs(model => 'ryzen', name => 'a wrong option', options => "$short samples=lots");
is($wrong->{status}, 1, 'a wrong option: ends by itself, not with 0');
like($wrong->{said}, qr/shutdown requested/, 'a wrong option: by the shutdown port');
is_deeply(read_records($wrong->{log})->{problems}, [], 'a wrong option: the rest ran to the end');

my $panic = bochs(model => 'ryzen', name => 'panic=test', options => 'panic=test');
is($panic->{status}, 1, 'panic=test: ends by itself, not with 0');
like($panic->{log}, qr/\brip[ =:]+(0x)?[0-9a-f]{8,16}\b/i, 'panic=test: RIP is printed');
isnt(scalar @{ read_records($panic->{log})->{problems} }, 0, 'panic=test: no whole log');

# ---- no long mode: said, and then it halts, which in Bochs has no end

my $old = bochs(model => 'p4_willamette', options => $short, timeout => 15);
is($old->{status}, -1, 'p4_willamette: halts');
like($old->{log}, qr/64-bit|long mode/i, 'p4_willamette: says what it needs');

done_testing();
