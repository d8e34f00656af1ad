#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog report of runs whose values do not spread, or spread as far as numbers go: one value only,
# all 0, one line, one sample, steps that leave most values out, values that no double tells apart.
# Each plot is drawn without a word of gnuplot's, or the page says why there is none.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Math::BigInt;
use Page;
use Test::More;
use Ticklog;

program('gnuplot') or plan skip_all => 'gnuplot is not here';

# ---- a log of these values, all of whose figures agree

sub bin_of {
    my ($value, $base) = @_;
    my $above = Math::BigInt->new($value)->bsub($base);
    return $above if $above < 4096;
    my $octave = length($above->to_bin) - 13;
    return 4096 + 64 * $octave + $above->copy->brsft($octave + 6)->band(63);
}

# The moments and bins of [value, times] pairs, as a record's words.
sub hist_words {
    my ($base, @pairs) = @_;
    my $m = moments(@pairs);
    my $above = moments(map { [ Math::BigInt->new($_->[0])->bsub($base), $_->[1] ] } @pairs);
    my $squares = length $above->{sumsq}->to_bin > 128 ? 'overflow' : $above->{sumsq};
    my (%bin, @order);
    for (@pairs) {
        my $bin = bin_of($_->[0], $base);
        push @order, $bin unless exists $bin{$bin};
        $bin{$bin} += $_->[1];
    }
    my @bins = map { [ $_, $bin{$_} ] } @order;
    my %h = (n => $m->{n}, min => $m->{min}, max => $m->{max}, base => $base, below => 0);
    my %figure = map { $_->[0] => hist_percentile(@$_[ 1, 2 ], \%h, @bins) } [ p50 => 1, 2 ], [ p97 => 97, 100 ],
        [ p99 => 99, 100 ], [ p999 => 999, 1000 ];
    my @hist = ("base=$base", 'below=0', "n=$m->{n}", "sum=$above->{sum}", "sumsq=$squares", "min=$m->{min}",
        "max=$m->{max}", 'bins=' . join(',', map { join ':', @$_ } @bins), 'more=0');
    return (\@hist, { %figure, map({ $_ => "$m->{$_}" } qw(n min max)) });
}

