#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog check: which runs are compared, what counts as a change, and how it is said. Logs are real
# ones of this machine in which single values were changed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use JSON::PP ();
use TAP::Parser ();
use Test::More;

use Altered;
use Baretick;
use Ticklog;

my $raw = hosted([ 'suite=tsc,stability,xsave', 'profile=quick', 'method=0,5,7' ])->{log};
my $log = altered(steady($raw), \&apart);
my $dir = dir();
my $min = 'tsc.5.mem.empty.none.min';
my $max = 'tsc.5.mem.empty.none.max';
my $var = 'tsc.5.mem.empty.none.var';

# Each figure of method 5 and of fxsave so far from the others that it can move by itself: as a
# machine could have measured it.
sub apart {
    my $row = / type=series method=5 / ? { min => 46, p50 => 2000, p97 => 2010, p99 => 2020, p999 => 2030,
            max => 2040, maxdev => 40, var => '50.000', varvar => '1.000', varmin => 'overflow' }
        : / type=xsave event=fxsave / ? { min => 50, p50 => 2000, avg97 => 600, p99 => 3000, avg => 5000,
            max => 1000000 }
        : return;
    set_keys(qr/./, %$row)->();
}

# Or close together, so that none stands out.
sub near {
    my ($m) = @_;
    return (max => $m + 20, maxdev => 20, map { $_ => $m + 10 } qw(p50 p97 p99 p999));
}

sub series { return set_keys(qr/ type=series method=5 /, @_) }

# The same log with these keys of method 5's series, as run $n.
sub with_series {
    my ($n, %value) = @_;
    return set_run(altered($log, series(%value)), $n);
}

sub check {
    my ($now, $base, @more) = @_;
    my @now = ref $now ? @$now : $now;
    my ($status, $out, $err) = ticklog('check', @now, '--baseline', $base, '--json', @more);
    my $json = eval { JSON::PP->new->allow_bignum->decode($out) };
    return { status => $status, err => $err, json => $json, out => $out };
}

# All rows that are not SAME: {name => verdict}.
sub verdicts {
    my ($c) = @_;
    return { error => "$c->{status}: $c->{err}" } unless $c->{json};
    return { map { $_->{name} => $_->{verdict} } map { @{ $_->{figures} } } @{ $c->{json}{machines} } };
}

sub changes {
    my ($what, $now, $base, $status, $want, @more) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $c = check(spew('now.log', $now), ref $base ? $base->[0] : spew('base.log', $base), @more);
    is($c->{status}, $status, "$what: exit status") or diag($c->{err});
    is_deeply(verdicts($c), $want, "$what: what is not the same");
    return $c;
}

# ---- a log and itself

changes('the log of a busy machine and itself', $raw, $raw, 0, {});
my ($status, $out, $err) = ticklog(qw(check now.log --baseline base.log --all --strict));
is($status, 0, 'strict, too');
like($out, qr/^SAME: of (\d+) figures and results 0 worse, 0 missing, 0 unstable, 0 better, 0 new, \1 the same$/m,
    'all are the same');
unlike($out, qr/^(?!SAME)[A-Z]{3,}\b/m, '... and shown as such');
changes('a steady one and another run of it', set_run($log, 1), $log, 0, {});

# ---- one figure

my ($series) = grep { $_->{method} eq '5' } records_of($log, 'series');
my ($m, $n) = ($series->{min}, $series->{n});
my %worse = ($min => 'REGRESSION');
my $c = changes('a min half as high again', with_series(1, min => $m + 20 + int $m / 2), $log, 1, \%worse);
my ($row) = map { @{ $_->{figures} } } @{ $c->{json}{machines} };
is($row->{baseline}{low}, $m, 'JSON: the baseline');
is($row->{change}, 20 + int $m / 2, '... the change');
is("$row->{direction} $row->{unit}", 'up ticks', '... and whither');
changes('a min half as low', with_series(1, min => int $m / 2), $log, 0, { $min => 'IMPROVED' });
SKIP: {
    skip 'this CPU has no XSAVE', 2 unless $log =~ / event=fxsave /;
    $c = check(spew('now.log', altered($log, set_keys(qr/ type=xsave event=fxsave /, avg97 => 900))), 'base.log');
    is($c->{status}, 1, 'an xsave average');
    is_deeply(verdicts($c), { 'xsave.fxsave.0x3.0x3.avg97' => 'REGRESSION' }, '... is named by its masks');
}

