# SPDX-License-Identifier: MIT
# What the tests of ticklog's serial commands share: running it, and records made and mended without
# its code.
package Ticklog;
use strict;
use warnings;

use Compress::Zlib ();
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

our @EXPORT = qw(ticklog_path ticklog work_file slurp_file record_line crc_mend log_records);

my $root  = dirname(dirname(abs_path(__FILE__)));
my $build = $ENV{B} // 'build';
$build = "$root/$build" unless $build =~ m{^/};
my $dir = tempdir('ticklog-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# The build with sanitizers: what they find ends it with a status that no command has.
sub ticklog_path { return "$build/ticklog-tested" }

sub slurp_file {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# Writes bytes to a file of that name in the test's own folder; returns its path.
sub work_file {
    my ($name, @bytes) = @_;
    my $path = "$dir/$name";
    open my $out, '>:raw', $path or die "$path: $!\n";
    print {$out} @bytes or die "$path: $!\n";
    close $out or die "$path: $!\n";
    return $path;
}

# Returns exit status (or "signal N"), standard output, standard error. A run that hangs is killed
# after 60 s, which is status 124.
sub ticklog {
    my (@args) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null'   or die;
        open STDOUT, '>', "$dir/stdout" or die;
        open STDERR, '>', "$dir/stderr" or die;
        exec 'timeout', '60', ticklog_path(), @args;
        exit 127;
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return ($status, slurp_file("$dir/stdout"), slurp_file("$dir/stderr"));
}

# A record's line from its words, without the line's end.
sub record_line {
    my ($seq, $type, @words) = @_;
    return crc_mend(join ' ', "\@bt seq=$seq type=$type", @words, 'crc=00000000');
}

# The line with the CRC that its bytes have.
sub crc_mend {
    my ($line) = @_;
    $line =~ s/(\@bt .*) crc=[0-9A-F]{8}/sprintf '%s crc=%08X', $1, Compress::Zlib::crc32($1)/es;
    return $line;
}

# The numbers of the lines with a record, and their types: ([index, type, seq], ...).
sub log_records {
    my (@lines) = @_;
    my @found;
    for my $i (0 .. $#lines) {
        push @found, [ $i, $2, $1 ] if $lines[$i] =~ /^\@bt seq=(\d+) type=(\w+)/;
    }
    return @found;
}

1;