# values: [value, times in a line] ascending; lines: how many, each with these; base of histograms;
# gaps: [at, length]; khz: trusted, or none; turns: [from line, to line, min] of the loop.
sub made_log {
    my (%is) = (lines => 4, base => 0, gaps => [ [ 0, 9 ] ], turns => undef, step => 0, @_);
    my @all = map { [ $_->[0], $_->[1] * $is{lines} ] } @{ $is{values} };
    my ($hist, $f) = hist_words($is{base}, @all);
    my $var = variance(@{ $is{values} });
    $var = 'overflow' if $var >= 1.8e19;
    my $flat = $var eq 'overflow' ? $var : '0.000';
    my $dev = Math::BigInt->new($f->{max})->bsub($f->{min});
    my $samples = $f->{n} / $is{lines};
    my @series = ("lines=$is{lines}", "samples=$samples", map({ "$_=$f->{$_}" } qw(n)), 'backwards=0',
        "min=$f->{min}", "max=$f->{max}", "maxdev=$dev", "var=$var", "varvar=$flat");
    my @ranks = map { "$_=$f->{$_}" } qw(p50 p97 p99 p999);
    my @rest = ("first=$f->{min}", "warm=$f->{min}", 'redone=0', 'unsettled=0', 'ratio_e4=0');
    my @name = qw(method=5 form=mem work=empty pre=none);
    my @turns = @{ $is{turns} // [ [ 0, $is{lines} - 1, $f->{min} ] ] };
    my $list = join ',', map { "$_->[0]:$_->[1]:unknown" } @{ $is{gaps} };
    my @records = (
        [qw(begin schema=1 run=0000000000000001 build=made)],
        $is{khz} ? [ 'tsc', "khz=$is{khz}", qw(trusted=1 source=made entry=1 took=1) ] : (),
        [ 'series', @name, 'unit=ticks', @series, qw(spurious=0 varmin=0.000), @ranks, @rest ],
        [ qw(lines method=5 form=mem work=loop pre=none),
            'lines=' . join ',', map { "$_->[0]-$_->[1]:$_->[2]:$_->[2]:0.000" } @turns ],
        [ 'hist', 'suite=tsc', @name, 'part=0', @$hist ],
        [ qw(recommend method=5 default=1), "step=$is{step}", 'reason=made' ],
        [ qw(stability method=5), "rounds=$f->{n}", "n=$f->{n}", 'backwards=0', "min=$f->{min}", "max=$f->{max}",
            "spread=$dev", 'threshold=50', @ranks, qw(outliers=0 stolen=0 duration=1000000 period=0),
            qw(burst=0 periodic=0 single=0 states=1 redone=0 unsettled=0) ],
        [ qw(hist suite=stability method=5 form=mem work=loop pre=none part=0), @$hist ],
        [ 'gap', "at=$is{gaps}[0][0]", 'windows=1', 'watched=' . ($is{watched} // 900), 'turns=9',
            'n=' . @{ $is{gaps} }, qw(stolen=9 longest=9 smi=0 nmi=0 mce=0 causes=none contradicts=0) ],
        [ 'gaplist', 'from=0', "list=$list" ],
    );
    my $n = 0;
    my $log = join '', map { record_line(++$n, @$_) . "\n" } @records;
    $n++;
    return $log . record_line($n, 'end', "records=$n", 'result=pass') . "\n";
}

# ---- what is drawn of it

# What does not lie within the plot, and bars that are narrower than is to be seen.
sub stray {
    my ($svg, $least) = @_;
    my ($width, $height) = $svg =~ /viewBox="0 0 (\d+) (\d+)"/ or return 'no viewBox';
    my @stray;
    while ($svg =~ /<circle class=f\d+ cx="([^"]*)" cy="([^"]*)"/g) {
        push @stray, "circle at $1, $2" if $1 < 0 || $1 > $width || $2 < 0 || $2 > $height;
    }
    while ($svg =~ /<polygon class=f4[^>]* points="([^"]*)"/g) {
        my @x = map { (split /,/)[0] } split ' ', $1;
        my ($lo, $hi) = (sort { $a <=> $b } @x)[ 0, -1 ];
        push @stray, "bar from $lo to $hi" if $lo < 0 || $hi > $width || $hi - $lo < $least;
    }
    return join '; ', @stray;
}

sub plots {
    my ($page) = @_;
    return { $page =~ m{<figure><h4>(.*?)</h4>(.*?)</figure>}gs };
}

# Figures that have bars, and those that have points.
my @bars = ('Method 5: the bulk', 'Method 5: all samples, logarithmic',
    'A read, 500 stores, a read: all rounds, logarithmic');
my %is_bars = map { $_ => 1 } @bars;
my @points = ('Time of an empty pair of reads', 'Resolution of method 5');