# Limits are passed, not reached: 50 + 10% is 55, and 4 ticks are 4 ticks.
my $fifty = with_series(0, min => 50);
spew('ten.limits', "*.min abs=0 rel=10% # all minima\n");
changes('10% of 50', with_series(1, min => 55), $fifty, 0, {}, '--limits', 'ten.limits');
changes('more than 10% of 50', with_series(1, min => 56), $fifty, 1, \%worse, '--limits', 'ten.limits');
spew('abs.limits', "$min abs=9.5 rel=0%\n");
changes('less than 9.5 ticks', with_series(1, min => 59), $fifty, 0, {}, '--limits', 'abs.limits');
changes('more than 9.5 ticks', with_series(1, min => 60), $fifty, 1, \%worse, '--limits', 'abs.limits');
spew('off.limits', "tsc.5.* judge=no\n");
$c = changes('not judged', with_series(1, min => 500), $log, 0, {}, '--limits', 'off.limits');
spew('typo.limits', "tcs.5.* judge=no\n");
$c = changes('a pattern that fits nothing', with_series(1, min => 500), $log, 1, \%worse, '--limits', 'typo.limits');
like($c->{err}, qr/typo\.limits:1: 'tcs\.5\.\*' fits no figure/, '... is said');
changes('two steps of a coarse clock are none',
    altered($log, sub {
        $_ = undef if / type=(?:series|rows) /;
        set_keys(qr/ type=recommend /, step => 64)->() if defined;
        set_keys(qr/ type=xsave event=fxsave /, min => 178)->() if defined;
    }),
    altered($log, sub { $_ = undef if / type=(?:series|rows) / }), 0, {});

# The largest values there are.
my $top = 18446744073709551615;
my $warm = 'tsc.5.mem.empty.none.warm';
my $cool = with_series(0, warm => 50);
changes('2^64 - 1', with_series(1, warm => '18446744073709551615'), $cool, 1, { $warm => 'REGRESSION' });
changes('from there down', $cool, with_series(1, warm => '18446744073709551615'), 0, { $warm => 'IMPROVED' });
changes('2^64 - 1 and 2^64 - 2', with_series(1, warm => '18446744073709551615'),
    with_series(0, warm => '18446744073709551614'), 0, {});
changes('a variance that did not fit', with_series(1, var => 'overflow'), with_series(0, var => '2.000'), 1,
    { $var => 'REGRESSION' });
my @high = (p97 => 30000, p99 => 30010, p999 => 30020, max => 30030);
changes('a bound', with_series(1, @high, p50 => '4224..4287'), with_series(0, @high, p50 => '4200..4230'), 0, {});
changes('bounds far apart', with_series(1, @high, p50 => '14224..14287'), with_series(0, @high, p50 => '4200..4230'),
    1, { 'tsc.5.mem.empty.none.p50' => 'REGRESSION' });

# ---- what a few outliers or a moving clock explain

my $quiet = with_series(0, near($m), var => '2.000');
changes('a variance, and nothing that stands out', with_series(1, near($m), var => '60.000'), $quiet, 1,
    { $var => 'REGRESSION' });
my @outlier = (near($m), max => $m + 100000, maxdev => 100000, var => int(1e10 / $n) . '.000');
my %outlier = map { ("tsc.5.mem.empty.none.$_" => 'UNSTABLE') } qw(var max maxdev);
changes('a variance that one outlier makes', with_series(1, @outlier), $quiet, 0, \%outlier);
changes('strict', with_series(1, @outlier), $quiet, 1, \%outlier, '--strict');
changes('a step backwards', with_series(1, backwards => 1, n => $n - 1), $log, 1,
    { 'tsc.5.mem.empty.none.backwards' => 'REGRESSION' });

sub moving {
    my ($log) = @_;
    return altered($log, sub {
        s/ adds_ticks=\d+ nops_ticks=\d+ ratio_e4=\d+/ adds_ticks=95000 nops_ticks=1200 ratio_e4=10526/
            if / type=ruler where=tsc.after /;
    });
}

