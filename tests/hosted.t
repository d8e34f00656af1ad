#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The Linux process: whole logs, honest exit statuses, errors in words, the kernel's measured code.
use strict;
use warnings;
use Compress::Zlib ();
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my @short = qw(suite=tsc profile=quick lines=2 samples=20);

sub record {
    my ($log, $type) = @_;
    my ($k) = records_of($log, $type);
    return $k // {};
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

# What user mode cannot do is left out, and says why.
for my $left_out ([ 'tsc.method.9', qr/process/ ], [ 'tsc.quiet', qr/interrupts on/ ],
    [ 'xsave.gate.xsaves', qr/ring 0|CPUID/ ])
{
    my ($name, $why) = @$left_out;
    my $check = check_named($k, $name) // { note => 'missing' };
    # Without XSAVE at all there is one SKIP for the suite.
    $check = check_named($k, 'xsave') // $check if $name =~ /^xsave/;
    like($check->{note}, qr/^SKIP .*(?:$why|no XSAVE)/, "... $name is skipped with the reason");
}
is_deeply([ map { $_->{name} } grep { $_->{note} =~ /^SKIP\s*$/ } @{ $k->{results} } ], [],
    '... no SKIP without a reason');

# ---- outliers by when they came

# With so low a threshold nearly every round is one, where rounds differ at all: all are within a few
# rounds of each other.
my $dense = record(hosted([qw(suite=stability profile=quick threshold=1)])->{log}, 'stability');
my @classes = @$dense{qw(burst periodic single)};
my $most = $dense->{outliers} < 256 ? $dense->{outliers} : 256;
if (2 * $dense->{outliers} > $dense->{n}) {
    is("@classes", "$most 0 0", 'dense outliers are bursts');
} else {
    is($classes[0] + $classes[1] + $classes[2], $most, "outliers are classed: @classes");
}

# ---- are the figures such as other machines gave: outside is told, and is no failure

my @method_window = (14, 120);
my @cpuid_window = record($all->{log}, 'machine')->{hypervisor} ? (1000, 40000) : (150, 3500);
my %xsave_window = (xsave => [ 60, 500 ], xrstor => [ 60, 600 ]);

sub outside {
    my ($what, $min, $lo, $hi) = @_;
    return $min < $lo || $min > $hi ? ("$what: min $min ticks, usual are $lo to $hi") : ();
}

my (@unusual, $looked);
for my $s (records_of($all->{log}, 'series')) {
    next unless $s->{method} =~ /^[03456]/;
    $looked++;
    push @unusual, outside("method $s->{method}", $s->{min},
        $s->{method} eq '0' ? @cpuid_window : @method_window);
}
for my $x (records_of($all->{log}, 'xsave')) {
    my $window = $xsave_window{ $x->{event} } or next;
    $looked++;
    # A mask with tiles is 8 KiB more than those whose windows are known.
    next if hex($x->{rfbm}) & 0x60000;
    push @unusual, map { outside("$x->{event} RFBM $x->{rfbm}", $_, @$window) } list_of($x->{min});
}
diag("WARNING: $_") for @unusual;
cmp_ok($looked, '>=', 2, 'minima looked at; ' . @unusual . ' outside of what other machines gave');

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

# ---- the measured code is the kernel's

sub section_crc {
    my ($section) = @_;
    my $file = built('test-logs/hosted-section');
    my $status = run_bounded(20, "$file.log", 'objcopy', '-O', 'binary', '-j', $section,
        built('seq.o'), $file);
    my $crc = sprintf '%08X', Compress::Zlib::crc32(slurp($file));
    my $size = -s $file;
    unlink $file, "$file.log";
    return $status == 0 && $size ? $crc : "objcopy failed: $status";
}

my $code = section_crc('seqtext');
is(record($all->{log}, 'options')->{code}, $code, "its CRC is the object's, $code");
my $kernel_boot = boot(name => 'code', cpu => 'max', append => "@short");
boot_ok($kernel_boot);
is(record($kernel_boot->{log}, 'options')->{code}, $code, "... and the kernel's");

# ---- words become options

is(record(hosted([ @short, 'label=two words' ])->{log}, 'board')->{label}, 'two words',
    'a word with a blank');
is(record(hosted([ @short, 'label="two words"' ])->{log}, 'board')->{label}, 'two words',
    'a word with its own quotes');
is(record(hosted([ @short, 'label=a=\\b' ])->{log}, 'board')->{label}, 'a=\\b',
    'a word with what records must quote');
is(hosted([ @short, '' ])->{status}, 0, 'an empty word is no option');

my $silent = hosted([ @short, 'records=off' ]);
is($silent->{status}, 0, 'records=off: status 0');
is_deeply(read_records($silent->{log})->{problems}, [], 'records=off: still a whole log');
is_deeply([ map { $_->{type} } @{ read_records($silent->{log})->{records} } ], [qw(begin end)],
    'records=off: of begin and end');
like($silent->{log}, qr/^method +min +variance /m, 'records=off: the tables are there');

my $nameless = record(hosted([ @short, 'ident=off' ])->{log}, 'board');
is_deeply([ grep { /serial|uuid/ } keys %$nameless ], [], 'ident=off: no serial number, no UUID');
ok(exists record($again->{log}, 'board')->{$_}, "without it: $_") for qw(serial uuid);

my @lines = grep { /loop_size/ } split /\n/, hosted([ @short, 'detail=lines', 'method=5' ])->{log};
is(scalar @lines, 8 * 2, 'detail=lines: each line of each series');
is_deeply(
    [ grep { !/loop_size:[01] >>>> variance\(ticks\): \d+\.\d{3}; max_deviation: \d+; min time: \d+$/ } @lines ],
    [], 'detail=lines: in its form');

for my $help ('--help', '-h', 'help') {
    my $h = hosted([$help]);
    is($h->{status}, 0, "$help: status 0");
    like($h->{log}, qr/\b\Q$_\E/, "$help: tells of $_") for qw(usage suite= lines= tsc xsave);
    is_deeply([ grep { length > 80 } split /\n/, $h->{log} ], [], "$help: at most 80 columns");
    unlike($h->{log}, qr/^\@bt/m, "$help: nothing was run");
}

# ---- what is wrong is told

for my $wrong ('sample=5', 'samples=lots', 'panic=triple', 'label="c d') {
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

# An option that no suite looks at is not passed over.
for my $idle ('limit.gap=1t', 'limit.smi=0/h', 'smi=inject:3', 'xsave.rfbm=0x3', 'xsave.trace=all') {
    my $b = hosted([ @short, $idle ]);
    my ($word) = $idle =~ /^(.*)=/;
    my $check = check_named(read_ktap($b->{log}), 'options');
    like($check->{note}, qr/^failed: \Q$word\E: expected suite=/, "$idle without its suite: told");
    is($b->{status}, 1, "$idle without its suite: status 1");
}

# Nothing measured is no success to be passed over; a method that cannot be had is named.
my $none = hosted([qw(suite=tsc method=9)]);
my $none_ktap = read_ktap($none->{log});
is(check_named($none_ktap, 'suites')->{note}, 'unstable: nothing was measured', 'nothing: told');
like(check_named($none_ktap, 'tsc.method.9')->{note}, qr/^SKIP /, 'nothing: and why');
is(hosted([qw(suite=tsc method=9 strict=1)])->{status}, 1, 'nothing, strict: status 1');

# Each suite that the help names has measured something, whichever it is, or is not built.
my ($suites) = hosted(['help'])->{log} =~ /^suites:\n(.*)/ms;
my @suites = map { [ /^  (\w+) .*?( \(not built\))?$/ ] } split /\n/, $suites;
cmp_ok(scalar(grep { !$_->[1] } @suites), '>=', 4, 'the help names ' . join ' ', map { $_->[0] } @suites);
for (@suites) {
    my ($suite, $absent) = @$_;
    my $alone = read_ktap(hosted([ @short[ 1 .. 3 ], "suite=$suite", 'soak=1' ])->{log});
    if ($absent) {
        is(check_named($alone, $suite)->{note}, 'SKIP not built', "$suite alone: it is not built");
    } else {
        my $why = check_named($alone, $suite) // { note => '' };
        ok(!check_named($alone, 'suites') || $why->{note} =~ /^SKIP \S/,
            "$suite alone: something was measured, or why not");
    }
}

my $loop = hosted([ @short, 'workload=loop' ]);
like($loop->{log}, qr/^no method is recommended: the `empty` workload was not measured$/m,
    'workload=loop: no recommendation, with the reason');
is(scalar(() = $loop->{log} =~ /^method   /mg), 1, 'workload=loop: no table without rows');

# Records that escaping makes too long are split or shortened, never lost.
my $wide = hosted([ @short, 'lines=' . '\\' x 120, 'method=' . join(',', ('5') x 60),
        'suite=' . join(',', ('tsc') x 31), 'label="' . '\\"' x 60 . '"' ]);
is_deeply(read_records($wide->{log})->{problems}, [], 'wide options: a whole log');
is(scalar(records_of($wide->{log}, 'trust')), 1, 'wide options: with its trust record');
my $given = join ' ', map { $_->{given} } map { records_of($wide->{log}, $_) } qw(options options_more);
like($given, qr/method=5,5.*label="(?:\\"){60}"/, 'wide options: all that was given is there');

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
