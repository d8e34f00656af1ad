#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog report and gnuplot: a gnuplot that is absent, wrong, or does not come to an end, what it is
# given of a hostile log, and that none is left behind.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Page;
use Test::More;
use Ticklog;
use Time::HiRes qw(sleep);

my $gnuplot = program('gnuplot');
my $log = hosted([ 'method=5,6', qw(profile=quick soak=1 lines=12 samples=150 detail=lines) ])->{log};
my $file = spew('full.log', $log);
my $dir = dirname($file);
my ($status, $page, $err);

# Starts a report with its own gnuplot in the background; returns the process.
sub start_report {
    my ($name, $script) = @_;
    my ($tool, $path) = (ticklog_path(), fake_gnuplot($script));
    return in_child(sub {
        $ENV{PATH} = "$path:$ENV{PATH}";
        open STDERR, '>', "$dir/$name.err" or die "$name.err: $!\n";
        exec $tool, 'report', $file, '-o', "$dir/$name.html" or return 127;
    });
}

# Whether a condition comes true before long.
sub soon {
    my ($is) = @_;
    for (1 .. 400) {
        return 1 if $is->();
        sleep 0.05;
    }
    return 0;
}

# ---- gnuplot that does not come to an end: looked after last, for that takes its time

my $endless = start_report('sleeps', 'exec sleep 100');

# ---- none is left behind

for my $signal (qw(INT TERM KILL)) {
    my $note = "$dir/pid.$signal";
    my $pid = start_report("killed.$signal", "echo \$\$ >$note.new; mv $note.new $note; exec sleep 60");
    ok(soon(sub { -e $note }), "SIG$signal: a gnuplot runs") or next;
    my ($child) = slurp($note) =~ /(\d+)/;
    ok(kill(0, $child), 'and goes on');
    kill $signal, $pid;
    waitpid $pid, 0;
    is($? & 127, { INT => 2, TERM => 15, KILL => 9 }->{$signal}, "SIG$signal ends the report");
    ok(soon(sub { !kill 0, $child }), 'and its gnuplot') or kill 'KILL', $child;
    ok(!-e "$dir/killed.$signal.html", 'there is no page');
}

# ---- hostile: names that are code to gnuplot, to a shell, to a browser, to a terminal

my $evil = q{5';system('touch } . "$dir/pwned" . q{')#`touch } . "$dir/pwned"
    . q{`$(touch } . "$dir/pwned" . qq{)"\nEND\n!touch $dir/pwned\nload '|touch $dir/pwned'\n}
    . qq{\e[2J\x9b2J\r\xff</text></style><script>alert(1)</script><img src=x onerror=alert(1)>};
my $word = $evil =~ s/([^!-~]|["\\])/sprintf '\\x%02X', ord $1/ger;

# Every value of these keys, in whatever record; a method is called so in all of them.
my %named = map { $_ => 1 } qw(label brand vendor signature core_type microcode hypervisor emulated boot loader rtc
    firmware board serial uuid profile code given build run source state where unit reason reasons trust event
    start end causes result granted offered usable);
my $wild = changed($log, sub {
        $_[0] =~ s/ method=5 / method="$word" /r =~ s{ ([a-z0-9_.]+)=("[^"]*"|\S+)}{
            ($_[1] // $named{$1}) ? qq{ $1="$word"} : " $1=$2" }ger });
$wild =~ s/^ok (\d+) tsc\.\S*/ok $1 $evil/m;
$wild =~ s/^(== summary ==)/$1\nDO       <script>alert(2)<\/script>$evil/m;
my $mild = changed($log, sub {
        $_[0] =~ s/ method=5 / method="$word" /r =~ s/ event=xsave / event="$word" /r
            =~ s/ (label|brand|reasons|rtc|board)=("[^"]*"|\S+)/ $1="$word"/gr });
my @matrix = map { record_line($_->[0], @$_[ 1 .. $#$_ ]) . "\n" } [ 1, qw(begin schema=1 run=1 build=1) ],
    map({ [ $_ + 2, 'matrix', qq{start="$word$_"}, qq{end="$word"}, 'min=4', qq{var="$word"} ] } 0 .. 3),
    [ 6, 'end', 'records=6', 'result=pass' ];
my %hostile = (
    mild => [ spew("<b>mild'`touch pwned`.log", $mild) ],
    wild => [ spew('wild.log', $wild) ],
    matrix => [ spew('matrix.log', @matrix) ],
);
$hostile{'two runs'} = [ @{ $hostile{mild} }, spew('other.log', $mild =~ s/ run=\w+/ run=1/r), "$dir/<i>absent" ];
for my $name (sort keys %hostile) {
    unlink "$dir/scripts";
    my $tee = "tee -a '$dir/scripts' | exec '" . ($gnuplot // 'false') . "' \"\$@\"";
    ($status, $page, $err) = report_with($tee, @{ $hostile{$name} });
    like($status, qr/^[02]$/, "hostile, $name: a status of ours");
    ok(!-e "$dir/pwned" && !-e 'pwned', 'nothing was run');
    needs_nothing($page, $name);
    is(unbalanced($page), '', 'every element is closed');
    has($page, qr/&lt;script&gt;alert\(1\)&lt;\/script&gt;/, 'its text is text');
    has_no($page, qr/[\x00-\x08\x0b-\x1f\x7f]|<img|<b>mild|<i>absent/, 'and nothing else');
    unlike($err, qr/[\x00-\x09\x0b-\x1f\x7f-\xff]/, 'what is said is printable');
    unlike($err, qr/plot/, 'no plot failed');
    next unless $gnuplot && $name ne 'matrix';
    my $scripts = slurp("$dir/scripts");
    like($scripts, qr/^set terminal svg/m, 'what gnuplot was given');
    unlike($scripts, qr/system|touch|alert|load|[`!|\x00-\x08\x0b-\x1f\x7f-\xff]/, 'has no word of it');
    has($page, qr/<text class=f2[^>]*>5&#39;;system\(/, 'it stands in the plot all the same') if $name eq 'mild';
}