my $moved = changes('the clock moved by 14%, and a min by not much more', moving(with_series(1, min => 80)), moving($fifty), 0,
    { $min => 'UNSTABLE' });
my %both = ($min => 'REGRESSION');
changes('and by more than the clock explains', moving(with_series(1, min => 90)), moving($fifty), 1, \%both);
changes('the clock is another throughout', altered(set_run($log, 1), sub {
        s/ adds_ticks=\d+ nops_ticks=\d+ ratio_e4=\d+/ adds_ticks=111111 nops_ticks=1600 ratio_e4=9000/
            if / type=ruler /;
        s/ ratio_e4=12000/ ratio_e4=9000/;
    }), $log, 1,
    { map { $_ => 'REGRESSION' } map { my $w = $_; map { "ruler.$w.$_" } qw(adds nops) }
        map { s/\./_/r } map { $_->{where} } records_of($log, 'ruler') });
($status, $out) = ticklog(qw(check now.log --baseline base.log));
like($out, qr/^may be why core cycles per tick 1\.2000 -> 0\.9000$/m, '... which is shown as the cause');

# ---- series that did not settle

my %unsettled = map { ("tsc.5.mem.empty.none.$_" => 'UNSTABLE') } qw(min);
changes('it did not settle now', with_series(1, min => 500, unsettled => 2), $fifty, 0, \%unsettled);
changes('strict', with_series(1, min => 500, unsettled => 2), $fifty, 1, \%unsettled, '--strict');
changes('nor in the baseline, which is none for it', with_series(1, min => 500), with_series(0, min => 50, unsettled => 1), 0,
    \%unsettled);

# ---- missing and new

my $less = altered($log, sub { $_ = undef if / type=(?:series|rows|hist) (?:suite=tsc )?method=7 / });
my $all7 = qr/^tsc\.7\./;
$c = check(spew('now.log', $less), spew('base.log', $log));
is($c->{status}, 1, 'a method is missing');
my $v = verdicts($c);
cmp_ok(scalar(grep { /$all7/ && $v->{$_} eq 'MISSING' } keys %$v), '>=', 40, '... with all its figures');
is(scalar(grep { !/$all7/ } keys %$v), 0, '... and nothing else');
$c = check('base.log', 'now.log');
$v = verdicts($c);
is($c->{status}, 0, 'the other way it is new');
is(scalar(grep { $_ ne 'NEW' } values %$v), 0, '... and so are its figures');
mkdir "$dir/some";
spew('some/1.log', $less);
spew('some/2.log', set_run($log, 2));
changes('not every baseline run has it', set_run($less, 3), ['some'], 0,
    { map { $_ => 'UNSTABLE' } keys %$v });

# ---- which runs can be compared

my %key = (
    signature  => [ qr/ type=machine /, signature  => '0x12345' ],
    core_type  => [ qr/ type=machine /, core_type  => 32 ],
    hypervisor => [ qr/ type=machine /, hypervisor => 'Other' ],
    vendor     => [ qr/ type=machine /, vendor     => 'OtherVendor' ],
    emulated   => [ qr/ type=machine /, emulated   => '"hypervisor\\x20leaf"' ],
    code       => [ qr/ type=options /, code       => 'DEADBEEF' ],
    profile    => [ qr/ type=options /, profile    => 'standard' ],
    options    => [ qr/ type=options /, given      => '"samples=100"' ],
);
spew('base.log', $log);
for my $name (sort keys %key) {
    my ($match, @set) = @{ $key{$name} };
    spew('now.log', altered($log, set_keys($match, @set)));
    $c = check('now.log', 'base.log');
    is($c->{status}, 3, "another $name cannot be compared");
    is_deeply($c->{json}{machines}[0]{differs}, [$name], '... which is named');
    ($status, $out) = ticklog(qw(check now.log --baseline base.log));
    like($out, qr/\AINCOMPARABLE: $name .*, baseline /, '... in words too');
}
($status, $out) = ticklog(qw(check base.log --baseline now.log));
spew('emulator.log', altered($log, set_keys(@{ $key{emulated} })));
is((ticklog(qw(check base.log --baseline emulator.log)))[0], 3, 'an emulator is no baseline for hardware');
for my $given ('label=\\"rack\\x207\\"', 'strict=1', 'xsave.trace=5', 'limit.gap=5ms', 'profile=quick\\x20ident=off', 'console=com2') {
    (my $value = $given) =~ s/\\"/\\x22/g;
    changes("given $given", altered($log, set_keys(qr/ type=options /, given => "\"suite=tsc,stability,xsave\\x20method=0,5,7\\x20$value\"")),
        $log, 0, {});
}
changes('an option not known here', altered($log, set_keys(qr/ type=options /, given => 'new=1')), $log, 3, {});
$c = changes('other microcode, firmware and serial number', altered($log, sub {
        s/ microcode=\S+/ microcode=0x2f/;
        s/ firmware=\S+/ firmware=F12/;
        s/ serial=\S+/ serial=S2/;
    }), $log, 0, {});
