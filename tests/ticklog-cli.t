#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog's command line: help, what is wrong with a call, exit statuses. Holds for every command in
# the table that `ticklog --help` prints.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Test::More;
use Ticklog;

my ($status, $help, $err) = ticklog('--help');
is($status, 0,  'help is no error');
is($err,    '', 'and goes to standard output');
my ($list) = $help =~ /^Commands:\n((?:  .*\n)+)/m;
my @commands = $list =~ /^  (\S+) +\S/mg;
ok(scalar(grep { $_ eq 'xsave' } @commands), 'help lists the commands');
is((ticklog('-h'))[1], $help, '-h is --help');
like((ticklog('--version'))[1], qr/^ticklog \S+\n\z/, 'version');

for my $args ([], ['nonsense'], ['--nonsense'], [''], ['xsav']) {
	($status, my $out, $err) = ticklog(@$args);
	is($status, 5,  "usage: ticklog @$args");
	is($out,    '', 'says so on standard error only');
	like($err, qr/^ticklog: .*\nHelp: ticklog --help\n\z/, 'with a way to the help');
}
like($err, qr/no command 'xsav'/, 'the word is named');

for my $command (@commands) {
	($status, my $out, $err) = ticklog($command, '--help');
	is("$status$err", '0', "$command --help");
	like($out, qr/^usage: ticklog $command\b/, 'begins with the usage');
	like($out, qr/Exit status/,                'and tells the exit statuses');
	cmp_ok($_, '<=', 100, 'line length') for grep { $_ > 100 } map { length } split /\n/, $out;
	($status, $out, $err) = ticklog($command);
	is($status, 5, "$command without a log");
	($status, $out, $err) = ticklog($command, '--no-such-option', 'x');
	is($status, 5, "$command with an unknown option");
	like($err, qr/^ticklog $command: .*--no-such-option\nHelp: ticklog $command --help\n/,
		'which is named');
}

my %wrong = (
	'--count=3 x'          => '--count=3 takes no value',
	'-z x'                 => 'unknown option -z',
	'--spill-above'        => '--spill-above needs a value',
	'--spill-above 0 x'    => "from 1000 to 4294967295, not '0'",
	'--spill-above 5k x'   => "not '5k'",
	'--spill-above -1 x'   => "not '-1'",
	'--p x'                => 'ambiguous option --p',
);
for my $args (sort keys %wrong) {
	($status, my $out, $err) = ticklog('xsave', split / /, $args);
	is($status, 5, "xsave $args");
	like($err, qr/\Q$wrong{$args}\E/, 'says what is wrong');
}

# What a message quotes may be anything, and a terminal obeys some bytes.
for my $args ([ 'show', "\e[2J\xff.log" ], [ 'list', '--db', "a\nb.db" ], [ 'check', "x\x9by", '--baseline', '-' ],
	[ 'show', "--\x07" ], ["\e[31m"]) {
	($status, my $out, $err) = ticklog(@$args);
	unlike($err, qr/[^\n -~]/, 'quoted as text: ' . join ' ', map { s/[^ -~]/?/gr } @$args);
	like($err, qr/\\x[0-9A-F]{2}/, '... that shows what it is');
}

SKIP: {
	skip 'no /dev/full', 2 unless -c '/dev/full';
	my $tool = ticklog_path();
	my $said = qx($tool --help 2>&1 >/dev/full);
	is($? >> 8, 2, 'output that does not arrive');
	like($said, qr/writing the output: No space/, 'is an error');
}

done_testing;
