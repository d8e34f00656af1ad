#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The TSC's frequency where CPUID claims what is not so, and where the reference clocks follow the
# host's time while the TSC counts instructions.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__), dirname(__FILE__) . '/..';
use Baretick;
use Bochs;
use Test::More;

my $model = 'corei7_skylake_x';
my $khz   = 10_000;    # what the TSC runs at, and CPUID says 350 times that

sub clocks {
    my ($b) = @_;
    my ($tsc) = records_of($b->{log}, 'tsc');
    return ($tsc, { map { $_->{source} => $_ } records_of($b->{log}, 'clock') });
}

my $exact = bochs(model => $model, name => 'exact', options => 'suite=gaps profile=quick soak=1');
bochs_ok($exact);
my ($tsc, $clock) = clocks($exact);
is($tsc->{trusted}, 1, 'exact: trusted');
cmp_ok(abs($tsc->{khz} - $khz), '<=', $khz / 1000, "exact: $tsc->{khz} kHz, which it is");
for my $claim (grep { /^cpuid/ } sort keys %$clock) {
    like($clock->{$claim}{state}, qr/^(?:outvoted|absent)$/, "exact: $claim is not believed");
}
ok((grep { $_->{state} eq 'outvoted' && $_->{khz} > 10 * $khz } values %$clock),
    'exact: a claim far off is outvoted');
cmp_ok($tsc->{took} / $tsc->{khz}, '<', 300, 'exact: calibrated in less than 300 ms');

my $real = bochs(model => $model, name => 'real time', sync => 'realtime',
    options => 'suite=gaps profile=quick soak=1');
bochs_ok($real);
($tsc, $clock) = clocks($real);
my @rates = map { $_->{khz} } grep { $_->{state} =~ /^(?:ok|outvoted)$/ } values %$clock;
cmp_ok(scalar @rates, '>=', 2, 'real time: several sources, of whatever rate: ' . join ' ', @rates);
if ($tsc->{trusted}) {
    my @believed = sort { $a <=> $b } map { $_->{khz} } grep { $_->{state} eq 'ok' } values %$clock;
    cmp_ok($believed[-1] - $believed[0], '<=', $believed[0] * 500 / 1e6,
        'real time: those believed agree within 500 ppm');
} else {
    like($real->{log}, qr/^CLOCK .*UNTRUSTED/m, 'real time: UNTRUSTED');
    like($real->{log}, qr/^# .* ticks watched/m, 'real time: and gaps are told in ticks');
    unlike($real->{log}, qr/^#.*\d (?:ns|us|ms|s) watched/m, 'real time: no time is named');
}

done_testing();