is_deeply([ map { "$_->{what} $_->{now}" } @{ $c->{json}{machines}[0]{may_be_why} } ],
    [ 'microcode 0x2f', 'firmware F12', 'serial S2' ], '... may be why');

# ---- no baseline, no log, and which is worse

mkdir "$dir/none";
mkdir "$dir/bad";
spew('none/readme.txt', "no log\n");
(my $cut = $log) =~ s/^.*type=end.*\n?//m;
spew('cut.log', $cut);
spew('bad/cut.log', $cut);
spew('text.log', "text\n");
spew('empty.log', '');
for my $base (qw(none bad absent cut.log text.log empty.log)) {
    $c = check('base.log', $base);
    is($c->{status}, 4, "no baseline in $base");
    like($c->{err}, qr/$base/, '... which is said') if $base ne 'none';
}
like(check('base.log', 'bad')->{err}, qr/left out of the baseline/, 'a cut log is left out');
is(check('cut.log', 'base.log')->{status}, 2, 'a cut log is unusable');
is(check('text.log', 'base.log')->{status}, 2, 'and so is text');
is(check('absent.log', 'base.log')->{status}, 2, 'and what is not there');

# Whole by its CRCs, and yet not what was measured: the histogram says so.
my ($true) = grep { $_->{method} eq '5' } records_of($raw, 'series');
my $false = altered($raw, series(min => $true->{min} ? $true->{min} - 1 : 1));
spew('false.log', $false);
spew('true.log', $raw);
mkdir "$dir/mixed";
spew('mixed/true.log', $raw);
spew('mixed/false.log', set_run($false, 1));
$c = check('false.log', 'true.log');
is($c->{status}, 2, 'a figure that its histogram contradicts');
like($c->{err}, qr/^ticklog check: false\.log:\d+: record \d+, tsc\.5\.mem\.empty\.none: min=\d+ is printed, but the histogram has \d+$/m,
    '... is named, with both values');
is(check('true.log', 'false.log')->{status}, 4, '... and is no baseline');
$c = check('true.log', 'mixed');
is($c->{status}, 0, 'one among others is left out');
like($c->{err}, qr{mixed/false\.log: that run is left out of the baseline}, '... which is said');
is(scalar @{ $c->{json}{machines}[0]{baseline} }, 1, '... and counts for nothing');

spew('worse.log', with_series(1, min => 500));
spew('alien.log', altered(set_run($log, 2), set_keys(@{ $key{signature} })));
is(check([ 'worse.log', 'alien.log' ], 'base.log')->{status}, 3, 'incomparable is worse than a regression');
is(check([ 'worse.log', 'alien.log', 'cut.log' ], 'base.log')->{status}, 2, 'an unusable log is worse than both');
is(check([ 'worse.log', 'cut.log' ], 'none')->{status}, 2, 'and than no baseline');
is(check('alien.log', 'none')->{status}, 4, 'no baseline is worse than incomparable');
$c = check([ 'worse.log', 'alien.log' ], 'base.log');
is_deeply([ map { $_->{verdict} } @{ $c->{json}{machines} } ], [ 'REGRESSION', 'INCOMPARABLE' ],
    'each machine has its verdict');

