#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog import and list: what lands, what is refused, and that nothing ever lands by halves.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);

use Altered;
use Baretick;
use Ticklog;

my $log = hosted([ 'suite=tsc,xsave', 'profile=quick', 'method=5,7' ])->{log};
my $dir = dir();
spew('a.log', $log);
spew("run$_.log", set_run($log, $_)) for 1 .. 8;
my @many = map { "many$_.log" } 1 .. 20;
spew($many[$_], set_run($log, 1000 + $_)) for 0 .. $#many;

sub rows {
    my ($db) = @_;
    my ($status, $out, $err) = ticklog('list', '--db', $db);
    return "status $status: $err" if $status ne '0';
    my @rows = split /\n/, $out;
    shift @rows;
    return scalar @rows;
}

sub unchanged {
    my ($path, $before, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok(slurp("$dir/$path") eq $before, $what);
    is_deeply([ glob("$dir/$path-*") ], [], '... and nothing was left beside it');
}

# ---- what lands

my ($status, $out, $err) = ticklog(qw(import a.log run1.log --db x.db));
is("$status$err", '0', 'two runs are imported');
is($out, "2 runs imported into x.db\n", 'which is said');
my $header = substr slurp("$dir/x.db"), 0, 100;
is(unpack('N', substr $header, 68, 4), 0x746b6c67, 'the application id is ours');
is(unpack('N', substr $header, 60, 4), 1, 'the version is 1');

($status, $out) = ticklog(qw(list --db x.db));
my @lines = split /\n/, $out;
is(@lines, 3, 'list: a head and two rows');
my @head = split /\t/, $lines[0];
my %row;
@row{@head} = split /\t/, $lines[1];
my $records = read_records($log);
my ($begin) = records_of($records, 'begin');
my ($machine) = records_of($records, 'machine');
is($row{run}, $begin->{run}, 'the run id');
is($row{date}, $machine->{rtc}, 'its date');
is($row{signature}, $machine->{signature}, 'the processor');
is($row{records}, scalar @{ $records->{records} }, 'every record is there');
cmp_ok($row{figures}, '>', 100, 'and figures');
is($row{source}, 'a.log', 'and where it came from');

my $before = slurp("$dir/x.db");
($status, $out, $err) = ticklog(qw(import a.log --db x.db));
is($status, 0, 'the same again is no error');
is($err, "ticklog import: a.log: run $begin->{run} is refused: x.db has it already, from a.log\n",
    'but refused, which is said');
is($out, "0 runs imported into x.db, 1 refused, there already\n", 'and counted');
unchanged('x.db', $before, '... and the file is as it was');

(my $crlf = "BIOS text\r\n\e[2J" . $log) =~ s/(?<!\r)\n/\r\n/g;
($status, $out, $err) = ticklog(\$crlf, qw(import - --db x.db));
is($status, 0, 'the same log by another way, through a pipe');
like($err, qr/standard input: run \S+ is refused: x\.db has it already, from a\.log$/m, 'is the same run');

spew('other.log', altered($log, set_keys(qr/ type=board /, label => 'other')));
my ($changed) = grep { $_->{type} eq 'board' } @{ $records->{records} };
my ($five) = grep { $_->{type} eq 'series' && $_->{keys}{method} eq '5' } @{ $records->{records} };
($status, $out, $err) = ticklog(qw(import run2.log other.log --db x.db));
is($status, 2, 'the same id with other content is an error');
like($err, qr/other\.log: run $begin->{run} .*other content, from record $changed->{seq} on; it came from a\.log/,
    'the record is named, and the first log');
like($err, qr/nothing was imported\n\z/, 'and all of the import is taken back');
unchanged('x.db', $before, '... the file is as it was');
is(rows('x.db'), 2, 'two runs still');

($status, $out) = ticklog(qw(import run3.log run3.log --db x.db));
is("$status$out", "01 run imported into x.db, 1 refused, there already\n", 'twice in one import');
is(rows('x.db'), 3, 'is once in the store');
spew('both.log', set_run($log, 5), set_run($log, 6));
ticklog(qw(import both.log --db x.db));
is(rows('x.db'), 5, 'both runs of one log');

# ---- what is refused

$before = slurp("$dir/x.db");
my ($whole, $cut) = (set_run($log, 7), set_run($log, 8));
$cut =~ s/^.*type=end.*\n?//m;
spew('cut.log', $cut);
(my $torn = $whole) =~ s/type=recommend/type=recom/;
spew('torn.log', $torn);
spew('empty.log', '');
spew('false.log', altered($whole, set_keys(qr/ type=series method=5 /, min => 1)));
for my $bad (qw(cut.log torn.log false.log empty.log absent.log)) {
    ($status, $out, $err) = ticklog('import', 'run4.log', $bad, '--db', 'x.db');
    is("$status$out", '2', "$bad beside a good log");
    like($err, qr/\Q$bad\E.*\n(?:.*\n)*.*nothing was imported/, '... is named');
    unchanged('x.db', $before, '... and nothing lands');
    ($status) = ticklog('import', 'run4.log', $bad, '--db', 'new.db');
    is($status, 2, '... nor in a new store');
    ok(!-e "$dir/new.db", '... which is not even made');
}
($status, $out, $err) = ticklog('import', 'a.log');
is($status, 5, 'no store is a usage error');
is((ticklog('import', '--db', 'x.db'))[0], 5, 'and so is no log');
is((ticklog('import', 'a.log', '--db', ''))[0], 5, 'and an empty name');

my %foreign = (
    'text.db'  => ["not a database\n" x 20, qr/this is no store of ticklog; it was not touched/],
    'short.db' => ['x', qr/this is no store of ticklog; it was not touched/],
    'zero.db'  => ["\0" x 8192, qr/this is no store of ticklog; it was not touched/],
    'app.db'   => [ $before, qr/an SQLite file of another program; it was not touched/ ],
    'newer.db' => [ $before, qr/a store of version 2; this ticklog knows versions up to 1/ ],
);
substr($foreign{'app.db'}[0], 68, 4) = pack 'N', 0;
substr($foreign{'newer.db'}[0], 60, 4) = pack 'N', 2;
for my $db (sort keys %foreign) {
    my ($bytes, $words) = @{ $foreign{$db} };
    spew($db, $bytes);
    for my $call ([ 'import', 'a.log' ], ['list']) {
        ($status, $out, $err) = ticklog(@$call, '--db', $db);
        is("$status$out", '2', "$call->[0]: $db is not ours");
        like($err, qr/^ticklog $call->[0]: \Q$db\E: $words/m, '... which is said');
        unchanged($db, $bytes, '... and it is not touched');
    }
}
mkdir "$dir/folder.db";
is((ticklog(qw(import a.log --db folder.db)))[0], 2, 'a folder is no store');
is((ticklog(qw(list --db absent.db)))[0], 2, 'nor is what is not there');
ok(!-e "$dir/absent.db", '... and list makes none');
is((ticklog(qw(import a.log --db no/such/folder.db)))[0], 2, 'nor what cannot be made');
spew('null.db', '');
is((ticklog(qw(import a.log --db null.db)))[0], 0, 'an empty file becomes one');

for my $name (':memory:', 'a b?mode=ro.db', 'file:odd.db', "q'uote\".db") {
    ($status, $out, $err) = ticklog('import', 'a.log', '--db', $name);
    is("$status$err", '0', "a store called $name");
    is(substr(slurp("$dir/$name"), 0, 15), 'SQLite format 3', '... is that file');
}

# ---- what logs may say

my $hostile = q{x');\x20DROP\x20TABLE\x20run;--\x22\x1B[2J\xFFend};
spew('hostile.log', altered(set_run(bare($log), 9), sub {
    s/ (label|serial)=\S+/ $1="$hostile"/g if / type=board /;
    s/ rfbm=\S+/ rfbm=0xffffffffffffffff/ if / type=xsave event=fxsave /;
}));
($status, $out, $err) = ticklog(qw(import hostile.log --db x.db));
is("$status$err", '0', 'words and masks of any bytes');
is(rows('x.db'), 6, 'are only words');
($status, $out) = ticklog(qw(list --db x.db));
unlike($out, qr/[^\n\t -~]/, '... and printed as text');
like($out, qr/x'\); DROP TABLE run;--"\\x1B\[2J\\xFF/, '... that shows what they are');

# Result lines are text without a CRC: a damaged byte is no text, so a column has it as \xHH.
(my $noise = bare($log)) =~ s/^(ok 3 tsc)\./$1 . "\xE9" x 9/me or die "no third result line\n";
spew('noise.log', $noise);
($status, $out, $err) = ticklog(qw(import noise.log --db noise.db));
is("$status$err", '0', 'a name that is no text');
($status, $out, $err) = ticklog(qw(check noise.log --baseline noise.db));
is($status, 0, '... comes back as it was') or diag $out;
SKIP: {
    skip 'no sqlite3 program', 4 unless grep { -x "$_/sqlite3" } split /:/, $ENV{PATH};
    my $sql = sub { my $q = shift; return scalar qx(sqlite3 $dir/x.db "$q") };
    is($sql->('PRAGMA integrity_check; PRAGMA foreign_key_check'), "ok\n", 'SQLite finds it whole');
    is($sql->("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
        "0\n", 'all tables are STRICT');
    is($sql->("SELECT rfbm FROM xsave WHERE rfbm < 0"), $log =~ / event=fxsave / ? "-1\n" : '',
        'a mask of 64 bits is bit-cast');
    my $var = $five->{keys}{var} =~ s/\.//r;
    is($sql->("SELECT value, scale FROM figure JOIN run ON run.id = figure.run WHERE run.run = '$begin->{run}'"
            . " AND name = 'tsc.5.mem.empty.none.var'"),
        ($var + 0) . "|1000\n", 'a variance is an integer of thousandths');
}

# ---- several at once, and a bad end

# Starts an import that says nothing; returns its process.
sub importing {
    my (@args) = @_;
    my $tool = ticklog_path();
    return in_child(sub {
        chdir $dir or die "$dir: $!\n";
        open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
        open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
        exec $tool, 'import', @args or return 127;
    });
}

sub together {
    my (@calls) = @_;
    my @pids = map { importing(@$_) } @calls;
    return map { waitpid $_, 0; $? } @pids;
}

is_deeply([ together(map { [ "run$_.log", '--db', 'new.db' ] } 1 .. 4) ], [ (0) x 4 ],
    'four imports at once into a new store');
is(rows('new.db'), 4, 'all landed');
is_deeply([ together(map { [ 'a.log', '--db', 'new.db' ] } 1 .. 4) ], [ (0) x 4 ],
    'four imports of one log at once');
is(rows('new.db'), 5, 'one landed');

# Killed at moments that are spread over what it takes.
my $start = time;
together([ @many, '--db', 'timed.db' ]);
my $takes = time - $start;
is(rows('timed.db'), 20, 'twenty runs in one import');
my (%seen, @odd);
for my $part (1 .. 8) {
    unlink glob "$dir/killed.db*";
    ticklog(qw(import a.log --db killed.db)) if $part % 2;
    my $pid = importing(@many, '--db', 'killed.db');
    sleep $takes * (0.2 + $part * 0.1);
    kill KILL => $pid;
    waitpid $pid, 0;
    my $had = $part % 2;
    # What reads first plays the journal back.
    ticklog(qw(import run1.log --db killed.db));
    my $n = rows('killed.db');
    $seen{$n}++;
    push @odd, "part $part: $n rows" unless $n eq $had + 1 || $n eq $had + 21;
    ($status, $out, $err) = ticklog('import', @many, '--db', 'killed.db');
    $n = rows('killed.db');
    push @odd, "part $part: then status $status, $n rows: $err"
        unless $status eq '0' && $n eq $had + 21;
}
is_deeply(\@odd, [], 'killed imports land whole or not at all, and can be done again');
note "rows after a kill: " . join ', ', map { "$_ ($seen{$_} times)" } sort keys %seen;

# A full disk, by a limit on the size of files (in KiB).
for my $db ('x.db', 'full.db') {
    my $was = -e "$dir/$db" ? slurp("$dir/$db") : undef;
    my $limit = 60 + int((defined $was ? length $was : 0) / 1024);
    my $tool = ticklog_path();
    my $said = qx(cd $dir && bash -c 'ulimit -f $limit; exec $tool import @many --db $db' 2>&1);
    is($? >> 8, 2, "$db: no room");
    like($said, qr/\Q$db\E: .*nothing was imported/s, '... is said');
    if (defined $was) {
        unchanged($db, $was, '... and taken back');
    } else {
        is(-s "$dir/$db" // 0, 0, '... and nothing landed');
    }
    is((ticklog('import', 'run8.log', '--db', $db))[0], 0, '... with room it works again');
}

# A folder that cannot be written. Root may write everywhere, so as somebody else.
SKIP: {
    chmod 0755, $dir;
    mkdir "$dir/locked";
    spew('locked/x.db', $before);
    system 'cp', ticklog_path(), "$dir/tool";
    chmod 0666, "$dir/locked/x.db";
    chmod 0555, "$dir/locked";
    spew('nobody.pl', '$) = $( = 65534; $< = $> = 65534; exec @ARGV;');
    my $said = qx{perl $dir/nobody.pl $dir/tool import $dir/run8.log --db $dir/locked/x.db 2>&1};
    my $code = $? >> 8;
    chmod 0755, "$dir/locked";
    skip "cannot be somebody else here: $said", 4 if $said !~ /^ticklog/;
    is($code, 2, 'a store in a read-only folder');
    like($said, qr{locked/x\.db: .*\n.*nothing was imported}, '... is refused');
    unchanged('locked/x.db', $before, '... and is as it was');
}

# ---- damage

my @died;
srand 1;
for my $round (1 .. 16) {
    my $bytes = $before;
    substr($bytes, 100 + int rand(length($bytes) - 200), 1 + int rand 60) = pack 'C*', map { int rand 256 } 1 .. 40
        for 1 .. 3;
    $bytes = substr $bytes, 0, int rand length $bytes if $round % 4 == 0;
    spew('damaged.db', $bytes);
    for my $call ([qw(list --db damaged.db)], [qw(check a.log --baseline damaged.db)],
        [qw(import run8.log --db damaged.db)]) {
        ($status, $out, $err) = ticklog(@$call);
        push @died, "round $round: @$call: $status: $err" if $status !~ /^[0-4]$/;
    }
}
is_deeply(\@died, [], 'a damaged store is an error, never a crash');

done_testing();
