# SPDX-License-Identifier: MIT
# What the tests of the log tool's store and check share: calling it, and logs of real runs with
# single values changed, as a machine would have printed them.
package Altered;
use strict;
use warnings;

use Baretick;
use Compress::Zlib ();
use Exporter qw(import);
use File::Temp qw(tempdir);

our @EXPORT = qw(ticklog tool dir spew altered set_keys set_run bare steady);

my $dir = tempdir('ticklog-XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub dir { return $dir }

sub tool {
    my $tool = built('ticklog-tested');
    -x $tool or Test::More::BAIL_OUT("$tool is not built; run: make $tool");
    return $tool;
}

sub spew {
    my ($path, @bytes) = @_;
    $path = "$dir/$path" unless $path =~ m{^/};
    open my $f, '>:raw', $path or die "$path: $!\n";
    print $f @bytes;
    close $f or die "$path: $!\n";
    return $path;
}

# Runs it in the test's directory: (exit status or "signal N", standard output, standard error). A
# first argument that is a reference is to its standard input.
sub ticklog {
    my (@args) = @_;
    my $in = ref $args[0] ? spew('stdin', ${ shift @args }) : '/dev/null';
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        chdir $dir or die;
        open STDIN,  '<', $in      or die;
        open STDOUT, '>', 'stdout' or die;
        open STDERR, '>', 'stderr' or die;
        exec 'timeout', '-k', '5', '60', tool(), @args;
        exit 127;
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return ($status, slurp("$dir/stdout"), slurp("$dir/stderr"));
}

# A record's bytes up to its CRC, and the CRC.
sub crc_line {
    my ($body) = @_;
    return sprintf '%s crc=%08X', $body, Compress::Zlib::crc32($body);
}

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
