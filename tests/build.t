#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The build: what is touched decides what is built again, two folders give the same bytes, the
# kernel's file is what loaders want, and the list of packages can be had without installing any.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename qw(basename dirname);
use lib dirname(__FILE__);
use Baretick;
use File::Copy qw(copy);
use File::Find qw(find);
use File::Path qw(make_path remove_tree);
use File::Spec;
use Test::More;

# A make that called this script, and its options, are not the business of those called here.
delete @ENV{ grep { /^(?:GIT_|MAKE|MFLAGS$|B$|ARGS$|SOURCE_DATE_EPOCH$)/ } keys %ENV };

my $dir = built("test-build-$$");
my ($one, $two) = ("$dir/one", "$dir/a folder's other depth/two");
$two =~ s/[ ']/_/g;
make_path($one);

END {
    local $?;
    chdir root();
    remove_tree($dir) if defined $dir && -d $dir;
}

# Runs a command in a folder, 300 s at most. Returns {status, out (both streams)}.
sub run_in {
    my ($folder, @command) = @_;
    my $back = getcwd;
    chdir $folder or return { status => -1, out => "no folder $folder" };
    my $status = run_bounded(300, "$dir/log", @command);
    chdir $back or die "$back: $!\n";
    return { status => $status, out => slurp("$dir/log") };
}

sub run_ok {
    my ($what, $folder, @command) = @_;
    printf STDERR "# build.t: %s\n", $what;
    my $r = run_in($folder, @command);
    my $ok = is($r->{status}, 0, $what);
    diag("  @command\n", $r->{out} =~ s/^/  | /mgr) unless $ok;
    return $ok;
}

# ---- a scratch copy of the sources, as a repository of its own

my $listed = run_in(root(), qw(git ls-files -z --cached --others --exclude-standard));
plan skip_all => 'not a git checkout' if $listed->{status} != 0;
# From here on nobody's own settings of git.
$ENV{GIT_CONFIG_NOSYSTEM} = 1;
$ENV{GIT_CONFIG_GLOBAL} = '/dev/null';
$ENV{"GIT_$_"} = 'test' for qw(AUTHOR_NAME AUTHOR_EMAIL COMMITTER_NAME COMMITTER_EMAIL);
my @sources = sort grep { -f root() . "/$_" } split /\0/, $listed->{out};
for my $file (@sources) {
    make_path("$one/" . dirname($file));
    copy(root() . "/$file", "$one/$file") or die "$file: $!\n";
    chmod((stat root() . "/$file")[2] & 0777, "$one/$file");
}
run_ok('a repository', $one, qw(sh -c), 'git init -q . && git add -A && git commit -q -m one')
    or die "no scratch repository\n";
# The log tool is left out, to be done sooner: its rule is that of the process.
my $elf = 'build/baretick.elf';
my @targets = ($elf, 'build/baretick-hosted');
run_ok('kernel and process', $one, qw(make -j2), @targets)
    or die "the build fails: nothing to look at\n";

# ---- two folders, one commit

run_ok('a clone', $dir, qw(git clone -q), $one, $two);
run_ok('the kernel in another folder', $two, qw(make -j2), $elf);

sub same_bytes {
    my ($name) = @_;
    my ($x, $y) = map { slurp("$_/$name") } $one, $two;
    my $at = 0;
    if ($x ne $y) {
        my $differ = $x ^ $y;
        $at = $differ =~ /[^\0]/ ? $-[0] : length $differ;
    }
    ok(length $x && $x eq $y, "$name is the same in both folders, byte for byte")
        or diag(sprintf '  %d and %d bytes, differing from offset 0x%x', length $x, length $y, $at);
}
same_bytes($elf);

SKIP: {
    my @tools = qw(grub-mkrescue xorriso mformat);
    my ($missing) = grep { system("command -v $_ >/dev/null 2>&1") } @tools;
    skip "no $missing", 3 if $missing;
    run_ok('the image', $one, qw(make iso));
    sleep 1;    # another second of the clock must not show
    run_ok('the image in another folder', $two, qw(make iso));
    same_bytes('build/baretick.iso');
}

# ---- what depends on what

# Rooms whose headers the sources of a room may see: lines `see_ROOM := ROOM...` of the Makefile.
my %see = map { /^see_(\S+?) *:= *(.*)$/ ? ($1 => [ split ' ', $2 ]) : () }
    split /\n/, slurp("$one/Makefile");

# Adds to %$found what a source brings in, by its text.
sub includes {
    my ($file, $rooms, $found) = @_;
    for my $name (slurp("$one/$file") =~ /^\s*[#%]\s*include\s+"([^"]+)"/mg) {
        my ($header) = grep { -f "$one/$_" } map { "$_/$name" } dirname($file), @$rooms, 'build/gen';
        die "$file: $name is in none of @$rooms\n" unless $header;
        includes($header, $rooms, $found) unless $found->{$header}++;
    }
    return $found;
}

# {object => {source, and all that it includes}}
my %object;
find(
    {
        no_chdir => 1,
        wanted   => sub {
            return unless /\.o$/;
            my $object = File::Spec->abs2rel($_, $one);
            my $source = $object eq 'build/seq.o' ? 'arch/x86/seq.asm'
                : $object =~ s{^build/\w+/(.*?)(\.asm)?\.o$}{$1 . ($2 // '.c')}er;
            my $rooms = $see{ dirname($source) } or return;
            $object{$object} = includes($source, $rooms, { $source => 1 });
        },
    },
    "$one/build"
);
cmp_ok(scalar keys %object, '>=', 80, keys(%object) . ' objects were built');

# The prerequisites that the compiler or the assembler wrote down.
sub written_down {
    my ($object) = @_;
    my $file = -f "$one/$object.d" ? "$object.d" : $object =~ s/\.o$/.d/r;
    my $rule = slurp("$one/$file") =~ s/\\\n/ /gr;
    my ($list) = $rule =~ /^\S+\.o *: *(.*)$/m;
    return map { File::Spec->abs2rel($_, $one) =~ s{[^/]+/\.\./}{}gr }
        map { File::Spec->rel2abs($_, $one) } split ' ', $list // '';
}
my @wrong;
for my $object (sort keys %object) {
    my %written = map { ($_ => 1) } written_down($object);
    push @wrong, map { "$object is not known to need $_" } grep { !$written{$_} }
        sort keys %{ $object{$object} };
    push @wrong, map { "$object is said to need $_" } grep { !$object{$object}{$_} }
        sort keys %written;
}
ok(!@wrong, 'dependencies are those in the text of the sources')
    or diag(map { "  $_\n" } @wrong > 20 ? (@wrong[ 0 .. 19 ], '...') : @wrong);

# ---- what is built again: a compiler that only notes what it is asked for

open my $stub, '>', "$dir/note" or die;
print $stub <<'END';
#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" = -o ] && echo "$2" >>"$NOTES" && touch "$2"
	shift
done
END
close $stub;
chmod 0755, "$dir/note";
$ENV{NOTES} = "$dir/notes";

sub links_of {
    my (@objects) = @_;
    my %link;
    for (@objects) {
        $link{'build/baretick.elf'} = 1 if m{^build/(?:kernel/|seq\.o)};
        $link{'build/baretick-hosted'} = 1 if m{^build/(?:hosted/|seq\.o)};
    }
    return keys %link;
}

# One test: make asks for these objects, what links them, and nothing else.
sub rebuilds {
    my ($what, @objects) = @_;
    unlink $ENV{NOTES};
    my $r = run_in($one, qw(make -j2), "CC=$dir/note", "NASM=$dir/note", @targets);
    my %asked = map { ($_ => 1) } split /\n/, slurp($ENV{NOTES});
    my %wanted = map { ($_ => 1) } @objects, links_of(@objects);
    my @problems = ((map { "not built: $_" } grep { !$asked{$_} } sort keys %wanted),
        map { "built for nothing: $_" } grep { !$wanted{$_} } sort keys %asked);
    unshift @problems, "make: status $r->{status}: $r->{out}" if $r->{status} != 0;
    ok(!@problems, "$what: " . @objects . ' objects and what links them')
        or diag(map { "  $_\n" } @problems > 12 ? (@problems[ 0 .. 11 ], '...') : @problems);
}

sub touch_rebuilds {
    my ($file, @objects) = @_;
    utime undef, undef, "$one/$file" or die "$file: $!\n";
    rebuilds("touched $file", @objects);
}

sub users_of {
    my ($file) = @_;
    return grep { $object{$_}{$file} } sort keys %object;
}

rebuilds('nothing touched');
for my $file (qw(lib/types.h lib/xtable.h arch/x86/seq.h kern/bench/trial.h)) {
    my @users = users_of($file);
    isnt(scalar @users, 0, "$file is used");
    touch_rebuilds($file, @users);
}
is_deeply([ users_of('arch/x86/method.inc') ], ['build/seq.o'], 'one object has method.inc');
touch_rebuilds('arch/x86/method.inc', 'build/seq.o');
touch_rebuilds('boot/entry.asm', 'build/kernel/boot/entry.asm.o');
touch_rebuilds('lib/crc.c', grep { m{/lib/crc\.o$} } keys %object);
touch_rebuilds('Makefile', keys %object);
rebuilds('nothing touched again');

# A commit that changes nothing changes what the build is called, and only who prints that.
run_in($one, qw(git commit -q --allow-empty -m two));
my @names = users_of('build/gen/build.h');
isnt(scalar @names, 0, 'some objects print the name of the build');
rebuilds('another commit', @names);

# ---- the kernel's file, by its own bytes

my $bytes = slurp("$two/$elf");
my ($entry, $phoff) = unpack 'x24 Q< Q<', $bytes;
my ($phentsize, $phnum) = unpack 'x54 S< S<', $bytes;
my @segment = map {
    my %s;
    @s{qw(type flags offset vaddr filesz memsz)} =
        unpack 'L< L< Q< Q< x8 Q< Q<', substr $bytes, $phoff + $_ * $phentsize, $phentsize;
    \%s;
} 0 .. $phnum - 1;
my @load = grep { $_->{type} == 1 } @segment;
my $loaded = 0;
$loaded += $_->{filesz} for @load;
cmp_ok($loaded, '>', 4096, "the kernel's file has $loaded bytes to load");
cmp_ok($loaded, '<=', 256 << 10, '... at most 256 KiB');
is_deeply([ grep { ($_->{flags} & 3) == 3 } @load ], [], 'no segment is both written and run');

sub in_code {
    my ($address) = @_;
    return scalar grep { $_->{flags} & 1 && $address >= $_->{vaddr} && $address < $_->{vaddr} + $_->{filesz} }
        @load;
}
ok(in_code($entry), 'the entry point is in code');

# Multiboot2 specification, 3.1: within 32768 bytes, on 8, its four words add up to 0.
my ($header) = grep { unpack("L<", substr $bytes, $_, 4) == 0xe85250d6 } map { $_ * 8 } 0 .. 4095;
ok(defined $header, 'a multiboot2 header within 32 KiB, on 8 bytes') or $header = 0;
my ($magic, $arch, $length, $checksum) = unpack 'L<4', substr $bytes, $header, 16;
is(($magic + $arch + $length + $checksum) & 0xffffffff, 0, '... its checksum is right');
is($arch, 0, '... it is for the i386 state');
my ($at, $tag, $size) = ($header + 16, -1, 0);
while ($at + 8 <= $header + $length) {
    ($tag, undef, $size) = unpack 'S< S< L<', substr $bytes, $at, 8;
    last if $tag == 0 || $size < 8;
    $at += ($size + 7) & ~7;
}
is_deeply([ $tag, $size, $at + 8 ], [ 0, 8, $header + $length ], '... its tags end with the end tag');
run_ok('grub-file takes it', $two, qw(grub-file --is-x86-multiboot2), $elf);

# The PVH entry: an ELF note of Xen's, type 18, 32-bit address.
my @note = map {
    my $s = $_;
    my ($p, @found) = (0);
    while ($p + 12 <= $s->{filesz}) {
        my ($namesz, $descsz, $type) = unpack 'L<3', substr $bytes, $s->{offset} + $p, 12;
        my ($n, $d) = map { ($_ + 3) & ~3 } $namesz, $descsz;
        push @found, unpack 'L<', substr $bytes, $s->{offset} + $p + 12 + $n, 4
            if $type == 18 && substr($bytes, $s->{offset} + $p + 12, $namesz) eq "Xen\0";
        $p += 12 + $n + $d;
    }
    @found;
} grep { $_->{type} == 4 } @segment;
is(scalar @note, 1, 'one PVH note');
ok(@note && in_code($note[0]), '... its entry is in code');

# ---- symbols

my $nm = run_in($two, 'nm', $elf);
my %symbol = map { /^(?:[0-9a-f]+)? +\w (\S+)$/ ? ($1 => 1) : () } split /\n/, $nm->{out};
cmp_ok(scalar keys %symbol, '>=', 100, 'the kernel has its symbols');
is(run_in($two, 'nm', '-u', $elf)->{out}, '', 'none is undefined');
my $libgcc = run_in($two, qw(gcc -print-libgcc-file-name))->{out} =~ s/\n$//r;
my $helpers = run_in($two, 'nm', '-g', '--defined-only', $libgcc);
my @helper = $helpers->{out} =~ /^[0-9a-f]+ [A-Z] (\S+)$/mg;
cmp_ok(scalar @helper, '>=', 20, "libgcc has helpers such as $helper[0]");
is_deeply([ grep { $symbol{$_} } @helper ], [], '... and the kernel has none of them');

# ---- packages

sub install_list {
    my (@command) = @_;
    local $ENV{NO_INSTALL} = 1;
    return run_in(root(), @command);
}
my $list = install_list('tools/install', 'run');
like($list->{out}, qr/^install: needed for run:.* nasm\b.* qemu-system-x86\b/m,
    'NO_INSTALL=1: lists what make run needs');
is($list->{status}, 0, '... and is content where all is there') or diag($list->{out});
for my $group (qw(run check iso)) {
    my $bare = install_list('/usr/bin/env', 'PATH=/nonexistent', '/bin/sh', 'tools/install', $group);
    is($bare->{status}, 1, "NO_INSTALL=1, nothing there, $group: a failure");
    like($bare->{out}, qr/missing:.* nasm\b/, '... that names what is missing');
    unlike($bare->{out}, qr/installing/, '... and installs nothing');
}
my $usage = run_in(root(), 'tools/install', 'everything');
is($usage->{status}, 1, 'an unknown group: a failure');
like($usage->{out}, qr/usage: .*run\|check/, '... that tells the groups');

done_testing();