# ---- gnuplot absent, or wrong

{
    my ($out, $said) = ("$dir/none.html", "$dir/none.err");
    my $tool = ticklog_path();
    my $pid = in_child(sub {
        $ENV{PATH} = '/nonexistent';
        open STDERR, '>', $said or die "$said: $!\n";
        exec $tool, 'report', $file, '-o', $out or return 127;
    });
    waitpid $pid, 0;
    is($? >> 8, 0, 'without gnuplot: the exit status is that of the log');
    like(slurp($said), qr/gnuplot is not here \(package gnuplot-nox\)/, 'says what is missing');
    is(count(slurp($said), qr/\n/), 1, 'once');
    $page = slurp($out);
    has($page, qr/<header>.*This page is without its \d+ plots\. gnuplot is not here.*<\/header>/s, 'so does the page');
    has_no($page, qr/<svg class=plot/, 'which has none');
    has($page, qr/<h3>Methods<.*<table>/s, 'but all else');
    is(unbalanced($page), '', 'without plots: every element is closed');
}

# What it does, what is said of it, on the page; and whether that is of every plot.
my %wrong = (
    'fails' => [ 'echo "line 0: no such thing" >&2; exit 1', qr/: line 0: no such thing/ ],
    'fails without a word' => [ 'exit 3', qr/: gnuplot failed and does not say why/ ],
    'crashes' => [ 'kill -SEGV $$', qr/: gnuplot crashed/ ],
    'complains of nothing and draws none' => [ 'echo "no font" >&2', qr/: no font/ ],
    'prints rubbish' => [ 'echo "<html><script>alert(1)</script>"', qr/: what gnuplot wrote is not understood/ ],
    'prints a path that is none' => [
        'printf "<svg viewBox=\'0 0 9 9\'><path d=\'M0,0\\" onload=\\"x\'/></svg>"', qr/: what gnuplot wrote is not understood/
    ],
);
for my $name (sort keys %wrong) {
    my ($script, $message) = @{ $wrong{$name} };
    ($status, $page, $err) = report_with($script, $file);
    is($status, 0, "a gnuplot that $name: the exit status is that of the log");
    like($err, qr/\Aticklog report: plot '[^']+'$message; the page is made without its \d+ plots\n\z/,
        'it is said, once');
    my ($n) = $err =~ /its (\d+) plots/;
    is(count($page, qr/<figure>/), $n, 'of so many');
    has($page, qr{<header>.*This page is without its $n plots\. plot &#39;.*$message.*</header>}s, 'on the page too');
    needs_nothing($page, $name);
}

# Markup of its own never gets there, whether the plot is taken or not.
($status, $page, $err) = report_with('printf "<svg viewBox=\'0 0 9 9\' onload=\'alert(1)\'>'
        . '<script>alert(1)</script><path stroke=\'rgb(0,0,4)\' d=\'M0,0 L1,1\' onclick=\'x\'/>'
        . '<text>a&lt;b</text><a href=\'x\'/></svg>"', $file);
is($status, 0, 'a gnuplot that prints markup');
needs_nothing($page, 'markup');

# Every third one fails; the others are drawn.
my $third = q{n=$(cat 'DIR/n' 2>/dev/null || echo 0); echo $((n + 1)) >'DIR/n'; }
    . q{[ $((n % 3)) = 1 ] && exit 1; printf "<svg viewBox='0 0 9 9'></svg>"} =~ s/DIR/$dir/gr;
$third =~ s/DIR/$dir/g;
($status, $page, $err) = report_with($third, $file);
my ($missing, $all) = $err =~ /\A[^\n]*without (\d+) of its (\d+) plots\n\z/;
is($status, 0, 'some plots fail');
is($missing // 0, int((($all // 0) + 1) / 3), 'as many as did are counted');
is(count($page, qr/No plot: /), $missing, 'and each says so in its place');
is(count($page, qr/<svg class=plot/), ($all // 0) - ($missing // 0), 'the others are there');

# A plot is there, but not without a word.
($status, $page, $err) = report_with(q{echo 'warning: <b>odd' >&2; printf "<svg viewBox='0 0 9 9'></svg>"}, $file);
is($status, 0, 'a gnuplot that draws and complains');
like($err, qr/\A[^\n]*gnuplot drew \d+ plots with a word about it, first plot '.*': warning: <b>odd\n\z/, 'is said once');
has($page, qr/<header>.*gnuplot drew \d+ plots.*&lt;b&gt;odd/s, 'and on the page');

waitpid $endless, 0;
is($? >> 8, 0, 'a gnuplot that does not end is ended');
like(slurp("$dir/sleeps.err"), qr/\A[^\n]*not done within 10 s[^\n]*without its \d+ plots\n\z/, 'and named, once');
has(slurp("$dir/sleeps.html"), qr/This page is without its \d+ plots/, 'on the page too');
done_testing;
