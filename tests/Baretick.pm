# SPDX-License-Identifier: MIT
# What the script tests share: booting the kernel in QEMU, a reader of its log that shares no code
# with the one under test, and exact statistics to recompute figures by.
package Baretick;
use strict;
use warnings;

use Compress::Zlib ();
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(basename dirname);
use File::Copy ();
use File::Path qw(make_path);
use Math::BigInt;
use POSIX ();
use Test::More ();
use Time::HiRes qw(time);

our @EXPORT = qw(root built boot boot_ok hosted in_child run_bounded read_records records_of read_ktap
    check_named slurp list_of moments variance percentile average kept97 average97 bin_range
    hist_percentile hist_sum differs);

my $root = dirname(dirname(abs_path(__FILE__)));
my $out  = $ENV{B} // 'build';
$out = "$root/$out" unless $out =~ m{^/};

my $debug_exit = 33;    # isa-debug-exit gives value * 2 + 1

sub root { return $root }

sub built {
    my ($name) = @_;
    return "$out/$name";
}

sub slurp {
    my ($path) = @_;
    open my $f, '<:raw', $path or return '';
    local $/;
    my $bytes = <$f>;
    return $bytes // '';
}

# ---- booting

# Logs of boots whose tests failed stay under test-logs; the others are removed.
my $pending;
my $boots = 0;

sub failures {
    return scalar grep { !$_ } Test::More->builder->summary;
}

sub settle {
    return unless $pending;
    if ($pending->{lost} || failures() > $pending->{failures}) {
        Test::More::diag("boot '$pending->{name}': log kept in $pending->{path}");
        Test::More::diag("  command: $pending->{command}");
        my @tail = split /\r?\n/, slurp($pending->{path});
        splice @tail, 0, @tail - 12 if @tail > 12;
        s/[^ -~]/?/g for @tail;
        Test::More::diag("  | $_") for @tail;
    } else {
        unlink $pending->{path}, "$pending->{path}.qemu", "$pending->{path}.vars";
    }
    $pending = undef;
}

END {
    local $?;
    settle();
}

my %firmware = (
    code => '/usr/share/OVMF/OVMF_CODE_4M.fd',
    vars => '/usr/share/OVMF/OVMF_VARS_4M.fd',
);

sub medium {
    my ($how, $image) = @_;
    # A hard disk may not be read-only: what is written to it is forgotten.
    my @drive = ('-drive', "if=none,id=medium,format=raw,snapshot=on,file=$image");
    return (@drive, '-device', 'ide-cd,drive=medium,bootindex=0') if $how eq 'cd';
    return (@drive, '-device', 'qemu-xhci', '-device', 'usb-storage,drive=medium,bootindex=0')
        if $how eq 'usb';
    return (@drive, '-device', 'ide-hd,drive=medium,bootindex=0') if $how eq 'disk';
    die "no such medium: $how";
}

