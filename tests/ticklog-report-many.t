#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog report of very much: runs, series, histograms, gaps, cells, checks. A page stays a page, and
# what it leaves out it says and counts.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use List::Util qw(max min sum0);
use Page;
use Test::More;
use Ticklog;

my $gnuplot = program('gnuplot');
my $most = 3_000_000;    # bytes of a page

# A log of small runs: what an array of hashes says of each (run, label, signature, min, trust).
sub runs_log {
    my (@runs) = @_;
    my $log = '';
    for my $r (@runs) {
        my @records = (
            [ 'begin', 'schema=1', "run=$r->{run}", 'build=made' ],
            [ 'options', 'profile=quick', 'code=12345678', 'given=""' ],
            [ 'machine', 'vendor=Made', 'signature=' . ($r->{signature} // '0x1'), 'brand=made',
                qw(core_type=0 microcode=0x1 hypervisor=none emulated=no boot=pvh loader="" rtc="" cpus=1) ],
            [ 'board', qw(firmware="" board="" serial="" uuid=""), 'label=' . ($r->{label} // '""') ],
            defined $r->{min} ? series($r->{min}) : (),
            [ 'trust', 'trust=' . ($r->{trust} // 'GOOD'), 'reasons=""' ],
        );
        my $n = 0;
        $log .= record_line(++$n, @$_) . "\n" for @records;
        $n++;
        $log .= record_line($n, 'end', "records=$n", 'result=pass') . "\n" unless $r->{cut};
    }
    return $log;
}

sub series {
    my ($min, $work) = @_;
    my ($p, $max) = ($min + 4, $min + 10);
    return [ 'series', 'method=5', 'form=mem', 'work=' . ($work // 'empty'), 'pre=none', 'unit=ticks',
        qw(lines=4 samples=100 n=400 backwards=0), "min=$min", "max=$max", 'maxdev=10',
        qw(var=2.000 varvar=0.000 spurious=0 varmin=0.000), map({ "$_=$p" } qw(p50 p97 p99 p999 first warm)),
        qw(redone=0 unsettled=0 ratio_e4=0) ];
}

sub run_id { return sprintf '%016x', $_[0] * 2654435761 }

# Every link within the page leads somewhere; returns how many do not.
sub astray {
    my ($page) = @_;
    my %at = map { $_ => 1 } $page =~ /<section id="([^"]+)"/g;
    return scalar grep { !$at{$_} } $page =~ /href="#([^"]+)"/g;
}

# The row of a figure: its cells, without the curve.
sub row_of {
    my ($page, $figure) = @_;
    my ($row) = $page =~ m{<tr><th class=w>\Q$figure\E</th>(.*?)</tr>} or return;
    return $row =~ m{<td[^>]*>([^<]*)</td>}g;
}

# ---- many runs

my $n = 520;
my @min = map { 40 + $_ % 7 } 1 .. $n;
($min[3], $min[400]) = (12, 9000);
my @runs = map { { run => run_id($_), label => "rack$_", min => $min[ $_ - 1 ] } } 1 .. $n;
$runs[$_]{trust} = 'DEGRADED' for 10 .. 19;
delete $runs[20]{min};
$runs[21]{cut} = 1;
$runs[6] = { %{ $runs[5] } };
my $file = spew('runs.log', runs_log(@runs));
my ($status, $page, $err) = report($file);
is($status, 2, 'many runs, of which one is cut');
cmp_ok(length $page, '<', 1_000_000, 'make a page of some use');
is(unbalanced($page), '', 'every element is closed');
needs_nothing($page, 'many');
has($page, qr/<h1>$n runs of baretick/, 'all are counted');
has($page, qr{<header>.*Not all is shown,.*--all.*</header>}s, 'that not all is shown stands at the top');
has($page, qr/Shown: the last 200 of $n runs\./, 'so many are listed');
has($page, qr/The 320 before them are in the plots and figures below: 310 GOOD, 10 DEGRADED; /, 'the others by verdict');
has($page, qr/; 2 not complete or without a figure, 0 contradicted, 1 there before\./, 'and by what is wrong with them');
has($page, qr/Shown: all details of the last 12 of $n runs/, 'so many are shown with all there is');
is(count($page, qr/<section id="run-/), 200, 'so many have a section');
is(count($page, qr/>Identity</), 12, 'so many with all there is');
is(astray($page), 0, 'no link leads nowhere');
has($page, qr{Not all of it is here\..* Runs 21\x{e2}\x{80}\x{93}22\.}, 'which of those not listed are broken');
has($page, qr{<dt>label</dt><dd>rack1: 1; rack2: 2; .*; and 507 other values</dd>}, 'what differs, as far as it goes');
has($page, qr/rack6: 6\x{e2}\x{80}\x{93}7;/, 'and who shares it');
my @cells = row_of($page, 'tsc.5.mem.empty.none.min');
my @sorted = sort { $a <=> $b } grep { defined } map { $_->{min} } @runs;
is_deeply(\@cells, [ 'ticks', scalar @sorted, $sorted[0], $sorted[ int(@sorted / 2) ], $sorted[-1], $min[-1] ],
    'figures are over all of them, listed or not');

SKIP: {
    skip 'gnuplot is not here', 3 unless $gnuplot;
    my ($plot) = $page =~ m{an empty pair</h4>(.*?)</figure>}s;
    my @y = ($plot // '') =~ /<circle class=f4 cx="[\d.]+" cy="([\d.]+)"/g;
    cmp_ok(scalar @y, '<=', 160, 'a line has no more points than can be told apart');
    cmp_ok(min(@y), '<', max(@y) / 2, 'and shows the least and the largest all the same');
    has($plot, qr/Of 6 to 7 runs side by side the least and the largest\./, 'which it says');
}

# Without plots, which take their time.
my $none = 'exit 1';
($status, $page) = report_with($none, '--all', $file);
is(count($page, qr/<section id="run-/), $n, '--all: every run has its section');
is(count($page, qr/>Identity</), $n, 'with all there is');
has_no($page, qr/Shown: |Not all is shown|other values/, 'and nothing is left out');
is(astray($page), 0, '--all: no link leads nowhere');

($status, $page) = report_with($none, '-n', 250, $file);
is(count($page, qr/<section id="run-/), 250, '--sections: as many as were asked for');
is(count($page, qr/>Identity</), 250, 'with all there is');

# Groups: no line goes from one to the other, however many runs share a place.
my @mixed = map { { run => run_id($_), min => 40 + $_ % 2 * 8, signature => '0x' . (1 + $_ % 2) } } 1 .. 400;
($status, $page) = report(spew('mixed.log', runs_log(@mixed)));
has($page, qr{<dt>signature</dt><dd>0x2: 1, 3, 5,.* and 180 more; 0x1: 2, 4,}, 'groups that take turns');
SKIP: {
    skip 'gnuplot is not here', 2 unless $gnuplot;
    my ($plot) = $page =~ m{an empty pair</h4>(.*?)</figure>}s;
    cmp_ok(count($plot // '', qr/<circle class=f4 /), '>', 50, 'are drawn');
    is(count($plot // '', qr/<path class=s4[^>]* d="[^"]*L/), 0, 'without a line from one to the other');
}

# ---- the time it takes grows as the runs do

sub cpu_seconds {
    my ($runs) = @_;
    my $log = spew('time.log', runs_log(map { { run => run_id($_), label => "r$_" } } 1 .. $runs));
    my (undef, undef, $before_u, $before_s) = times;
    report_with($none, $log);
    my (undef, undef, $u, $s) = times;
    return $u + $s - $before_u - $before_s;
}

my ($few, $many) = (cpu_seconds(1000), cpu_seconds(8000));
cmp_ok($many, '<', 16 * $few, 'eight times as many runs take about eight times as long, not 64 times')
    or diag "$few s, $many s";

# ---- one run with very much in it

# Records one after the other, begin and end around them.
sub big_log {
    my ($text, @records) = @_;
    my $n = 0;
    my $log = '';
    for my $r ([ 'begin', 'schema=1', 'run=' . run_id(1), 'build=made' ], @records) {
        $n++;
        $log .= record_line($n, @$r) . "\n";
    }
    $n++;
    return $log . $text . record_line($n, 'end', "records=$n", 'result=pass') . "\n";
}

sub hist {
    my ($work) = @_;
    return [ 'hist', 'suite=tsc', 'method=5', 'form=mem', "work=$work",
        qw(pre=none part=0 base=0 below=0 n=400 sum=17600 sumsq=774400 min=44 max=44 bins=44:400 more=0) ];
}

sub stairs {
    my ($method) = @_;
    return map { [ 'lines', "method=$method", qw(form=mem work=loop pre=none),
            sprintf 'lines=%u-%u:%u:900:1.000', $_, $_ + 99, 40 + $_ ] } map { $_ * 100 } 0 .. 4;
}

sub gap {
    my ($i) = @_;
    return [ 'gap', "at=@{[$i * 1000]}", qw(windows=1 watched=900 turns=9 n=1), "stolen=@{[$i % 2 ? 9 : 27]}",
        qw(longest=9 smi=0 nmi=0 mce=0 causes=none contradicts=0) ];
}

my @parts = map { gap($_) } 0 .. 1599;
my @list = map { my $from = $_ * 20; [ 'gaplist', "from=$from",
        'list=' . join ',', map { "@{[$_ * 1000 + 5]}:9:unknown" } $from .. $from + 19 ] } 0 .. 59;
my $sums = [ 'gaps', qw(soak=1 windows=9 watched=9000000 wall=9000000 turns=9 threshold=9 given=0 inner=3 outer=3),
    qw(mad=0 n=2000 stolen=18000 longest=9 smi=0 nmi=0 mce=0 causes=unknown:2000 most=9 backwards=0 smi_state=absent),
    qw(steal_state=absent steal_ns=0 contradictions=0 period=0 period_on=0 period_slots=0 period_bits=0),
    'decades=1:2000:18000' ];
my $inuse = 'xinuse=' . join ',', map { sprintf '0x%x', $_ } 0 .. 19;
my @lists = map { "$_=" . join ',', (9) x 20 } qw(n kept min max avg avg97 p50 p99 clamped);
my @rows = map { [ 'xsave', 'event=xsave', sprintf('rfbm=0x%x', $_),
        qw(source=xsave overhead=1 overhead_stable=1 unstable=0), $inuse, @lists ] } 1 .. 200;
my @edges = map { my $i = $_; map { [ 'matrix', "start=s$i", "end=e$_", 'min=44', 'var=1.000' ] } 1 .. 80 } 1 .. 80;
my $text = "1..900\n" . join('', map { "ok $_ made.check$_\n" } 1 .. 900) . "== summary ==\n" . "A line of it\n" x 500;
my @work = ('empty', map { "w$_" } 1 .. 999);
my $big = spew('big.log', big_log($text, map({ series(44, $_) } @work), map({ hist($_) } @work[ 0 .. 299 ]),
        map({ stairs("m$_") } 1 .. 40), @parts, @list, $sums, @rows, @edges));
($status, $page, $err) = report($big);
like($err, qr/./, 'a log with too much of all');
cmp_ok(length $page, '<', $most, 'makes a page of some use') or diag length $page;
is(unbalanced($page), '', 'every element is closed');
needs_nothing($page, 'big');
my %shown = map { m{^(?:the first )?(\d+) of (\d+) (\w+)} ? ($3 => [ $1, $2 ]) : () }
    $page =~ m{<p class=note>Shown: ([^<]*)}g;
is_deeply($shown{histograms}, [ 60, 299 ], 'so many histograms') or diag explain \%shown;
is_deeply($shown{cells}, [ 3000, 4000 ], 'so many cells of XSAVE');
is_deeply($shown{pairs}, [ 3000, 6400 ], 'so many of the matrix');
is_deeply($shown{checks}, [ 400, 900 ], 'so many checks');
is_deeply($shown{lines}, [ 200, 500 ], 'so many lines of the summary');
my @tables = $page =~ m{<details><summary>\w+: (\d+) figures</summary>}g;
my $figures = () = (ticklog('show', '--figures', $big))[1] =~ /^\w+\./mg;
is(sum0(@tables), $figures, 'every figure is counted');
my $listed = count($page, qr{<tr><th class=w>[a-z0-9_+.-]+\.[a-z0-9_+-]+</th><td class=w>});
cmp_ok($listed, '<=', 1500, 'and so many are listed');
cmp_ok($listed, '>', 1400, 'but not less than there is room for');

SKIP: {
    skip 'gnuplot is not here', 5 unless $gnuplot;
    my ($time) = $page =~ m{The first 500 of \d+ gaps, by length and cause</h4>(.*?)</svg>}s;
    my @x = ($time // '') =~ /<circle class=f\d+ cx="([\d.]+)"/g;
    is(scalar @x, 500, 'so many gaps');
    cmp_ok(max(@x) - min(@x), '>', 300, 'along the whole axis, though the watch went on');
    my ($watch) = $page =~ m{Stolen time over the whole watch</h4>(.*?)</figure>}s;
    is(count($watch // '', qr/<polygon /), 400, 'four parts of the watch are one bar');
    has($watch // '', qr/A bar 4 records type=gap/, 'which is said');
    has($page, qr/The first 256 of 500 lines\. 30 of 39 other methods\./, 'so much of the staircase');
}

done_testing;
