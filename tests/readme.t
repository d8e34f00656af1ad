#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What README shows is what is there: the help, the CI jobs, the record types, the files it names.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my $readme = slurp(root() . '/README.md');

# The fenced block that follows a text.
sub block_after {
    my $text = join '\s+', map { quotemeta } split / /, $_[0];
    my ($block) = $readme =~ /$text.*?\n```\w*\n(.*?)\n```/s;
    return $block // '';
}

unlike($readme, qr/@@|TODO|FIXME/, 'nothing is left to fill in');

my $hosted = built('baretick-hosted');
my $help = `$hosted help </dev/null`;
my ($options) = $help =~ /^Options:\n(.*?)\n\n/ms;
is(block_after('`help` prints this list.'), $options, 'the options are what `help` prints');

is(block_after('For GitHub:') . "\n", slurp(root() . '/tests/data/ci/github.yml'),
    'the GitHub job is the tested one');

# ---- records: the types and keys that the sources write against those in the table

my %text = map { $_ => slurp($_) } glob(root() . '/kern/bench/*.c'), glob(root() . '/lib/*.c');
my $puts = qr/\b(?:record_(?:str|word|u64|hex|variance|bound|key)|report_str_cut)\([^;"]*?,\s*/;
# {function => [{file, body, adds}]}; one that adds to a record opened elsewhere gives its keys to it.
my %function;
# Keys that stand in a table, by its file: in the first place of a struct that calls it `key`.
my %tabled;
for my $file (sort keys %text) {
    while ($text{$file} =~ /^\w[\w *]*?\b(\w+)\(([^;{}]*?)\)\n\{\n(.*?)\n\}/msg) {
        my ($name, $takes, $body) = ($1, $2, $3);
        my $adds = $takes =~ /\bstruct (?:record|report) \*/ && $body !~ /\breport_record\(/;
        push @{ $function{$name} }, { file => $file, body => $body, adds => $adds };
    }
    my @structs = map { "struct $_" } $text{$file} =~ /\bstruct (\w+) \{\n\s*const char \*key;/g;
    my $struct = join '|', @structs, 'struct \{\n\s*const char \*key;[^}]*\}';
    $tabled{$file} = [ map { /\{"(\w+)",/g } $text{$file} =~ /(?:$struct) \w+\[\] = \{\n(.*?)\n\s*\};/gs ];
}

sub keys_in {
    my ($file, $body, $seen) = @_;
    my @keys = $body =~ /$puts"([a-z0-9_.]+)"/g;
    push @keys, @{ $tabled{$file} } if $body =~ /\brecord_key\([^";]*\bkey\)/;
    for my $f (map { @{ $function{$_} // [] } } grep { !$seen->{$_}++ } $body =~ /\b(\w+)\(/g) {
        push @keys, keys_in($f->{file}, $f->{body}, $seen) if $f->{adds};
    }
    return @keys;
}

my %sent;
for my $f (map { @$_ } values %function) {
    # Up to where the next one is opened, with the call that this opening is an argument of.
    while ($f->{body} =~ /(\b\w+\()?\breport_record\([^"]*?"(\w+)"(.*?)(?=\breport_record\(|\z)/gs) {
        my ($type, $rest) = ($2, ($1 // '') . $3);
        $sent{$type}{$_} = 1 for keys_in($f->{file}, $rest, {});
    }
}
my ($table) = $readme =~ /^\| type \| keys \|\n(.*?)\n\n/ms;
my %listed;
while ($table =~ /^\| `(\w+)` \| (.*) \|$/mg) {
    my ($type, $row) = ($1, $2);
    $listed{$type} = { map { $_ => 1 } $row =~ /`([a-z][a-z0-9_]*)`/g };
}
cmp_ok(scalar keys %sent, '>', 20, 'the sources send records');
is_deeply([ sort keys %listed ], [ sort keys %sent ], 'each record type is listed, and no other');
for my $type (sort keys %sent) {
    is(join(' ', sort keys %{ $listed{$type} }), join(' ', sort keys %{ $sent{$type} }),
        "type=$type: each key is listed, and no other");
}

# What was read out of the sources misses none that a run has.
my @runs = map { hosted([ 'profile=quick', 'lines=2', 'samples=20', 'soak=1', @$_ ])->{log} }
    [], [ 'suite=tsc,xsave', 'method=5', 'detail=full,lines' ], [ 'suite=tsc', 'method=matrix' ];
my %written;
for my $r (map { @{ read_records($_)->{records} } } @runs) {
    $written{"$r->{type} $_"} = 1 for grep { !/^(?:seq|type)$/ } keys %{ $r->{keys} };
}
cmp_ok(scalar keys %written, '>', 150, 'runs write records');
is_deeply([ grep { my ($type, $key) = split / /; !$sent{$type}{$key} } sort keys %written ], [],
    'each key that they write was found in the sources');

my @missing = grep { !-e root() . "/$_" }
    $readme =~ /(?<![\w\/])((?:arch|boot|kern|lib|tests|tools)\/[\w.\/-]*\w\.\w+)/g;
is_deeply(\@missing, [], 'each file that is named is there');

done_testing;
