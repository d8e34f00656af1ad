#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The XSAVE suite: the table that the kernel prints is what the trace lines alone give, records say
# the same, masks pick what they name, and each kind of CPU gets rows for what it has and a SKIP for
# what it lacks.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Math::BigInt;
use Test::More;

my @heading = ('EVENTs', 'RFBM', 'XINUSE', 'lat_min', 'lat_max', 'lat_avg', 'lat_avg(97%)');
my $rule = qr/^-+(?:  -+){6}$/;

# ---- the trace lines and what follows from them

# Masks are 64 bits wide: compared as text, which "0x" and no leading zero make easy.
sub by_mask {
    my ($x, $y) = @_;
    return length $x <=> length $y || $x cmp $y;
}

sub by_row {
    my ($x, $y) = @_;
    return $x->{event} cmp $y->{event} || by_mask($x->{rfbm}, $y->{rfbm})
        || by_mask($x->{xinuse}, $y->{xinuse});
}

# {cells: [{event, rfbm, xinuse, n, times => {latency: how often}}] in the table's order, problems}.
sub read_trace {
    my ($log) = @_;
    my (%cell, @problems, $unit);
    my $last = 0;
    for (split /\n/, $log) {
        if (/^# baretick unit=/) {
            push @problems, 'the unit is told again' if defined $unit;
            push @problems, 'the unit is told after a sample' if %cell;
            $unit = /^# baretick unit=ticks tsc_khz=(\d+)$/ ? $1 : "not understood: $_";
        } elsif (/x86_fpu_latency_.*latency:/) {
            m{^ {8}baretick-0 {7}\[000\] d\.\.1\. +(\d+\.\d{6}): x86_fpu_latency_(\w+): x86/fpu: latency:(\d+) RFBM:(0x[0-9a-f]+) XINUSE:(0x[0-9a-f]+)$}
                or push(@problems, "not understood: $_"), next;
            push @problems, "time goes back at $1" if $1 < $last;
            $last = $1;
            my $c = $cell{"$2 $4 $5"} //= { event => $2, rfbm => $4, xinuse => $5 };
            $c->{times}{$3}++;
            $c->{n}++;
        }
    }
    my @cells = sort { by_row($a, $b) } values %cell;
    return { cells => \@cells, problems => \@problems, unit => $unit };
}

# A cell's figures by its samples.
sub figures {
    my ($c) = @_;
    my @pairs = map { [ $_, $c->{times}{$_} ] } keys %{ $c->{times} };
    my $m = moments(@pairs);
    return {
        n   => "$m->{n}",   kept  => kept97($m->{n}),  min => "$m->{min}", max => "$m->{max}",
        avg => average(@pairs), avg97 => average97(@pairs),
        p50 => percentile(1, 2, @pairs), p99 => percentile(99, 100, @pairs),
    };
}

# Rows as a table: columns as wide as their widest cell, each cell padded, two blanks between.
sub table {
    my (@rows) = @_;
    my @width;
    for my $column (0 .. $#heading) {
        ($width[$column]) = sort { $b <=> $a } map { length $_->[$column] } \@heading, @rows;
    }
    return map {
        my $row = $_;
        join '  ', map { sprintf '%-*s', $width[$_], $row->[$_] } 0 .. $#heading;
    } \@heading, [ map { '-' x $_ } @width ], @rows;
}

# The tables in the log, each a list of lines.
sub printed_tables {
    my ($log) = @_;
    my (@tables, $in);
    for (split /\n/, $log) {
        $in = 0 if $in && !/^x86_fpu_latency_\w+  / && !/$rule/;
        if (/^EVENTs +RFBM /) {
            push @tables, [];
            $in = 1;
        }
        push @{ $tables[-1] }, $_ if $in;
    }
    return @tables;
}

# ---- the records and what they hold

