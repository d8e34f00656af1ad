#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog on a log with very many records of one kind, and on very many machines: what it takes grows
# as the log does.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Test::More;
use Ticklog;


my ($few, $times) = (500, 8);

# A complete run: what is known of the machine, the records, lines of text.
sub run_log {
    my ($id, $label, $records, $vendor, @text) = @_;
    my @all = (
        [ 'begin', 'schema=1', sprintf('run=%016x', $id), 'build=made' ],
        [ qw(options profile=quick code=12345678 given="") ],
        [ 'machine', 'vendor=' . ($vendor // 'Made'), qw(signature=0x1 brand=made core_type=0), "microcode=$label",
            qw(hypervisor=none emulated=no boot=pvh loader="" rtc="" cpus=1) ],
        [ qw(board firmware="" board="" serial="" uuid=""), "label=$label" ],
        @$records,
    );
    my $n = 0;
    my $log = join '', map { record_line(++$n, @$_) . "\n" } @all;
    $n++;
    return join '', $log, map({ "$_\n" } @text), record_line($n, 'end', "records=$n", 'result=pass'), "\n";
}

sub series {
    my ($method, $form) = @_;
    return [ 'series', "method=$method", "form=$form", qw(work=empty pre=none unit=ticks lines=4 samples=100
            n=400 backwards=0 min=40 max=50 maxdev=10 var=2.000 varvar=0.000 spurious=0 varmin=0.000 p50=44
            p97=44 p99=44 p999=44 first=44 warm=44 redone=0 unsettled=0 ratio_e4=0) ];
}

sub lines {
    my ($form) = @_;
    return [ qw(lines method=5), "form=$form", qw(work=empty pre=none lines=0-3:40:50:2.000) ];
}

sub hist {
    my ($form) = @_;
    return [ qw(hist suite=tsc method=5), "form=$form", qw(work=empty pre=none part=0 base=40 below=0 n=400 sum=1600
            sumsq=6400 min=44 max=44 bins=4:400 more=0) ];
}

sub ruler {
    my ($where) = @_;
    return [ 'ruler', "where=$where", qw(adds=100000 adds_ticks=83334 nops_ticks=1200 ratio_e4=12000) ];
}

sub xsave {
    my ($event, $rfbm) = @_;
    return [ 'xsave', "event=$event", sprintf('rfbm=0x%x', $rfbm), qw(source=xgetbv1 overhead=60 overhead_stable=1
            unstable=0 xinuse=0x0 n=200 kept=194 min=120 max=160 avg=140 avg97=139 p50=140 p99=140 clamped=0) ];
}

my $gap = 'watched=1000 turns=9 threshold=9 n=1 stolen=20 longest=20 smi=0 nmi=0 mce=0 causes=stall:1';

# What makes the log of a size.
my %made = (
    'methods' => sub { return run_log(1, 'a', [ map { series("m$_", 'mem') } 1 .. $_[0] ]) },
    'ways of two methods' => sub {
        my @ways = map { "f$_" } 1 .. $_[0] / 2;
        return run_log(1, 'a', [ map({ series(5, $_) } @ways), map({ series(6, $_) } @ways) ]);
    },
    'series, lines and histograms' => sub {
        return run_log(1, 'a', [ map { (series('5', "f$_"), lines("f$_"), hist("f$_")) } 1 .. $_[0] / 2 ]);
    },
    'rows' => sub {
        return run_log(1, 'a', [ map { [ 'rows', "method=m$_",
                    qw(unit=ticks of=mem/empty/tsc n=400 backwards=0 min=40 max=50 var=2.000 varmin=0.000 p50=44 p97=44
                    resolution=n/a overhead=n/a unsettled=0) ] } 1 .. $_[0] ]);
    },
    'starts of the matrix, and text' => sub {
        return run_log(1, 'a', [ map { [ 'matrix', "start=s$_", qw(end=e min=40 var=2.000 unsettled=0) ] } 1 .. $_[0] ],
            undef, map { "words of line $_" } 1 .. 2 * $_[0]);
    },
    'rulers, and their text' => sub {
        return run_log(1, 'a', [ map { ruler("w$_") } 1 .. $_[0] ],
            undef, map { "ruler (w$_): 100000 dependent adds" } 1 .. 2 * $_[0]);
    },
    'blocks, and cells left out' => sub {
        return run_log(1, 'a', [ map { (xsave('xsave', $_), xsave("e$_", 7),
                    [ 'xskip', 'event=xsave', "rfbm=$_", 'asked=0x1', 'reason=no' ]) } 1 .. $_[0] / 2 ]);
    },
    'windows, and lists of gaps' => sub {
        my ($n) = @_;
        return run_log(1, 'a', [ map({ [ 'gap', "at=$_", 'windows=1', split / /, $gap ] } 1 .. $n),
                map({ [ 'gaplist', "from=$_", 'list=1:20:stall' ] } 0 .. $n - 1) ]);
    },
    'clocks, options, unknown records' => sub {
        return run_log(1, 'a', [ map { ([ 'clock', "source=c$_", qw(state=ok khz=1000000 spread=0) ],
                    [ 'options_more', 'given=x' ], [ 'other', "a=$_" ]) } 1 .. $_[0] ]);
    },
    'result lines' => sub {
        return run_log(1, 'a', [ ruler('w') ], undef, "1..$_[0]", map { "ok $_ check.$_" } 1 .. $_[0]);
    },
    'machines' => sub {
        return join '', map { run_log($_, "l$_", [ ruler("w$_"), series($_ & 1 ? 5 : 6, 'mem') ]) } 1 .. $_[0] / 2;
    },
    'fleets' => sub {
        return join '', map { run_log($_, "l$_", [ ruler("w$_") ], $_) } 1 .. $_[0] / 2;
    },
);

sub cpu_seconds {
    my ($log, $command) = @_;
    my (undef, undef, $before_u, $before_s) = times;
    ticklog($command, $command eq 'check' ? ('--baseline', $log) : (), $log);
    my (undef, undef, $u, $s) = times;
    return $u + $s - $before_u - $before_s;
}

for my $kind (sort keys %made) {
    my @log = map { spew("$_.log", $made{$kind}->($_)) } $few, $times * $few;
    for my $command ($kind =~ /^(?:machines|fleets)$/ ? 'fleet' : 'show', 'check') {
        my ($small, $large) = map { cpu_seconds($_, $command) } @log;
        # The clock of processes may have steps of 10 ms.
        cmp_ok($large, '<', 2 * $times * ($small + 0.02), "$command: $times times as many take about as much longer: $kind")
            or diag "$small s, $large s";
    }
}

done_testing;
