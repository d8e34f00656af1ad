#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Serial logs as they really arrive: surrounded, escaped, torn, cut, doubled, lost, damaged. Each run
# is called what it is, each damaged line is named, nothing crashes. BARETICK_SEED=N draws another
# random part.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;
use Ticklog;

my $log = hosted([ 'profile=quick', 'suite=tsc,stability,gaps', 'soak=1', 'method=5,6', 'ident=off' ])
    ->{log};
my @lines = split /\n/, $log;
my @records = log_records(@lines);
cmp_ok(scalar @records, '>=', 20, 'there is a log to damage');
my $n = @records;
# An index into @lines (a line's number is one more), and that record's sequence number.
my ($middle, undef, $middle_seq) = @{ $records[ int($n / 2) ] };
my $before = $records[ int($n / 2) - 1 ][0];

# Runs `show` on the bytes; checks status and state of each run, and that no sanitizer spoke.
sub shown {
    my ($name, $bytes, $status, @states) = @_;
    my ($got, $out, $err) = ticklog('show', spew('damaged.log', $bytes));
    is($got, $status, "$name: exit status $status") or diag($err);
    my @heads = $out =~ /^== run \S.*?: (\w+), \d+ records?,/mg;
    is_deeply(\@heads, \@states, "$name: " . (join(', ', @states) || 'no run')) or diag($err);
    for my $odd (qr/Sanitizer|runtime error/, qr/(?<![\d.])1 (?:lines|records|errors|figures)\b/) {
        unlike("$out$err", $odd, "$name: clean") if "$out$err" =~ $odd;
    }
    return ($err, $out);
}

sub joined { return join "\n", @_, '' }

# ---- harmless: all records arrive