# Rows of all `type=xsave` records: {event, rfbm, and each list's value}, in the table's order.
sub record_rows {
    my ($r) = @_;
    my @list = qw(xinuse n kept min max avg avg97 p50 p99 clamped xstate_bv);
    my @rows;
    for my $k (records_of($r, 'xsave')) {
        $k->{xstate_bv} //= $k->{xinuse};    # left out where it says the same
        my ($n) = sort { $b <=> $a } map { scalar list_of($k->{$_}) } @list;
        my @block = map { {%$k} } 1 .. $n;
        for my $key (@list) {
            my @column = list_of($k->{$key}, $n);
            die "record seq=$k->{seq}: $key has " . @column . " of $n values\n" if @column != $n;
            $block[$_]{$key} = $column[$_] for 0 .. $n - 1;
        }
        push @rows, @block;
    }
    return sort { by_row($a, $b) } @rows;
}

sub row_name {
    my ($row) = @_;
    return "$row->{event} RFBM $row->{rfbm} XINUSE $row->{xinuse}";
}

sub as_table {
    my (@rows) = @_;
    return table(map { [ "x86_fpu_latency_$_->{event}", @$_{qw(rfbm xinuse min max avg avg97)} ] } @rows);
}

sub is_legacy {
    my ($row) = @_;
    return $row->{event} =~ /^fx/;
}

# Which bits of the first mask the second has not; bit by bit, for masks wider than hex() likes.
sub beyond {
    my ($mask, $of) = map { Math::BigInt->from_hex($_) } @_;
    return $mask->copy->band($of) != $mask;
}

# ---- tests of one log

