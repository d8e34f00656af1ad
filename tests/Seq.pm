# SPDX-License-Identifier: MIT
# The measured sequences as the disassembler shows them, and what is predicted from that alone: how
# many instructions lie between the two time reads. Used by machine-code.t and by the boot tests.
package Seq;

use strict;
use warnings;
use File::Basename qw(dirname);

my $root = dirname(__FILE__) . '/..';

sub build { return $ENV{B} // "$root/build" }
sub object { return build() . '/seq.o' }

sub lines_of {
	my @command = @_;
	open my $pipe, '-|', @command or die "$command[0]: $!\n";
	my @lines = <$pipe>;
	close $pipe or die "@command: failed\n";
	chomp @lines;
	return @lines;
}

sub text_of {
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$in>;
}

# Every instruction of a file: { at => address, insn => text }, blanks made single, the target of a
# jump left as an address in `to`.
sub disassemble {
	my ($file, @options) = @_;
	my @code;

	for (lines_of('objdump', '-d', '-z', '-w', '-M', 'att', '--no-show-raw-insn', @options, $file)) {
		/^\s*([0-9a-f]+):\s+(\S.*)$/ or next;
		my %i = (at => hex $1, insn => $2);
		$i{insn} =~ s/\s+#.*$//;
		$i{insn} =~ s/\s+/ /g;
		$i{insn} =~ s/\s+$//;
		$i{to} = hex $2 if $i{insn} =~ s/^(j\w+) ([0-9a-f]+)( <\S+>)?$/$1/;
		push @code, \%i;
	}
	return @code;
}

# Symbol -> its instructions, in order of address. Labels inside ("..@7.x", "seq_ruler.block") are of
# no account. The symbols are asked of nm, since objdump shows one only where several coincide.
sub sequences {
	my ($file) = @_;
	$file //= object();
	my (%seq, %at, $name);

	for (lines_of('nm', $file)) {
		$at{ hex $1 } = $2 if /^([0-9a-f]+) [tT] (seq_(?!begin$|end$)\w+)$/;
	}
	for my $i (disassemble($file, '-j', 'seqtext')) {
		$name = $at{ $i->{at} } // $name;
		push @{ $seq{$name} }, $i if defined $name;
	}
	return \%seq;
}

sub is_read { return $_[0]->{insn} =~ /^(rdtsc|rdtscp|rdpmc)$/ }

# Places of the last two reads in a sequence: the start's and the end's.
sub window {
	my ($code) = @_;
	my @reads = grep { is_read($code->[$_]) } 0 .. $#$code;
	die "fewer than two time reads\n" if @reads < 2;
	return @reads[-2, -1];
}

# Instructions from the start's read (counted) to the end's (not counted): base + step * turns, where
# turns is j for a loop and n / 100 for seq_ruler(n). One loop at most, jumped over for no turns.
sub count {
	my ($code) = @_;
	my ($start, $end) = window($code);
	my @jumps = grep { exists $code->[$_]{to} } $start .. $end - 1;

	return { base => $end - $start, step => 0 } unless @jumps;
	die "more than a skip and a turn between the reads\n" if @jumps != 2;
	my ($skip, $turn) = @jumps;
	my %place = map { $code->[$_]{at} => $_ } 0 .. $#$code;
	my $head = $place{ $code->[$turn]{to} };
	my $past = $place{ $code->[$skip]{to} };
	die "the loop is not entered right after its skip\n" unless defined $head && $head == $skip + 1;
	die "the skip does not end behind the loop\n" unless defined $past && $past == $turn + 1;
	my $step = $turn - $head + 1;
	return { base => $end - $start - $step, step => $step };
}

# Symbol -> { base, step }
sub predict {
	my ($file) = @_;
	my $seq = sequences($file);
	my %count;

	for my $name (sort keys %$seq) {
		$count{$name} = eval { count($seq->{$name}) } or die "$name: $@";
	}
	return \%count;
}

# perl -Itests -MSeq -e 'Seq::dump()': one line a sequence, "symbol base step"
sub dump {
	my $count = predict(@_);
	print "$_ $count->{$_}{base} $count->{$_}{step}\n" for sort keys %$count;
}

# The table's symbol, from the names that the log uses.
sub symbol {
	my ($id, $workload, $preamble, $form) = @_;
	$preamble =~ tr/+//d;
	return "seq_${id}_${workload}_${preamble}_$form";
}

# A clock that moves `scale` ticks an instruction leaves no freedom: what differs from the prediction
# in the records of a log, in words.

# Of all type=lines records: ([wrong lines], how many lines there were, {methods that had any}).
sub wrong_lines {
	my ($predicted, $scale, @records) = @_;
	my (@wrong, %methods);
	my $lines = 0;

	for my $k (map { $_->{keys} } grep { $_->{type} eq 'lines' } @records) {
		my $symbol = symbol(@$k{qw(method work pre form)});
		my $p = $predicted->{$symbol};
		push @wrong, "$symbol: not in the object" unless $p;
		$methods{ $k->{method} } = 1;
		for (split /,/, $k->{lines}) {
			my ($from, $to, $min, $max, $var) = /^(\d+)-(\d+):(\d+):(\d+):([\d.]+)$/
				or push @wrong, "$symbol: not understood: $_";
			for my $j ($from .. $to) {
				my $want = ($p->{base} + $p->{step} * $j) * $scale;
				$lines++;
				push @wrong, "$symbol line $j: min $min max $max variance $var, predicted $want"
					if $min != $want || $max != $want || $var ne '0.000';
			}
		}
	}
	return (\@wrong, $lines, \%methods);
}

sub wrong_series {
	my ($predicted, $scale, @records) = @_;
	my @wrong;

	for my $k (map { $_->{keys} } grep { $_->{type} eq 'series' } @records) {
		my $symbol = symbol(@$k{qw(method work pre form)});
		my $p = $predicted->{$symbol};
		my $top = ($p->{base} + $p->{step} * ($k->{lines} - 1)) * $scale;
		push @wrong, "$symbol: $_=$k->{$_}" for grep { $k->{$_} ne '0' } qw(maxdev backwards);
		push @wrong, "$symbol: $_=$k->{$_}" for grep { $k->{$_} ne '0.000' } qw(var varvar);
		push @wrong, "$symbol: min=$k->{min}" if $k->{min} != $p->{base} * $scale;
		push @wrong, "$symbol: max=$k->{max}" if $k->{max} != $top;
		push @wrong, "$symbol: resolution=$k->{resolution}"
			if $k->{work} eq 'loop' && $k->{resolution} != 1;
	}
	return @wrong;
}

# The rows of a brace-initialised array in a C file, each as the list of its strings.
sub c_rows {
	my ($text, $array) = @_;
	$text =~ /\b\Q$array\E\[\w*\]\s*=\s*\{(.*?)\};/s or die "seq.c has no array $array\n";
	my $body = $1;
	my @rows = $body =~ /\{([^{}]*)\}/g;
	@rows = ($body) unless @rows;
	return map { [/"([^"]*)"/g] } @rows;
}

# { methods => [[id, start, end]...], starts => [...], ends => [...], workloads, preambles, xops }
sub from_source {
	my $text = text_of("$root/arch/x86/seq.c");
	return {
		methods   => [c_rows($text, 'seq_method')],
		starts    => [map { $_->[0] } c_rows($text, 'seq_start')],
		ends      => [map { $_->[0] } c_rows($text, 'seq_end_edge')],
		workloads => (c_rows($text, 'seq_workload_name'))[0],
		preambles => (c_rows($text, 'seq_preamble_name'))[0],
		forms     => (c_rows($text, 'seq_form_name'))[0],
		xops      => (c_rows($text, 'seq_xop_name'))[0],
	};
}

# The rows of README's table of methods, as [id, start, end], or nothing if there is none. A row may
# hold several ids; a cell then holds one text for all or one each, and the end may be "same".
sub from_readme {
	my $file = "$root/README.md";
	return unless -e $file;
	my ($in, @methods);

	for (split /\n/, text_of($file)) {
		$in = /^\|\s*id\s*\|\s*start\s*\|\s*end\s*\|/i || $in && /^\|/;
		next unless $in && /^\|\s*`/;
		my (undef, @cell) = split /\|/;
		my @id    = $cell[0] =~ /`([^`]+)`/g;
		my @start = $cell[1] =~ /`([^`]+)`/g;
		my @end   = $cell[2] =~ /^\s*same\b/ ? @start : $cell[2] =~ /`([^`]+)`/g;
		for my $n (0 .. $#id) {
			push @methods, [$id[$n], map { $_->[@$_ > 1 ? $n : 0] } \@start, \@end];
		}
	}
	return @methods;
}

1;