for my $usage ([], ['now.log'], [qw(--baseline base.log)], [qw(now.log --baseline base.log --tap --json)],
    [qw(- - --baseline base.log)], [qw(now.log --baseline base.log --limits absent)], [qw(now.log --baseline)]) {
    is((ticklog('check', @$usage))[0], 5, "usage: check @$usage");
}
my %limit_error = (
    'x'                 => qr/'x': expected KEY=VALUE/,
    'x abs'             => qr/'abs': expected abs=N/,
    'x abs=-1'          => qr/'abs=-1': expected a number/,
    'x abs=1.2345'      => qr/'abs=1.2345': expected a number/,
    'x abs=1e3'         => qr/'abs=1e3': expected/,
    'x rel=5'           => qr/'rel=5': expected a percentage/,
    'x mad=9999'        => qr/'mad=9999': expected a factor/,
    'x alone=maybe'     => qr/'alone=maybe': expected alone=no/,
    'x judge=1'         => qr/'judge=1': expected judge=yes/,
    'x foo=1'           => qr/'foo=1': expected abs=N/,
    'x abs=1 abs=2'     => qr/'abs=2': expected each key once/,
    '@max abs=1'        => qr/'\@max': expected \@floor/,
    'y' x 200 . ' abs=1' => qr/'y{60}\.\.\.': expected a pattern of at most/,
    "x abs=1\0"         => qr/'x abs=1': expected text without NUL/,
    "x abs=\e[2J\xff"   => qr/'abs=\\x1B\[2J\\xFF': expected a number/,
);
for my $line (sort keys %limit_error) {
    spew('bad.limits', "# limits\n\n$line\r\n*.min abs=1\n");
    ($status, $out, $err) = ticklog(qw(check now.log --baseline base.log --limits bad.limits));
    is("$status$out", '5', 'limits: ' . substr $line =~ s/\0/\\0/r, 0, 20);
    like($err, qr/^ticklog check: bad\.limits:3: $limit_error{$line}/m, '... is named with its line');
}
srand 1;
spew('binary.limits', pack 'C*', map { int rand 256 } 1 .. 200_000);
spew('words.limits', "word\n" x 1000);
for my $wrong (qw(binary.limits words.limits)) {
    ($status, $out, $err) = ticklog(qw(check now.log --baseline base.log --limits), $wrong);
    is("$status$out", '5', "a wrong file as limits: $wrong");
    cmp_ok(scalar(() = $err =~ /\n/g), '<=', 12, '... a few of its errors are said');
    like($err, qr/^ticklog check: $wrong: and \d+ more errors$/m, '... and how many more there are');
    unlike($err, qr{[\0-\x09\x0b-\x1f\x7f]}, '... without a byte that a terminal obeys');
}
spew('huge.limits', "*.min abs=1\n" x 100_000);
($status, $out, $err) = ticklog(qw(check now.log --baseline base.log --limits huge.limits));
is("$status$err", "5ticklog check: huge.limits: more than a mebibyte: expected a limits file\n",
    'nor is a huge file read as limits');
($status, $out) = ticklog(qw(check --print-limits));
is($status, 0, 'the limits in force are printed');
is($out =~ s/ +/ /gr, <<'END', '... and are these');
@floor abs=4 rel=5% mad=6 alone=1 judge=yes
@typical abs=6 rel=10% mad=6 alone=1 judge=yes
@tail abs=50 rel=50% mad=6 alone=no judge=yes
@spread abs=16 rel=100% mad=6 alone=no judge=yes
@count abs=2 rel=50% mad=6 alone=no judge=yes
*.avg abs=6 rel=10% alone=1
*.var alone=2
*.resolution abs=3 rel=50% alone=6
*.backwards abs=0 rel=0% alone=1
END
my $parts = 'x.y abs=9.5 rel=0.25% mad=1.125 alone=2.05 judge=no';
like((ticklog(qw(check --print-limits --limits), spew('parts.limits', "$parts\n")))[1] =~ s/ +/ /gr,
    qr/^\Q$parts\E$/m, '... with up to three decimals');
spew('printed.limits', $out);
is((ticklog(qw(check --print-limits --limits printed.limits)))[1], $out . $out, 'and can be read again');

# ---- several runs

sub folder {
    my ($name, @logs) = @_;
    mkdir "$dir/$name";
    unlink glob "$dir/$name/*";
    spew("$name/" . sprintf('%02d.log', $_), set_run($logs[$_], 100 + $_)) for 0 .. $#logs;
    return [$name];
}

