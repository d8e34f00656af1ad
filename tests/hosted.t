#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The Linux process: whole logs, honest exit statuses, errors in words.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my @short = qw(suite=tsc profile=quick lines=2 samples=20);

sub record {
    my ($log, $type) = @_;
    my ($r) = grep { $_->{type} eq $type } @{ read_records($log)->{records} };
    return $r ? $r->{keys} : {};
}

# ---- a run of everything

my $all = hosted([qw(profile=quick)]);
is($all->{status}, 0, 'everything, quick: status 0');
is($all->{err}, '', '... nothing on standard error');
is_deeply(read_records($all->{log})->{problems}, [], '... a whole log');
my $k = read_ktap($all->{log});
is_deeply($k->{problems}, [], '... a well-formed verdict');
is_deeply([ grep { !$_->{ok} } @{ $k->{results} } ], [], '... nothing is not ok');
is(record($all->{log}, 'machine')->{boot}, 'process', '... and says that it is a process');
unlike($all->{log}, qr/^TRUST: GOOD/m, '... whose figures are not good: interrupts were on');

# The claim about the clock is checked against another reader of the same clock.
my ($kernel) = grep { $_->{type} eq 'clock' && $_->{keys}{source} eq 'kernel' }
    @{ read_records($all->{log})->{records} };
my $again = hosted([@short]);
my ($second) = grep { $_->{type} eq 'clock' && $_->{keys}{source} eq 'kernel' }
    @{ read_records($again->{log})->{records} };
cmp_ok(abs($kernel->{keys}{khz} - $second->{keys}{khz}), '<=', $kernel->{keys}{khz} / 5000,
    'two calibrations agree within 200 ppm');
like(record($all->{log}, 'machine')->{rtc}, qr/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'the time');
is(record($all->{log}, 'options')->{code}, record($again->{log}, 'options')->{code},
    'the measured code is the same');
isnt(record($all->{log}, 'begin')->{run}, record($again->{log}, 'begin')->{run},
    'two runs have two ids');

# ---- words become options

is(record(hosted([ @short, 'label=two words' ])->{log}, 'board')->{label}, 'two words',
    'a word with a blank');
is(record(hosted([ @short, 'label="two words"' ])->{log}, 'board')->{label}, 'two words',
    'a word with its own quotes');
is(hosted([ @short, '' ])->{status}, 0, 'an empty word is no option');

for my $help ('--help', '-h', 'help') {
    my $h = hosted([$help]);
    is($h->{status}, 0, "$help: status 0");
    like($h->{log}, qr/\b\Q$_\E/, "$help: tells of $_") for qw(usage suite= lines= tsc xsave);
    is_deeply([ grep { length > 80 } split /\n/, $h->{log} ], [], "$help: at most 80 columns");
    unlike($h->{log}, qr/^\@bt/m, "$help: nothing was run");
}

# ---- what is wrong is told

for my $wrong ('sample=5', 'samples=lots', 'panic=triple') {
    my $b = hosted([ @short, $wrong ]);
    is($b->{status}, 1, "$wrong: status 1");
    is_deeply(read_records($b->{log})->{problems}, [], "$wrong: the rest ran");
    my $check = check_named(read_ktap($b->{log}), 'options');
    ok($check && !$check->{ok}, "$wrong: not ok options");
    like($check->{note} // '', qr/\Q$wrong\E/, "$wrong: the reason names it");
}
like(hosted([ @short, 'exit=halt' ])->{err}, qr/exit= .*process/, 'exit=: told to mean nothing');

my $long = hosted([ 'label=' . 'x' x 20000 ]);
is($long->{status}, 2, 'options that are too long: status 2');
like($long->{err}, qr/longer than/, '... with words');

SKIP: {
    skip 'no /dev/full', 4 unless -c '/dev/full';
    for my $words ([@short], ['help']) {
        my $full = hosted($words, to => '/dev/full');
        is($full->{status}, 1, "@$words: a full disk is status 1");
        is($full->{err}, "baretick-hosted: log could not be written: No space left on device\n",
            '... told once');
    }
}

my $binary = built('baretick-hosted');
my $pipe = `bash -c 'exec 3>&1; { timeout 60 $binary @short 2>&3; echo \$? >&3; } | true' </dev/null`;
like($pipe, qr/^baretick-hosted: log could not be written: Broken pipe\n1$/m,
    'a reader that has gone: status 1, told');

# ---- crashes

my $panic = hosted(['panic=test']);
is($panic->{status}, 1, 'panic=test: status 1');
like($panic->{log}, qr/^panic: SIGILL at [0-9a-f]{16}$/m, 'panic=test: says what and where');
like($panic->{log}, qr/\b$_ [0-9a-f]{16}\b/, "panic=test: $_") for qw(rax r8 r15 rip rsp cr2);
isnt(scalar @{ read_records($panic->{log})->{problems} }, 0, 'panic=test: no whole log');

done_testing();
