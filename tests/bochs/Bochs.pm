# SPDX-License-Identifier: MIT
# Boots the image in Bochs without a window and without a hand: a second implementation of the
# processor, whose clock is exact and which tracks what state is in use.
package Bochs;
use strict;
use warnings;

use Baretick;
use Exporter qw(import);
use File::Basename qw(basename);
use File::Path qw(make_path);
use Test::More ();
use Time::HiRes qw(time);

our @EXPORT = qw(bochs bochs_ok ktap_ok emulated_ok);

# Bochs ends with 0 by the debugger's `q` after the magic break, which only a success makes.
my $success = 0;
# Without a display of its own "term" needs no terminal; with VBE it panics on GRUB's video mode.
my $fixed = <<'END';
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
vga: extension=none
memory: guest=128, host=128
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
boot: cdrom
clock: sync=none, time0=946684800
magic_break: enabled=1
panic: action=fatal
error: action=ignore
debug: action=ignore
speaker: enabled=0
END
my $ips   = 10_000_000;    # the TSC's rate: the lower, the sooner is a second over
my $boots = 0;
my @kept;

END {
    local $?;
    my $failed = grep { !$_ } Test::More->builder->summary;
    unlink @kept unless $failed;
    Test::More::diag("logs kept: " . join ' ', grep { /\.log$/ } @kept) if $failed && @kept;
}

sub file_of {
    my ($name, $bytes) = @_;
    my $path = built("test-logs/$name");
    open my $f, '>:raw', $path or die "$path: $!\n";
    print $f $bytes;
    close $f or die "$path: $!\n";
    push @kept, $path;
    return $path;
}

# The built image with another menu, which does not wait and gives these options to the kernel: the
# menu's bytes stand in the image as they are, so a shorter one takes their place.
sub image {
    my ($name, $options) = @_;
    my $bytes = slurp(built('baretick.iso'));
    my $menu = slurp(root() . '/boot/grub.cfg');
    my $ours = "set timeout=0\nmenuentry test {\n\tmultiboot2 /boot/baretick.elf $options\n}\n";
    my $at = index $bytes, $menu;

    die "baretick.iso does not hold boot/grub.cfg as it is: make iso\n"
        if $at < 0 || index($bytes, $menu, $at + 1) >= 0;
    die "options too long for the menu: $options\n" if length $ours > length $menu;
    substr $bytes, $at, length $menu, $ours . "\n" x (length($menu) - length $ours);
    return file_of("$name.iso", $bytes);
}

# Boots once and waits for the end.
#   model    as `bochs --help cpu` lists them
#   count    processors (1)
#   sync     how its clock follows the host's (none)
#   options  the kernel's; not given: the built image as it is, with its menu
#   timeout  seconds until the boot counts as hung (300)
#   name     of the boot, for messages (the model's)
# Returns {status, log (LF line ends), said (Bochs' own log), seconds, name}; status is -1 after a
# timeout.
sub bochs {
    my (%a) = @_;
    my $name = $a{name} // $a{model};
    (my $file = 'bochs-' . basename($0, '.t') . '-' . ++$boots . "-$name") =~ s/[^\w.-]+/-/g;

    make_path(built('test-logs'));
    my ($com1, $said) = map { built("test-logs/$file.$_") } qw(log bochs);
    unlink $com1, $said;
    push @kept, $com1, $said, "$com1.out";
    my $iso = defined $a{options} ? image($file, $a{options}) : built('baretick.iso');
    my $rc = $fixed;
    $rc =~ s/sync=none/sync=$a{sync}/ if $a{sync};
    $rc .= "cpu: model=$a{model}, count=" . ($a{count} // 1)
        . ", ips=$ips, reset_on_triple_fault=0, ignore_bad_msrs=0\n";
    $rc .= "ata0-master: type=cdrom, path=$iso, status=inserted\n";
    $rc .= "com1: enabled=1, mode=file, dev=$com1\nlog: $said\n";
    my $rc_file = file_of("$file.rc", $rc);
    my $commands = file_of("$file.commands", "c\nq\n");

    Test::More::note("boot '$name': " . ($a{options} // 'as built'));
    my $start = time;
    local $ENV{TERM} = 'dumb';
    # SIGTERM it ignores: what ends a hung one is the kill that follows.
    my $status = run_bounded(
        $a{timeout} // 300, "$com1.out", 'bochs', '-q', '-f', $rc_file, '-rc', $commands
    );
    my %boot = (
        name    => $name,
        status  => $status == 124 ? -1 : $status,
        log     => slurp($com1),
        said    => slurp($said),
        seconds => time - $start,
    );
    $boot{log} =~ s/\r//g;
    # To standard error: prove says nothing before a script's end, and boots take their time.
    printf STDERR "# %s: Bochs '%s': status %d, %.1f s, %d bytes of log\n", basename($0), $name,
        @boot{qw(status seconds)}, length $boot{log};
    Test::More::diag("Bochs '$name': $_") for grep { /PANIC/ } split /\n/, $boot{said};
    return \%boot;
}

# The success that a caller may rely on: the end by the magic break and a whole log. One test.
sub bochs_ok {
    my ($b, $what) = @_;
    my @wrong = @{ read_records($b->{log})->{problems} };
    unshift @wrong, "status $b->{status}, not $success" if $b->{status} != $success;
    my $ok = Test::More::ok(!@wrong, $what // "$b->{name}: ended with $success and a whole log");
    Test::More::diag("  $_") for @wrong > 8 ? (@wrong[ 0 .. 7 ], '...') : @wrong;
    return $ok;
}

# The verdict is well formed, nothing in it is not ok, and a SKIP says why. Returns the verdict.
sub ktap_ok {
    my ($b) = @_;
    my $k = read_ktap($b->{log});
    my @wrong = @{ $k->{problems} };
    push @wrong, map { "not ok $_->{name} $_->{note}" } grep { !$_->{ok} } @{ $k->{results} };
    push @wrong, map { "SKIP $_->{name} without a reason" } grep { $_->{note} =~ /^SKIP\s*$/ }
        @{ $k->{results} };
    Test::More::is_deeply(\@wrong, [], "$b->{name}: the verdict is well formed and nothing is not ok");
    return $k;
}

# Known as an emulator, and never good. Returns the machine record.
sub emulated_ok {
    my ($b) = @_;
    my ($m) = records_of($b->{log}, 'machine');
    Test::More::is($m->{emulated}, 'SMBIOS names Bochs', "$b->{name}: known as emulated");
    Test::More::unlike($b->{log}, qr/^TRUST: GOOD/m, "$b->{name}: an emulated machine is not good");
    return $m;
}

1;
