# SPDX-License-Identifier: MIT
# Logs of real runs with single values changed, as a machine would have printed them.
package Altered;
use strict;
use warnings;

use Exporter qw(import);
use Ticklog;

our @EXPORT = qw(altered set_keys set_run bare steady);

# A log in which $change has had a go at the body of each record, in $_; undef leaves it out and
# numbers those behind anew.
sub altered {
    my ($log, $change) = @_;
    my $seq = 0;
    my @lines;
    for my $line (split /\n/, $log, -1) {
        if ($line =~ /^(.*?)(\@bt .*) crc=[0-9A-F]{8}\r*$/) {
            my $before = $1;
            local $_ = $2;
            $change->();
            next unless defined;
            $seq++;
            s/^\@bt seq=\d+/\@bt seq=$seq/;
            s/ records=\d+/ records=$seq/ if / type=end /;
            $line = $before . crc_line($_);
        }
        push @lines, $line;
    }
    return join "\n", @lines;
}

# The change that sets keys of the records that match.
sub set_keys {
    my ($match, %value) = @_;
    return sub {
        return unless $_ =~ $match;
        for my $key (keys %value) {
            s/ \Q$key\E=\S+/ $key=$value{$key}/ or die "no $key in: $_\n";
        }
    };
}

# Another run, to the last record the same.
sub set_run {
    my ($log, $n) = @_;
    return altered($log, set_keys(qr/ type=begin /, run => sprintf('%016x', 0xabc000 + $n)));
}

# Its records and result lines alone: the tables for people say the figures again.
sub bare {
    my ($log) = @_;
    return join '', grep { /\@bt / || /^(?:KTAP|1\.\.\d|ok \d|not ok \d)/ } split /^/, $log;
}

# The same machine, had its clock stood still, moved by single ticks, and all settled. Nothing is left
# that says a figure twice, so that each can be changed by itself: no text, no histogram, no reason
# for the method that is recommended.
sub steady {
    my ($log) = @_;
    return altered(bare($log), sub {
        return $_ = undef if / type=hist /;
        s/ reason=(?:"[^"]*"|\S+)// if / type=recommend /;
        if (/ type=ruler /) {
            s/ adds_ticks=\d+ nops_ticks=\d+ ratio_e4=\d+/ adds_ticks=83334 nops_ticks=1200 ratio_e4=12000/
                or die "ruler: $_\n";
        }
        s/ ratio_e4=[1-9]\d*/ ratio_e4=12000/ if / type=series /;
        s/ unsettled=[\d,]+/my $v = $&; $v =~ tr{1-9}{0}; $v =~ s{0+}{0}g; $v/e;
        s/ overhead_stable=0/ overhead_stable=1/;
        s/ unstable=1/ unstable=0/ if / type=xsave /;
        s/~//g if / type=rows /;
        s/ step=\d+/ step=1/ if / type=recommend /;
    });
}

1;