sub drawn {
    my ($name, $log, $least, %but) = @_;
    my $file = spew('made.log', $log);
    my ($status, $page, $err) = report($file);
    is("$status$err", '0', "$name: nothing to complain of");
    is(unbalanced($page), '', "$name: every element is closed");
    my $plots = plots($page);
    is_deeply([ grep { $plots->{$_} !~ /<svg class=plot/ } sort keys %$plots ], [], "$name: every figure has its plot");
    is_deeply([ grep { count($plots->{$_} // '', qr/<polygon class=f4 /) < ($but{$_} // $least) } @bars ], [],
        "$name: every histogram has bars");
    is_deeply([ grep { !count($plots->{$_} // '', qr/<circle class=f4 /) } @points ], [],
        "$name: methods and staircase have points");
    is_deeply({ map { my $odd = stray($plots->{$_}, $is_bars{$_} ? 0.5 : 0); $odd ? ($_ => $odd) : () } keys %$plots }, {},
        "$name: and all of it lies within the plots");
    ($status, $page, $err) = report($file, $file);
    is("$status$err", '0', "$name: nor over runs");
    is(count($page, qr/No plot:/), 0, "$name: where every plot is drawn");
    return $plots;
}

my $half = '9223372036854775808';
my %flat = (
    'one value'                     => [ values => [ [ 44, 100 ] ] ],
    'one value, with a frequency'   => [ values => [ [ 44, 100 ] ], khz => 2_000_000 ],
    'all 0'                         => [ values => [ [ 0, 100 ] ] ],
    'all 1'                         => [ values => [ [ 1, 100 ] ] ],
    'a single sample'               => [ values => [ [ 44, 1 ] ], lines => 1 ],
    'a single sample of 0'          => [ values => [ [ 0, 1 ] ], lines => 1 ],
    'one line only'                 => [ values => [ [ 40, 90 ], [ 41, 10 ] ], lines => 1 ],
    '0 and a step of 64'            => [ values => [ [ 0, 50 ], [ 64, 50 ] ], step => 64 ],
    '0 and a step of 1000'          => [ values => [ [ 0, 999 ], [ 1000, 1 ] ], step => 1000 ],
    '0 and a step of a million'     => [ values => [ [ 0, 9999 ], [ 1_000_000, 1 ] ], step => 1_000_000 ],
    'one step of a million'         => [ values => [ [ 1_000_000, 100 ] ], base => 999_000 ],
    'above all exact bins'          => [ values => [ [ 5000, 100 ] ] ],
    'two values above them'         => [ values => [ [ 5000, 50 ], [ 5100, 50 ] ] ],
    'one value of 2^63'             => [ values => [ [ $half, 100 ] ], base => $half ],
    'two values beside 2^63'        => [ values => [ [ $half, 50 ], [ $half + 1, 50 ] ], base => $half ],
    '0 and 2^63'                    => [ values => [ [ 0, 50 ], [ $half, 50 ] ] ],
    'the largest there is'          => [ values => [ [ '18446744073709551615', 100 ] ], base => '18446744073709550000' ],
    'gaps of one length'            => [ values => [ [ 44, 9 ] ], gaps => [ map { [ $_ * 10, 9 ] } 0 .. 9 ] ],
    'a gap at 0 of no length'       => [ values => [ [ 44, 9 ] ], gaps => [ [ 0, 0 ] ] ],
    'a gap late'                    => [ values => [ [ 44, 9 ] ], gaps => [ [ $half, $half ] ], watched => 1 ],
    'a watch of one tick'           => [ values => [ [ 44, 9 ] ], watched => 1, khz => 2_000_000 ],
    'a watch of all time'           => [ values => [ [ 44, 9 ] ], watched => '18446744073709551615' ],
    'a loop that is shorter'        => [ values => [ [ 44, 9 ] ], turns => [ [ 0, 0, 80 ], [ 1, 1, 40 ], [ 2, 2, 0 ] ] ],
    'a loop as long as can be'      => [ values => [ [ 44, 9 ] ], turns => [ [ 0, 0, 0 ], [ 1, 1, $half ] ] ],
    'a loop that grows late'        => [ values => [ [ 44, 9 ] ], turns => [ [ 0, 299, 44 ], [ 300, 300, 99 ] ] ],
);
for my $name (sort keys %flat) {
    my @is = @{ $flat{$name} };
    my %is = (base => 0, @is);
    # Values that are well apart have bars of their own. The bulk is of exact bins, without the tail.
    my ($least, @values) = (1, map { Math::BigInt->new($_->[0]) } @{ $is{values} });
    $least += $values[$_] - $values[ $_ - 1 ] > $values[ $_ - 1 ] / 8 for 1 .. $#values;
    my $no_bulk = Math::BigInt->new($is{values}[0][0])->bsub($is{base}) >= 4096;
    my $plots = drawn($name, made_log(@is), $least, 'Method 5: the bulk' => $no_bulk ? 0 : 1);
    is(exists $plots->{'Method 5: the bulk'} ? 0 : 1, $no_bulk ? 1 : 0, "$name: the bulk is of exact bins");
}

done_testing;
