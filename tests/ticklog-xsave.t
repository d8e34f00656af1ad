#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog xsave: traces to tables. Equality with the reference's tables, odd traces, every reason for
# which a line is not used, units, exact figures, pipes, and the temporary file. Runs the build with
# sanitizers; speed is for bench-ticklog.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Math::BigInt;
use Test::More;
use Ticklog;

my $ticklog = ticklog_path();
my $oracle  = root() . '/tests/data/oracle';
my $dir     = dir();

# Runs ticklog xsave; returns its exit status, standard output and standard error.
sub xsave {
	my (@args) = @_;
	return ticklog('xsave', @args);
}

# A line of a trace; what is not given is usual.
sub event {
	my (%is) = @_;
	%is = (task => '            bash-1977 ', cpu => '[000]', flags => 'd..2.', time => '1234.000009',
		event => 'x86_fpu_latency_xsave', latency => 200, rfbm => '0x202e7', xinuse => '0x202',
		end => '', %is);
	return "$is{task}  $is{cpu} $is{flags}  $is{time}: $is{event}: x86/fpu: latency:$is{latency}"
		. " RFBM:$is{rfbm} XINUSE:$is{xinuse}$is{end}\n";
}

# Rows of a table as lists, without head and rule.
sub rows {
	my ($table) = @_;
	my @lines = split /\n/, $table;
	return map { [split] } @lines[ 2 .. $#lines ];
}

# The rows of a trace given as text.
sub table_of {
	my ($text, @options) = @_;
	my ($status, $out, $err) = xsave(@options, spew('trace', $text));
	return [rows($out)];
}

sub row {
	my ($latency, %is) = @_;
	return [ $is{event} // 'x86_fpu_latency_xsave', $is{rfbm} // '0x202e7', $is{xinuse} // '0x202',
		($latency) x 4 ];
}

subtest 'tables equal to the reference, byte for byte' => sub {
	my @logs = grep { !/\.table$/ } glob "$oracle/*";
	cmp_ok(scalar @logs, '>=', 18, 'the reference tables are there');
	for my $log (@logs) {
		my ($status, $out, $err) = xsave('--reference', $log);
		my $want = slurp($log =~ s/\.\w+$/.table/r);
		is($status, 0, "$log: done") or diag $err;
		ok($out eq $want, "$log: equal") or diag "$out\n--- wanted\n$want";
	}
};

subtest 'what the front of a line may be' => sub {
	my %odd = (
		'no flag column'      => event(flags => ''),
		'one flag'            => event(flags => 'd'),
		'a long flag column'  => event(flags => 'dNh2.....0x1f'),
		'four flags'          => event(flags => '....'),
		'a TGID column'       => event(task => '  bash-1977  (   1977)'),
		'no TGID known'       => event(task => '  bash-1977  (-------)'),
		'a wide CPU number'   => event(cpu => '[1023]'),
		'a clock without dot' => event(time => '123456'),
		'nanoseconds'         => event(time => '1234.000009123'),
		'<...>'               => event(task => ' <...>-812 '),
		'blanks in the task'  => event(task => ' my app (x) y-77 '),
		'dashes'              => event(task => ' kworker/u4:2-flush-8:0-1204 '),
		'brackets'            => event(task => ' x[3]-77 '),
		'a bracketed number'  => event(task => ' [3] 4-77 '),
		'quotes'              => event(task => q{ a"b'c`d-12 }),
		'a glob'              => event(task => '     * '),
		'SQL'                 => event(task => ' "); drop table-1 '),
		'a backslash'         => event(task => ' a\\b-1 '),
		'a format'            => event(task => ' %s%n-1 '),
		'no name'             => event(task => ' -5 '),
		'UTF-8 and other'     => event(task => " \xc3\xbc\xff\x80-5 "),
		'a NUL byte'          => event(task => " a\0b-5 "),
		'an escape before'    => "\e[0m\e[2J" . event(),
		'CR LF'               => event(end => "\r"),
		'LF CR'               => "\r" . event(),
		'CR CR LF'            => event(end => "\r\r"),
		'blanks at the end'   => event(end => " \t"),
		'NUL at the end'      => event(end => "\0"),
		'upper-case hex'      => event(rfbm => '0x202E7', xinuse => '0X202'),
		'leading zeros'       => event(latency => '0200', rfbm => '0x00000202e7'),
		'hex of 20 digits'    => event(rfbm => '0x000000000000000202e7'),
		'no line end'         => event() =~ s/\n//r,
	);
	for my $what (sort keys %odd) {
		is_deeply(table_of($odd{$what}), [ row(200) ], $what);
	}
	is_deeply(table_of("  bash-1 [000] 1.5:x86_fpu_latency_xsave:latency:7RFBM:0x3XINUSE:0x1\n"),
		[ row(7, rfbm => '0x3', xinuse => '0x1') ], 'no blanks where none are needed');
	is_deeply(
		table_of('  b-1 [0] .... 1.5: bprint: x86_fpu_latency_xsave called: x86_fpu_latency_xsave:'
				. " x86/fpu: latency:9 RFBM:0x3 XINUSE:0x1\n"),
		[ row(9, event => 'bprint', rfbm => '0x3', xinuse => '0x1') ], 'the first word counts');
	is_deeply(
		table_of(event(event => 'x86_fpu_latency_xsaveopt_same')),
		[ row(200, event => 'x86_fpu_latency_xsaveopt_same') ],
		'all events whose names begin so'
	);
	is_deeply(table_of(event(rfbm => '0xffffffffffffffff', xinuse => '0x8000000000000003')),
		[ row(200, rfbm => '0xffffffffffffffff', xinuse => '0x8000000000000003') ],
		'masks of 64 bits');
};

subtest 'order' => sub {
	my $text = join '', map { event(rfbm => $_) } '0xffffffffffffffff', '0x7', '0x10';
	$text .= event(event => 'x86_fpu_latency_xrstor', rfbm => '0x9', xinuse => $_)
		for '0x8000000000000000', '0x1';
	my @unsigned = map { "$_->[1] $_->[2]" } @{ table_of($text) };
	is_deeply(\@unsigned,
		[ '0x9 0x1', '0x9 0x8000000000000000', '0x7 0x202', '0x10 0x202', '0xffffffffffffffff 0x202' ],
		'by event, RFBM, XINUSE');
	my @signed = map { "$_->[1] $_->[2]" } @{ table_of($text, '--reference') };
	is_deeply(\@signed,
		[ '0x9 0x8000000000000000', '0x9 0x1', '0xffffffffffffffff 0x202', '0x7 0x202', '0x10 0x202' ],
		'as signed numbers with --reference');
};

# The smallest line for each reason, below one that is used.
my $text  = ' x86/fpu: latency:1 RFBM:0x3 XINUSE:0x3';
my @tests = (
	[ 'cut',             'malformed', event() =~ s/XINUSE.*//r ],
	[ 'cut in the name', 'malformed', ' b-1 [0] d..2. 1.5: x86_fpu_latency_xsave' ],
	[ 'text after it',   'malformed', event(end => ' x') ],
	[ 'no digits',       'malformed', event(latency => '') ],
	[ 'no mask',         'malformed', event(rfbm => '0x') ],
	[ 'not hex',         'malformed', event(xinuse => '0x2g') ],
	[ 'two in one', 'malformed', event() =~ s/x86\/fpu.*\n//sr . event(event => 'x86_fpu_latency_xrstor') ],
	[ 'two tails', 'malformed', event() =~ s/ XINUSE.*\n//sr . " latency:1 RFBM:0x3 XINUSE:0x3" ],
	[ 'negative',        'negative latency', event(latency => -1) ],
	[ 'large latency',   'above 64 bits',    event(latency => '18446744073709551616') ],
	[ 'large mask',      'above 64 bits',    event(rfbm => '0x10000000000000000') ],
	[ 'no CPU',          'time stamp',       "x86_fpu_latency_xsave:$text" ],
	[ 'no time',         'time stamp',       " b-1 [0] d..2. : x86_fpu_latency_xsave:$text" ],
	[ 'no word',         'time stamp',       " b-1 [0] d..2. 1.5: x86_fpu_latency_xsave $text" ],
	[ 'escape in the name', 'not printable', " b-1 [0] d..2. 1.5: x86_fpu_latency_xsave\e[2J:$text" ],
	[ 'long name', 'too long', ' b-1 [0] d..2. 1.5: x86_fpu_latency_xsave' . 'x' x 300 . ":$text" ],
	[ 'other text', 'in other text', ' b-1 [0] d..2. 1.5: sched_switch: prev=x86_fpu_latency_xsave next=a' ],
	[ 'baretick without unit', 'baretick without', "        baretick-0 [000] d..1. 0.5: x86_fpu_latency_xsave:$text" ],
	[ 'midway', 'switched on', event(latency => 1234000009123) ],
);
my @reference = (
	[ 'carriage return', 'carriage return', event(end => "\r") ],
	[ 'upper case',      'upper-case',      event(rfbm => '0x202E7') ],
	[ 'six flags',       'flag column',     event(flags => 'd..2..') ],
	[ 'negative',        'negative',        event(latency => -1) ],
	[ 'quote',           'shell or SQL',    event(task => ' a"b-1 ') ],
	[ 'blank before CPU', 'shell or SQL',   event(task => " a\tb-1 ") ],
	[ 'two dots',        'shell or SQL',    event(time => '1.2.3') ],
);
for my $set ([ 'reasons', \@tests ], [ 'reasons of the reference', \@reference, '--reference' ]) {
	my ($name, $tests, @options) = @$set;
	subtest $name => sub {
		for my $test (@$tests) {
			my ($what, $reason, $line) = @$test;
			chomp $line;
			my ($status, $out, $err) = xsave(@options, spew('trace', event(), "$line\n", "$line\n"));
			is($status, 0, "$what: the rest is used") or diag $err;
			is_deeply([ rows($out) ], [ row(200) ], "$what: not used");
			like($err, qr/: 2 lines [^\n]*\Q$reason\E[^\n]*, first [^\n]*trace:2\n/,
				"$what: counted, with the first line");
			($status, $out, $err) = xsave(@options, spew('trace', "$line\n"));
			is($status, 2, "$what: nothing else is unusable");
			is($out, '', "$what: no table");
		}
	};
}

subtest 'the sample taken while the tracepoint is switched on' => sub {
	my %by = (1234000009000 => 1, 1234001009000 => 1, 1234001009001 => 0, 1233999009000 => 1,
		1233999008999 => 0);
	for my $latency (sort keys %by) {
		my $n = @{ table_of(event(latency => $latency)) };
		is($n, $by{$latency} ? 0 : 1, "$latency at 1234.000009");
		is(@{ table_of(event(latency => $latency), $_) }, 1, "$latency with $_")
			for '--keep-noise', '--reference';
	}
	is(@{ table_of(event(time => '0.000100', latency => 153)) }, 1, 'early stamps are not latencies');
	is(@{ table_of(event(time => '1000100', latency => 1000200)) }, 1, 'other clocks count otherwise');
	my $ticks = "# baretick unit=ticks tsc_khz=2000000\n";
	is(@{ table_of($ticks . event(latency => 1234000009000)) }, 1, 'ticks are not ns');
};

# As Linux prints it with the option latency-format: no [CPU], flags behind its number, time since the
# trace began.
sub late {
	my (%is) = @_;
	%is = (task => '     cat-4212   ', cpu => '  0', flags => 'd..2.', time => '  123us ', %is);
	return event(%is) =~ s/^.*?: x86/$is{task} $is{cpu}$is{flags} $is{time}: x86/r;
}

subtest 'the latency format of ftrace' => sub {
	my $head = <<'END';
# tracer: nop
#
# nop latency trace v1.1.5 on 6.1.0
# --------------------------------------------------------------------
# latency: 0 us, #4/4, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:2)
#    -----------------
#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)
#                   / _-----=> irqs-off/BH-disabled
#  cmd     pid     |||||| time  |   caller
#     \   /        ||||||  \    |    /
END
	my %odd = (
		'as it is'            => late(),
		'a mark'              => late(time => '    1us+'),
		'the highest mark'    => late(time => '999999us$'),
		'four flags'          => late(flags => 'd..2'),
		'a wide CPU number'   => late(cpu => '1023'),
		'another clock'       => late(time => '123456'),
		'blanks in the task'  => late(task => 'Web Con 3x-2345   '),
		'<...>'               => late(task => '   <...>-812    '),
		'CR LF'               => late(end => "\r"),
	);
	for my $what (sort keys %odd) {
		is_deeply(table_of($head . $odd{$what}), [ row(200) ], $what) or diag($odd{$what});
		my ($status, $out, $err) = xsave('--reference', spew('trace', $odd{$what}));
		is($status, 2, "$what: the reference does not read it");
		like($err, qr/1 line in the latency format of ftrace, first/, '... for that reason')
			unless $what eq 'CR LF';
	}
	my $other = '     cat-4212      1d..2.  124us : sched_switch: prev_comm=cat ==> next_comm=sh';
	my ($status, $out, $err) = xsave(spew('trace', $head, late(), "$other\n", late(time => '5us')));
	like($err, qr/: 13 lines, 2 samples, 1 other event$/m, 'other events are counted, the head is not');
	my %midway = (5_000_000_000 => 1, 123_000 => 0, 999_999 => 0, 1_000_000 => 1);
	for my $latency (sort keys %midway) {
		($status, $out, $err) = xsave(spew('trace', late(), late(latency => $latency)));
		is($err =~ /1 line taken while the tracepoint was switched on/ ? 1 : 0, $midway{$latency},
			"$latency ns, $midway{$latency}: longer than the trace goes on");
	}
	is(@{ table_of(late(latency => 1_500_000, time => '9000us ')) }, 1, 'a long one that the trace saw begin');
	is(@{ table_of(late(latency => 5_000_000_000), '--keep-noise') }, 1, 'or any, if wished');
};

subtest 'headers and lost events' => sub {
	my $text = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 2/2   #P:2\n\ncpus=2\nCPU 1 is empty\n";
	$text .= event() . "CPU:1 [LOST 5 EVENTS]\n" . event() . "CPU:0 [3 EVENTS DROPPED]\n"
		. "[LOST 1 EVENTS]\nLOST 1 EVENTS\r\nCPU:0 [EVENTS DROPPED]\n"
		. " b-1 [0] .... 1.5: tracing_mark_write: LOST 7 EVENTS\n"
		. " b-1 [0] .... 1.5: x86_fpu_regs_activated: x86/fpu: 00c0 load: 1\n";
	my ($status, $out, $err) = xsave('--count', spew('trace', $text));
	is($status, 0, 'done');
	is_deeply([ rows($out) ], [ [ @{ row(200) }, 2 ] ], 'both samples');
	like($err, qr/lost by the tracer: 10 events, 71\.4 % of all/, 'sum and share: 10 of 10 + 4');
	like($err, qr/how many it does not say, 1 time$/m,              'and those without a number');
	like($err, qr/: 15 lines, 2 samples, 2 other events/,                     'other events are counted');
	unlike($err, qr/not used/, 'headers are no events');
	($status, $out, $err) = xsave(spew('trace', " b-1 [0] .... 1.5: sys_enter: NR 39\n"));
	is($status, 2, 'without an event of ours: unusable');
	like($err, qr/not in mainline kernels/, 'and why');
	for my $empty ('', "\n", "\0" x 100, "\xff\xfe", 'x' x 3_000_000) {
		($status, $out, $err) = xsave(spew('trace', $empty));
		is("$status$out", '2', 'nothing measured: ' . length($empty) . ' bytes');
	}
};

subtest 'one of each' => sub {
	my ($status, $out, $err) = xsave(spew('trace', event()));
	like($err, qr/: 1 line, 1 sample, 0 other events$/m, 'a line, a sample');
	($status, $out, $err) = xsave(spew('trace', event(), "CPU:0 [LOST 1 EVENTS]\n"));
	like($err, qr/lost by the tracer: 1 event, 50\.0 %/, 'an event');
};

subtest 'a line without an end' => sub {
	my $long = 'x' x 1_500_000;
	my ($status, $out, $err) = xsave(spew('trace', event(), "$long\n", event(), $long . event()));
	is($status, 0, 'done');
	like($err, qr/^ticklog xsave: 4 lines, 2 samples/m, 'counted as the lines they are');
	like($err, qr/2 lines cut at 1 MiB/,           'and said to be cut');
	# Each of these takes seconds if a line costs more than its length.
	for my $unit ('[1]', '[1] ', '[1]1:', '1a 1:', '1a ', '[1]aaaaa ', '[1] 1.', 'x86_fpu_latency_x', 'latency:') {
		my $hostile = substr($unit x 350_000, 0, 1_000_000);
		my $start = time;
		xsave($_, spew('trace', "$hostile x86_fpu_latency_xsave: latency:1 RFBM:0x1 XINUSE:0x1\n"))
			for '--keep-noise', '--reference';
		cmp_ok(time - $start, '<=', 10, "a megabyte of '$unit'");
	}
};

subtest 'NULs' => sub {
	my $text = event() . event(latency => 300);
	for my $with ([ 'a break within a field', $text =~ s/latency:/latency:\0/gr ],
		[ 'within the name', $text =~ s/xsave:/xs\0ave:/gr ], [ 'all over', $text =~ s/(.{3})/$1\0/gsr ],
		[ 'UTF-16', "\xff\xfe" . $text =~ s/(.)/$1\0/gsr ])
	{
		my ($what, $bytes) = @$with;
		my ($status, $out, $err) = xsave('--count', spew('nuls', $bytes));
		is($status, 0, "$what: done") or diag $err;
		is((rows($out))[0][7], 2, "$what: both samples");
	}
	my ($status) = xsave('--reference', spew('nuls', $text =~ s/latency:/latency:\0/gr));
	is($status, 2, 'the reference does not read them');
};

subtest 'units' => sub {
	my $bare = sub {
		my ($latency) = @_;
		return event(task => '        baretick-0 ', latency => $latency, time => '0.000100');
	};
	my $unit = "# baretick unit=ticks tsc_khz=2000000\r\n";
	my $ns   = event(latency => 100);
	my ($status, $out, $err) = xsave(spew('a', "boot\r\n$unit", $bare->(30)));
	is_deeply([ rows($out) ], [ row(30) ], 'a serial log');
	like($err, qr/unit=ticks tsc_khz=2000000/, 'is in ticks, with the frequency');
	($status, $out, $err) = xsave(spew('b', $ns));
	like($err, qr/unit=ns/, 'a trace is in ns');
	($status, $out, $err) = xsave("$dir/a", "$dir/b");
	is($status, 0, 'both together');
	like($out, qr/^# unit=ticks tsc_khz=2000000\nEVENTs.*\n-.*\nx86_fpu_latency_xsave +0x202e7 +0x202 +30 .*\n\n# unit=ns\nEVENTs.*\n-.*\nx86_fpu_latency_xsave +0x202e7 +0x202 +100 .*\n\z/,
		'are two tables');
	($status, $out) = xsave(spew('c', $unit, $bare->(30), "# tracer: nop\n", $ns));
	like($out, qr/unit=ticks.*unit=ns/s, 'in one file too');
	($status, $out) = xsave("$dir/a", spew('d', "# baretick unit=ticks tsc_khz=2000900\n", $bare->(32)));
	is_deeply([ rows($out) ], [ [ @{ row(30) }[ 0 .. 3 ], 32, 31, 31 ] ], 'clocks within 500 ppm are one');
	for my $khz (2001100, 0) {
		($status, $out) = xsave("$dir/a", spew('d', "# baretick unit=ticks tsc_khz=$khz\n", $bare->(32)));
		like($out, qr/tsc_khz=2000000\n.*tsc_khz=$khz\n/s, "2000000 and $khz kHz are two");
	}
	($status, $out, $err) = xsave(spew('d', "# baretick unit=ti\n", $bare->(32)));
	is($status, 2, 'a torn unit line is none');
};

# The figures once more, by hand.
sub figures {
	my (@x) = sort { $a <=> $b } map { Math::BigInt->new($_) } @_;
	my $n    = @x;
	my $kept = int(($n * 97 + 50) / 100);
	my $average = sub {
		my ($sum, $count) = (Math::BigInt->new(0), scalar @_);
		$sum += $_ for @_;
		return ($sum * 2 + $count) / (2 * $count);
	};
	my $rank = sub { $x[ int(($n * $_[0] + 99) / 100) - 1 ] };
	return map { "$_" } $x[0], $x[-1], $average->(@x), $average->(@x[ 0 .. $kept - 1 ]), $n, $kept,
		$rank->(50), $rank->(99);
}

my @all = ('--count', '--kept', '--p50', '--p99');

subtest 'exact figures' => sub {
	my $max = '18446744073709551615';
	srand 42;
	my %sets = (
		one    => [7],
		two    => [ 90, 95 ],
		zeros  => [ (0) x 5 ],
		max    => [ ($max) x 3 ],
		mixed  => [ 1, $max, $max, 2 ],
		halves => [ 1, 2, 2, 1 ],
		map { ("random $_" => [ map { int rand(1 << 30) } 1 .. $_ ]) } 16, 17, 33, 34, 50, 100, 101, 1000,
	);
	for my $name (sort keys %sets) {
		my @x = @{ $sets{$name} };
		is_deeply(table_of(join('', map { event(latency => $_) } @x), @all),
			[ [ 'x86_fpu_latency_xsave', '0x202e7', '0x202', figures(@x) ] ], $name);
	}
	# As SQLite and bc came to when they were asked.
	my $large = join '', map { event(latency => $_, rfbm => '0x1') } (50000000000049) x 10, 50000000000054;
	$large .= join '', map { event(latency => $_, rfbm => '0x2') } 100, 999999999999999;
	my $averages = sub { [ map { @$_[ 5, 6 ] } @{ table_of($large, @_) } ] };
	is_deeply($averages->(), [ 50000000000049, 50000000000049, (500000000000050) x 2 ], 'large averages');
	is_deeply($averages->('--reference'), [ 50000000000050, 50000000000050, (500000000000049) x 2 ],
		'are rounded twice by the reference');
	my ($status, $out) = xsave('--p99', '--count', spew('trace', event()));
	like($out, qr/^EVENTs .* lat_avg\(97%\)  count  p99\n/, 'columns in their order');
	my ($without, $with) = map { (xsave(@$_, "$oracle/log_1000.txt"))[1] } [], ['--kept'];
	$with =~ s/^(.*?)  \S+ *$/$1/mg;
	is($with, $without, 'further columns come after the others');
};

subtest 'a pipe, standard input, several logs' => sub {
	my ($status, $want) = xsave(@all, "$oracle/log_1000.txt");
	is(qx($ticklog xsave @all - <$oracle/log_1000.txt 2>/dev/null), $want, 'standard input from a file');
	is(qx(cat $oracle/log_1000.txt | $ticklog xsave @all - 2>/dev/null), $want, 'a pipe');
	my $bytes = slurp("$oracle/log_100.txt");
	($status, $want) = xsave("$oracle/log_100.txt");
	open my $saved, '>&', \*STDERR or die $!;
	open STDERR, '>', "$dir/stderr" or die $!;
	my $pid = open my $pipe, "| $ticklog xsave - >$dir/out" or die $!;
	open STDERR, '>&', $saved or die $!;
	$pipe->autoflush;
	my $half = int(length($bytes) / 2);
	for my $from (0 .. $half) {
		syswrite $pipe, substr($bytes, $from, 1);
	}
	syswrite $pipe, substr($bytes, $half + 1);
	close $pipe or diag "exit $?";
	is(slurp("$dir/out"), $want, 'byte by byte');
	($status, my $once) = xsave('--count', "$oracle/log_100.txt");
	($status, my $twice) = xsave('--count', ("$oracle/log_100.txt") x 2);
	is_deeply([ map { $_->[7] } rows($twice) ], [ map { 2 * $_->[7] } rows($once) ], 'logs are pooled');
	($status, my $out, my $err) = xsave("$dir/none", "$oracle/log_100.txt");
	is($status, 2, 'a missing log');
	like($err, qr/\Q$dir\E\/none: .*No such file/, 'is named');
	is($out, $want, 'the others are still shown');
	($status, $out, $err) = xsave($dir);
	like("$status $err", qr/^2 .*\Q$dir\E: .*directory/s, 'a folder');
};

subtest 'Ctrl-C ends a pipe, not the table' => sub {
	my $text = event() x 2000;
	pipe my $read, my $write or die $!;
	my $pid = in_child(sub {
		open STDIN,  '<&', $read         or die "standard input: $!\n";
		open STDOUT, '>',  "$dir/stdout" or die "stdout: $!\n";
		open STDERR, '>',  "$dir/stderr" or die "stderr: $!\n";
		close $write;
		exec $ticklog, 'xsave', '--count', '-' or return 127;
	});
	close $read;
	# More than a pipe holds: when all is written, reading has begun.
	my $done = 0;
	while ($done < length $text) {
		$done += syswrite($write, $text, length($text) - $done, $done) // die $!;
	}
	kill INT => $pid;
	# The pipe stays open: without the signal this would never end.
	local $SIG{ALRM} = sub { kill KILL => $pid };
	alarm 30;
	waitpid $pid, 0;
	is($?, 0, 'done');
	alarm 0;
	my ($row) = rows(slurp("$dir/stdout"));
	cmp_ok($row->[7] // 0, '>=', 1, 'what had come in is shown');
};

subtest 'the temporary file' => sub {
	srand 7;
	my @x = map { int rand(1 << 20) } 1 .. 30_000;
	my $text = '';
	for my $i (0 .. $#x) {
		$text .= event(latency => $x[$i], rfbm => $i % 3 ? '0x7' : '0x3');
	}
	my $log = spew('many', $text);
	my ($status, $want) = xsave(@all, $log);
	is(scalar rows($want), 2, 'two groups');
	my ($spilled, $out, $err) = xsave(@all, '--spill-above', 1000, $log);
	is($spilled, 0, 'spilled');
	is($out, $want, 'the same table');
	like($err, qr/more than 1000 distinct values.*temporary file/, 'and said');
	is((rows($want))[1][8] + (rows($want))[0][8] > 29000, 1, 'with most of them kept');
	is_deeply([ @{ (rows($want))[0] }[ 3 .. 10 ] ], [ figures(@x[ grep { $_ % 3 == 0 } 0 .. $#x ]) ],
		'which is right');
	$spilled = qx($ticklog xsave @all --spill-above 1000 - <$log 2>&-);
	is($spilled, $want, 'what is said goes nowhere else when standard error is closed');
	{
		local $ENV{TMPDIR} = "$dir/no-such-folder";
		($status, $out, $err) = xsave('--spill-above', 1000, $log);
	}
	is($status, 2, 'no room for it');
	like($err, qr/temporary file in .*no-such-folder: No such file/, 'is an error that names the folder');
	is($out, '', 'without a table');
	is_deeply([ glob "$dir/ticklog-*" ], [], 'nothing is left behind');
};

subtest 'many groups' => sub {
	my $text = join '', map { event(rfbm => sprintf('0x%x', $_)) } 1 .. 66_000;
	my ($status, $out, $err) = xsave(spew('groups', $text));
	is(scalar rows($out), 65536, 'as many as there is room for');
	like($err, qr/464 lines of groups beyond the 65536th, first .*groups:65537/, 'the others are counted');
};

done_testing;
