#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Bochs tracks what state is in use, which QEMU does not: each row of the XSAVE suite must have the
# XINUSE that was asked for, what was saved must name the components in use, and one instruction
# must cost one tick.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__), dirname(__FILE__) . '/..';
use Baretick;
use Bochs;
use Test::More;

# What the manual of each CPU has: components to switch on, and the events that can be measured.
# Bochs leaves CPUID.D.9 zero on tigerlake, so that nothing is known of PKRU there but its bit.
my @standard = qw(xsave xsaveopt xrstor fxsave fxrstor);
my @compact  = (@standard, qw(xsavec xsaves xrstor_compact xrstors));
my %cpu = (
    core2_penryn_t9600        => { xcr0 => 0x3, events => [ grep { $_ ne 'xsaveopt' } @standard ] },
    corei7_sandy_bridge_2600k => { xcr0 => 0x7, events => \@standard },
    ryzen                     => { xcr0 => 0x7, events => \@compact },
    corei7_skylake_x          => { xcr0 => 0xe7, events => \@compact, full => 1 },
    tigerlake                 => { xcr0 => 0x2e7, events => \@compact, unknown => 0x200, full => 1 },
);

# x87 and SSE, then AVX, the three of AVX-512, PKRU.
my @group = (0x3, 0x4, 0xe0, 0x200);

sub cumulative {
    my ($mask) = @_;
    my ($sum, @sets) = (0);
    for my $group (grep { $mask & $_ } @group) {
        $sum |= $mask & $group;
        push @sets, $sum;
    }
    return @sets;
}

sub singles {
    my ($mask) = @_;
    return grep { $mask & $_ } map { 1 << $_ } 0 .. 62;
}

sub hexes {
    my %seen = map { $_ => 1 } @_;
    return map { sprintf '0x%x', $_ } sort { $a <=> $b } keys %seen;
}

# {event => {rfbm => [xinuse...]}} of a whole sweep.
sub expected {
    my ($cpu) = @_;
    my $known = $cpu->{xcr0} & ~($cpu->{unknown} // 0);
    my @rfbm = (cumulative($cpu->{xcr0}), $cpu->{full} ? singles($cpu->{xcr0}) : ());
    my %want;

    for my $event (map { names($_, $cpu->{full}) } @{ $cpu->{events} }) {
        if ($event =~ /^fx/) {
            $want{$event}{'0x3'} = ['0x3'];
            next;
        }
        for my $rfbm (@rfbm) {
            my @sets = grep { !($_ & ~$rfbm) } cumulative($cpu->{xcr0});
            push @sets, singles($rfbm & $known) if $cpu->{full};
            $want{$event}{ sprintf '0x%x', $rfbm } = [ hexes(0, map { $_ & $known } @sets) ];
        }
    }
    return \%want;
}

sub names {
    my ($event, $full) = @_;
    return $event if !$full || $event =~ /^fx/;
    return ($event, "${event}_cold", $event =~ /^xrstor/ ? "${event}_dirty" : "${event}_same");
}

# A compacted save over the image it was primed from destroys that image here: Bochs 2.7 writes the
# first extended component at offset 416, into the header if it is long. The row is skipped or read
# as what was in use then; the others have no excuse.
sub spoiled_by_bochs {
    my ($event, $rfbm) = @_;
    return $event =~ /^xsave[cs]_same$/ && hex($rfbm) & ~0x3;
}

for my $model (sort keys %cpu) {
    my $cpu = $cpu{$model};
    my $b = bochs(model => $model, options => 'suite=xsave' . ($cpu->{full} ? ' detail=full' : ''));
    bochs_ok($b);
    my $r = read_records($b->{log});
    my ($sweep) = records_of($r, 'xsweep');
    my %skip = map { ("$_->{event} $_->{rfbm} $_->{asked}" => $_->{reason}) } records_of($r, 'xskip');
    my (%rows, %n, @bv, @cost, @overhead);

    for my $k (records_of($r, 'xsave')) {
        my @xinuse = list_of($k->{xinuse});
        my @saved = list_of($k->{xstate_bv} // $k->{xinuse}, scalar @xinuse);
        my @n = list_of($k->{n}, scalar @xinuse);
        my $row = "$k->{event} RFBM $k->{rfbm}";
        push @{ $rows{ $k->{event} }{ $k->{rfbm} } }, @xinuse;
        $n{$row} += $_ for @n;
        for my $i (0 .. $#xinuse) {
            my $want = hex($xinuse[$i]) & hex($k->{rfbm});
            push @bv, "$row XINUSE $xinuse[$i]: XSTATE_BV $saved[$i]" if hex($saved[$i]) != $want;
        }
        push @cost, map { "$row: $_=$k->{$_}" } grep { $k->{$_} ne '1' } qw(min max avg avg97 p50 p99);
        push @overhead, "$row: $k->{overhead}" if !$k->{overhead_stable};
    }

    my $want = expected($cpu);
    is_deeply([ sort keys %rows ], [ sort keys %$want ], "$model: every event was measured");
    my (@wrong, @excused, $rows, $strayed);
    for my $event (sort keys %$want) {
        for my $rfbm (sort keys %{ $want->{$event} }) {
            my @want = @{ $want->{$event}{$rfbm} };
            my %got = map { $_ => 1 } @{ $rows{$event}{$rfbm} // [] };
            my @skipped = grep { $skip{"$event $rfbm $_"} } @want;
            my @missing = grep { !$got{$_} } @want;
            my $due = $sweep->{samples} * (@want - @skipped);
            $rows += keys %got;
            delete @got{@want};
            push @wrong, "$event RFBM $rfbm: $_ in use, not asked for" for sort keys %got;
            push @wrong, "$event RFBM $rfbm: $n{\"$event RFBM $rfbm\"} samples, $due due"
                if ($n{"$event RFBM $rfbm"} // 0) != $due;
            if (spoiled_by_bochs($event, $rfbm)) {
                push @excused, @missing;
                $strayed += @missing - @skipped;
            } else {
                push @wrong, "$event RFBM $rfbm: no row for $_" for @missing;
            }
        }
    }
    is_deeply(\@wrong, [], "$model: each row has the XINUSE asked for, and all its samples");
    is($sweep->{rows}, $rows, "$model: $rows rows, as many as the sweep counts");
    is($sweep->{mismatches}, ($strayed // 0) * $sweep->{samples},
        "$model: no XINUSE but the one asked for, save where Bochs destroys the image");
    is($sweep->{untracked}, '0x0', "$model: every component's XINUSE moved");
    is_deeply(\@bv, [], "$model: XSTATE_BV read back is what was in use of RFBM");
    is_deeply(\@cost, [], "$model: every instruction costs one tick");
    is_deeply(\@overhead, [], "$model: the overhead is the same before and after");
    is_deeply([ grep { !/faults: #GP/ } values %skip ], [], "$model: what was skipped had faulted");
    is(scalar keys %skip, scalar(records_of($r, 'xskip')), "$model: no cell is skipped twice");
    note(scalar(@excused) . ' cells not measured, for an error of Bochs');
}

done_testing();