my $mins = sub { return map { altered($log, series(min => $_)) } @_ };
my $odd = folder('odd', $mins->(50, 50, 500, 50));
changes('one odd baseline run hides nothing', with_series(1, min => 75), $odd, 1, \%worse);
changes('and makes nothing worse or better', with_series(1, min => 50), $odd, 0, {});
my $noisy = folder('noisy', $mins->(40, 60, 50, 45, 55));
changes('within 6 median deviations of 5', with_series(1, min => 80), $noisy, 0, {});
changes('beyond them', with_series(1, min => 81), $noisy, 1, \%worse);
changes('within 7', with_series(1, min => 81), $noisy, 0, {}, '--limits', spew('mad.limits', "*.min mad=7\n"));

# The baseline has five runs, as have we: ranks tell, even of tails.
my @maxes = map { altered($log, series(max => 3000 + $_)) } 100, 9000, 200, 4000, 150;
my $tails = folder('tails', @maxes);
my $runs = folder('now5', map { altered($log, series(max => 3000 + $_)) } 20000, 30000, 25000, 90000, 21000);
$c = check([ glob "$dir/now5/*" ], 'tails');
is_deeply(verdicts($c), { $max => 'REGRESSION' }, 'five maxima above five others');
is($c->{json}{machines}[0]{figures}[0]{noise}, 'ranks', '... told by their ranks');
folder('now5', map { altered($log, series(max => 3000 + $_)) } 20000, 30000, 25000, 90000, 160);
is_deeply(verdicts(check([ glob "$dir/now5/*" ], 'tails')), {}, 'but not with one among them');
changes('one run does not tell a tail', with_series(1, max => 93000), $tails, 0, { $max => 'UNSTABLE' });

# A directory, a store, and what is the same run.
$c = check([ 'worse.log', 'worse.log' ], 'base.log');
is(scalar @{ $c->{json}{machines}[0]{runs} }, 1, 'a log that is given twice counts once');
like($c->{err}, qr/^ticklog check: worse\.log: a run that is there twice counts once$/m, '... which is said');
ticklog('import', (map { "odd/0$_.log" } 0 .. 3), qw(--db odd.db));
changes('a store is as good as its logs', with_series(1, min => 75), ['odd.db'], 1, \%worse);
is(check('worse.log', 'odd.db')->{json}{machines}[0]{baseline}[0]{log}, 'odd.db: odd/00.log', '... and says where they came from');
is(scalar @{ check('odd/00.log', 'odd.db')->{json}{machines}[0]{baseline} }, 3,
    'a run that is checked is left out of the baseline');
system "cp $dir/odd/00.log $dir/odd/copy.log";
is(scalar @{ check('worse.log', 'odd')->{json}{machines}[0]{baseline} }, 4, 'a copy counts once');
ticklog('import', 'alien.log', '--db', 'alien.db');
is(check('worse.log', 'alien.db')->{status}, 3, 'a store of other machines only');

# ---- result lines of the kernel

sub result {
    my ($name, $line) = @_;
    (my $changed = $log) =~ s/^(?:not )?ok (\d+) \Q$name\E(?: .*)?$/sprintf $line, $1/me or die "no $name";
    return $changed unless $line =~ /^not/;
    return altered($changed, set_keys(qr/ type=end /, result => 'fail'));
}

my $fine = result('tsc.backwards', 'ok %d tsc.backwards');
changes('a result fails', result('tsc.backwards', 'not ok %d tsc.backwards # failed: 3 samples'), $fine, 1,
    { 'check.tsc.backwards' => 'REGRESSION' });
changes('one is unstable', result('tsc.backwards', 'ok %d tsc.backwards # unstable: it wobbles'), $fine, 0,
    { 'check.tsc.backwards' => 'UNSTABLE' });
changes('one is better', $fine, result('tsc.backwards', 'not ok %d tsc.backwards # failed: 3 samples'), 0,
    { 'check.tsc.backwards' => 'IMPROVED' });
changes('one is skipped now', result('tsc.backwards', 'ok %d tsc.backwards # SKIP no time'), $fine, 1,
    { 'check.tsc.backwards' => 'MISSING' });