# Names the first lines that differ; is_deeply would name one and print no reason.
sub same_lines {
    my ($what, $said, $want) = @_;
    my @wrong = map { differs("line $_", $said->[$_], $want->[$_]) }
        0 .. ($#$said > $#$want ? $#$said : $#$want);
    my $ok = ok(!@wrong, $what);
    diag("  $_") for @wrong > 8 ? (@wrong[ 0 .. 7 ], '...') : @wrong;
    return $ok;
}

# The records, in themselves and with the tables; the rows.
sub records_ok {
    my ($what, $log) = @_;
    my $r = read_records($log);
    is_deeply($r->{problems}, [], "$what: a whole log");
    my @rows = record_rows($r);
    my ($sweep) = records_of($r, 'xsweep');
    my @wrong = differs('xsweep rows', $sweep->{rows}, scalar @rows);
    my (%seen, $reads);
    for my $row (@rows) {
        my $name = row_name($row);
        my @order = @$row{qw(min p50 p99 max)};
        push @wrong, "$name: twice" if $seen{$name}++;
        push @wrong, map { differs("$name kept", $row->{kept}, $_) } kept97($row->{n});
        push @wrong, "$name: not ascending: @order"
            if grep { $order[$_] < $order[ $_ - 1 ] } 1 .. 3;
        push @wrong, "$name: avg97 $row->{avg97} above avg $row->{avg}"
            if $row->{avg97} > $row->{avg};
        push @wrong, "$name: clamped $row->{clamped} of $row->{n}, but min is $row->{min}"
            if $row->{clamped} > $row->{n} || $row->{clamped} && $row->{min};
        push @wrong, "$name: XSTATE_BV $row->{xstate_bv} is not within RFBM"
            if $row->{event} =~ /^xsave/ && beyond($row->{xstate_bv}, $row->{rfbm});
        $reads += $row->{n} if $row->{event} =~ /save/;
    }
    # Samples that are in no row were dropped, and this is told of their block.
    my %block = map { ("$_->{event} $_->{rfbm}" => $_) } @rows;
    $reads += ($_->{other} // 0) + ($_->{backwards} // 0) for grep { $_->{event} =~ /save/ } values %block;
    push @wrong, differs('xsweep reads', $sweep->{reads}, $reads);
    push @wrong, differs('xsweep skipped', $sweep->{skipped}, scalar records_of($r, 'xskip'));
    ok(!@wrong, "$what: records agree with each other") or diag(map { "  $_\n" } @wrong);

    my @tables = printed_tables($log);
    my @legacy = grep { is_legacy($_) } @rows;
    is(scalar @tables, @legacy ? 2 : 1, "$what: one table, and one of what has no trace lines");
    same_lines("$what: table by the records", $tables[0],
        [ as_table(grep { !is_legacy($_) } @rows) ]);
    same_lines("$what: FXSAVE and FXRSTOR by the records", $tables[1], [ as_table(@legacy) ])
        if @legacy;
    return @rows;
}

# With xsave.trace=all: table and records by nothing but the trace lines.
sub trace_ok {
    my ($what, $log, $least) = @_;
    my @rows = grep { !is_legacy($_) } records_ok($what, $log);
    my $t = read_trace($log);
    my @cells = map { { %$_, %{ figures($_) } } } @{ $t->{cells} };
    is_deeply($t->{problems}, [], "$what: trace lines are well formed");
    my ($tsc) = records_of($log, 'tsc');
    is($t->{unit}, $tsc->{trusted} ? $tsc->{khz} : 0, "$what: the unit line tells the TSC's rate");
    cmp_ok(scalar @cells, '>=', $least, "$what: there were enough cells");
    my ($table) = printed_tables($log);
    same_lines("$what: table by the trace lines alone", $table, [ as_table(@cells) ]);
    my @wrong = differs('rows', scalar @rows, scalar @cells);
    for my $i (0 .. $#cells) {
        last if @wrong;
        push @wrong, map { differs(row_name($cells[$i]) . " $_", $rows[$i]{$_}, $cells[$i]{$_}) }
            qw(event rfbm xinuse n kept min max avg avg97 p50 p99);
    }
    ok(!@wrong, "$what: records by the trace lines") or diag(map { "  $_\n" } @wrong);
    return @rows;
}

sub events {
    my (@rows) = @_;
    my %event = map { ($_->{event} => 1) } @rows;
    return join ' ', sort keys %event;
}

sub xsave_boot {
    my ($name, $cpu, @words) = @_;
    my $b = boot(name => $name, cpu => $cpu, timeout => 120,
        append => "suite=xsave profile=quick @words");
    return $b;
}

# ---- kinds of CPU

# gates: what the verdict says of each; source: where the saves' XINUSE comes from.
my %cpu = (
    'max' => {
        rows => 20, gates => { xsave => 1, xsaveopt => 1, xsavec => 0, xgetbv1 => 1, xsaves => 0 },
        source => 'xgetbv1', events => 'fxrstor fxsave xrstor xsave xsaveopt',
    },
    'Haswell' => {
        rows => 8, gates => { xsave => 1, xsaveopt => 1, xsavec => 0, xgetbv1 => 0, xsaves => 0 },
        source => 'xsave', granted => '0x7',
    },
    'Denverton-v3' => {
        rows => 4, gates => { xsave => 1, xsavec => 0, xsaves => 0 }, granted => '0x3',
    },
    'Skylake-Server-v5' => { rows => 20, gates => { xsave => 1 }, offered => '0x2e7' },
    'EPYC'              => { rows => 8,  gates => { xsave => 1 } },
);
for my $cpu (sort keys %cpu) {
    my $want = $cpu{$cpu};
    my $b = xsave_boot($cpu, $cpu, 'xsave.trace=all');
    boot_ok($b);
    my @rows = trace_ok($cpu, $b->{log}, $want->{rows});
    my $k = read_ktap($b->{log});
    is_deeply($k->{problems}, [], "$cpu: a well-formed verdict");
    for my $gate (sort keys %{ $want->{gates} }) {
        my $check = check_named($k, "xsave.gate.$gate") // { ok => 0, note => 'missing' };
        like($check->{note}, $want->{gates}{$gate} ? qr/^$/ : qr/^SKIP \S/,
            "$cpu: gate $gate " . ($want->{gates}{$gate} ? 'open' : 'skipped with a reason'));
    }
    my ($xcr0) = records_of($b->{log}, 'xcr0');
    is($xcr0->{$_}, $want->{$_}, "$cpu: XCR0 $_")
        for grep { defined $want->{$_} } qw(offered granted);
    my @beyond = grep { beyond($_->{rfbm}, $xcr0->{usable}) } @rows;
    is(scalar @beyond, 0, "$cpu: no RFBM beyond what is usable");
    is_deeply([ grep { $_->{event} =~ /^xsave/ && $_->{source} ne $want->{source} } @rows ], [],
        "$cpu: XINUSE of saves comes from $want->{source}")
        if $want->{source};
    is_deeply([ grep { $_->{event} =~ /^xrstor/ && $_->{source} ne 'image' } @rows ], [],
        "$cpu: XINUSE of restores is the image's");
    is(events(record_rows(read_records($b->{log}))), $want->{events}, "$cpu: events")
        if $want->{events};
    # What QEMU does not track is the same in every row of a save, whatever was asked.
    my ($sweep) = records_of($b->{log}, 'xsweep');
    my $untracked = hex $sweep->{untracked};
    my %seen = map { (hex($_->{xinuse}) & $untracked, 1) } grep { $_->{event} =~ /^xsave/ } @rows;
    isnt($untracked, 0, "$cpu: QEMU does not track all of XINUSE");
    is(scalar keys %seen, 1, "$cpu: saves are grouped by what was in use, not by what was asked");
}

my $none = xsave_boot('qemu64', 'qemu64', 'xsave.trace=all');
boot_ok($none);
like(check_named(read_ktap($none->{log}), 'xsave')->{note}, qr/^SKIP no XSAVE\b/,
    'no XSAVE: a SKIP that says so');
is(scalar printed_tables($none->{log}), 0, 'no XSAVE: no table');
is(check_named(read_ktap($none->{log}), 'suites')->{note}, 'unstable: nothing was measured',
    'no XSAVE: and nothing was measured, which is not passed over');

# ---- what is traced and what is picked

my $default = xsave_boot('default', 'max');
boot_ok($default);
records_ok('default', $default->{log});
is_deeply(read_trace($default->{log}), { cells => [], problems => [], unit => undef },
    'default: no trace lines, no unit line');

# What other suites took of the memory before must not leave the areas unaligned.
my $after = boot(name => 'after tsc', cpu => 'max', append => 'suite=tsc,xsave lines=2 samples=101');
boot_ok($after);
like(check_named(read_ktap($after->{log}), 'xsave.cells')->{note}, qr/^[1-9]\d* rows measured, 0 cells/,
    'after tsc: every cell can be measured');

my $three = xsave_boot('xsave.trace=3', 'max', 'xsave.trace=3');
boot_ok($three);
my @all = grep { !is_legacy($_) } records_ok('xsave.trace=3', $three->{log});
my @three = @{ read_trace($three->{log})->{cells} };
is_deeply([ map { row_name($_) } @three ], [ map { row_name($_) } @all ],
    'xsave.trace=3: each cell is traced');
is_deeply([ grep { $_->{n} != 3 } @three ], [], 'xsave.trace=3: by three lines');
is_deeply([ grep { $_->{n} < 200 } @all ], [], 'xsave.trace=3: rows are of all samples');
my @outside = grep {
    my ($cell, $row) = ($three[$_], $all[$_]);
    grep { $_ < $row->{min} || $_ > $row->{max} } keys %{ $cell->{times} };
} 0 .. $#three;
is_deeply(\@outside, [], 'xsave.trace=3: the lines are samples of their row');

for my $pick ([ '0x7', undef ], [ undef, '0x3' ], [ '0x21f', '0x7' ], [ '0x3', '0x7' ], [ '0x0', '0x0' ]) {
    my ($rfbm, $xinuse) = @$pick;
    my @words = (defined $rfbm ? "xsave.rfbm=$rfbm" : (), defined $xinuse ? "xsave.xinuse=$xinuse" : ());
    my $b = xsave_boot("@words", 'max', @words, 'xsave.trace=all');
    boot_ok($b);
    my @rows = trace_ok("@words", $b->{log}, 3);
    is_deeply([ map { row_name($_) } grep { $_->{rfbm} ne $rfbm } @rows ], [], "@words: this RFBM only")
        if defined $rfbm;
    # What is in use before a save is the CPU's: QEMU always has some.
    my @restores = grep { $_->{event} =~ /^xrstor/ } @rows;
    is_deeply([ map { row_name($_) } grep { $_->{xinuse} ne $xinuse } @restores ], [],
        "@words: this XINUSE only")
        if defined $xinuse;
    isnt(scalar @restores, 0, "@words: there are restores");
}

# ---- masks that the CPU has no meaning for

for my $wrong ([ 'max', 'xsave.rfbm=0xffff00' ], [ 'max', 'xsave.xinuse=0xffff00' ],
    [ 'max,-avx', 'xsave.rfbm=0x4' ], [ 'max,-avx', 'xsave.xinuse=0x7' ],
    [ 'max', 'xsave.rfbm=0xffff00 xsave.xinuse=0x3' ])
{
    my ($cpu, $words) = @$wrong;
    my $b = xsave_boot("$cpu $words", $cpu, $words);
    my ($name) = $words =~ /^(.*?)=/;
    is_deeply(read_records($b->{log})->{problems}, [], "$cpu $words: a whole log");
    my $check = check_named(read_ktap($b->{log}), $name);
    ok($check && !$check->{ok}, "$cpu $words: not ok $name");
    my ($given) = split ' ', $words;
    like($check->{note} // '', qr/\Q$given\E: expected bits of 0x[0-9a-f]+/, "$cpu $words: says why");
    is(scalar printed_tables($b->{log}), 0, "$cpu $words: no table of what was not asked");
    is($b->{status}, 35, "$cpu $words: not a success");
}

my $bad = xsave_boot('a mask that is none', 'max', 'xsave.rfbm=all');
my $check = check_named(read_ktap($bad->{log}), 'options');
ok($check && !$check->{ok} && $check->{note} =~ /xsave\.rfbm=all\b.*mask/, 'a mask that is none is told');
is($bad->{status}, 35, 'a mask that is none: not a success');

# ---- detail=full

my $full = xsave_boot('detail=full', 'max', 'detail=full', 'xsave.rfbm=0x21f', 'xsave.trace=all');
boot_ok($full);
my @full = trace_ok('detail=full', $full->{log}, 40);
is(events(@full),
    'xrstor xrstor_cold xrstor_dirty xsave xsave_cold xsave_same xsaveopt xsaveopt_cold xsaveopt_same',
    'detail=full: same buffer, cold, dirty');
my %single = map { ($_->{xinuse} => 1) } grep { $_->{event} eq 'xrstor' } @full;
is_deeply([ grep { !$single{$_} } qw(0x1 0x2 0x4 0x8 0x10 0x200) ], [],
    'detail=full: single components in use');

# ---- the process, on the real CPU

my @quick = ('suite=xsave', 'profile=quick');
my $process = hosted([ @quick, 'xsave.trace=all' ]);
my $gate = check_named(read_ktap($process->{log}), 'xsave.gate.xsave');
SKIP: {
    skip 'this CPU has no XSAVE', 1 if !$gate || $gate->{note} ne '';
    is($process->{status}, 0, 'process: status 0');
    my @rows = trace_ok('process', $process->{log}, 4);
    my ($xcr0) = records_of($process->{log}, 'xcr0');
    my $all = hosted([ @quick, 'detail=full', "xsave.rfbm=$xcr0->{usable}", 'xsave.trace=all' ]);
    is($all->{status}, 0, 'process, detail=full: status 0');
    my @detail = trace_ok('process, detail=full', $all->{log}, 8);
    my %event = map { ($_ => 1) } map { /_(same|cold|dirty)$/ } map { $_->{event} } @detail;
    is_deeply([ sort keys %event ], [qw(cold dirty same)], 'process, detail=full: same, cold, dirty');
    my ($before) = $process->{log} =~ /^XSAVE    0x[0-9a-f]+ in use: xsave (\d+)/m;
    my ($row) = grep { $_->{event} eq 'xsave' && $_->{rfbm} eq $xcr0->{usable} && $_->{min} == $before } @rows;
    ok($row, 'process: the summary tells the row with all in use');
}

done_testing();
