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

# Record types: those that the sources send against those in the table.
my @sources = glob(root() . '/kern/bench/*.c');
my %sent = map { $_ => 1 } map { slurp($_) =~ /report_record\([^"]*?"(\w+)"/g } @sources;
my ($table) = $readme =~ /^\| type \| keys \|\n(.*?)\n\n/ms;
my %listed = map { $_ => 1 } $table =~ /^\| `(\w+)` \|/mg;
cmp_ok(scalar keys %sent, '>', 20, 'the sources send records');
is_deeply([ sort keys %listed ], [ sort keys %sent ], 'each record type is listed, and no other');

my @missing = grep { !-e root() . "/$_" }
    $readme =~ /(?<![\w\/])((?:arch|boot|kern|lib|tests|tools)\/[\w.\/-]*\w\.\w+)/g;
is_deeply(\@missing, [], 'each file that is named is there');

done_testing;
