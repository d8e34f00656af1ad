#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The kernel on every CPU with long mode that Bochs has: it ends by itself with a whole log, and what
# a CPU lacks is a SKIP with a reason.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__), dirname(__FILE__) . '/..';
use Baretick;
use Bochs;
use Test::More;

my $short = 'suite=tsc,xsave profile=quick lines=2 samples=20';

# What each lacks by its manual, or, for the generic one, by its default.
my %lacks = (
    bx_generic                => [qw(xsave)],
    p4_prescott_celeron_336   => [qw(rdtscp xsave)],
    athlon64_clawhammer       => [qw(rdtscp xsave)],
    athlon64_venice           => [qw(rdtscp xsave)],
    turion64_tyler            => [qw(xsave)],
    phenom_8650_toliman       => [qw(xsave)],
    core2_penryn_t9600        => [qw(rdtscp)],
    corei5_lynnfield_750      => [qw(xsave)],
    corei5_arrandale_m520     => [qw(xsave)],
    map { $_ => [] } qw(corei7_sandy_bridge_2600k zambezi trinity_apu ryzen
        corei7_ivy_bridge_3770k corei7_haswell_4770 broadwell_ult corei7_skylake_x corei3_cnl
        corei7_icelake_u tigerlake),
);
# A model that a newer Bochs brings has to be added to one of the two.
my @no_long_mode = qw(pentium pentium_mmx amd_k6_2_chomper p2_klamath p3_katmai p4_willamette
    core_duo_t2400_yonah atom_n270);
my @known = map { /^(\w+)\s*$/ ? $1 : () } split /\n/, qx(bochs --help cpu 2>&1 </dev/null);
is_deeply([ sort @known ], [ sort keys %lacks, @no_long_mode ],
    'each CPU model of Bochs is booted, or has no long mode');

my %needs_rdtscp = map { ("tsc.method.$_" => 1) } qw(0 1c 1l 2c 2l 3c 3l 4);
for my $model (sort keys %lacks) {
    my $b = bochs(model => $model, options => $short);
    bochs_ok($b);
    my $k = ktap_ok($b);
    emulated_ok($b);
    my %skipped = map { ($_->{name} => 1) } grep { $_->{note} =~ /^SKIP/ } @{ $k->{results} };
    my %lack = map { $_ => 1 } @{ $lacks{$model} };
    my @without = grep { $skipped{$_} } sort keys %needs_rdtscp;
    is(scalar @without, $lack{rdtscp} ? 8 : 0, "$model: RDTSCP as by its manual");
    is($skipped{xsave} // 0, $lack{xsave} // 0, "$model: XSAVE as by its manual");
}

done_testing();
