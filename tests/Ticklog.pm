# SPDX-License-Identifier: MIT
# What the tests of ticklog share: running it, and records made and mended without its code.
package Ticklog;
use strict;
use warnings;

use Baretick;
use Compress::Zlib ();
use Exporter qw(import);
use File::Temp qw(tempdir);

our @EXPORT = qw(ticklog_path ticklog dir spew record_line crc_line crc_mend log_records);

my $dir = tempdir('ticklog-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# The test's own folder, in which ticklog runs.
sub dir { return $dir }

# The build with sanitizers: what they find ends it with a status that no command has.
sub ticklog_path {
    my $tool = built('ticklog-tested');
    -x $tool or Test::More::BAIL_OUT("$tool is not built; run: make check");
    return $tool;
}

# Writes bytes to a file, in the test's own folder unless the name says where; returns its path.
sub spew {
    my ($path, @bytes) = @_;
    $path = "$dir/$path" unless $path =~ m{^/};
    open my $f, '>:raw', $path or die "$path: $!\n";
    print {$f} @bytes or die "$path: $!\n";
    close $f or die "$path: $!\n";
    return $path;
}

# Runs it in the test's folder: exit status (or "signal N"), standard output, standard error. A first
# argument that is a reference is to its standard input. A run that hangs is killed after 60 s, which
# is status 124.
sub ticklog {
    my (@args) = @_;
    my $in = ref $args[0] ? spew('stdin', ${ shift @args }) : '/dev/null';
    my @command = ('timeout', '-k', '5', '60', ticklog_path(), @args);
    my $pid = in_child(sub {
        chdir $dir or die "$dir: $!\n";
        open STDIN,  '<', $in      or die "$in: $!\n";
        open STDOUT, '>', 'stdout' or die "stdout: $!\n";
        open STDERR, '>', 'stderr' or die "stderr: $!\n";
        exec @command or return 127;
    });
    waitpid $pid, 0;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    return ($status, slurp("$dir/stdout"), slurp("$dir/stderr"));
}

# A record's bytes up to its CRC, and the CRC.
sub crc_line {
    my ($body) = @_;
    return sprintf '%s crc=%08X', $body, Compress::Zlib::crc32($body);
}

# A record's line from its words, without the line's end.
sub record_line {
    my ($seq, $type, @words) = @_;
    return crc_line(join ' ', "\@bt seq=$seq type=$type", @words);
}

# The line with the CRC that its bytes have.
sub crc_mend {
    my ($line) = @_;
    $line =~ s/(\@bt .*) crc=[0-9A-F]{8}/crc_line($1)/es;
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
