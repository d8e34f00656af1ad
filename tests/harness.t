#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The tests' own tools on data worked out by hand: a reader that accepts anything proves nothing.
use strict;
use warnings;
use Compress::Zlib ();
use File::Basename qw(dirname);
use File::Path qw(make_path);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my $self = $$;
my $stray = built("test-logs/harness-end-$$");

# Whoever is a child and gets here takes the files of its parent away.
END {
    local $?;
    if ($$ != $self && open my $f, '>', $stray) { close $f }
}

sub sealed {
    my ($body) = @_;
    return sprintf "%s crc=%08X\n", $body, Compress::Zlib::crc32($body);
}

my $begin = sealed('@bt seq=1 type=begin schema=1 run=0123');
my $end = sealed('@bt seq=3 type=end records=3');

# A value known from elsewhere: "123456789" has the check value CBF43926.
is(sprintf('%08X', Compress::Zlib::crc32('123456789')), 'CBF43926', 'CRC-32 check value');

my $r = read_records($begin . 'noise' . sealed('@bt seq=2 type=x a="b c\x0a" d=1') . $end);
is_deeply($r->{problems}, [], 'a whole log has no problems');
is($r->{records}[1]{keys}{a}, "b c\n", 'a quoted value');
is($r->{records}[1]{keys}{d}, '1', 'a plain value');

my $x = sealed('@bt seq=2 type=x a=1');
my %broken = (
    'no record'           => 'hello',
    'no end'              => $begin . $x,
    'no begin'            => $x . $end,
    'a missing record'    => $begin . $end,
    'a record twice'      => $begin . $x . $x . $end,
    'a changed byte'      => $begin . ($x =~ s/a=1/a=2/r) . $end,
    'a cut line'          => $begin . substr($x, 0, -5) . "\n" . $end,
    'a lower-case crc'    => $begin . ($x =~ s/(crc=)(.*)/$1 . lc $2/er) . $end,
    'bytes after the crc' => $begin . ($x =~ s/\n/x\n/r) . $end,
    'a key twice'         => $begin . sealed('@bt seq=2 type=x a=1 a=2') . $end,
    'two blanks'          => $begin . sealed('@bt seq=2 type=x  a=1') . $end,
    'an open quote'       => $begin . sealed('@bt seq=2 type=x a="1') . $end,
    'a bare quote'        => $begin . sealed('@bt seq=2 type=x a=1"2') . $end,
    'an empty value'      => $begin . sealed('@bt seq=2 type=x a=') . $end,
    'type missing'        => $begin . sealed('@bt seq=2 a=1') . $end,
    'a long record'       => $begin . sealed('@bt seq=2 type=x a=' . 'y' x 1000) . $end,
    'a wrong count'       => $begin . $x . sealed('@bt seq=3 type=end records=4'),
    'something after end' => $begin . $x . $end . sealed('@bt seq=4 type=x'),
    'another schema'      => sealed('@bt seq=1 type=begin schema=2') . $x . $end,
);
isnt(scalar @{ read_records($broken{$_})->{problems} }, 0, "found: $_") for sort keys %broken;

my $k = read_ktap("x\nKTAP version 1\n1..3\nok 1 a\nok 2 b.c # SKIP no\nnot ok 3 d # failed: e\n");
is_deeply($k->{problems}, [], 'KTAP without problems');
is(check_named($k, 'd')->{ok}, 0, 'not ok');
is(check_named($k, 'b.c')->{note}, 'SKIP no', 'the reason');
is(check_named($k, 'none'), undef, 'no such check');
my %bad_ktap = (
    'no KTAP'     => "ok 1 a\n",
    'short'       => "KTAP version 1\n1..2\nok 1 a\n",
    'no plan'     => "KTAP version 1\nok 1 a\n",
    'out of turn' => "KTAP version 1\n1..2\nok 2 a\nok 1 b\n",
    'no name'     => "KTAP version 1\n1..1\nok 1\n",
);
isnt(scalar @{ read_ktap($bad_ktap{$_})->{problems} }, 0, "KTAP found: $_") for sort keys %bad_ktap;

# 2 4 4 4 5 5 7 9: mean 5, variance 4.
my @eight = ([ 2, 1 ], [ 4, 3 ], [ 5, 2 ], [ 7, 1 ], [ 9, 1 ]);
is(variance(@eight), '4.000', 'variance of a textbook set');
is(variance([ 7, 1 ]), '0.000', 'variance of one');
is(variance(), '0.000', 'variance of none');
is(variance([ 0, 1 ], [ 1, 2 ]), '0.222', 'variance 2/9');
is(variance([ 0, 2 ], [ 1, 1 ], [ 2, 1 ]), '0.688', 'variance 11/16 rounds up');
is(variance([ 1, 1 ], [ '18446744073709551615', 1 ]),
    '85070591730234615847396907784232501249.000', 'variance beyond 64 bits: (2^63 - 1)^2');
is(average(@eight), '5', 'average');
is(average([ 1, 1 ], [ 2, 1 ]), '2', 'average rounds half up');
is(percentile(50, 100, @eight), '4', 'p50 of eight is the fourth');
is(percentile(99, 100, @eight), '9', 'p99 of eight is the last');
is(percentile(1, 1000, @eight), '2', 'rank is at least 1');
is(kept97(1), '1', 'kept of 1');
is(kept97(16), '16', 'kept of 16: 15.52 + 0.5');
is(kept97(17), '16', 'kept of 17: 16.49 + 0.5');
is(kept97(2000), '1940', 'kept of 2000');
is(average97([ 10, 99 ], [ 1000000, 1 ]), '10', 'the highest 3% are dropped');

# ---- children

sub status_of { waitpid $_[0], 0; return $? }

make_path(built('test-logs'));
is(status_of(in_child(sub { return 7 })), 7 << 8, 'a child ends with what its function returns');
is(status_of(in_child(sub { close STDERR; die "no\n" })), 127 << 8, 'with 127 if that dies');
is(status_of(in_child(sub { return undef })), 127 << 8, 'or says nothing');
{
    local $ENV{PATH} = '/nonexistent';
    is(run_bounded(5, '/dev/null', 'true'), 127, 'a program that is not there is 127');
}
ok(!-e $stray, 'none of them ran an END block of its parent') or unlink $stray;

done_testing();
