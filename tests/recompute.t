#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every figure whose raw data the log holds, computed again by other code: series from their lines,
# percentiles and moments from full histograms, XSAVE rows from trace lines. Digit for digit.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Math::BigInt;
use Test::More;

sub series_key {
    my ($k) = @_;
    return join ' ', map { $k->{$_} // '' } qw(method form work pre);
}

# Adds up "from-to:min:max:variance" runs of one series; the order of lines is kept.
sub lines_expand {
    my ($text) = @_;
    my @lines;
    for (split /,/, $text) {
        /^(\d+)-(\d+):(\d+):(\d+):(\d+\.\d{3})$/ or return;
        push @lines, map { { j => $_, min => $3, max => $4, var => $5 } } $1 .. $2;
    }
    return @lines;
}

# Returns what a series' record says differently from its lines.
sub series_differences {
    my ($k, @lines) = @_;
    my @wrong;
    my $must = sub {
        my ($key, $want) = @_;
        push @wrong, "$key=$k->{$key}, lines give $want" if defined $k->{$key} && $k->{$key} ne $want;
    };
    my ($min, $max, $dev, $spurious, $milli) = ($lines[0]{min}, 0, 0, 0, Math::BigInt->new(0));
    my $ambiguous = 0;
    for my $i (0 .. $#lines) {
        my $l = $lines[$i];
        $min = $l->{min} if $l->{min} < $min;
        $max = $l->{max} if $l->{max} > $max;
        $dev = $l->{max} - $l->{min} if $l->{max} - $l->{min} > $dev;
        $spurious++ if $i && $l->{min} < $lines[ $i - 1 ]{min};
        $milli->badd($l->{var} =~ s/\.//r);
        # 0.9996 is printed as 1.000, and its whole part is 0.
        $ambiguous = 1 if $l->{var} =~ /[^0]\d*\.000$/ || $l->{var} =~ /^[1-9]\d*\.000$/;
    }
    my $n = @lines;
    my $mean = sprintf '%04s', scalar $milli->bmul(2)->badd($n)->bdiv(2 * $n);
    $must->('lines', $n);
    $must->('min', $min);
    $must->('max', $max);
    $must->('maxdev', $dev);
    $must->('var', $mean =~ s/(...)$/.$1/r);
    $must->('varvar', variance(map { [ $_->{var} =~ s/\..*//r, 1 ] } @lines)) unless $ambiguous;
    if ($k->{work} eq 'loop') {
        my $j = 0;
        for (@lines[ 1 .. $#lines ]) {
            $j = $_->{min} <= $lines[0]{min} ? 0 : $j || $_->{j};
        }
        $must->('resolution', $j);
    } else {
        $must->('spurious', $spurious);
        $must->('varmin', variance(map { [ $_->{min}, 1 ] } @lines));
    }
    return @wrong;
}

# A histogram is its parts put together; offsets count from the base.
sub hist_differences {
    my ($series, @parts) = @_;
    my $first = $parts[0];
    my @pairs = map { [ split /:/ ] } map { split /,/, $_->{bins} // '' } @parts;
    my @wrong;
    my $must = sub {
        my ($what, $said, $want) = @_;
        push @wrong, "$what=$said, the bins give $want" if $said ne $want;
    };
    my $m = moments(@pairs);
    $must->('n', $first->{n}, $m->{n});
    return @wrong if grep { $_->[0] >= 4096 } @pairs;    # sub-buckets: bounds, not values
    $must->('sum', $first->{sum}, $m->{sum});
    $must->('sumsq', $first->{sumsq}, $m->{sumsq});
    $must->('min', $first->{min}, $m->{min} + $first->{base});
    $must->('max', $first->{max}, $m->{max} + $first->{base});
    my %rank = (p50 => [ 50, 100 ], p97 => [ 97, 100 ], p99 => [ 99, 100 ], p999 => [ 999, 1000 ]);
    for (sort keys %rank) {
        my $want = percentile(@{ $rank{$_} }, @pairs) + $first->{base};
        $must->($_, $series->{$_}, $want) if $series && defined $series->{$_};
    }
    return @wrong;
}

sub check_tsc {
    my ($name, $log) = @_;
    my $r = read_records($log);
    is_deeply($r->{problems}, [], "$name: a whole log");
    my (%lines, %hist, %series);
    for (@{ $r->{records} }) {
        my $k = $_->{keys};
        if ($_->{type} eq 'lines') {
            push @{ $lines{ series_key($k) } }, lines_expand($k->{lines});
        } elsif ($_->{type} eq 'series') {
            $series{ series_key($k) } = $k;
        } elsif ($_->{type} eq 'hist' && ($k->{suite} // '') eq 'tsc') {
            push @{ $hist{ series_key($k) } }, $k;
        }
    }
    my (@wrong, $computed);
    for my $key (sort keys %series) {
        my @l = @{ $lines{$key} // [] };
        next if !@l || $series{$key}{backwards};
        $computed++;
        push @wrong, map { "$key: $_" } series_differences($series{$key}, @l);
    }
    is_deeply(\@wrong, [], "$name: series follow from their lines");
    cmp_ok($computed, '>=', 50, "$name: there were enough of them");

    my ($whole, $exact) = (0, 0);
    @wrong = ();
    for my $key (sort keys %hist) {
        my @parts = @{ $hist{$key} };
        next if $parts[-1]{more} || $parts[0]{below};
        $whole++;
        $exact++ unless grep { /(?:^|,)\d{5,}:/ } map { $_->{bins} // '' } @parts;
        push @wrong, map { "$key: $_" } hist_differences($series{$key}, @parts);
    }
    is_deeply(\@wrong, [], "$name: figures follow from the histograms");
    cmp_ok($whole, '>=', 1, "$name: at least one histogram was whole");
    note "$name: $computed series, $whole histograms, $exact of them exact";
}

# XSAVE rows, by the table for people: event, RFBM, XINUSE, min, max, average, 97% average.
sub check_xsave {
    my ($name, $log) = @_;
    my (%samples, %rows);
    for (split /\n/, $log) {
        $samples{"$1 $3 $4"}{$2}++
            if /: x86_fpu_latency_(\S+): x86\/fpu: latency:(\d+) RFBM:(0x[0-9a-f]+) XINUSE:(0x[0-9a-f]+)$/;
    }
    for my $r (@{ read_records($log)->{records} }) {
        next unless $r->{type} eq 'xsave';
        my %k = %{ $r->{keys} };
        my @column = map { [ split /,/, $k{$_} ] } qw(xinuse n kept min max avg avg97 p50 p99);
        my $rows = @{ $column[0] };
        for my $i (0 .. $rows - 1) {
            my @v = map { @$_ == 1 ? $_->[0] : $_->[$i] } @column;
            $rows{"$k{event} $k{rfbm} $v[0]"} = \@v;
        }
    }
    my (@wrong, $computed);
    for my $key (sort keys %samples) {
        my @pairs = map { [ $_, $samples{$key}{$_} ] } keys %{ $samples{$key} };
        my $m = moments(@pairs);
        my @want = ((split ' ', $key)[2], $m->{n}, kept97($m->{n}), $m->{min}, $m->{max},
            average(@pairs), average97(@pairs), percentile(1, 2, @pairs),
            percentile(99, 100, @pairs));
        my $said = $rows{$key} or push(@wrong, "$key: traced, but no row"), next;
        $computed++;
        push @wrong, "$key: row '@$said', trace lines give '@want'" if "@$said" ne "@want";
    }
    is_deeply(\@wrong, [], "$name: rows follow from the trace lines");
    return $computed // 0;
}

check_tsc('process', hosted([qw(suite=tsc profile=quick detail=full)])->{log});
my $b = boot(name => 'detail=full', cpu => 'max', timeout => 180,
    append => 'suite=tsc profile=quick detail=full');
boot_ok($b);
check_tsc('kernel', $b->{log});

my $x = hosted([qw(suite=xsave profile=quick xsave.trace=all)]);
SKIP: {
    my $gate = check_named(read_ktap($x->{log}), 'xsave.gate.xsave');
    skip 'this CPU has no XSAVE', 2 if !$gate || $gate->{note} =~ /^SKIP/;
    cmp_ok(check_xsave('process', $x->{log}), '>=', 4, 'process: there were enough rows');
}
$b = boot(name => 'xsave.trace=all', cpu => 'max', timeout => 180,
    append => 'suite=xsave profile=quick xsave.trace=all');
boot_ok($b);
cmp_ok(check_xsave('kernel', $b->{log}), '>=', 4, 'kernel: there were enough rows');

done_testing();
