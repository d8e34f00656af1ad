#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The machine code is what the tables say: every sequence is disassembled and its sample compared,
# instruction by instruction, with the texts of README "Methods"; and no compiler touched the state
# that is measured.
use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib $FindBin::Bin;
use Seq;
use Test::More;

my $source  = Seq::from_source();
my @methods = Seq::from_readme();
my $seq     = Seq::sequences();
my %seen;

if (@methods) {
	is_deeply(\@methods, $source->{methods}, 'README and seq.c name the same methods');
} else {
	note 'README.md has no table of methods: the texts are those of seq.c';
	@methods = @{ $source->{methods} };
}

# Of long lists only what is wrong is shown, and of many such lines the first.
sub none_wrong {
	my ($what, @wrong) = @_;
	my $more = @wrong > 5 ? [ @wrong[ 0 .. 4 ], '... ' . (@wrong - 5) . ' more' ] : \@wrong;
	ok(!@wrong, $what) or diag(map {"  $_\n"} @$more);
}

# What an instruction of a text stands for, and what must follow a read in an end.
my %expand = (cpuid => ['xor %eax,%eax', 'cpuid']);
my @ended  = ('mov %eax,%r11d', 'mov %edx,%r12d');

sub edge {
	my ($text, @after_read) = @_;
	my @code;
	for my $word (split /; /, $text) {
		push @code, @{ $expand{$word} // [$word] };
		push @code, @after_read if Seq::is_read({ insn => $word });
	}
	unshift @code, 'mov $0x40000001,%ecx' if $text =~ /\brdpmc\b/;
	return @code;
}

my @sum      = ('lea (%rsi,%r9,1),%rbp', 'mov %rbp,0x40(%r8)');
my @tsc      = ('lfence', 'rdtsc', 'mov %eax,0x8(%r8)', 'mov %edx,0xc(%r8)');
my %preamble = (
	'none'            => [],
	'tsc'             => [@tsc],
	'tsc+work'        => [@tsc, @sum],
	'tsc+work+lfence' => [@tsc, @sum, 'lfence'],
);
my %workload = (
	empty => [],
	store => ['mov %r9,0x40(%r8)'],
	add   => [@sum],
	loop  => [
		'xor %ebp,%ebp', 'test %r9,%r9',
		'je +5',
		'mov %rbp,0x40(%r8)', 'inc %rbp', 'cmp %r9,%rbp',
		'jb -3',
	],
);
my %start_kept = (
	mem => ['mov %eax,(%r8)', 'mov %edx,0x4(%r8)'],
	reg => ['mov %eax,%r13d', 'mov %edx,%r14d'],
);
my %difference = (
	mem => [
		'mov (%r8),%eax', 'mov 0x4(%r8),%edx',
		'shl $0x20,%rdx', 'or %rdx,%rax', 'sub %rax,%r11',
	],
	reg => ['shl $0x20,%r14', 'or %r14,%r13', 'sub %r13,%r11'],
);

# One turn of the loop over samples, from where its last jump leads, with that jump.
sub sample {
	my ($code) = @_;
	my %place = map { $code->[$_]{at} => $_ } 0 .. $#$code;
	my ($last) = grep { exists $code->[$_]{to} } reverse 0 .. $#$code;
	my $first = $place{ $code->[$last]{to} };
	return map {
		my $i = $code->[$_];
		exists $i->{to} ? sprintf('%s %+d', $i->{insn}, $place{ $i->{to} } - $_) : $i->{insn};
	} $first .. $last;
}

sub expected_sample {
	my ($start, $end, $work, $pre, $form) = @_;
	my @code = (
		@{ $preamble{$pre} }, edge($start), @{ $start_kept{$form} }, @{ $workload{$work} },
		edge($end, @ended),
		'shl $0x20,%r12', 'or %r12,%r11', @{ $difference{$form} },
		'mov %r11,(%rdi)', 'add $0x8,%rdi', 'inc %rsi', 'cmp %r10,%rsi',
	);
	return (@code, 'jb -' . @code);
}

# After the start's halves are kept: the same place in a cache line for every sequence.
sub work_at {
	my ($code) = @_;
	my ($start) = Seq::window($code);
	$start++ until $code->[$start]{insn} =~ /^mov %edx,/;
	return $code->[$start + 1]{at};
}

sub check_sample {
	my ($name, @how) = @_;
	my $code = $seq->{$name};
	$seen{$name} = 1;
	return fail("$name is in the object") unless $code;
	is(join("\n", sample($code)), join("\n", expected_sample(@how)), "$name: $how[0] ... $how[1]");
	is(work_at($code) % 64, 0, "$name: the workload begins on a cache line");
}

for my $method (@methods) {
	my ($id, $start, $end) = @$method;
	for my $work (@{ $source->{workloads} }) {
		for my $pre (@{ $source->{preambles} }) {
			check_sample(Seq::symbol($id, $work, $pre, 'mem'), $start, $end, $work, $pre, 'mem');
		}
	}
	check_sample(Seq::symbol($id, 'empty', 'none', 'reg'), $start, $end, 'empty', 'none', 'reg');
}

for my $s (0 .. $#{ $source->{starts} }) {
	for my $e (0 .. $#{ $source->{ends} }) {
		check_sample("seq_mx_${s}_$e", $source->{starts}[$s], $source->{ends}[$e],
			'empty', 'none', 'mem');
	}
}

# Of the others every instruction up to the return counts, padding in front of the window apart.
sub whole {
	my ($code, $padded) = @_;
	my ($start) = Seq::window($code);
	my ($last)  = grep { $code->[$_]{insn} eq 'ret' } 0 .. $#$code;
	my @kept  = grep { !$padded || $_ >= $start - 1 || $code->[$_]{insn} ne 'nop' } 0 .. $last;
	my %place = map { $code->[ $kept[$_] ]{at} => $_ } 0 .. $#kept;
	return map {
		my $i = $code->[ $kept[$_] ];
		exists $i->{to} ? sprintf('%s %+d', $i->{insn}, $place{ $i->{to} } - $_) : $i->{insn};
	} 0 .. $#kept;
}

# "LABEL:" goes, and a jump to it gets the distance.
sub labels_resolved {
	my (%label, @code);
	for (@_) {
		if (/^(\w+):$/) {
			$label{$1} = @code;
		} else {
			push @code, $_;
		}
	}
	for my $i (0 .. $#code) {
		$code[$i] =~ s/^(j\w+) ([a-z]\w*)$/sprintf '%s %+d', $1, $label{$2} - $i/e;
	}
	return @code;
}

sub check_whole {
	my ($name, $padded, @want) = @_;
	$seen{$name} = 1;
	is(join("\n", whole($seq->{$name}, $padded)), join("\n", labels_resolved(@want)), $name);
}

my @read    = ('rdtsc', 'shl $0x20,%rdx', 'or %rdx,%rax');
my @fenced  = ('lfence', 'rdtsc', 'lfence');
my @callee  = qw(rbx rbp r12 r13 r14 r15);
my @restore = map {"pop %$_"} reverse @callee;

# The XSAVE family: what is optional stands before the window, and between the reads only moves of
# registers, the fence and the instruction.
for my $op (@{ $source->{xops} }) {
	check_whole("seq_x_$op", 'padded',
		'push %rbx', 'push %rbp', 'xor %esi,%esi', 'xor %r8d,%r8d',
		'mov 0x28(%rdi),%r9', 'mov 0x30(%rdi),%r10d', 'mov 0x34(%rdi),%r11d',
		'cmp 0x10(%rdi),%rsi', 'jae done',
		'sample:', 'mov 0x18(%rdi),%rcx', 'test %rcx,%rcx', 'je primed',
		'mov 0x20(%rdi),%eax', 'mov 0x24(%rdi),%edx', 'xrstor64 (%rcx)',
		'primed:', 'mov 0x38(%rdi),%rcx', 'test %rcx,%rcx', 'je hot',
		'mov %r9,%rax', 'add %r9,%rcx',
		'line:', 'clflush (%rax)', 'add $0x40,%rax', 'cmp %rcx,%rax', 'jb line', 'mfence',
		'hot:', 'mov 0x8(%rdi),%rbp', 'test %rbp,%rbp', 'je window',
		'mov $0x1,%ecx', 'xgetbv', 'shl $0x20,%rdx', 'or %rdx,%rax',
		'mov %rax,0x0(%rbp,%rsi,8)', 'jmp window',
		'window:', @fenced, 'mov %eax,%ebx', 'mov %edx,%ebp', 'mov %r10d,%eax', 'mov %r11d,%edx',
		$op eq 'empty' ? () : "${op}64 (%r9)",
		'lfence', @read, 'shl $0x20,%rbp', 'or %rbp,%rbx', 'sub %rbx,%rax',
		'mov (%rdi),%rcx', 'mov %rax,(%rcx,%rsi,8)', 'inc %rsi', 'cmp 0x10(%rdi),%rsi', 'jb sample',
		'done:', 'mov %r8d,%eax', 'pop %rbp', 'pop %rbx', 'ret');
	my $code = $seq->{"seq_x_$op"};
	my ($start) = Seq::window($code);
	is($code->[$start + 6]{at} % 64, 0, "seq_x_$op: timed from the start of a cache line");
}

my @kept = ('mov %eax,%r8d', 'mov %edx,%r9d');
my @ticks = ('shl $0x20,%rdx', 'or %rdx,%rax', 'shl $0x20,%r9', 'or %r9,%r8', 'sub %r8,%rax', 'ret');
check_whole('seq_ruler', 'padded',
	'xor %edx,%edx', 'mov %rdi,%rax', 'mov $0x64,%ecx', 'div %rcx', 'mov %rax,%r11',
	'mov $0x1,%ecx', 'xor %r10d,%r10d', @fenced, @kept, 'test %r11,%r11', 'je end',
	'block:', ('add %rcx,%r10') x 100, 'dec %r11', 'jne block',
	'end:', @fenced, @ticks);
check_whole('seq_canary', 'padded', @fenced, @kept, ('nop') x 8192, @fenced, @ticks);

# The loop that looks for gaps: two reads a turn, both differences written whether long or not; the
# port write has as many instructions to the next turn's read as one turn has to the next.
sub watched {
	my ($from, $to, $limit) = @_;
	return ("mov %$from,(%rsi)", "mov %$to,%rcx", "sub %$from,%rcx", 'mov %rcx,0x8(%rsi)',
		"cmp %rcx,%$limit", 'sbb %r15d,%r15d', 'and $0x10,%r15d', 'add %r15,%rsi',
		'cmp %rbp,%rcx', 'cmovg %rcx,%rbp');
}

my @turn = ('lfence', @read, 'mov %rax,%r14', 'lfence', @read, watched('r10', 'r14', 'r9'),
	watched('r14', 'rax', 'r8'), 'mov %rax,%r10', 'dec %r13', 'je end', 'cmp %r12,%rsi', 'jae end',
	'cmp %r11,%rax', 'jb turn');
my @write = (@read, 'mov %rax,%r10', 'mov %rax,0x60(%rdi)', 'mov %ebx,%edx', 'mov %ecx,%eax',
	'out %al,(%dx)', 'pause', ('nop') x 21);
check_whole('seq_gaps', 0, (map {"push %$_"} @callee), 'mov (%rdi),%rsi', 'mov 0x8(%rdi),%r12', 'shl $0x4,%r12',
	'add %rsi,%r12', 'mov 0x10(%rdi),%r8', 'mov 0x18(%rdi),%r9', 'mov 0x20(%rdi),%r11',
	'mov 0x28(%rdi),%r13', 'xor %ebp,%ebp', 'lfence', @read, 'mov %rax,%r10',
	'mov %rax,0x40(%rdi)', 'jmp turn',
	'write:', 'mov 0x3c(%rdi),%ecx', 'mov 0x30(%rdi),%r11', 'movl $0x0,0x38(%rdi)', 'lfence',
	@write,
	'turn:', @turn, 'mov 0x38(%rdi),%ebx', 'test %ebx,%ebx', 'jne write',
	'end:', 'mov %r13,0x28(%rdi)', 'mov %r10,0x48(%rdi)', 'mov %rsi,0x50(%rdi)',
	'mov %rbp,0x58(%rdi)', @restore, 'ret');
my ($second) = grep { $turn[$_] eq 'rdtsc' } reverse 0 .. $#turn;
is(scalar @write, @turn - $second, 'seq_gaps: from read to turn they are equal');

none_wrong('all that is in the section is known here, and nothing else is there',
	(map {"$_ is in seqtext, and nothing above looks at it"} grep { !$seen{$_} } sort keys %$seq),
	(map {"$_ is not in seqtext"} grep { !$seq->{$_} } sort keys %seen));

# Register contract: what is pushed is popped, in reverse; what a caller keeps is pushed before it is
# written; nothing is stored below the stack pointer; the direction flag stays.
sub contract {
	my ($code) = @_;
	my @insn  = map { $_->{insn} } @$code;
	my @push  = map { /^push %(\w+)/ ? $1 : () } @insn;
	my @pop   = map { /^pop %(\w+)/ ? $1 : () } @insn;
	my %saved = map { $_ => 1 } @push;
	my %wide  = (ebx => 'rbx', ebp => 'rbp', map { ("r${_}d" => "r$_") } 12 .. 15);

	return "pushes @push, pops @pop" if "@push" ne join ' ', reverse @pop;
	for (@insn) {
		return "touches the stack: $_" if /\((%rsp|.*,%rsp)/ || /^(sub|add|mov|lea) .*,%rsp$/;
		return "touches DF: $_" if /^(std|cld|popf)/;
		next if /^(push|pop|cmp|test|j\w+) /;
		my $to = /^cpuid$/ ? 'rbx' : /,%(\w+)$/ ? $1 : /^\w+ %(\w+)$/ ? $1 : next;
		$to = $wide{$to} // $to;
		return "writes $to: $_" if $to =~ /^(rbx|rbp|r1[2-5])$/ && !$saved{$to};
	}
	return '';
}

none_wrong('callee-saved registers, stack and direction flag are kept',
	grep { $_ } map { my $why = contract($seq->{$_}); $why && "$_ $why" } sort keys %$seq);

# The same code gives the same CRC wherever it is linked.
my @sections = Seq::lines_of('readelf', '-SW', Seq::object());
is(scalar(grep { /\sseqtext\s/ } @sections), 1, 'there is one seqtext');
is(scalar(grep { /\.rela?seqtext\s/ } @sections), 0, 'and it has no relocations');
my ($flags) = map { /\sseqtext\s+PROGBITS\s+(?:\S+\s+){4}(\w+)/ ? $1 : () } @sections;
is($flags, 'AX', 'it is code and not writable');

# seq_table and the other tables lead where their numbers say.
my %name_at = map { $seq->{$_}[0]{at} => $_ } keys %$seq;
my %table_at;
for (Seq::lines_of('nm', Seq::object())) {
	$table_at{$2} = hex $1 if /^([0-9a-f]+) R (seq_\w+)$/;
}
my (%leads_to, %byte);
for (Seq::lines_of('objdump', '-r', '-j', '.rodata', Seq::object())) {
	$leads_to{ hex $1 } = $name_at{ hex $2 } if /^([0-9a-f]+)\s+R_X86_64_64\s+seqtext(?:\+0x([0-9a-f]+))?$/;
}
for (Seq::lines_of('objdump', '-s', '-j', '.rodata', Seq::object())) {
	/^ ([0-9a-f]+) ((?:[0-9a-f]+ ){1,4})/ or next;
	my ($at, $hex) = (hex $1, $2);
	$hex =~ tr/ //d;
	$byte{ $at++ } = $_ for unpack 'C*', pack 'H*', $hex;
}

my @table;
my $n = @methods * (@{ $source->{workloads} } * @{ $source->{preambles} } + 1);
for my $k (0 .. $n - 1) {
	my $at = $table_at{seq_table} + 16 * $k;
	my ($m, $w, $p, $f) = map { $byte{ $at + 8 + $_ } } 0 .. 3;
	my $want = Seq::symbol($methods[$m][0], $source->{workloads}[$w], $source->{preambles}[$p],
		$source->{forms}[$f]);
	my $is = $leads_to{$at} // 'nowhere';
	push @table, "[$k] is $is, wants $want" if $is ne $want;
}
none_wrong('seq_table leads to what its numbers say', @table);
is(unpack('Q<', pack 'C8', map { $byte{ $table_at{seq_table_n} + $_ } } 0 .. 7), $n, 'all are in it');
my @cells = map { my $s = $_; map {"seq_mx_${s}_$_"} 0 .. $#{ $source->{ends} } }
	0 .. $#{ $source->{starts} };
sub in_order {
	my ($table, @want) = @_;
	my @is = map { $leads_to{ $table_at{$table} + 8 * $_ } // 'nowhere' } 0 .. $#want;
	none_wrong("$table is in order",
		map { $is[$_] eq $want[$_] ? () : "[$_] is $is[$_], wants $want[$_]" } 0 .. $#want);
}
in_order('seq_matrix', @cells);
in_order('seq_xtable', map {"seq_x_$_"} @{ $source->{xops} });

# Counts that an instruction-counting clock is known to show.
my $count = Seq::predict();
my %known = (5 => 4, 4 => 3, 6 => 5, 7 => 5, 0 => 5, '1c' => 3);
is($count->{"seq_${_}_empty_none_mem"}{base}, $known{$_}, "method $_ counts $known{$_}")
	for sort keys %known;
is_deeply($count->{seq_5_loop_none_mem}, { base => 7, step => 4 }, 'a loop counts 7 + 4 * j');

# No vector, x87, MMX, mask, tile or bound register in what the compiler made.
my $vector = qr/%([xyz]?mm[0-9]|st\b|k[0-7]\b|tmm[0-9]|bnd[0-9])/;
my $elf    = Seq::build() . '/baretick.elf';
my @objects;
find({ no_chdir => 1, wanted => sub { push @objects, $_ if /\.o$/ && !/\.asm\.o$/ } },
	grep { -d } Seq::build() . '/kernel');
cmp_ok(scalar @objects, '>', 0, 'there are kernel objects (make all)');
ok(-e $elf, "$elf is there (make all)");
for my $file (sort(@objects), grep { -e } $elf) {
	my @found = map { $_->{insn} =~ $vector ? sprintf('%x: %s', $_->{at}, $_->{insn}) : () }
		Seq::disassemble($file);
	is(join("\n", @found), '', "$file names no vector register");
}

done_testing();
