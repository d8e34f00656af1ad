#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The kernel on the machines and CPUs that QEMU offers, booted by PVH: each ends with exit 33 and a
# whole log, what a CPU lacks is a SKIP with a reason, and what went wrong is never a success.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

# Enough to pass through every method, short enough to boot often.
my $short = 'suite=tsc profile=quick lines=2 samples=20';

# The verdict is there, and each entry that is not ok says why.
sub ktap_ok {
    my ($b) = @_;
    my $k = read_ktap($b->{log});
    my @wrong = @{ $k->{problems} };
    push @wrong, map { "$_->{name} without a reason" } grep { !$_->{ok} && !length $_->{note} }
        @{ $k->{results} };
    push @wrong, map { "SKIP $_->{name} without a reason" } grep { $_->{note} =~ /^SKIP\s*$/ }
        @{ $k->{results} };
    is_deeply(\@wrong, [], "$b->{name}: verdict is well formed");
    return $k;
}

sub skipped {
    my ($k) = @_;
    return [ grep { $_->{note} =~ /^SKIP / } @{ $k->{results} } ];
}

# ---- machines, the default report

for my $machine (qw(pc q35 microvm)) {
    my $b = boot(name => $machine, machine => $machine, cpu => 'max', timeout => 180);
    boot_ok($b);
    my $k = ktap_ok($b);
    is_deeply([ grep { !$_->{ok} } @{ $k->{results} } ], [], "$machine: nothing is not ok");
    like($b->{log}, qr/^TRUST: (GOOD|DEGRADED|BAD|UNKNOWN)\b/m, "$machine: says what to trust");
    unlike($b->{log}, qr/^TRUST: GOOD/m, "$machine: an emulated machine is not good");
    my ($m) = grep { $_->{type} eq 'machine' } @{ read_records($b->{log})->{records} };
    is($m->{keys}{boot}, 'pvh', "$machine: booted by PVH");
    isnt($m->{keys}{emulated}, 'no', "$machine: known as emulated");
    cmp_ok(length $b->{log}, '<=', 65536, "$machine: the default report is at most 64 KiB");
}

# ---- CPUs that lack something

my %lacks = (
    'qemu64'       => qr/RDTSCP/i,
    'Nehalem'      => qr/RDTSCP/i,
    'Denverton-v3' => undef,
    'Haswell'      => undef,
    'max'          => undef,
);
for my $cpu (sort keys %lacks) {
    my $b = boot(name => "cpu $cpu", cpu => $cpu, timeout => 120,
        append => 'suite=tsc,xsave profile=quick lines=2 samples=20');
    boot_ok($b);
    my $k = ktap_ok($b);
    next unless $lacks{$cpu};
    my @told = grep { $_->{note} =~ $lacks{$cpu} } @{ skipped($k) };
    isnt(scalar @told, 0, "cpu $cpu: a SKIP names what the CPU lacks");
    my @xsave = grep { $_->{name} =~ /xsave/ } @{ skipped($k) };
    isnt(scalar @xsave, 0, "cpu $cpu: XSAVE is skipped");
}

# ---- little and much memory, no serial port

boot_ok(boot(name => '16 MiB', memory => 16, append => $short));
boot_ok(boot(name => '3 GiB', memory => 3072, machine => 'q35', append => $short));
is(boot(name => 'no serial port', serial => 0, append => $short)->{status}, 33,
    'no serial port: runs to a good end');
is(boot(name => 'no serial port, q35', machine => 'q35', serial => 0, append => $short)->{status},
    33, 'no serial port, q35: runs to a good end');

# ---- options that are wrong: told, and the rest runs

for my $wrong ('sample=5', 'samples=lots', 'samples=0', 'suite=nonesuch') {
    my $b = boot(name => "option $wrong", append => "$short $wrong");
    my $k = ktap_ok($b);
    my $check = check_named($k, 'options');
    ok($check && !$check->{ok}, "$wrong: not ok options");
    like($check->{note} // '', qr/\Q$wrong\E|nonesuch/, "$wrong: the reason names the word");
    isnt($b->{status}, 33, "$wrong: not exit 33");
    cmp_ok($b->{status}, '>', 0, "$wrong: ends by itself");
    is_deeply(read_records($b->{log})->{problems}, [], "$wrong: the rest ran to the end record");
}

my $cut = boot(name => 'cut command line', append => substr("$short label=" . "x" x 60 . " strict=0" x 500, 0, 4100));
my $cut_check = check_named(ktap_ok($cut), 'options');
like($cut_check->{note}, qr/command line: expected at most 4095 bytes/, 'cut command line: told');
isnt($cut->{status}, 33, 'cut command line: not exit 33');

# ---- an instruction-counting clock gives itself away, whatever CPUID says

my $hidden = boot(name => 'hidden hypervisor', cpu => 'max,-hypervisor', icount => 3,
    append => 'suite=stability exit=debug');
boot_ok($hidden);
like($hidden->{log}, qr/^emulated the clock counts instructions: /m, 'hidden hypervisor: recognised');
my $hidden_is = read_records($hidden->{log});
is((records_of($hidden_is, 'machine'))[0]{emulated}, 'the clock counts instructions',
    'hidden hypervisor: in the record too, so that it is no baseline for hardware');
is((records_of($hidden_is, 'options'))[0]{profile}, 'quick', 'hidden hypervisor: auto is quick');
like($hidden->{log}, qr/^TRUST: UNKNOWN emulated/m, 'hidden hypervisor: and not judged');

# ---- crashes: never a success

my $panic = boot(name => 'panic=test', append => 'panic=test');
isnt($panic->{status}, 33, 'panic=test: not exit 33');
ok(!$panic->{timed_out}, 'panic=test: ends by itself');
like($panic->{log}, qr/\brip[ =:]+(0x)?[0-9a-f]{8,16}\b/i, 'panic=test: RIP is printed');
like($panic->{log}, qr/\b$_[ =:]+(0x)?[0-9a-f]{1,16}\b/i, "panic=test: $_ is printed")
    for qw(rax rsp r15 cr2);
isnt(scalar @{ read_records($panic->{log})->{problems} }, 0, 'panic=test: no whole log');

my $triple = boot(name => 'panic=triple', append => 'panic=triple');
isnt($triple->{status}, 33, 'panic=triple: not exit 33');
ok(!$triple->{timed_out}, 'panic=triple: the machine is reset');
isnt(scalar @{ read_records($triple->{log})->{problems} }, 0, 'panic=triple: no whole log');

done_testing();