# Boots once and waits for the end.
#   name     of the boot, for messages and the kept log
#   machine  QEMU's -M (default pc); cpu, memory (MiB), smp, icount (shift): as QEMU's, or not given
#   kernel   ELF to load (default the built one), with append as its command line; or
#   medium   cd, usb or disk, with image (default the built ISO); uefi => 1 for OVMF
#   serial   0: no serial port
#   extra    further arguments
#   timeout  seconds until the boot counts as hung (default 60)
# Returns {status, timed_out, log (LF line ends), seconds, name}; status is -1 after a timeout.
sub boot {
    my (%a) = @_;
    my $name = $a{name} // 'boot';
    my $timeout = $a{timeout} // 60;
    (my $file = basename($0, '.t') . '-' . ++$boots . "-$name") =~ s/[^\w.-]+/-/g;

    settle();
    make_path("$out/test-logs");
    my $path = "$out/test-logs/$file.log";
    unlink $path;

    my @qemu = (qw(qemu-system-x86_64 -accel tcg -display none -monitor none -no-reboot -nodefaults),
        '-device', 'isa-debug-exit,iobase=0xf4,iosize=0x04', '-M', $a{machine} // 'pc');
    push @qemu, '-serial', ($a{serial} // 1) ? "file:$path" : 'none';
    push @qemu, '-cpu', $a{cpu} if defined $a{cpu};
    push @qemu, '-m', $a{memory} // 128;
    push @qemu, '-smp', $a{smp} if defined $a{smp};
    push @qemu, '-icount', "shift=$a{icount},sleep=off" if defined $a{icount};
    if ($a{medium}) {
        push @qemu, medium($a{medium}, $a{image} // built('baretick.iso'));
    } else {
        push @qemu, '-kernel', $a{kernel} // built('baretick.elf');
        push @qemu, '-append', $a{append} if defined $a{append};
    }
    if ($a{uefi}) {
        File::Copy::copy($firmware{vars}, "$path.vars")
            or die "no OVMF: $firmware{vars}: $! (package ovmf)\n";
        push @qemu, '-drive', "if=pflash,unit=0,format=raw,readonly=on,file=$firmware{code}",
            '-drive', "if=pflash,unit=1,format=raw,file=$path.vars";
    }
    push @qemu, @{ $a{extra} // [] };

    Test::More::note("boot '$name': @qemu");
    my $script = basename($0);
    $pending = {
        name => $name, path => $path, command => "@qemu", failures => failures(), lost => 1,
    };
    my $start = time;
    my $status = run_bounded($timeout, "$path.qemu", @qemu);
    my $seconds = time - $start;
    my $log = slurp($path);
    my $complaint = slurp("$path.qemu");

    $pending->{lost} = 0;
    $log =~ s/\r//g;
    # To standard error: prove says nothing before a script's end, and boots take their time.
    printf STDERR "# %s: boot '%s': status %d, %.1f s, %d bytes of log\n", $script, $name, $status,
        $seconds, length $log;
    Test::More::diag("boot '$name': not ended after $timeout s, killed") if $status == 124;
    Test::More::diag("boot '$name': qemu: $complaint")
        if length $complaint && $status != $debug_exit;
    return {
        name      => $name,
        status    => $status == 124 ? -1 : $status,
        timed_out => $status == 124,
        log       => $log,
        seconds   => $seconds,
    };
}

# Starts a process that runs a function and ends with the status that it returns, or 127 if it dies.
# It never runs the END blocks of its parent, which would take the parent's files away. Returns its id.
sub in_child {
    my ($do) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    my $status = eval { $do->() };
    print STDERR $@;
    POSIX::_exit($@ || !defined $status ? 127 : $status);
}

# Runs a command with no input under timeout(1), output and errors to files (or both to one); 124 is
# a timeout, 128 + n a signal.
sub run_bounded {
    my ($seconds, $log, @command) = @_;
    my ($out_file, $err_file) = ref $log ? @$log : ($log);
    my $pid = in_child(sub {
        open STDIN,  '<', '/dev/null' or die "/dev/null: $!\n";
        open STDOUT, '>', $out_file   or die "$out_file: $!\n";
        if (defined $err_file) {
            open STDERR, '>', $err_file or die "$err_file: $!\n";
        } else {
            open STDERR, '>&', \*STDOUT or die "standard error: $!\n";
        }
        exec 'timeout', '--foreground', '-k', '5', $seconds, @command or return 127;
    });
    waitpid $pid, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return $status == 137 ? 124 : $status;
}

# Runs the process with these words as its options, 120 s at most. to: where the log goes instead of
# being returned. Returns {status, log, err, seconds}.
sub hosted {
    my ($words, %a) = @_;
    make_path("$out/test-logs");
    my $path = "$out/test-logs/" . basename($0, '.t') . "-hosted-$$";
    my $start = time;
    my $status = run_bounded(120, [ $a{to} // "$path.out", "$path.err" ],
        built('baretick-hosted'), @$words);
    my %run = (
        status  => $status,
        log     => $a{to} ? '' : slurp("$path.out"),
        err     => slurp("$path.err"),
        seconds => time - $start,
    );
    unlink "$path.out", "$path.err";
    return \%run;
}

# The success that a caller may rely on: exit 33 and a whole log. One test.
sub boot_ok {
    my ($b, $what) = @_;
    my $r = read_records($b->{log});
    my @wrong = @{ $r->{problems} };
    unshift @wrong, "status $b->{status}, not $debug_exit" if $b->{status} != $debug_exit;
    my $ok = Test::More::ok(!@wrong, $what // "$b->{name}: exit $debug_exit and a whole log");
    Test::More::diag("  $_") for @wrong > 8 ? (@wrong[ 0 .. 7 ], '...') : @wrong;
    return $ok;
}

# ---- records

sub unquote {
    my ($v) = @_;
    return $v unless $v =~ s/^"(.*)"$/$1/s;
    $v =~ s/\\x([0-9A-Fa-f]{2})/chr hex $1/ge;
    return $v;
}

# One record without what surrounds it: {seq, type, keys => {}, order => []} or an error in words.
sub parse_record {
    my ($bytes) = @_;
    my $at = rindex $bytes, ' crc=';
    return 'no crc' if $at < 0;
    my ($body, $tail) = (substr($bytes, 0, $at), substr($bytes, $at + 5));
    return "crc field '$tail'" unless $tail =~ /^([0-9A-F]{8})[\r\0 ]*$/;
    my $crc = sprintf '%08X', Compress::Zlib::crc32($body);
    return "crc $1, computed $crc" if $crc ne $1;
    return 'longer than 1024 bytes' if $at + 13 > 1024;
    my (@order, %keys);
    $body =~ /^\@bt/g;
    while ($body =~ /\G ([a-z0-9_.]+)=("(?:[ !#-\[\]-~]|\\x[0-9A-Fa-f]{2})*"|[!#-\[\]-~]+)/gc) {
        return "key $1 twice" if exists $keys{$1};
        push @order, $1;
        $keys{$1} = unquote($2);
    }
    return 'syntax at byte ' . (pos($body) // 0) if (pos($body) // 0) != length $body;
    return 'does not begin with seq and type'
        unless @order >= 2 && $order[0] eq 'seq' && $order[1] eq 'type';
    return "seq $keys{seq}" unless $keys{seq} =~ /^[1-9][0-9]*$/;
    return { seq => $keys{seq}, type => $keys{type}, keys => \%keys, order => \@order };
}

# Reads a log of one run: {records => [...], problems => [words]}. Without problems it is whole.
sub read_records {
    my ($log) = @_;
    my (@records, @problems);
    my $line = 0;
    for my $text (split /\n/, $log) {
        $line++;
        my $at = index $text, '@bt ';
        next if $at < 0;
        my $r = parse_record(substr $text, $at);
        if (!ref $r) {
            push @problems, "line $line: $r";
            next;
        }
        push @problems, "line $line: seq $r->{seq} after " . scalar @records
            if $r->{seq} != @records + 1;
        push @records, $r;
    }
    return { records => \@records, problems => [ @problems, 'no record' ] } unless @records;
    my ($first, $last) = @records[ 0, -1 ];
    push @problems, "first record is $first->{type}, not begin" if $first->{type} ne 'begin';
    push @problems, 'schema is not 1' if ($first->{keys}{schema} // '') ne '1';
    if ($last->{type} ne 'end') {
        push @problems, "last record is $last->{type}, not end";
    } elsif (($last->{keys}{records} // '') ne $last->{seq}) {
        push @problems, 'end says records=' . ($last->{keys}{records} // '') . ", its seq is $last->{seq}";
    }
    return { records => \@records, problems => \@problems };
}

# The keys of all records of one type, in order. Of a log, or of what read_records made of one.
sub records_of {
    my ($log, $type) = @_;
    $log = read_records($log) unless ref $log;
    return map { $_->{keys} } grep { $_->{type} eq $type } @{ $log->{records} };
}

# The items of a comma list; "" has none. A list of n equal values may be written as that one value.
sub list_of {
    my ($text, $n) = @_;
    my @items = split /,/, $text // '', -1;
    return @items == 1 && defined $n ? (@items) x $n : @items;
}

# ---- KTAP

# {plan, results => [{ok, n, name, note}], problems}; note is what stands after '# '.
sub read_ktap {
    my ($log) = @_;
    my (@results, @problems, $plan);
    my $in = 0;
    for my $text (split /\n/, $log) {
        if ($text eq 'KTAP version 1') {
            push @problems, 'KTAP begins twice' if $in++;
        } elsif (!$in) {
            next;
        } elsif ($text =~ /^1\.\.([0-9]+)$/) {
            push @problems, 'two plans' if defined $plan;
            $plan = $1;
        } elsif ($text =~ /^(not )?ok ([0-9]+) ([^\s#]+)(?: # (.*))?$/) {
            push @results, { ok => $1 ? 0 : 1, n => $2, name => $3, note => $4 // '' };
            push @problems, "number $2 where " . scalar(@results) . ' was due' if $2 != @results;
        } elsif ($text =~ /^(?:not )?ok\b/) {
            push @problems, "not understood: $text";
        }
    }
    push @problems, 'no KTAP' unless $in;
    push @problems, 'no plan' unless defined $plan;
    push @problems, "plan $plan, " . @results . ' results' if defined $plan && $plan != @results;
    return { plan => $plan, results => \@results, problems => \@problems };
}

# The result of that name, or undef.
sub check_named {
    my ($ktap, $name) = @_;
    my ($found) = grep { $_->{name} eq $name } @{ $ktap->{results} };
    return $found;
}

# ---- statistics over [value, times] pairs; exact

sub moments {
    my (@pairs) = @_;
    my ($n, $sum, $sumsq) = map { Math::BigInt->new(0) } 1 .. 3;
    my ($min, $max);
    for (@pairs) {
        my ($value, $times) = map { Math::BigInt->new($_) } @$_;
        next if $times->is_zero;
        my $part = $value->copy->bmul($times);
        $n->badd($times);
        $sum->badd($part);
        $sumsq->badd($part->copy->bmul($value));
        $min = $value if !defined $min || $value->bcmp($min) < 0;
        $max = $value if !defined $max || $value->bcmp($max) > 0;
    }
    return { n => $n, sum => $sum, sumsq => $sumsq, min => $min // 0, max => $max // 0 };
}

# Population variance, rounded half up at the third decimal: "12.345".
sub variance {
    my $m = moments(@_);
    return '0.000' if $m->{n} < 2;
    my $den = $m->{n}->copy->bmul($m->{n});
    my $num = $m->{n}->copy->bmul($m->{sumsq})->bsub($m->{sum}->copy->bmul($m->{sum}));
    my $milli = $num->bmul(2000)->badd($den)->bdiv($den->bmul(2));
    $milli = sprintf '%04s', "$milli";
    $milli =~ s/(...)$/.$1/;
    return $milli;
}

# Nearest rank: the value at 1-based rank ceil(n * num / den), at least 1.
sub percentile {
    my ($num, $den, @pairs) = @_;
    my $n = moments(@pairs)->{n};
    return 0 if $n == 0;
    my $rank = $n->copy->bmul($num)->badd($den - 1)->bdiv($den);
    $rank = Math::BigInt->new(1) if $rank < 1;
    my $seen = Math::BigInt->new(0);
    for (sort { Math::BigInt->new($a->[0])->bcmp($b->[0]) } @pairs) {
        $seen->badd($_->[1]);
        return "$_->[0]" if $seen >= $rank;
    }
    return undef;
}

# (2 * sum + n) / 2n: rounded half up.
sub average {
    my $m = moments(@_);
    return 0 if $m->{n} == 0;
    my $num = $m->{sum}->copy->bmul(2)->badd($m->{n});
    return '' . $num->bdiv($m->{n}->copy->bmul(2));
}

# trunc(n * 0.97 + 0.5) without fractions.
sub kept97 {
    my ($n) = @_;
    return '' . Math::BigInt->new($n)->bmul(97)->badd(50)->bdiv(100);
}

# Average of the kept97(n) lowest.
sub average97 {
    my (@pairs) = @_;
    my $left = Math::BigInt->new(kept97(moments(@pairs)->{n}));
    my @low;
    for (sort { Math::BigInt->new($a->[0])->bcmp($b->[0]) } @pairs) {
        my $take = Math::BigInt->new($_->[1]);
        $take = $left->copy if $take > $left;
        push @low, [ $_->[0], $take ];
        $left->bsub($take);
    }
    return average(@low);
}

# ---- histograms: [bin, count] pairs as the records give them, bins ascending

# What values bin i of a histogram with this base stands for: [lo, hi]. 4096 exact bins, then 64 to
# an octave of value - base.
sub bin_range {
    my ($i, $base) = @_;
    my $lo = Math::BigInt->new($base);
    return [ $lo->badd($i), $lo ] if $i < 4096;
    my $octave = int(($i - 4096) / 64);
    my $width = Math::BigInt->new(1)->blsft($octave + 6);
    $lo->badd($width->copy->bmul(64 + ($i - 4096) % 64));
    return [ $lo, $lo->copy->badd($width)->bsub(1) ];
}

# The nearest-rank percentile as a histogram tells it: "38", or "4224..4287" where it lies in a wide
# bin. undef if it lies in bins that are not there. h: {n, min, max, base, below}.
sub hist_percentile {
    my ($num, $den, $h, @bins) = @_;
    my ($n, $seen) = map { Math::BigInt->new($_) } $h->{n}, $h->{below};
    return '0' if $n == 0;
    my $rank = $n->copy->bmul($num)->badd($den - 1)->bdiv($den);
    return $h->{min} if $rank <= 1;
    return $h->{max} if $rank == $n;
    my $range = $rank <= $seen ? [ $h->{min}, Math::BigInt->new($h->{base})->bsub(1) ] : undef;
    for (@bins) {
        last if $range;
        $seen->badd($_->[1]);
        $range = bin_range($_->[0], $h->{base}) if $seen >= $rank;
    }
    return undef unless $range;
    my ($lo, $hi) = map { Math::BigInt->new($_) } @$range;
    $lo = Math::BigInt->new($h->{min}) if $lo < $h->{min};
    $hi = Math::BigInt->new($h->{max}) if $hi > $h->{max};
    return $lo == $hi ? "$lo" : "$lo..$hi";
}

# [lowest, highest] that the sum of (value - base)^power can be by the bins: equal where all are
# exact.
sub hist_sum {
    my ($power, @bins) = @_;
    my @sum = map { Math::BigInt->new(0) } 1 .. 2;
    for my $bin (@bins) {
        my $range = bin_range($bin->[0], 0);
        $sum[$_]->badd($range->[$_]->copy->bpow($power)->bmul($bin->[1])) for 0, 1;
    }
    return \@sum;
}

# Nothing if both are the same, else words that point at the first digit that is not.
sub differs {
    my ($what, $said, $want) = @_;
    ($said, $want) = map { $_ // '(nothing)' } $said, $want;
    return () if "$said" eq "$want";
    my $at = 0;
    $at++ while $at < length $said && substr($said, $at, 1) eq substr("$want ", $at, 1);
    return "$what is $said, computed $want: differs from character " . ($at + 1);
}

1;
