#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every figure that a log determines, computed again by other code from what stands beside it in the
# log: series from their lines and histograms, stability, the recommendation, and the tables for
# people from the records. Digit for digit.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Math::BigInt;
use Test::More;

my %rank = (p50 => [ 1, 2 ], p97 => [ 97, 100 ], p99 => [ 99, 100 ], p999 => [ 999, 1000 ]);

sub milli {
    my ($n) = @_;
    return sprintf('%04s', "$n") =~ s/(...)$/.$1/r;
}

sub is_number {
    my ($text) = @_;
    return ($text // '') =~ /^[0-9]+$/;
}

# One test: nothing was different, and at least `least` figures were looked at.
sub all_same {
    my ($what, $figures, $least, @wrong) = @_;
    my $ok = ok(!@wrong && $figures >= $least, "$what: $figures figures");
    diag("  fewer than $least") if $figures < $least;
    diag("  $_") for @wrong > 20 ? (@wrong[ 0 .. 19 ], '... ' . (@wrong - 20) . ' more') : @wrong;
    return $ok;
}

# ---- what the log says

sub series_name {
    my ($k) = @_;
    return join '/', @$k{qw(method form work pre)};
}

# A `type=rows` record as the series that it holds.
sub rows_expand {
    my ($k) = @_;
    my @series = map { { method => $k->{method}, unit => $k->{unit} } } list_of($k->{of});
    for my $key (grep { !/^(?:seq|type|method|unit)$/ } sort keys %$k) {
        my @column = list_of($k->{$key});
        return "rows of method $k->{method}: " . @column . " values in $key, not " . @series
            if @column != @series;
        $series[$_]{$key} = $column[$_] for 0 .. $#series;
    }
    for my $s (@series) {
        @$s{qw(form work pre)} = split m{/}, delete $s->{of};
        delete $s->{$_} for grep { $s->{$_} eq 'n/a' } keys %$s;
        $s->{overhead_stable} = $s->{overhead} =~ s/~$// ? 0 : 1 if defined $s->{overhead};
    }
    return @series;
}

# "FROM-TO:min:max:variance,..." as lines.
sub lines_expand {
    my ($text) = @_;
    my @lines;
    for (list_of($text)) {
        /^(\d+)-(\d+):(\d+):(\d+):(\d+\.\d{3}|overflow)$/ or return "not understood: $_";
        push @lines, map { { j => $_, min => $3, max => $4, var => $5 } } $1 .. $2;
    }
    return @lines;
}

# {series, lines, hist: by name; order: names of the base series; problems}.
sub read_figures {
    my ($log) = @_;
    my $r = read_records($log);
    my %f = (records => $r, problems => [ @{ $r->{problems} } ], log => $log);
    my $put = sub {
        my ($s) = @_;
        my $name = ref $s ? series_name($s) : $s;
        push @{ $f{problems} }, ref $s ? "$name: told twice" : $s if !ref $s || $f{series}{$name};
        $f{series}{$name} = $s;
        push @{ $f{order} }, $s->{method} if $name =~ m{/mem/empty/none$};
    };
    for (@{ $r->{records} }) {
        my ($type, $k) = ($_->{type}, $_->{keys});
        if ($type eq 'series') {
            $put->({%$k});
        } elsif ($type eq 'rows') {
            $put->($_) for rows_expand($k);
        } elsif ($type eq 'lines') {
            for my $l (lines_expand($k->{lines})) {
                push @{ $f{problems} }, $l unless ref $l;
                push @{ $f{lines}{ series_name($k) } }, $l if ref $l;
            }
        } elsif ($type eq 'hist') {
            push @{ $f{hist}{"$k->{suite} " . series_name($k)} }, $k;
        }
    }
    return \%f;
}

# ---- series by their lines

# The variance of the lines' integer variances. What is printed as 1.000 may be 0.9996, whose whole
# part is 0: each such line may count for either, and of equal ones any number. Not so where variances
# are `grain` apart or more, which is above what is rounded away.
sub varvar_differs {
    my ($name, $said, $grain, @lines) = @_;
    my (@whole, %either);
    for (@lines) {
        my ($whole, $part) = split /\./, $_->{var};
        if ($part eq '000' && $whole > 0 && $grain <= 0.001) {
            $either{$whole}++;
        } else {
            push @whole, [ $whole, 1 ];
        }
    }
    my @tries = [@whole];
    for my $whole (sort { $a <=> $b } keys %either) {
        my $n = $either{$whole};
        @tries = map { my $low = $_; map { [ @$_, [ $whole, $n - $low ], [ $whole - 1, $low ] ] } @tries } 0 .. $n;
        note("$name: too many lines of whole variance to try"), return () if @tries > 4096;
    }
    my @want = map { variance(@$_) } @tries;
    return (grep { $_ eq $said } @want) ? () : differs($name, $said, $want[0]);
}

# The smallest j >= 1 from which on each line's min is above that of line 0; 0 if there is none.
sub resolution {
    my (@lines) = @_;
    my $from = 0;
    for my $l (@lines[ 1 .. $#lines ]) {
        $from = $l->{min} <= $lines[0]{min} ? 0 : $from || $l->{j};
    }
    return $from;
}

sub by_lines {
    my ($name, $s, $grain, @lines) = @_;
    my ($sum, $dev, $spurious) = (Math::BigInt->new(0), 0, 0);
    for my $i (0 .. $#lines) {
        my $l = $lines[$i];
        $sum->badd($l->{var} =~ s/\.//r);
        $dev = $l->{max} - $l->{min} if $l->{max} - $l->{min} > $dev;
        $spurious++ if $i && $l->{min} < $lines[ $i - 1 ]{min};
    }
    my %want = (
        lines  => scalar @lines,
        min    => (sort { $a <=> $b } map { $_->{min} } @lines)[0],
        max    => (sort { $b <=> $a } map { $_->{max} } @lines)[0],
        maxdev => $dev,
        var    => milli($sum->bmul(2)->badd(scalar @lines)->bdiv(2 * @lines)),
    );
    if ($s->{work} eq 'loop') {
        $want{resolution} = resolution(@lines);
    } else {
        $want{spurious} = $spurious;
        $want{varmin} = variance(map { [ $_->{min}, 1 ] } @lines);
    }
    my @wrong = map { differs("$name $_", $s->{$_}, $want{$_}) } sort keys %want;
    push @wrong, "$name: lines are not 0, 1, ..." if grep { $lines[$_]{j} != $_ } 0 .. $#lines;
    return (1 + keys %want, @wrong, varvar_differs("$name varvar", $s->{varvar}, $grain, @lines));
}

sub series_by_lines {
    my ($what, $f, $least) = @_;
    my ($figures, @wrong) = (0);
    my ($recommend) = records_of($f->{records}, 'recommend');
    for my $name (sort keys %{ $f->{series} }) {
        my ($s, @lines) = ($f->{series}{$name}, @{ $f->{lines}{$name} // [] });
        if (!@lines) {
            push @wrong, "$name: no lines";
        } elsif (!grep { $_->{var} eq 'overflow' } @lines) {
            # n times the squares less the square of the sum, over n times n: of multiples of the step.
            my $samples = $s->{samples} // $f->{series}{"$s->{method}/mem/empty/none"}{samples};
            my $grain = $s->{backwards} || $s->{unit} ne 'ticks' ? 0 : ($recommend->{step} / $samples)**2;
            my ($n, @different) = by_lines($name, $s, $grain, @lines);
            $figures += $n;
            push @wrong, @different;
        }
    }
    all_same("$what: series by their lines", $figures, $least, @wrong);
}

# ---- figures by histograms

# The parts of a histogram put together: {n, min, max, base, below, sum, sumsq}, its bins.
sub hist_join {
    my ($name, @parts) = @_;
    my ($h, @wrong, @bins) = ($parts[0]);
    my $left = Math::BigInt->new($h->{n})->bsub($h->{below});
    for my $i (0 .. $#parts) {
        my $p = $parts[$i];
        push @wrong, map { differs("$name part $i $_", $p->{$_}, $h->{$_}) }
            qw(base below n sum sumsq min max);
        push @wrong, differs("$name part", $p->{part}, $i);
        for (list_of($p->{bins})) {
            my ($bin, $count) = /^(\d+):([1-9]\d*)$/ or return ([ "$name: not understood: $_" ]);
            push @wrong, "$name: bin $bin after $bins[-1][0]" if @bins && $bin <= $bins[-1][0];
            push @bins, [ $bin, $count ];
            $left->bsub($count);
        }
        push @wrong, differs("$name part $i more", $p->{more}, $left);
    }
    return (\@wrong, $h, @bins);
}

# A histogram against itself: its moments by its bins.
sub hist_moments {
    my ($name, $h, @bins) = @_;
    my @wrong;
    for ([ sum => 1 ], [ sumsq => 2 ]) {
        my ($key, $power) = @$_;
        next if $h->{$key} eq 'overflow';
        my ($lo, $hi) = @{ hist_sum($power, @bins) };
        push @wrong, $lo == $hi ? differs("$name $key", $h->{$key}, $lo)
            : $h->{$key} < $lo || $h->{$key} > $hi ? "$name $key is $h->{$key}, not in $lo..$hi"
            :                                        ();
    }
    for ([ min => 0 ], [ max => -1 ]) {
        my ($key, $at) = @$_;
        my ($lo, $hi) = @{ bin_range($bins[$at][0], $h->{base}) };
        push @wrong, "$name $key is $h->{$key}, not in $lo..$hi"
            if $h->{$key} < $lo || $h->{$key} > $hi;
    }
    return @wrong;
}

# What stands in a series or the stability record, by its histogram, as far as that goes.
sub by_hist {
    my ($name, $s, $h, @bins) = @_;
    my %want = map { $_ => hist_percentile(@{ $rank{$_} }, $h, @bins) } keys %rank;
    my @known = grep { defined $want{$_} } sort keys %want;
    @want{qw(n min max)} = @$h{qw(n min max)};
    return (3 + @known, map { differs("$name $_", $s->{$_}, $want{$_}) } @known, qw(n min max));
}

sub figures_by_hist {
    my ($what, $f, $least) = @_;
    my ($figures, @wrong, $whole) = (0);
    my ($stability) = records_of($f->{records}, 'stability');
    for my $name (sort keys %{ $f->{hist} }) {
        my ($problems, $h, @bins) = hist_join($name, @{ $f->{hist}{$name} });
        push @wrong, @$problems;
        next unless $h && @bins;
        my ($suite, $series) = split ' ', $name;
        my $s = $suite eq 'tsc' ? $f->{series}{$series} : $stability;
        push(@wrong, "$name: of nothing"), next unless $s;
        my ($n, @different) = by_hist($name, $s, $h, @bins);
        $figures += $n;
        push @wrong, @different;
        if (!$h->{below} && !$f->{hist}{$name}[-1]{more}) {
            $whole++;
            $figures += 2;
            push @wrong, hist_moments($name, $h, @bins);
        }
    }
    push @wrong, 'no histogram is whole' unless $whole;
    all_same("$what: series and stability by their histograms", $figures, $least, @wrong);
    note "$what: $whole whole histograms";
}

# ---- series by themselves, and the step by all of them

sub low_end {
    my ($bound) = @_;
    return $bound =~ s/\.\..*//r;
}

sub series_consistent {
    my ($what, $f, $per_method) = @_;
    my ($figures, @wrong, %of) = (0);
    for my $name (sort keys %{ $f->{series} }) {
        my $s = $f->{series}{$name};
        $of{ $s->{method} }++;
        $figures++;
        # Rows do not tell their geometry: it is the method's, but for how many lines a loop has.
        my $base = $f->{series}{"$s->{method}/mem/empty/none"};
        my $samples = $s->{samples} // $base->{samples};
        my $lines = $s->{lines} // ($s->{work} ne 'loop' ? $base->{lines} : undef);
        my $all = $s->{n} + $s->{backwards};
        push @wrong, defined $lines ? differs("$name n", $all, $lines * $samples)
            : $all % $samples ? "$name: $all samples are no whole lines of $samples"
            :                   ();
        my @order = map { low_end($_) } grep { defined } @$s{qw(min p50 p97 p99 p999 max)};
        push @wrong, "$name: not ascending: @order"
            if grep { $order[$_] < $order[ $_ - 1 ] } 1 .. $#order;
        push @wrong, "$name: $_ is not for loops"
            for grep { $s->{work} eq 'loop' && defined $s->{$_} } qw(varmin spurious);
    }
    push @wrong, map { differs("series of method $_", $of{$_}, $per_method) } sort keys %of;
    all_same("$what: series in themselves", $figures, 4 * $per_method, @wrong);
}

# The step divides every raw difference, so every one that the log shows.
sub step_divides {
    my ($what, $f) = @_;
    my ($recommend) = records_of($f->{records}, 'recommend');
    my $step = $recommend->{step};
    my %seen;
    for my $s (grep { $_->{unit} eq 'ticks' } values %{ $f->{series} }) {
        $seen{$_} = 1 for $s->{min}, $s->{max}, grep { is_number($_) } @$s{qw(p50 p97)};
    }
    for my $l (map { @$_ } values %{ $f->{lines} // {} }) {
        $seen{$_} = 1 for $l->{min}, $l->{max};
    }
    for my $name (grep { /^tsc / && !m{^tsc 9/} } keys %{ $f->{hist} }) {
        my (undef, $h, @bins) = hist_join($name, @{ $f->{hist}{$name} });
        $seen{ $h->{base} + $_->[0] } = 1 for grep { $_->[0] < 4096 } @bins;
    }
    my @wrong = $step ? grep { $_ % $step } sort keys %seen : ();
    push @wrong, 'the step is unknown, with two differences' if !$step && keys %seen > 1;
    all_same("$what: the step $step divides all differences", scalar keys %seen, 1, @wrong);
}

# ---- the recommendation, by the rule in the manual

sub less_variance {
    my ($x, $y) = @_;
    return 1 if $x ne 'overflow' && $y eq 'overflow';
    return 0 if $x eq 'overflow';
    return Math::BigInt->new($x =~ s/\.//r) < Math::BigInt->new($y =~ s/\.//r);
}

sub within_step_squared {
    my ($x, $lowest, $step) = @_;
    return $x eq $lowest if $x eq 'overflow' || $lowest eq 'overflow';
    my ($high, $low) = map { Math::BigInt->new(s/\.//r) } $x, $lowest;
    return $high->bsub($low) < Math::BigInt->new(1000)->bmul($step)->bmul($step);
}

# {method => {min, varmin, resolution, symmetric, at}} of those that may be recommended.
sub eligible {
    my ($f, $step) = @_;
    my (%eligible, $at);
    my %symmetric = map { /^  (\S+) +(\S.*?) +\.\. (.*?)(?:   skipped: .*)?$/ && $2 eq $3 ? ($1 => 1) : () }
        split /\n/, $f->{log};
    for my $method (@{ $f->{order} }) {
        my @all = grep { $_->{method} eq $method } values %{ $f->{series} };
        my @min = sort { $a <=> $b } map { $_->{min} }
            grep { $_->{work} eq 'empty' && $_->{form} eq 'mem' } @all;
        my $base = $f->{series}{"$method/mem/empty/none"};
        my $loop = $f->{series}{"$method/mem/loop/none"};
        $at++;
        next if $base->{unit} ne 'ticks' || grep { $_->{backwards} } @all;
        next if $min[-1] - $min[0] >= $step;
        $eligible{$method} = {
            at => $at, min => $base->{min}, varmin => $base->{varmin},
            resolution => $loop->{resolution} || 1e18, symmetric => $symmetric{$method} // 0,
        };
    }
    return \%eligible;
}

sub recommendation {
    my ($what, $f) = @_;
    my ($said) = records_of($f->{records}, 'recommend');
    my $step = $said->{step} || 1;
    my $e = eligible($f, $step);
    my ($lowest) = sort { less_variance($a, $b) ? -1 : less_variance($b, $a) } map { $_->{varmin} }
        values %$e;
    my ($best) = sort {
               $e->{$a}{resolution} <=> $e->{$b}{resolution}
            || $e->{$a}{min} <=> $e->{$b}{min}
            || $e->{$b}{symmetric} <=> $e->{$a}{symmetric}
            || $e->{$a}{at} <=> $e->{$b}{at}
    } grep { within_step_squared($e->{$_}{varmin}, $lowest, $step) } keys %$e;
    my ($text, $words) = $f->{log} =~ /^recommended: method (\S+?)(?: \(default\))?: (.*)/m;
    my ($use) = $f->{log} =~ /^USE      method (\w+)/m;
    is_deeply([ @$said{qw(method default)}, $text, $use ],
        [ $best // '5', defined $best ? 0 : 1, $best // '5', $best // '5' ],
        "$what: recommended by the rule, out of " . keys(%$e) . ' eligible, in record and words');
    is($words, $said->{reason}, "$what: with the same reason");
    return unless defined $best;
    my $b = $e->{$best};
    my $near = $b->{varmin} eq $lowest ? '' : ' within one step squared of the lowest \([0-9.]+\)';
    my $resolution = $b->{resolution} == 1e18 ? 'unknown' : $b->{resolution};
    my $symmetry = $b->{symmetric} ? 'symmetric' : 'asymmetric';
    like($words, qr/variance of minima \(\Q$b->{varmin}\E ticks\^2\)$near, resolution $resolution, min $b->{min} ticks; $symmetry$/,
        "$what: the reason has the method's figures");
}

# ---- tables for people, by the records

# Rows under the first line that matches, until one that is no row.
sub table_rows {
    my ($log, $head) = @_;
    my (@rows, $in);
    for (split /\n/, $log) {
        if ($in) {
            last unless /^\w+ +[0-9]/;
            push @rows, $_;
        }
        $in ||= /$head/;
    }
    return @rows;
}

sub table_compare {
    my ($name, $row, @want) = @_;
    my @said = split ' ', $row;
    my @wrong = map { differs("table $name, method $want[0], column $_", $said[$_], $want[$_]) }
        0 .. ($#said > $#want ? $#said : $#want);
    return (scalar @want, @wrong);
}

sub minima_wanted {
    my ($f, $method) = @_;
    my @column = (
        (map { "mem/empty/$_" } qw(none tsc tsc+work tsc+work+lfence)),
        'reg/empty/none', map { "mem/$_/none" } qw(store add loop)
    );
    my @s = map { $f->{series}{"$method/$_"} // {} } @column;
    my $moved = grep { defined $_->{overhead} && !$_->{overhead_stable} } @s;
    return ($method, (map { $_->{min} } @s), $s[-1]{overhead}, $s[-1]{resolution} || 'unknown',
        $moved ? '~' : ());
}

sub tables_by_records {
    my ($what, $f) = @_;
    my ($figures, @wrong) = (0);
    my %wanted = (
        'minima' => [ qr/^method +none +tsc /, sub { minima_wanted($f, $_[0]) } ],
        'cost'   => [
            qr/^method +min +variance /,
            sub {
                my $s = $f->{series}{"$_[0]/mem/empty/none"};
                return (@$s{qw(method min var maxdev p50 p97 p99 p999 lines)},
                    $s->{trimmed} ? '*' : (), $s->{unsettled} ? '!' : ());
            }
        ],
        'lines' => [
            qr/^method +var\(variance\) /,
            sub {
                my $s = $f->{series}{"$_[0]/mem/empty/none"};
                return @$s{qw(method varvar varmin spurious backwards first warm samples)};
            }
        ],
    );
    for my $table (sort keys %wanted) {
        my ($head, $want) = @{ $wanted{$table} };
        my @rows = table_rows($f->{log}, $head);
        push @wrong, differs("methods of table $table", join(' ', map { /^(\S+)/ } @rows),
            join ' ', @{ $f->{order} });
        for my $row (@rows) {
            my ($n, @different) = table_compare($table, $row, $want->($row =~ /^(\S+)/));
            $figures += $n;
            push @wrong, @different;
        }
    }
    my ($said) = $f->{log} =~ /^min in core cycles, where the ratio held: (.*)$/m;
    my @cycles = map {
        my $s = $f->{series}{"$_/mem/empty/none"};
        my $cycles = Math::BigInt->new($s->{min})->bmul($s->{ratio_e4})->badd(5000)->bdiv(10000);
        $s->{unit} eq 'ticks' && $s->{ratio_e4} ? "$_: $cycles" : ();
    } @{ $f->{order} };
    push @wrong, differs('minima in core cycles', $said // '', join ', ', @cycles);
    all_same("$what: tables by the records", $figures, 100, @wrong);
}

# The lines printed by detail= say the same as their records, line by line or run by run.
sub line_text_by_records {
    my ($what, $f, $collapsed) = @_;
    my (%text, @wrong);
    my $figures = 0;
    for (split /\n/, $f->{log}) {
        next unless /loop_size:/;
        /^method (\S+) (\S+) (\S+) (\S+) loop_size:(\d+)(?:\.\.(\d+))? >>>> variance\(ticks\): (\d+\.\d{3}); max_deviation: (\d+); min time: (\d+)$/
            or push(@wrong, "not understood: $_"), next;
        my $name = "$1/$2/$3/$4";
        push @wrong, "$name: not each line of its own" if defined $6 && !$collapsed;
        push @{ $text{$name} }, map { "$_: $7 $8 $9" } $5 .. $6 // $5;
    }
    for my $name (sort keys %{ $f->{lines} }) {
        my @want = map { "$_->{j}: $_->{var} " . ($_->{max} - $_->{min}) . " $_->{min}" }
            @{ $f->{lines}{$name} };
        my @said = @{ $text{$name} // [] };
        $figures += @want;
        push @wrong, differs("lines of $name", scalar @said, scalar @want);
        push @wrong, map { differs("$name line $_", $said[$_], $want[$_]) } 0 .. $#want;
    }
    all_same("$what: printed lines by their records", $figures, 1000, @wrong);
}

sub ruler_by_ticks {
    my ($what, $f) = @_;
    my ($figures, @wrong) = (0);
    my %text = map { /^ruler \((\S+)\): (.*)$/ ? ($1 => $2) : () } split /\n/, $f->{log};
    for my $k (records_of($f->{records}, 'ruler')) {
        # A clock that stands still has no ratio.
        my $ratio = !$k->{adds_ticks} ? 0 : Math::BigInt->new($k->{adds})->bmul(20000)
            ->badd($k->{adds_ticks})->bdiv(2 * $k->{adds_ticks});
        push @wrong, differs("ruler $k->{where} ratio_e4", $k->{ratio_e4}, $ratio);
        push @wrong, differs("ruler $k->{where} text", $text{ $k->{where} },
            sprintf '%s dependent adds %s ticks, %d.%04d core cycles/tick; canary: 8192 NOPs %s ticks',
            $k->{adds}, $k->{adds_ticks}, $ratio / 10000, $ratio % 10000, $k->{nops_ticks});
        $figures += 2;
    }
    all_same("$what: the ruler's ratio by its ticks", $figures, 4, @wrong);
}

# ---- stability

# The decades that are printed: each bin counts where its lower end lies.
sub decades {
    my ($h, @bins) = @_;
    my %count = (0 => Math::BigInt->new($h->{below}));
    for (@bins) {
        my $above = bin_range($_->[0], $h->{base})->[0]->copy->bsub($h->{min});
        my $decade = $above < 10 ? 0 : '1' . '0' x (length("$above") - 1);
        ($count{$decade} //= Math::BigInt->new(0))->badd($_->[1]);
    }
    return map { "$_: $count{$_}" } grep { $count{$_} > 0 } sort { $a <=> $b } keys %count;
}

sub stability {
    my ($what, $f, $whole) = @_;
    my ($k) = records_of($f->{records}, 'stability');
    my ($outliers) = records_of($f->{records}, 'outliers');
    my ($name) = grep { /^stability / } keys %{ $f->{hist} };
    my ($problems, $h, @bins) = hist_join($name, @{ $f->{hist}{$name} });
    my @wrong = @$problems;
    my ($text) = $f->{log} =~ /^(\d+ rounds of 500 stores, .*)$/m;
    my @kept = map { [ split /:/ ] } grep { $_ ne 'none' } list_of($outliers->{first});

    push @wrong, differs('text', $text, "$k->{n} rounds of 500 stores, method $k->{method}: min "
            . "$k->{min}, max $k->{max}, spread $k->{spread} ticks (threshold $k->{threshold})");
    push @wrong, differs('n', $k->{n}, $k->{rounds} - $k->{backwards} - 10000 * $k->{unsettled});
    my $most = $k->{max} - $k->{min};
    push @wrong, differs('spread in one state', $k->{spread}, $most) if $k->{states} == 1;
    push @wrong, "spread $k->{spread} is above max - min, $most" if $k->{spread} > $most;
    push @wrong, differs('outliers kept', scalar @kept, $k->{outliers} < 16 ? $k->{outliers} : 16);
    push @wrong, map { "outlier of $_->[1] ticks is none" }
        grep { $_->[1] <= $k->{min} + $k->{threshold} } @kept;
    push @wrong, 'outliers are not in the order of time'
        if grep { $kept[$_][0] < $kept[ $_ - 1 ][0] } 1 .. $#kept;
    # Ten rounds apart at most is a burst. The neighbour of the last one kept may not be known.
    my $near = 10 * (split /\.\./, $k->{p50})[-1];
    my $bursts = grep {
        my $i = $_;
        grep { $_ >= 0 && $_ < @kept && abs($kept[$_][0] - $kept[$i][0]) <= $near } $i - 1, $i + 1;
    } 0 .. $#kept;
    push @wrong, "$k->{burst} in bursts, but $bursts of the first are" if $k->{burst} < $bursts;
    push @wrong, differs('classed', $k->{burst} + $k->{periodic} + $k->{single},
        $k->{outliers} < 256 ? $k->{outliers} : 256);
    push @wrong, differs('outliers, text', join(' ', $f->{log} =~ /^  at (\d+ ticks: \d+) ticks$/mg),
        join ' ', map { "$_->[0] ticks: $_->[1]" } @kept);
    push @wrong, differs('sums, text',
        $f->{log} =~ /^(\d+ outliers, \d+ ticks in all, \d+ blocks measured again)$/m,
        "$k->{outliers} outliers, $k->{stolen} ticks in all, $k->{redone} blocks measured again");
    push @wrong, differs('period, text', $f->{log} =~ /^outliers come every (\d+) ticks$/m ? $1 : 0,
        $k->{period});
    if ($whole) {
        my @said = map { s/ +\.\. /: /r } $f->{log} =~ /^  min \+ (\d+ +\.\. \d+)$/mg;
        push @wrong, differs('decades', join(', ', @said), join ', ', decades($h, @bins));
        # The min that a block's outliers are above is that of the blocks so far. Of the samples under
        # the base of the histogram it is not known how many are.
        my $above = Math::BigInt->new($h->{below});
        for (@bins) {
            $above->badd($_->[1])
                if bin_range($_->[0], $h->{base})->[1] > $k->{min} + $k->{threshold};
        }
        push @wrong, "$k->{outliers} outliers, but $above rounds are above min + threshold"
            if $k->{outliers} > $above;
    }
    all_same("$what: stability", 12, 12, @wrong);
}

# ---- the logs

sub check {
    my ($what, $log, %a) = @_;
    my $f = read_figures($log);
    is_deeply($f->{problems}, [], "$what: a whole log, each series told once") or return;
    series_by_lines($what, $f, 500) if $a{lines};
    figures_by_hist($what, $f, 20);
    series_consistent($what, $f, $a{lines} ? 17 : 8);
    step_divides($what, $f);
    recommendation($what, $f);
    tables_by_records($what, $f);
    line_text_by_records($what, $f, $a{collapsed}) if $a{lines};
    ruler_by_ticks($what, $f);
    stability($what, $f, $a{lines});
}

# The lines under the XSAVE table, without where they are broken; none where no ratio held.
sub latencies_in_cycles {
    my ($what, $log) = @_;
    my ($said) = $log =~ /^lat_min in core cycles .*\n((?:  .*\n)+)/m;
    my $told = ($said // '') =~ s/\n   (?= )//gr;
    my %rows;
    for my $r (records_of($log, 'xsave')) {
        next if !$r->{ratio_e4};
        my @xinuse = list_of($r->{xinuse});
        my @min = list_of($r->{min});
        @min = ($min[0]) x @xinuse if @min == 1;
        $rows{ $r->{event} }{ hex $r->{rfbm} }{ hex $xinuse[$_] } =
            Math::BigInt->new($min[$_])->bmul($r->{ratio_e4})->badd(5000)->bdiv(10000)
            for 0 .. $#xinuse;
    }
    my ($want, $figures) = ('', 0);
    for my $event (sort keys %rows) {
        for my $rfbm (sort { $a <=> $b } keys %{ $rows{$event} }) {
            my $cycles = $rows{$event}{$rfbm};
            my @order = sort { $a <=> $b } keys %$cycles;
            $want .= sprintf "  $event 0x%x: @$cycles{@order}\n", $rfbm;
            $figures += @order;
        }
    }
    all_same("$what: latencies in core cycles", $figures, 0, differs('they', $told, $want));
}

my @suites = ('suite=tsc,stability', 'profile=quick');

sub kernel_log {
    my ($name, @words) = @_;
    my $b = boot(name => $name, cpu => 'max', append => "@suites @words", timeout => 180);
    boot_ok($b);
    return $b->{log};
}

check('process', hosted([@suites])->{log});
check('process, detail=lines,full', hosted([ @suites, 'detail=lines,full' ])->{log}, lines => 1);
latencies_in_cycles("XSAVE @$_", hosted([ 'suite=xsave', 'profile=quick', @$_ ])->{log})
    for [], ['detail=full'];
check('kernel', kernel_log('default'));
check('kernel, detail=full', kernel_log('full', 'detail=full'), lines => 1, collapsed => 1);

done_testing();