shown('as it is', $log, 0, 'complete');
shown('no last line end', $log =~ s/\n\z//r, 0, 'complete');
for (["\r\n", 'CR LF'], ["\n\r", 'LF CR'], ["\r\r\n", 'CR CR LF'], ["\0\n", 'NUL LF'],
    ["\r", 'CR alone'], [" \t\r\n", 'blanks'], ["\e[K\r\n", 'an escape at the end']) {
    my ($end, $name) = @$_;
    shown($name, join($end, @lines, ''), 0, 'complete');
}
shown('firmware and loader around it',
    "\e[2J\e[01;01HSeaBIOS (version 1.16)\r\n\r\niPXE\xff\xfe\x80 \r\n\e[0;37;40mGNU GRUB  2.06\e[5;2H"
        . $log . "\e[2J\0\0\0SeaBIOS again\r\n", 0, 'complete');
shown('escapes before each line', joined(map { "\e[0m\e[1;32m$_" } @lines), 0, 'complete');
shown('a time before each line', joined(map { "[2026-01-01 00:00:00.123] $_" } @lines), 0,
    'complete');
shown('bytes that are no UTF-8 between', joined(map { ("\xc3\x28\xa0\xff", $_) } @lines), 0,
    'complete');
shown('NULs everywhere', $log =~ s/(.{7})/$1\0/gsr, 0, 'complete');
shown('UTF-16', "\xff\xfe" . $log =~ s/(.)/$1\0/gsr, 0, 'complete');
shown('each line twice', joined(map { ($_, $_) } @lines), 0, 'complete');
shown('an echo some records late',
    joined(map { ($lines[$_], $_ > 5 ? $lines[ $_ - 5 ] : ()) } 0 .. $#lines), 0, 'complete');
shown('no line end between two records',
    joined(map { $_ == $before ? $lines[$before] . $lines[$middle] : $_ == $middle ? () : $lines[$_] }
            0 .. $#lines), 0, 'complete');
shown('text runs into a record', joined(map { /^\@bt/ ? "text without an end$_" : $_ } @lines), 0,
    'complete');
shown('text runs on behind a record', joined(map { /^\@bt/ ? "$_!" : $_ } @lines), 0, 'complete');
shown('a kernel line behind a record', joined(map { /^\@bt/ ? "${_}[  12.3] usb crc=1 x" : $_ } @lines), 0,
    'complete');
shown('only the records', joined(grep { /^\@bt/ } @lines), 0, 'complete');
shown('two runs in a file', $log . "power off\n" . $log, 0, 'complete', 'complete');

# ---- lost

{
    my @cut = @lines;
    splice @cut, $middle, 1;
    my ($err) = shown('a record lost', joined(@cut), 2, 'incomplete');
    like($err, qr/ 1 record is missing: number $middle_seq$/m, 'a record lost: which');
}
{
    my %gone = map { $records[$_][0] => 1 } 4, 5, 6, 9;
    my ($err) = shown('some records lost', joined(map { $gone{$_} ? () : $lines[$_] } 0 .. $#lines), 2,
        'incomplete');
    like($err, qr/ 4 records are missing: number 5-7, 10$/m, 'some records lost: which');
}
{
    # Far apart, as no machine counts, but a record may say so.
    my @far = map { 8_000_000_000_000_000_000 + 1000 * $_ } 1 .. 30;
    my @ranges = map { my $from = $_ ? $far[ $_ - 1 ] + 1 : 2; "$from-" . ($far[$_] - 1) } 0 .. $#far;
    my ($err) = shown('many ranges lost', joined($lines[0], map { record_line("$_", 'x', 'y=1') } @far), 2, 'incomplete');
    like($err, qr/ records are missing: number @{[ join ', ', @ranges[ 0 .. 19 ] ]} and 9990 more$/m,
        'many ranges lost: as many as there is room for, and how many more records');
}
{
    my ($err) = shown('the begin lost', joined(@lines[ 1 .. $#lines ]), 2, 'incomplete');
    like($err, qr/run without a begin.* is incomplete$/m, 'the begin lost: said');
    like($err, qr/ 1 record is missing: number 1$/m, 'the begin lost: which');
}
{
    my ($err) = shown('the end lost', joined(grep { !/type=end/ } @lines), 2, 'incomplete');
    like($err, qr/the end record is missing: the run stops after record @{[ $n - 1 ]}, line/,
        'the end lost: said');
}
{
    my @early = @lines[ 0 .. $middle ];
    my ($err) = shown('a cut tail', joined(@early[ 0 .. $#early - 1 ]) . substr($early[-1], 0, 60), 2,
        'incomplete');
    like($err, qr/damaged\.log:@{[ $middle + 1 ]}: a record is cut/, 'a cut tail: where');
}
shown('a reset', joined(@lines[ 0 .. $middle ]) . "SeaBIOS\n" . $log, 2, 'incomplete', 'complete');
shown('the begin alone', joined($lines[0]), 2, 'incomplete');
shown('a reset loop', joined(@lines[ 0 .. 25 ]) x 4, 2, ('incomplete') x 4);
{
    my $other = hosted([ 'profile=quick', 'suite=tsc', 'method=5', 'lines=2' ])->{log};
    shown('a reset, the next begin lost', joined(@lines[ 0 .. $middle ]) . $other =~ s/^.*\n//r, 2,
        'incomplete', 'incomplete');
}
{
    my ($err) = shown('a panic', joined(@lines[ 0 .. $middle ], '', 'baretick: PANIC: #PF page fault'), 2,
        'incomplete');
    like($err, qr/the kernel stopped: #PF page fault/, 'a panic: said');
}

# ---- damaged

# Replaces the line at this index.
sub with_line {
    my ($at, @new) = @_;
    return joined(@lines[ 0 .. $at - 1 ], @new, @lines[ $at + 1 .. $#lines ]);
}

sub damaged_line {
    my ($name, $words, @new) = @_;
    my ($err) = shown($name, with_line($middle, @new), 2, 'corrupt');
    like($err, qr/damaged\.log:@{[ $middle + 1 ]}: $words/, "$name: where");
    like($err, qr/ 1 record is missing: number $middle_seq$/m, "$name: which");
}

my $record = $lines[$middle];
damaged_line('a digit changed', 'a record\'s CRC does not match', $record =~ s/(\d)(\D*) crc=/(($1+1)%10) . "$2 crc="/er);
damaged_line('a byte lost', 'a record\'s CRC does not match', substr($record, 0, 30) . substr $record, 31);
damaged_line('torn by a line', 'a record is cut', substr($record, 0, 40) . '[  12.3] usb 1-1: new device',
    substr $record, 40);
damaged_line('the CRC cut', 'a record', substr $record, 0, -2);
damaged_line('a digit of the CRC lost', 'a record', $record =~ s/crc=./crc=/r);
damaged_line('no marker', 'a record without its marker', substr $record, 3);
{
    my @swapped = @lines;
    @swapped[ $records[7][0], $records[8][0] ] = @swapped[ $records[8][0], $records[7][0] ];
    my ($err) = shown('two records swapped', joined(@swapped), 2, 'corrupt');
    like($err, qr/: record 8 came out of order/, 'two records swapped: said');
}
{
    my ($err) = shown('a damaged record before the first', joined('@bt seq=9 type=x crc=00000000', @lines), 2,
        'complete');
    like($err, qr/damaged\.log:1: 1 damaged record outside of any run/, 'before the first: said');
}
{
    my ($key) = $record =~ /type=\S+ (\w+)=/;
    my $twice = crc_mend($record =~ s/ crc=/ $key=1 crc=/r);
    my ($err) = shown('a key twice', with_line($middle, $twice), 2, 'corrupt');
    like($err, qr/damaged\.log:@{[ $middle + 1 ]}: .*type=\w+ has the key $key twice/, 'a key twice: said');
}
{
    my ($at) = grep { $lines[$_] =~ /type=begin / } 0 .. $#lines;
    my $begsn = crc_mend($lines[$at] =~ s/type=begin/type=begsn/r);
    my ($err) = shown('no begin, nothing missing', with_line($at, $begsn), 2, 'corrupt');
    like($err, qr/the first record is type=begsn, not begin/, 'no begin, nothing missing: said');
}
{
    my $bad = $lines[0] =~ s/run=/rum=/r;
    my ($err) = shown('a damaged begin', joined($bad, @lines[ 1 .. $#lines ]), 2, 'corrupt');
    like($err, qr/damaged\.log:1: a damaged record before the first/, 'a damaged begin: where');
}

# ---- valid records that make no sense

sub mended {
    my ($match, $change) = @_;
    my @new = @lines;
    my ($at) = grep { $new[$_] =~ $match } 0 .. $#new;
    $new[$at] = crc_mend($change->($new[$at]));
    return (joined(@new), $at + 1);
}

for (
    [ 'a schema of the future', qr/type=begin/, 's/schema=1/schema=2/', 'schema=2: this ticklog understands schema 1' ],
    [ 'a wrong count', qr/type=end/, 's/records=(\d+)/"records=" . ($1 - 1)/e', 'the end record is number \d+, but says records=\d+' ],
    [ 'an odd result', qr/type=end/, 's/result=\w+/result=maybe/', 'result=maybe: expected pass or fail' ],
    [ 'no minimum', qr/type=series/, 's/ min=\d+//', 'type=series: there is no min=' ],
    [ 'a word for a number', qr/type=series/, 's/ n=\d+/ n=many/', 'type=series: n=many is not what the key holds' ],
    [ 'a negative number', qr/type=stability/, 's/ max=\d+/ max=-1/', 'type=stability: max=-1 is not what the key holds' ],
    [ 'a number too large', qr/type=series/, 's/ max=\d+/ max=18446744073709551616/', 'type=series: max=18446744073709551616 is not' ],
    [ 'a column too short', qr/type=rows/, 's/ p50=[^,]+,/ p50=/', 'type=rows: p50=.* is not what the key holds' ],
    [ 'bins out of order', qr/type=hist/, 's/bins=\d+:\d+/$&,0:1/', 'type=hist: bins=.* is not' ],
    [ 'a bin beyond the last', qr/type=hist/, 's/bins=\d+/bins=99999/', 'type=hist: bins=.* is not' ],
) {
    my ($name, $match, $change, $words) = @$_;
    my ($bytes, $at) = mended($match, sub { local $_ = shift; eval "$change; 1" or die $@; $_ });
    my ($err) = shown($name, $bytes, 2, 'corrupt');
    like($err, qr/damaged\.log:$at: .*$words/, "$name: said");
}
# A word is compared as a whole, so it must end where its bytes do.
for ([ 'begin', 'build' ], [ 'machine', 'signature' ], [ 'machine', 'brand' ], [ 'board', 'label' ], [ 'end', 'result' ],
    [ 'series', 'method' ], [ 'series', 'n' ], [ 'recommend', 'reason' ], [ 'tsc', 'source' ]) {
    my ($type, $key) = @$_;
    my ($bytes, $at) = mended(qr/type=$type (?:.* )?$key=/, sub { $_[0] =~ s/ $key=(?|"([^"]*)"|(\S+))/ $key="$1\\x00x"/r });
    my ($err) = shown("a NUL in $type $key", $bytes, 2, 'corrupt');
    like($err, qr/damaged\.log:$at: record \d+, type=$type: $key= holds a NUL byte$/m, '... is said');
}
{
    my $passed = joined(map { crc_mend(s/ result=fail / result=pass /r) } map { s/^not ok/ok/r } @lines);
    my ($err) = shown('a check that failed in a run that passed',
        $passed =~ s/^ok (\d+ tsc\.step)[^\n]*/not ok $1 # failed: no/mr, 2, 'corrupt');
    like($err, qr/tsc\.step is not ok, but the end record says result=pass/, 'that is said');
}
{
    my ($err) = shown('result lines lost', joined(grep { !/^ok [345] / } @lines), 0, 'complete');
    like($err, qr/3 of \d+ result lines are lost or damaged/, 'result lines lost: counted');
}
{
    my @series = grep { /type=series/ } @lines;
    my $count  = 0;
    my $twice  = joined(map {
        my $l = $_;
        my @out = $l =~ /^\@bt/ ? map { ++$count; s/seq=\d+/seq=$count/r } ($l, $l eq $series[0] ? $l : ()) : $l;
        map { s/records=\d+/records=$count/r } map { /^\@bt/ ? crc_mend(s/records=\d+/records=$count/r) : $_ } @out;
    } @lines);
    my ($err) = shown('a series twice', $twice, 2, 'corrupt');
    like($err, qr/records \d+ and \d+ hold the same series/, 'a series twice: said');
}

# ---- nothing there

for ([ 'an empty file', '' ], [ 'one line', "x\n" ], [ 'no baretick', "hello\nworld\n" ], [ 'only zeros', "\0" x 5000 ],
    [ 'markers alone', "\@bt \n" x 200 ], [ 'a Linux trace', "# tracer: nop\n" x 3 ]) {
    my ($err) = shown(@$_, 2);
    like($err, qr/no run of baretick/, "$_->[0]: said");
}
{
    my ($status, undef, $err) = ticklog('show', spew('long.log', $log, 'x' x 3_000_000, "\n"));
    is($status, 0, 'a line of 3 MB is no harm');
    like($err, qr/1 line is longer than a mebibyte/, 'but it is said');
}
{
    # 90 MB of text: a machine that boots on after a run that was cut.
    my $path = spew('endless.log', "$lines[0]\n");
    open my $out, '>>:raw', $path or die "$path: $!\n";
    print {$out} (('text ' x 20) . "\n") x 10_000 for 1 .. 90;
    close $out;
    my ($status, undef, $err) = ticklog('show', $path);
    unlink $path;
    is($status, 2, 'a run without an end');
    my ($left) = $err =~ /endless\.log: (\d+) lines of text beyond the first 64 MiB of the run are not looked at$/m;
    cmp_ok($left // 0, '>', 100_000, '... of whose text not all is kept, which is said');
}
{
    my ($err) = shown('ten thousand damaged lines', $lines[0] . "\n" . "\@bt seq=2 type=x crc=00000000\n" x 10_000, 2,
        'corrupt');
    my @named = $err =~ /^.*damaged\.log:\d+: /mg;
    cmp_ok(scalar @named, '<=', 30, 'they are not all said one by one');
    like($err, qr/and 9980 more of the kind/, 'but counted');
}

# ---- any byte

my $seed = $ENV{BARETICK_SEED} // 1;
srand $seed;
note "BARETICK_SEED=$seed";
my ($unnoticed, $odd) = (0, '');
for my $turn (1 .. 60) {
    my $bytes = $log;
    my $at    = int rand length $bytes;
    my $bit   = int rand 8;
    substr($bytes, $at, 1) ^= chr 1 << $bit;
    my ($status, $out, $err) = ticklog('show', spew('flipped.log', $bytes));
    $odd .= "status $status with bit $bit of byte $at flipped\n$err" if $status ne 0 && $status ne 2;
    # Within a record it must be noticed; a line end may become another byte that ends it.
    my $start = rindex($bytes, "\n", $at - 1) + 1;
    my $line  = substr $log, $start, index($log, "\n", $at) - $start;
    $unnoticed++ if $line =~ /^\@bt/ && $at - $start < length $line && $status eq 0;
}
is($odd, '', 'random bits: every run ends as it should');
is($unnoticed, 0, 'random bits: none in a record goes unnoticed');

$odd = '';
for my $turn (1 .. 25) {
    my $bytes = $log;
    for (0 .. rand 20) {
        my $at  = int rand length $bytes;
        my $len = int rand 400;
        my $how = int rand 4;
        my $piece = substr $bytes, $at, $len;
        substr($bytes, $at, $len) = $how == 0 ? '' : $how == 1 ? $piece x 2 : $how == 2 ? join('', map { chr rand 256 } 1 .. $len) : reverse $piece;
    }
    my $file = spew('mangled.log', $bytes);
    for ([ 'show' ], [ 'export', '--json' ], [ 'fleet' ]) {
        my ($status, undef, $err) = ticklog(@$_, $file);
        $odd .= "@$_: status $status\n$err" if $status ne 0 && $status ne 2;
    }
}
is($odd, '', 'random pieces lost, doubled, overwritten, reversed: every command ends as it should');

done_testing();
