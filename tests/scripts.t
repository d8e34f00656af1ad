#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The scripts behind make, over programs that stand in for make and QEMU: what is built before a
# test runs.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use File::Path qw(make_path remove_tree);
use Test::More;

# A make that called this script, and its options, are not the business of those called here.
delete @ENV{ grep { /^(?:MAKE|MFLAGS$|B$|JOBS$|LIMIT$|NO_INSTALL$|ARGS$|TIMEOUT$|MEM$|MACHINE$|ACCEL$)/ } keys %ENV };

my $dir = built("test-scripts-$$");
make_path("$dir/bin", "$dir/unit");
chdir root() or die;

END {
    local $?;
    remove_tree($dir) if defined $dir && -d $dir;
}

sub program {
    my ($path, $text) = @_;
    open my $f, '>', "$dir/$path" or die "$path: $!\n";
    print $f $text;
    close $f;
    chmod 0755, "$dir/$path";
}

# Runs a script with the stand-ins before all other programs: {status, out (both streams)}.
sub script {
    my ($env, @command) = @_;
    local %ENV = (%ENV, B => $dir, NOTES => "$dir/notes", PATH => "$dir/bin:$ENV{PATH}", %$env);
    unlink "$dir/notes";
    my $status = run_bounded(60, "$dir/out", @command);
    return { status => $status, out => slurp("$dir/out"), notes => slurp("$dir/notes") };
}

# ---- tests/run builds what it tests

program('bin/make', <<'END');
#!/bin/sh
echo "$MAKEFLAGS" "$@" >>"$NOTES"
exit ${MAKE_STATUS:-0}
END
program('unit/test_crc', "#!/bin/sh\necho 1..1\necho ok 1 - it ran\n");

my $r = script({ MAKEFLAGS => 'n' }, 'tests/run', 'crc');
is($r->{status}, 0, 'tests/run crc: a unit test') or diag($r->{out});
like($r->{notes}, qr{\A -s -j\d+ B=\Q$dir\E \Q$dir\E/unit/test_crc\n\z}, '... is built first, alone, by a make of its own');
$r = script({}, 'tests/run', 'tests/harness.t');
is($r->{status}, 0, 'tests/run tests/harness.t: a script') or diag($r->{out});
like($r->{notes}, qr{ B=\Q$dir\E tests\n}, '... has all built that tests look at');

# Of a build that fails the targets are seen.
sub targets {
    my (@names) = @_;
    my $r = script({ MAKE_STATUS => 2 }, 'tests/run', @names);
    is($r->{status}, 1, "tests/run @names: a build that fails is a failure");
    like($r->{out}, qr/^tests\/run: the build fails: nothing was tested$/m, '... told so');
    unlike($r->{out}, qr/^Result|^ok/m, '... and nothing is run');
    my %once = map { $_ => 1 } split ' ', $r->{notes} =~ s/.* B=\S+//r;
    return join ' ', map { s{^\Q$dir\E/unit/}{}r } sort keys %once;
}
is(targets('crc'), 'test_crc', 'crc: a unit test');
is(targets('test_crc', "$dir/unit/test_u128"), 'test_crc test_u128', 'also by its name, and its path');
is(targets('gaps'), 'test_gaps tests', 'gaps: a unit test and a script');
is(targets('tests/gaps.t'), 'tests', 'tests/gaps.t: the script');
is(targets('test_gaps'), 'test_gaps', 'test_gaps: the unit test');
is(targets('tests/bochs/ends.t'), 'iso', 'what Bochs boots is the image');
my @units = map { s{.*/(.*)\.c}{$1}r } sort glob 'tests/unit/test_*.c';
is(targets(), join(' ', @units, 'tests'), 'without a name: all');
$r = script({}, 'tests/run', 'crc', 'no-such');
is($r->{status}, 1, 'a name that no test has');
like($r->{out}, qr/no test 'no-such'/, '... is told');
is($r->{notes}, '', '... before anything is built');
unlink "$dir/bin/make";

sub make_n {
    my ($target) = @_;
    my $r = script({}, qw(make -n --no-print-directory), "B=$dir/none", $target);
    is($r->{status}, 0, "make -n $target") or diag($r->{out});
    return $r->{out};
}
my $tests = make_n('tests');
for my $built (qw(baretick.elf baretick-hosted baretick-bench ticklog ticklog-tested), map { "unit/$_" } @units) {
    like($tests, qr{ -o \Q$dir\E/none/\Q$built\E$}m, "make tests: $built");
}
like($tests, qr{^tools/mkiso \Q$dir\E/none/baretick\.iso }m, 'make tests: the image');
like(make_n('check'), qr{ tests\ntests/run\n\z}, 'make check: make tests, then tests/run');

done_testing();
