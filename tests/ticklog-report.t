#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog report: what is on the page, that it needs nothing but itself, what happens to damaged logs;
# and in a browser, light, dark and on a phone.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Page;
use File::Temp qw(tempdir);
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use Test::More;
use Ticklog;

my $gnuplot = program('gnuplot');
my $chromium = program('chromium', 'chromium-browser');

# ---- one run, all there is

my @small = ('profile=quick', 'soak=1', 'method=5,6', 'lines=12', 'samples=150');

my $log = hosted([ @small, 'detail=lines', q{label="<i>rack & '7'"} ])->{log};
my $file = spew('full.log', $log);
my $dir = dirname($file);
my ($status, $page, $err) = report($file);
is($status, (ticklog('show', $file))[0], 'exits as show does');
is($status, 0, 'which is 0') or diag $err;
is($err, '', 'and has nothing to complain of');
has($page, qr/\A<!DOCTYPE html>\n.*<\/html>\n\z/s, 'a whole page');
has($page, qr/<meta name=viewport content="width=device-width,initial-scale=1">/, 'for phones too');
has($page, qr/prefers-color-scheme:dark/, 'and for the dark');
needs_nothing($page, 'full');
is(unbalanced($page), '', 'every element is closed');
has($page, qr/<h1>&lt;i&gt;rack &amp; &#39;7&#39;<\/h1>/, 'the label, as text');
has_no($page, qr/<i>rack/, 'and nowhere as markup');

my @order = map { index $page, $_ } 'TRUST: ', '>Identity<', '>Methods<', '>Samples<', '>Resolution<',
    '>Stability<', '>Gaps<', $log =~ / type=x(?:save|skip) / ? '>XSAVE and XRSTOR<' : ();
is_deeply([ sort { $a <=> $b } @order ], \@order, 'verdict first, then identity, then the suites');
cmp_ok($order[0], '>', 0, 'all are there');

my $records = [ map { $_->{keys} } @{ read_records($log)->{records} } ];
my ($trust) = grep { $_->{type} eq 'trust' } @$records;
has($page, qr/TRUST: <span[^>]*>\Q$trust->{trust}\E</, 'the verdict of the log');
my @checks = grep { $_->{type} eq 'series' && $_->{work} eq 'empty' && $_->{pre} eq 'none'
        && $_->{form} eq 'mem' } @$records;
cmp_ok(scalar @checks, '==', 2, 'two methods');
for my $s (@checks) {
    has($page, qr{<th class=w>$s->{method}</th><td>$s->{min}</td><td>\Q$s->{p50}\E</td>},
        "method $s->{method}: least and median");
    has($page, qr{<td>\Q$s->{var}\E</td>}, "method $s->{method}: variance");
}

# How many cells of the heat maps are as in the log, and those that are not in words.
sub cells_of {
    my ($html, $xsave) = @_;
    my ($good, @bad) = (0);
    my %map = $html =~ m{<h4>(x\w+|fx\w+)</h4>\s*<div class="card scroll"><table class=heat>(.*?)</table>}gs;
    for my $x (@$xsave) {
        my ($head, @rows) = split /<tr>/, ($map{ $x->{event} } // '') =~ s/^.*?<tr>//sr;
        my @cols = ($head // '') =~ m{<th>(0x[0-9a-f]+)</th>}g;
        my ($row) = grep { m{^<th class=w>\Q$x->{rfbm}\E</th>} } @rows;
        my @values = ($row // '') =~ m{<td[^>]*>(?:(\d+)~?<small>\d+</small>)?</td>}g;
        my @inuse = split /,/, $x->{xinuse};
        my @avg = list_of($x->{avg97}, scalar @inuse);
        for my $i (0 .. $#inuse) {
            my ($at) = grep { $cols[$_] eq $inuse[$i] } 0 .. $#cols;
            if (defined $at && ($values[$at] // '') eq $avg[$i]) {
                $good++;
            } else {
                push @bad, "$x->{event} $x->{rfbm} $inuse[$i]: $avg[$i]";
            }
        }
    }
    return ($good, join "\n", @bad);
}

SKIP: {
    my $xsave = hosted([qw(profile=quick suite=xsave detail=full xsave.rfbm=0x3)])->{log};
    my @variants = records_of($xsave, 'xsave');
    my @standard = grep { $_->{type} eq 'xsave' } @$records;
    skip 'this CPU has no XSAVE rows', 5 unless @standard;
    my ($good, $bad) = cells_of($page, \@standard);
    is($bad, '', 'every cell of the heat maps is that of the log');
    cmp_ok($good, '>=', 1, 'and there are some');
    my $html = (report(spew('variants.log', $xsave)))[1];
    ($good, $bad) = cells_of($html, \@variants);
    is($bad, '', 'so is every cell of the variants');
    cmp_ok($good, '>=', 1, 'and there are some');
    has($html, qr/<summary>Variants.*<h4>xsave_cold</s, 'which are folded');
}

my ($figures) = (ticklog('show', '--figures', $file))[1] =~ /\A(.*)/s;
my @listed = grep { /^\w+\./ } split /\n/, $figures;
is(count($page, qr{<tr><th class=w>[a-z0-9_+.-]+\.[a-z0-9_+-]+</th><td class=w>}), scalar @listed,
    'every figure is listed');
my ($n_checks) = $log =~ /^1\.\.(\d+)/m;
has($page, qr/<summary>$n_checks checks: /, 'and every check');

# ---- plots

SKIP: {
    skip 'gnuplot is not here', 12 unless $gnuplot;
    is(count($page, qr/<figure>/), count($page, qr/<svg class=plot/), 'every figure has its plot');
    my @titles = $page =~ m{<figure><h4>(.*?)</h4>}g;
    my ($five) = grep { $_->{method} eq '5' } @checks;
    for my $part ('Time of an empty pair', 'Mean variance', 'the bulk', 'all samples',
        'Resolution of method', '500 stores') {
        ok(scalar(grep { /\Q$part\E/ } @titles), "a plot: $part");
    }
    my ($bulk) = $page =~ m{: the bulk</h4>(.*?)</svg>}s;
    my ($hist) = grep { $_->{type} eq 'hist' && $_->{suite} eq 'tsc'
            && $page =~ /Method $_->{method}: the bulk/ } @$records;
    cmp_ok(count($bulk, qr/<polygon class=f4 /), '>=', 1, 'the histogram has bars');
    cmp_ok(count($bulk, qr/<polygon class=f4 /), '<=', scalar(split /,/, $hist->{bins}),
        'no more than there are bins');
    my ($stairs) = $page =~ m{Resolution of method.*?</h4>(.*?)</svg>}s;
    cmp_ok(count($stairs, qr/<circle class=f4 /), '==', 12, 'the staircase has a point a line');
    my ($gap) = $page =~ m{gaps, by length and cause</h4>(.*?)</svg>}s;
    my $kept = 0;
    $kept += split /,/, $_->{list} for grep { $_->{type} eq 'gaplist' } @$records;
    is(count($gap // '', qr/<circle /), $kept, 'the time line has every gap listed');
    has_no($page, qr/rgb\(|GNUPLOT|<desc|\bfill="(?!none)/, "no colour of gnuplot's own");
}

# ---- what is not in a log is said

my $plain = hosted([ @small, 'suite=tsc' ])->{log};
my $plain_file = spew('plain.log', $plain);
($status, $page, $err) = report($plain_file);
is($status, 0, 'a default log');
has($page, qr/No staircase: .*detail=lines or detail=full/, 'has no lines, and the page says so');
has_no($page, qr/>Gaps<|>Stability<|>XSAVE/, 'what was not measured has no section');

# ---- several runs

my $again = spew('again.log', hosted([ @small, 'suite=tsc' ])->{log});
my $other = spew('other.log', changed($plain,
        sub { $_[0] =~ s/ (signature)=\S+/ $1=0x12345/r =~ s/( run)=\w+/$1=0123456789abcdef/r }));
($status, $page, $err) = report($plain_file, $again, $other, $plain_file);
is($status, 0, 'several logs');
needs_nothing($page, 'several');
is(unbalanced($page), '', 'several: every element is closed');
has($page, qr/<h1>4 runs of baretick/, 'all runs');
my @groups = $page =~ m{<a href="#run-(\d)">\d</a></th><td>(\w+)</td>}g;
is("@groups", '1 A 2 A 3 B 4 A', 'groups by what may be compared');
has($page, qr/the same run as 1/, 'a run that comes twice is told');
has($page, qr{<dt>signature</dt><dd>.*0x12345: <a href="#run-3">3</a>}, 'what differs, and where');
for my $figure (qw(tsc.5.mem.empty.none.min tsc.6.mem.loop.none.min)) {
    my ($row) = $page =~ m{<tr><th class=w>\Q$figure\E</th>(.*?)</tr>};
    like($row // '', qr/<svg class=spark/, "over runs: $figure");
}
my ($min) = $plain =~ /type=series method=5 form=mem work=empty pre=none .* min=(\d+)/;
my ($row) = $page =~ m{<tr><th class=w>tsc\.5\.mem\.empty\.none\.min</th>(.*?)</tr>};
like($row, qr{^<td class=w>ticks</td><td>$min~?</td>}, 'over runs: the value of each');
is(count($page, qr/<section id="run-/), 4, 'each has a section');
like(($page =~ m{TRUST</th>(.*?)</table>}s)[0], qr/interrupts were on/, 'with its reasons in the table');
($status, $page) = report('-n', 1, $plain_file, $again);
is(count($page, qr/>Identity</), 1, 'as many in full as were asked for');
is(count($page, qr/TRUST: <span/), 2, 'the others with their verdict');

# Figures that do not move at all: an axis must not be all tics.
($status, $page) = report('-n', 0, $plain_file, $plain_file, $plain_file);
cmp_ok(length $page, '<', 150_000, 'the same run three times is no large page');

# ---- emulated

my $emulated = spew('emulated.log',
    changed($plain, sub { $_[0] =~ s/ emulated=no / emulated=made-up /r }));
($status, $page) = report($emulated);
has($page, qr{<header>.*<b>Emulated \(made-up\)\..*</header>}s, 'an emulator is marked at the top');
($status, $page) = report($emulated, $plain_file);
has($page, qr{<header>.*<b>Emulated\..*Run <a href="#run-1">1</a>.*</header>}s, 'or which run is one');

# ---- damaged

my @lines = split /\n/, $log, -1;
my @at = log_records(@lines);
my ($victim) = grep { $_->[1] eq 'hist' } @at;
my @cut = @lines;
splice @cut, $victim->[0], 1;
($status, $page, $err) = report(spew('lost.log', join "\n", @cut));
is($status, 2, 'a lost record: exit status');
has($page, qr/class="banner bad"><b>Not all of it is here\./, 'said at the top');
has($page, qr/1 of \d+ records missing: number $victim->[2]\b/, 'with its number');
is(unbalanced($page), '', 'lost: every element is closed');

($status, $page) = report(spew('cut.log', join "\n", @lines[ 0 .. $victim->[0] ]));
is($status, 2, 'a cut tail: exit status');
has($page, qr/the end record is missing/, 'is told');
has($page, qr/No verdict arrived/, 'and there is no verdict');

@cut = @lines;
$cut[ $victim->[0] ] =~ s/crc=(.)/'crc=' . ($1 eq '0' ? '1' : '0')/e;
($status, $page) = report(spew('corrupt.log', join "\n", @cut));
is($status, 2, 'a damaged record: exit status');
has($page, qr/The log is corrupt\..*line @{[ $victim->[0] + 1 ]}:/s, 'with its line');

($status, $page) = report(spew('wrong.log', changed($log, sub {
            $_[0] =~ /type=series method=5 form=mem work=empty pre=none/
                ? $_[0] =~ s/ p50=(\d+)/' p50=' . ($1 + 1)/er : $_[0] })));
is($status, 2, 'a contradicted figure: exit status');
has($page, qr/<b>\d+ figures? (?:is|are) contradicted/, 'is told');

my $long = spew('long.log', $plain, 'x' x 1_200_000, "\n");
($status, $page) = report($long);
is($status, (ticklog('show', $long))[0], 'a line that is too long: the exit status is that of show');
has($page, qr/long\.log: 1 line is longer than a mebibyte and not taken whole/, 'and it is told');

($status, $page, $err) = report(spew('none.log', "nothing\n"), $plain_file, "$dir/absent");
is($status, 2, 'a log without a run, and one that is not there');
has($page, qr/none\.log: no run of baretick in its 1 line\b/, 'the first');
has($page, qr/absent: could not be read/, 'the second');
has($page, qr/>Methods</, 'the third is shown');
($status, $page) = report("$dir/absent");
is($status, 2, 'no run at all');
has($page, qr/<h1>No run of baretick/, 'is a page too');

# ---- where the page goes

my $out = "$dir/page.html";
($status, undef, $err) = ticklog('report', $plain_file, '-o', $out);
is("$status$err", '0', 'into a file');
like(slurp($out), qr/<\/html>\n\z/, 'whole');
is((stat $out)[2] & 0777, 0666 & ~umask, 'as any file is made');
is((ticklog('report', $plain_file, '-o', $out))[0], 0, 'a page may be made again');
my $before = slurp($again);
($status, undef, $err) = ticklog('report', $plain_file, '-o', $again);
is($status, 5, 'onto a log');
like($err, qr/again\.log is there and is no page/, 'is refused');
is(slurp($again), $before, 'which stays');
($status, undef, $err) = ticklog('report', $plain_file, '-o', "$dir/absent/page.html");
is($status, 2, 'into a folder that is not there');
like($err, qr{absent/page\.html: No such file}, 'says so');
is_deeply([ glob "$dir/page.html.*" ], [], 'nothing is left beside it');
for my $bad ([$plain_file], [ '-o', $out ], [ $plain_file, '-o', '' ], [ '-n', 'x', $plain_file, '-o', $out ]) {
    ($status, undef, $err) = ticklog('report', @$bad);
    is($status, 5, "usage: @$bad");
}

# ---- in a browser

# Measures in the page and tells the page around it. It is a copy of the page that may run it.
my $probe = <<'END';
<script>
function parts(c) { let m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m }
function over(top, below) { return [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])) }
let known = new Map();
function ground(e) {
	if (!e) return [255, 255, 255];
	if (!known.has(e))
		known.set(e, over(parts(getComputedStyle(e).backgroundColor), ground(e.parentElement)));
	return known.get(e);
}
function light(c) {
	let [r, g, b] = c.map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
	return .2126 * r + .7152 * g + .0722 * b;
}
addEventListener('load', () => {
	for (let d of document.querySelectorAll('details')) d.open = true;
	let least = 99, where = '', small = 99;
	let walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		let e = walk.currentNode.parentElement, svg = e.ownerSVGElement;
		if (!walk.currentNode.data.trim() || e.tagName == 'SCRIPT') continue;
		let style = getComputedStyle(e), back = ground(e);
		let a = light(over(parts(svg ? style.fill : style.color), back)), b = light(back);
		let contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (contrast < least) { least = contrast; where = e.textContent.slice(0, 60) }
		small = Math.min(small, parseFloat(style.fontSize) * (svg ? svg.getScreenCTM().a : 1));
	}
	parent.postMessage({
		width: innerWidth, scroll: document.documentElement.scrollWidth,
		fetched: performance.getEntriesByType('resource').length,
		dark: matchMedia('(prefers-color-scheme: dark)').matches,
		ground: light(ground(document.body)), contrast: least, where, small,
	}, '*');
});
</script>
END

# What the pages look like at those widths: a page around them shows each and collects.
sub probe {
    my ($scheme, $widths, %pages) = @_;
    my $frames = '';
    for my $name (sort keys %pages) {
        my $html = $pages{$name};
        $html =~ s/<meta http-equiv=Content-Security-Policy[^>]*>\n// or die "no policy to take out\n";
        $html =~ s{</body>}{$probe</body>} or die;
        spew("$name.html", $html);
        $frames .= "<iframe name='$name $_' src='$name.html' width=$_ height=800 style='border:0'></iframe>"
            for @$widths;
    }
    my $n = @$widths * keys %pages;
    my $outer = spew('outer.html', "<!DOCTYPE html><title>wait</title>$frames<script>"
            . 'let all = {}; addEventListener("message", e => { for (let f of document.querySelectorAll("iframe"))'
            . 'if (f.contentWindow === e.source) all[f.name] = e.data;'
            . "if (Object.keys(all).length == $n) document.title = 'PROBE' + btoa(JSON.stringify(all)) + 'END' })</script>");
    my $profile = tempdir('chromium-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    Baretick::run_bounded(90, [ "$dir/dom", "$dir/dom.err" ], $chromium,
        qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync),
        qw(--disable-background-networking --disable-component-update --disable-dev-shm-usage),
        "--user-data-dir=$profile", "--blink-settings=preferredColorScheme=$scheme",
        qw(--virtual-time-budget=4000 --dump-dom), "file://$outer");
    my ($json) = slurp("$dir/dom") =~ /PROBE([\w+\/=]+?)END/ or return;
    return JSON::PP->new->decode(decode_base64($json));
}

SKIP: {
    skip 'chromium is not here (package chromium)', 1 unless $chromium;
    my %pages = (
        single  => (report($file))[1],
        several => (report($plain_file, $again, $other))[1],
        cut     => (report("$dir/absent"))[1],
    );
    for my $scheme (0, 1) {
        # A browser without a CPU of its own may not be done with them in its time.
        my $seen;
        $seen //= probe($scheme, [ 390, 1200 ], %pages) for 1 .. 3;
        is(scalar keys %{ $seen // {} }, 6, 'the pages open in a browser') or diag slurp("$dir/dom.err");
        for my $view (sort keys %{ $seen // {} }) {
            my $p = $seen->{$view};
            my $name = "$view, " . ($scheme ? 'light' : 'dark');
            cmp_ok($p->{scroll}, '<=', $p->{width}, "$name: nothing sticks out");
            is($p->{fetched}, 0, "$name: nothing was fetched");
            is($p->{dark} ? 1 : 0, 1 - $scheme, "$name: the scheme asked for");
            cmp_ok(abs($p->{ground} - $scheme), '<', 0.2, "$name: and the page follows it");
            cmp_ok($p->{contrast}, '>=', 4.5, "$name: all text can be read") or diag $p->{where};
            cmp_ok($p->{small}, '>=', 9, "$name: none is tiny");
        }
    }
}

done_testing;