changes('a line of text is lost', result('tsc.backwards', 'ok%d garbage'), $fine, 0,
    { 'check.tsc.backwards' => 'UNSTABLE' });

# ---- the ways to say it

my $markup = 'a<b>&\\x22\\x1B[31m\\xFF';
spew('now.log', altered(with_series(1, min => 500, max => 100500, maxdev => 100000, var => int(1e10 / $n) . '.000'), sub {
        s/ label=\S+/ label="$markup"/ if / type=board /;
        s/ firmware=\S+/ firmware="$markup"/;
    }));
($status, $out) = ticklog(qw(check now.log --baseline base.log));
unlike($out, qr/[^\n -~]/, 'the summary is plain text, whatever the log says');
like($out, qr/\AREGRESSION: of \d+ figures and results 1 worse, 0 missing, 3 unstable/, 'the verdict comes first');
like($out, qr/^REGRESSION \Q$min\E: $m -> 500 ticks, \+\d+ \(\+[\d.]+%\); limits [\d.]+ and 5%, noise not known$/m,
    'a figure with what it was, is, and may be');

($status, $out) = ticklog(qw(check now.log --baseline base.log --tap));
is($status, 1, 'TAP: exit status');
my $tap = TAP::Parser->new({ tap => $out });
$tap->run;
is_deeply([ $tap->parse_errors ], [], 'TAP is well-formed');
is(scalar $tap->failed, 1, '... one test fails');
is(scalar $tap->skipped, 3, '... three are skipped');
is($tap->version, 13, '... version 13');
spew('accent.log', bare($log) =~ s/^ok 3 [^ \n]+/ok 3 caf\xC3\xA9/mr);
like((ticklog(qw(check accent.log --baseline accent.log --tap)))[1], qr/^ok \d+ - check\.caf\xC3\xA9$/m,
    '... in which a letter of two bytes is one');

($status) = ticklog(qw(check now.log --baseline base.log --junit out.xml));
my $xml = slurp("$dir/out.xml");
is($status, 1, 'JUnit: exit status');
my @open;
my $balanced = $xml =~ s/\A<\?xml version="1\.0" encoding="UTF-8"\?>\n//;
while ($xml =~ m{\G(?:[^<>&]|&(?:lt|gt|amp|quot);)*(?:<(/?)([a-z-]+)((?: [a-z]+="(?:[^<>&"]|&(?:lt|gt|amp|quot);)*")*)(/?)>|\z)}gc) {
    last unless defined $2;
    if ($1) { $balanced &&= @open && pop @open eq $2 } elsif (!$4) { push @open, $2 }
}
ok($balanced && !@open && pos $xml == length $xml, 'JUnit is well-formed');
unlike($xml, qr/[^\n -~]/, '... without a control character');
pos($xml) = 0;
my ($tests, $failures, $errors, $skipped) = $xml =~ /<testsuite [^>]*tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/;
is(scalar(() = $xml =~ /<testcase /g), $tests, '... as many cases as it says');
is(scalar(() = $xml =~ /<failure /g) . "/$failures", '1/1', '... and failures');
is(scalar(() = $xml =~ /<skipped /g) . "/$skipped", '3/3', '... and skipped ones');
($status) = ticklog(qw(check alien.log --baseline base.log --junit out.xml));
like(slurp("$dir/out.xml"), qr/<error type="INCOMPARABLE" message="signature 0x12345, baseline /, 'incomparable is an error');
($status, $out, $err) = ticklog(qw(check now.log --baseline base.log --junit no/such/out.xml));
is($status, 2, 'JUnit that cannot be written');
like($err, qr{no/such/out\.xml: }, '... is named');

$c = check('now.log', 'base.log', '--all');
cmp_ok(scalar @{ $c->{json}{machines}[0]{figures} }, '>', 100, 'JSON of all figures');
is($c->{json}{machines}[0]{runs}[0]{label}, 'a<b>&"\\x1B[31m\\xFF', 'JSON: words of any bytes');
is($c->{json}{exit}, $c->{status}, '... the exit status');
($status, $out) = ticklog(\$log, qw(check - --baseline base.log));
is($status, 0, 'a log through a pipe');
like($out, qr/^now +1 run: standard input$/m, '... is called so');

done_testing();
