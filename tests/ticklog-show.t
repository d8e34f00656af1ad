#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# ticklog show, export and fleet on logs of the process and of the kernel: the kernel's tables come
# out again, every figure follows from the log, and one that was changed is named.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use JSON::PP ();
use Test::More;
use Ticklog;

my @tables = (qr/^method +(?:min|var|none)/, qr/^x86_fpu_latency_/, qr/^(?:\d|\d[a-z])\s+\d/,
    qr/^min in core cycles, /);

# Lines of the kernel's tables; the legend's rows have no number behind the method.
sub table_lines {
    my ($text) = @_;
    return grep { my $l = $_; grep { $l =~ $_ } @tables } split /\n/, $text;
}

sub is_sound {
    my ($name, $log, $runs) = @_;
    my $file = spew("$name.log", $log);
    my ($status, $out, $err) = ticklog('show', $file);
    is($status, 0, "$name: exit status") or diag($err, $out =~ /^(figures.*)/m);
    is($err, '', "$name: nothing to complain of");
    my @heads = $out =~ /^== run [0-9a-f]{16}: complete, /mg;
    is(scalar @heads, $runs // 1, "$name: complete");
    unlike($out, qr/^figures .* [1-9]\d* contradicted/m, "$name: no figure contradicted");
    is_deeply([ table_lines($out) ], [ table_lines($log) ], "$name: the kernel's tables again");
    return ($file, $out);
}

my $quick = hosted([ 'profile=quick', 'soak=1', 'method=0,1l,5,7m', 'label=one' ])->{log};
my ($quick_file) = is_sound('quick', $quick);

my $full = hosted(
    [ 'suite=tsc,xsave', 'profile=quick', 'detail=full', 'method=5,6', 'xsave.trace=all' ])->{log};
my ($full_file, $full_out) = is_sound('full', $full);
my ($exact) = $full_out =~ /^figures  \d+: (\d+) recomputed/m;
cmp_ok($exact // 0, '>=', 200, 'full: figures were recomputed from raw data');

my $matrix = hosted([qw(suite=tsc method=matrix profile=quick)])->{log};
is_sound('matrix', $matrix);
is_sound('lines', hosted([qw(suite=tsc method=6 profile=quick detail=lines lines=5)])->{log});

SKIP: {
    skip 'no kernel was built', 8 unless -r built('baretick.elf');
    my $tcg = boot(name => 'tcg', cpu => 'max', timeout => 120, append => 'profile=quick soak=1');
    is_sound('kernel', $tcg->{log});
    my $ic = boot(name => 'icount', icount => 3, timeout => 120,
        append => 'suite=tsc,stability profile=quick');
    my ($file, $out) = is_sound('icount', $ic->{log});
    like($out, qr/^emulated /m, 'icount: an emulator');
}

# ---- figures, one a line

{
    my ($status, $out) = ticklog('show', '--figures', $quick_file);
    my @rows = map { [ split / / ] } grep { !/^(?:==|$)/ } split /\n/, $out;
    my %figure = map { $_->[0] => $_ } @rows;
    is($status, 0, 'figures: exit status');
    is(scalar keys %figure, scalar @rows, 'figures: names are unique');
    is(scalar(grep { @$_ != 4 } @rows), 0, 'figures: name, value, unit, cover');
    my ($min, $var) = $quick =~ /type=series method=5 .* min=(\d+) .* var=([\d.]+)/;
    is($figure{'tsc.5.mem.empty.none.min'}[1], $min, 'figures: a minimum');
    is($figure{'tsc.5.mem.empty.none.var'}[1], $var, 'figures: a variance');
    is($figure{'tsc.5.mem.empty.none.var'}[2], 'ticks^2', 'figures: its unit');
    my @resolved = grep { /\.resolution$/ } keys %figure;
    is_deeply([ map { $figure{$_}[2] } @resolved ], [ ('turns') x @resolved ], 'figures: a resolution is turns of a loop');
}

# ---- cut within a suite: what arrived is shown, and called a part

# The log up to and with the last line before the first record of this type.
sub cut_before {
    my ($log, $type) = @_;
    return $log =~ /\A(.*?)^\@bt [^\n]* type=$type /ms ? $1 : die "no type=$type\n";
}

sub gap_log {
    my ($smi, @more) = @_;
    my @records = (
        [ qw(begin schema=1 run=0000000000000007 build=x) ],
        [ qw(tsc khz=1000000 trusted=1 source=pit took=9 entry=1) ],
        [ qw(gap at=5 windows=1 watched=1000000000 turns=8 threshold=900), "n=$smi", 'stolen=5000', qw(longest=4000),
            "smi=$smi", qw(nmi=0 mce=0), 'causes=' . ($smi ? "smi:$smi" : 'none'), 'contradicts=0' ],
        [ qw(gap at=1000000009 windows=2 watched=2000000000 turns=16 threshold=960 n=1 stolen=7000 longest=7960 smi=0
                nmi=0 mce=0 causes=stall:1 contradicts=0) ],
        @more,
    );
    my $n = 0;
    return join '', map { record_line(++$n, @$_) . "\n" } @records;
}

{
    my ($status, $out, $err) = ticklog('show', spew('soak.log', gap_log(3)));
    is($status, 2, 'a soak that was cut: exit status');
    like($out, qr/^gaps \(partial\): 4 gaps in 3 s: 1\.3 a second \(95%: 0\.3 to 3\.5\)$/m, 'its gaps so far, with bounds');
    like($out, qr/^3 windows in 24 turns, watched 3000000000 ticks, 12000 ticks stolen, longest 7960 ticks \(a gap is 960 more than usual\)$/m,
        'its time so far');
    like($out, qr/^SMI      3 SMI in 3 s: 1\.0 a second/m, 'its SMIs so far');
    like($out, qr/^counted  SMI 3, NMI 0, MCE 0/m,  'what was counted so far');
    like($out, qr/^causes   smi 3, stall 1$/m,      'its causes so far');
    like($out, qr/^partial  gaps: /m,               'it is called a part');
    unlike($out . $err, qr/measured nothing/,       'it did measure something');
    like($err, qr/gaps: the windows that arrived, without the sums/, 'and that is said');
    ($status, $out) = ticklog('show', spew('soak.log', gap_log(0)));
    like($out, qr/^counted  SMI 0, NMI 0, MCE 0; whether SMIs are counted here is not known$/m, 'no SMI says nothing');
    unlike($out, qr/^SMI  /m, 'and has no bounds');
    for my $command ([qw(fleet)], [qw(check --baseline), $quick_file], [ 'import', '--db', spew('part.db') ]) {
        ($status, $out, $err) = ticklog(@$command, spew('soak.log', gap_log(3)));
        is($status, 2, "$command->[0] of it: exit status");
        unlike($err, qr/measured nothing/, "$command->[0] does not say that nothing was measured");
    }
    my $page = spew('part.html');
    ticklog('report', spew('soak.log', gap_log(3)), '-o', $page);
    $page = slurp($page);
    like($page, qr{<dt>gaps</dt><dd>4 gaps in 3 s: 1\.3 a second}, 'report has its gaps so far');
    like($page, qr/gaps: the windows that arrived, without the sums/, 'report calls it a part');
    unlike($page, qr/nothing was measured/, 'report does not say that nothing was measured');

    # All sums are there: no part of anything.
    unlike((ticklog('show', $quick_file))[1], qr/partial/, 'a whole run has no parts');

    for my $part ([ 'recommend', 'tsc: the series that arrived, without a recommendation', qr/^method  /m ],
        [ 'outliers', 'stability: its figures, without the list of outliers', qr/^stability: /m ],
        $quick =~ / type=xsave /
        ? [ 'xsweep', 'xsave: the blocks that arrived, without the sweep\'s sums', qr/^x86_fpu_latency_/m ]
        : ()) {
        my ($type, $words, $table) = @$part;
        my $file = spew('cut.log', cut_before($quick, $type));
        ($status, $out, $err) = ticklog('show', $file);
        is($status, 2, "cut before $type: exit status");
        like($out, qr/^partial  \Q$words\E$/m, "cut before $type: called a part");
        like($out, $table, "cut before $type: what arrived is shown");
        like($err, qr/\Q$words\E$/m, "cut before $type: said");
        my $html = spew('cut.html');
        ticklog('report', $file, '-o', $html);
        $words =~ s/'/&#39;/g;
        like(slurp($html), qr/\Q$words\E/, "cut before $type: on the page");
    }
    # Lines and histograms that no series was made of yet.
    ($status, $out, $err) = ticklog('show', spew('lines.log', record_line(1, qw(begin schema=1 run=0000000000000008 build=x)),
            "\n", record_line(2, qw(lines method=5 form=mem work=empty pre=none lines=0-3:40:50:2.000)), "\n"));
    is($status, 2, 'lines alone: exit status');
    like($out, qr/^partial  tsc: lines, without the series they belong to$/m, 'lines alone are a part');
    unlike($err, qr/measured nothing/, 'and something');
}

# ---- a recommendation by another version of the rule

{
    my %with = map { my $rule = $_; $rule => join '', map { "$_\n" } map {
        if (/ type=recommend /) {
            s/ rule=\d+/ rule=$rule/ or die "no rule: $_\n";
            s/ method=\S+/ method=1l/;
            s/ reason="[^"]*"/ reason="it\\x20came\\x20first"/;
        }
        /^\@bt / ? crc_mend($_) : /^(?:recommended:|USE )/ ? () : $_
    } split /\n/, hosted([ 'suite=tsc', 'profile=quick', 'method=0,1l,5,7m' ])->{log} } 1, 2;
    my $find = sub { return ticklog('show', spew('rule.log', $_[0])) };
    my ($status, $out, $err) = $find->($with{1});
    is($status, 2, 'what this rule does not give: exit status');
    like($err, qr/ recommend: (?:method=1l is recommended, but|the reason is)/, 'is contradicted');
    ($status, $out, $err) = $find->($with{2});
    is("$status$err", '0', 'by another rule it is not held against this one');
    like($out, qr/^recommended: method 1l/m, 'and is shown');
    ($status, $out, $err) = $find->(join "\n", map { / type=recommend / ? crc_mend(s/method=1l/method=8/r) : $_ } split /\n/, $with{2}, -1);
    is($status, 2, 'a method without a series, by any rule: exit status');
    like($err, qr/ recommend: method=8 is recommended, but it was not measured/, 'is contradicted');
}

# ---- changed figures

# Adds one to the last digit of the n-th item of a key in the first record of that kind that has it.
sub tampered {
    my ($log, $match, $key, $item) = @_;
    my @lines = split /\n/, $log, -1;
    for (@lines) {
        next unless /^\@bt / && /$match/ && / $key=/;
        my ($before, $list, $after) = /^(.* $key=)([^ ]+)(.*)$/;
        my @items = split /,/, $list, -1;
        $items[$item] =~ s/(\d)(\D*)$/(($1 + 1) % 10) . $2/e;
        $_ = crc_mend($before . join(',', @items) . $after);
        return join "\n", @lines;
    }
    die "no record matches $match with $key\n";
}

my $marked = $matrix =~ s/^((?:cpuid|lfence|mfence|rdtscp)\b[^\n]* [\d.]+)$/$1 !/mgr;
my @changes = (
    map({ [ $_, 'type=matrix', 'min', 0 ], [ $_, 'type=matrix', 'var', 0 ] } $matrix, $marked),
    [ $quick, 'type=series method=5', 'min', 0 ],
    [ $quick, 'type=series method=5', 'var', 0 ],
    [ $quick, 'type=series method=5', 'varvar', 0 ],
    [ $quick, 'type=series method=5', 'varmin', 0 ],
    [ $quick, 'type=series method=5', 'maxdev', 0 ],
    [ $quick, 'type=series method=5', 'p50', 0 ],
    [ $quick, 'type=series method=5', 'n', 0 ],
    [ $quick, 'type=series method=5', 'warm', 0 ],
    [ $quick, 'type=rows method=5', 'min', 1 ],
    [ $quick, 'type=rows method=5', 'n', 2 ],
    [ $quick, 'type=hist suite=tsc method=5', 'bins', 1 ],
    [ $quick, 'type=hist suite=tsc method=5', 'min', 0 ],
    [ $quick, 'type=hist suite=tsc method=5', 'max', 0 ],
    [ $quick, 'type=hist suite=stability', 'bins', 0 ],
    [ $quick, 'type=stability', 'max', 0 ],
    [ $quick, 'type=stability', 'outliers', 0 ],
    [ $quick, 'type=ruler', 'ratio_e4', 0 ],
    [ $quick, 'type=gaps', 'n', 0 ],
    [ $quick, 'type=gaps', 'stolen', 0 ],
    [ $quick, 'type=gap ', 'watched', 0 ],
    [ $full,  'type=rows|type=series method=6 form=mem work=store', 'varmin', 0 ],
    [ $full,  'type=series method=5 form=mem work=loop', 'var', 0 ],
    [ $full,  'type=series method=5 form=reg', 'max', 0 ],
    [ $full,  'type=lines method=5', 'lines', 0 ],
);
push @changes, map { [ $quick, 'type=xsave event=xsave', $_, 0 ] } qw(min avg97 max kept n)
    if $quick =~ /type=xsave /;
push @changes, map { [ $full, 'type=xsave event=xrstor', $_, 0 ] } qw(p50 p99 avg)
    if $full =~ /type=xsave /;
for (@changes) {
    my ($log, $match, $key, $item) = @$_;
    my ($status, undef, $err) = ticklog('show', spew('changed.log', tampered(@$_)));
    is($status, 2, "changed: $match $key\[$item]");
    like($err, qr/^ticklog show: \S+changed\.log:\d+: \S/m, "changed: $match $key is said")
        or diag($err);
}
{
    my ($status, undef, $err) =
        ticklog('show', spew('changed.log', tampered($quick, 'type=series method=5', 'min', 0)));
    my ($line, $seq, $printed, $found) = $err =~
        /changed\.log:(\d+): record (\d+), tsc\.5\.mem\.empty\.none: min=(\d+) is printed, but the histogram has (\d+)/;
    ok(defined $found, 'changed: record, key, printed and recomputed value are named') or diag($err);
    my $text = (split /\n/, $quick)[ ($line // 1) - 1 ];
    like($text, qr/^\@bt seq=$seq type=series method=5 .* min=$found /, 'changed: and they are right');
}

{
    my $bad = join "\n", map { / type=series / ? crc_mend(s/ (n|min|p50|max)=\d+/ $1=1/gr) : $_ } split /\n/, $full, -1;
    my ($status, undef, $err) = ticklog('show', spew('changed.log', $bad));
    is($status, 2, 'changed: many rows');
    cmp_ok(scalar(() = $err =~ /\n/g), '<=', 25, 'changed: a few are said');
    like($err, qr/^ticklog show: \S+changed\.log: and \d+ more figures that the log contradicts$/m,
        'changed: the others are counted');
}
for my $log ($quick, $full) {
    my $changed = $log =~ s/^(min in core cycles, .*: )(\d)/$1 . (($2 + 1) % 10)/mer;
    next if $changed eq $log;
    my ($status, undef, $err) = ticklog('show', spew('changed.log', $changed));
    is($status, 2, 'changed: a min in core cycles');
    like($err, qr/changed\.log:\d+: .*min in core cycles=\d+ is printed, but the text in line \d+ says \d+/,
        '... is named');
}

# ---- a pipe that goes on

{
    pipe my $from_log, my $to_tool or die;
    pipe my $from_tool, my $to_us or die;
    my $tool = ticklog_path();
    my $pid = in_child(sub {
        close $to_tool;
        open STDIN,  '<&', $from_log or die "standard input: $!\n";
        open STDOUT, '>&', $to_us    or die "standard output: $!\n";
        exec $tool, 'show', '-' or return 127;
    });
    close $from_log;
    close $to_us;
    syswrite $to_tool, $quick;
    my ($got, $ready) = ('', '');
    vec($ready, fileno($from_tool), 1) = 1;
    while (select(my $r = $ready, undef, undef, 20) > 0 && sysread($from_tool, $got, 65536, length $got)) {
        last if $got =~ /^figures .*\n\n/m;
    }
    like($got, qr/^figures /m, 'pipe: a run is shown while the log goes on');
    syswrite $to_tool, substr $quick, 0, 3000;
    close $to_tool;
    local $/;
    $got .= <$from_tool>;
    waitpid $pid, 0;
    is($? >> 8, 2, 'pipe: the cut run behind it is noticed');
    my @heads = $got =~ /^== run .*: (\w+), /mg;
    is_deeply(\@heads, [ 'complete', 'incomplete' ], 'pipe: both runs are shown');
}

# ---- export

# All fields of all records, as this test's own reader sees them: "seq type key value".
sub fields_of {
    my ($log) = @_;
    my @fields;
    for (split /\n/, $log) {
        my ($seq, $type, $rest) = /^\@bt seq=(\d+) type=(\w+)(.*) crc=[0-9A-F]{8}$/ or next;
        while ($rest =~ / ([a-z0-9_.]+)=("[^"]*"|[^ ]+)/g) {
            my ($key, $value) = ($1, $2);
            $value =~ s/^"(.*)"$/$1/;
            $value =~ s/\\x(..)/chr hex $1/ge;
            push @fields, "$seq $type $key $value";
        }
    }
    return @fields;
}

{
    my ($status, $out, $err) = ticklog('export', '--json', $quick_file);
    my $json = JSON::PP->new->utf8->allow_bignum;
    my @got;
    is($status, 0, 'json: exit status');
    for (split /\n/, $out) {
        my $r = $json->decode($_);
        # The order of an object's keys is lost by the reader.
        push @got, map {
            my $v = $r->{fields}{$_};
            "$r->{seq} $r->{type} $_ " . (ref $v eq 'ARRAY' ? join(',', @$v) : $v)
        } keys %{ $r->{fields} };
    }
    # A reader may take .000 off a number.
    s/(\d\.\d*?)0+(?=,|$)/$1/g, s/\.(?=,|$)//g for my @want = fields_of($quick);
    s/(\d\.\d*?)0+(?=,|$)/$1/g, s/\.(?=,|$)//g for @got;
    is_deeply([ sort @got ], [ sort @want ], 'json: every field of every record');

    ($status, $out) = ticklog('export', '--csv', $quick_file);
    my ($head, @rows) = split /\n/, $out;
    is($head, 'log,run,line,seq,type,key,value', 'csv: head');
    my @csv = map {
        my @c = /\G(?:^|,)("(?:[^"]|"")*"|[^,]*)/g;
        s/^"(.*)"$/$1/, s/""/"/g for @c;
        "@c[3, 4, 5, 6]"
    } @rows;
    is_deeply(\@csv, [ fields_of($quick) ], 'csv: every field of every record');
}
{
    my $log = join "\n", record_line(1, 'begin', 'schema=1', 'run=0123456789abcdef', 'build=x'),
        record_line(2, 'board', 'firmware="a\x2Cb\x22c\xFF"', 'label="\xC3\xA9\x1B[1m\x0A"'),
        record_line(3, 'matrix', 'start=a', 'end=b', 'min=00012', 'var=1.000'),
        record_line(4, 'end', 'records=4', 'result=pass'), '';
    my $file = spew('odd.log', $log);
    my ($status, $out) = ticklog('export', '--json', $file);
    my @records = map { JSON::PP->new->utf8->decode($_) } split /\n/, $out;
    is($status, 0, 'odd bytes: exit status');
    is($records[1]{fields}{firmware}, 'a,b"c\xFF', 'odd bytes: what is no UTF-8 is escaped');
    is($records[1]{fields}{label}, "\xe9\\x1B[1m\\x0A", 'odd bytes: UTF-8 stays, controls do not');
    is($records[2]{fields}{min}, '00012', 'odd bytes: no number where digits would be lost');
    ($status, $out) = ticklog('export', '--csv', $file);
    like($out, qr/,board,firmware,"a,b""c\\xFF"$/m, 'odd bytes: CSV');
    for my $value ('\xFF', '\x5CxFF', '\x5C\x5CxFF', '\x5C') {
        my $bytes = $log =~ s/firmware="[^"]*"/firmware="$value"/r;
        my $odd = spew('slash.log', join "\n", map { crc_mend($_) } split /\n/, $bytes);
        my ($json, $csv) = map { (ticklog('export', $_, $odd))[1] } '--json', '--csv';
        my ($board) = grep { /"type":"board"/ } split /\n/, $json;
        is(JSON::PP->new->utf8->decode($board)->{fields}{firmware}, $value, "a backslash: JSON of $value");
        like($csv, qr/,board,firmware,\Q$value\E$/m, "a backslash: CSV of $value");
    }
    my @hostile = (record_line(3, 'matrix', 'start="\x1B[2J"', 'end="\x9B\x0D"', 'min=1', 'var=1.000'),
        record_line(4, 'ruler', 'where="\x1B[1m"', 'adds=100000', 'adds_ticks=100000', 'nops_ticks=9',
            'ratio_e4=10000'),
        record_line(5, 'series', 'method="\x1B[1m"', 'form="\x1B"', 'work="\x1B"', 'pre="\x1B"', 'unit="\x1B[31m"',
            qw(lines=1 samples=2 n=2 backwards=0 min=8 max=9 maxdev=1 var=0.250 varvar=0.000 spurious=0),
            qw(varmin=0.000 p50=8 p97=9 p99=9 p999=9 first=9 warm=9 redone=0 unsettled=0 ratio_e4=0)),
        record_line(6, 'trust', 'trust="\x1B[1m"', 'reasons="\x1B[1m"'),
        record_line(7, 'end', 'records=7', 'result=pass'));
    my $hostile = spew('hostile.log', join "\n", (split /\n/, $log)[ 0, 1 ], @hostile, '');
    for my $call ([ 'show', $file ], [ 'show', $hostile ], [ 'show', '--figures', $hostile ], [ 'fleet', $hostile ],
        [ 'check', $hostile, '--baseline', $hostile, '--all' ]) {
        ($status, $out, my $err) = ticklog(@$call);
        is("$status$err", '0', "odd bytes: @$call[0, 1]: done");
        unlike($out, qr/[^\n -~\xc3\xa9]/, '... no escape reaches the terminal');
    }
}

# ---- fleet

sub machine_log {
    my ($n, $min, $microcode) = @_;
    my @words = (
        [ 'begin',   'schema=1', sprintf('run=%016x', $n), 'build=x' ],
        [ 'options', 'profile=quick', 'given=""', 'code=00000001' ],
        [ 'machine', 'vendor=V', 'signature=0x1', 'brand=B', 'core_type=0', "microcode=$microcode",
            'hypervisor=none', 'emulated=no', 'boot=multiboot2', 'loader=L', 'rtc=x' ],
        [ 'board', 'firmware=F', 'board=M', "serial=S$n", 'uuid=""', "label=box$n" ],
        [ 'matrix', 'start=a', 'end=b', "min=$min", 'var=1.000' ],
        [ 'trust', 'trust=GOOD', 'reasons=""' ],
    );
    my $seq = 0;
    return join("\n", map({ record_line(++$seq, @$_) } @words),
        record_line($seq + 1, 'end', 'records=' . ($seq + 1), 'result=pass'), '');
}

{
    my @files = map { spew("box$_.log", machine_log($_, 46 + 2 * ($_ % 3), '0x10')) } 1 .. 7;
    push @files, spew('box8.log', machine_log(8, 90, '0x11'));
    my ($status, $out, $err) = ticklog('fleet', @files);
    is($status, 0, 'fleet: exit status');
    like($out, qr/^== 8 machines: V 0x1,/, 'fleet: one fleet');
    like($out, qr/^outliers:\n  box8: 1 of \d+ figures stands out\n    matrix\.a\.b\.min: 90 ticks, median 48, MAD 2, off by 21\.0 MAD\n    differs: microcode 0x11 \(most have 0x10\)\n\n/m,
        'fleet: the outlier first, with what differs');
    like($out, qr/^label .*microcode .*\nbox8 +S8 +M +F +0x11 +pass +GOOD/m, 'fleet: it heads the table');
    is(scalar(() = $out =~ /^box\d/mg), 8, 'fleet: a row a machine');

    # The same machine twice is one row, its last run.
    ($status, $out) = ticklog('fleet', @files, spew('again.log', machine_log(8, 48, '0x11')));
    like($out, qr/^== 8 machines/, 'fleet: runs of one machine are one row');
    like($out, qr/^outliers: none$/m, 'fleet: its last run counts');
    like($out, qr/^label .* runs$/m, 'fleet: how many runs a machine has');
    is_deeply([ sort $out =~ /^box\d .* (\d+)$/mg ], [ (1) x 7, 2 ], 'fleet: is in its row');

    # Its runs as a process are no runs of the bare machine.
    my @hosted = map {
        my $log = machine_log($_, 46, '0x10') =~ s/boot=multiboot2/boot=process/r;
        spew("process$_.log", join "\n", map({ crc_mend($_) } split /\n/, $log), '')
    } 1 .. 4;
    ($status, $out) = ticklog('fleet', @files, @hosted);
    is_deeply([ $out =~ /^== (\d+) machine/mg ], [ 8, 4 ], 'fleet: other kinds of figures are other fleets');

    my $cut = slurp($files[0]);
    $cut =~ s/.*type=end.*\n//;
    ($status, $out, $err) = ticklog('fleet', @files[ 1 .. 3 ], spew('cut.log', $cut));
    is($status, 2, 'fleet: an unusable run is no success');
    like($out, qr/^box1 .*UNUSABLE/m, 'fleet: and has its row');
}

# ---- usage

for ([ 'show' ], [ 'export', $quick_file ], [ 'export', '--csv', '--json', $quick_file ],
    [ 'export', '--csv' ], [ 'fleet' ], [ 'show', '--no-such', $quick_file ]) {
    my ($status, $out, $err) = ticklog(@$_);
    is($status, 5, "usage: @$_");
    like($err, qr/^ticklog \w+: .+\nHelp: /, 'usage: said');
}
for my $command (qw(show export fleet)) {
    my ($status, undef, $err) = ticklog($command, $command eq 'export' ? '--csv' : (), '/no/such.log');
    is($status, 2, "$command: a file that is not there");
    like($err, qr{/no/such\.log: cannot be opened: No such file}, "$command: is named");
}

done_testing();
