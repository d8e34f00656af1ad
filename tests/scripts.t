#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The scripts behind make, over programs that stand in for make and QEMU: what is built before a
# test runs, what is installed before anything is built, and by what words and status a boot ends.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use File::Path qw(make_path remove_tree);
use Test::More;
use Time::HiRes qw(sleep time);

# A make that called this script, and its options, are not the business of those called here.
delete @ENV{ grep { /^(?:MAKE|MFLAGS$|B$|JOBS$|LIMIT$|NO_INSTALL$|ARGS$|TIMEOUT$|MEM$|MACHINE$|ACCEL$)/ } keys %ENV };

my ($dir, $self) = (built("test-scripts-$$"), $$);
make_path("$dir/bin", "$dir/unit");
chdir root() or die;

END {
    local $?;
    remove_tree($dir) if $self == $$;
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
is(targets('tests/bochs/ends.t'), "$dir/baretick.iso", 'what Bochs boots is the image');
my @units = map { s{.*/(.*)\.c}{$1}r } sort glob 'tests/unit/test_*.c';
is(targets(), join(' ', @units, 'tests'), 'without a name: all');
$r = script({}, 'tests/run', 'crc', 'no-such');
is($r->{status}, 1, 'a name that no test has');
like($r->{out}, qr/no test 'no-such'/, '... is told');
is($r->{notes}, '', '... before anything is built');
unlink "$dir/bin/make";

sub make_n {
    my ($target, @more) = @_;
    my $r = script({}, qw(make -n --no-print-directory), "B=$dir/none", $target, @more);
    is($r->{status}, 0, "make -n $target") or diag($r->{out});
    return $r->{out};
}
my $tests = make_n('tests');
for my $built (qw(baretick.elf baretick-hosted baretick-bench ticklog ticklog-tested), map { "unit/$_" } @units) {
    like($tests, qr{ -o \Q$dir\E/none/\Q$built\E$}m, "make tests: $built");
}
like($tests, qr{^tools/mkiso \Q$dir\E/none/baretick\.iso }m, 'make tests: the image');
like(make_n('check', 'SUBMAKE=make'), qr{ tests\ntests/run\n\z}, 'make check: make tests, then tests/run');

# ---- each make that README shows installs what it needs, and that first

my %group = (
    run => ['run'], hosted => ['run'], iso => ['iso'], ticklog => ['tool'], install => ['tool'],
    check => [qw(check tool)], bench => [qw(run iso)], lint => [qw(check lint tool)],
    'check-bochs' => [qw(check bochs)], 'check-mutants' => [qw(check tool)],
);
my %shown = map { $_ => 1 } map { grep { /^[a-z-]+$/ } split ' ' }
    slurp('README.md') =~ /^ *make ((?:[\w-]+ ?)+)/mg, slurp('README.md') =~ /`make ([a-z-]+)[ `]/g;
delete @shown{ grep { /^install-/ } keys %shown };
is_deeply([ sort keys %shown ], [ sort keys %group ], 'README shows ' . join ', ', sort keys %group);
for my $target (sort keys %group) {
    my ($first) = make_n($target, 'SUBMAKE=make') =~ /\A((?:tools\/install \w+\n)*)/;
    is_deeply([ sort $first =~ / (\w+)\n/g ], [ sort @{ $group{$target} } ], "make $target: the groups");
}

# A machine with these programs only, on which nothing is installed.
sub with_only {
    my ($target, @programs) = @_;
    make_path("$dir/some");
    for my $name (qw(timeout make sh env git nproc mkdir cmp), @programs) {
        my ($path) = grep { -x $_ } map { "$_/$name" } split /:/, $ENV{PATH};
        symlink $path, "$dir/some/$name" if $path;
    }
    return script({ PATH => "$dir/some", NO_INSTALL => 1 },
        qw(make --no-print-directory SUBMAKE=false), "B=$dir/none", $target);
}
$r = with_only('iso', qw(gcc objcopy nasm grub-file xz));
is($r->{status}, 2, 'make iso without its packages: a failure');
like($r->{out}, qr/^install: NO_INSTALL is set; missing: xorriso mtools$/m, '... that names them');
unlike($r->{out}, qr/false/, '... before anything is made');
$r = with_only('ticklog', 'gcc');
like($r->{out}, qr/^install: NO_INSTALL is set; missing: gnuplot-nox$/m, 'so does make ticklog');

# ---- tools/run: how a boot ends

program('bin/qemu-system-x86_64', <<'END');
#!/bin/bash
[[ " $* " == *' -S '* ]] && exit 1
all=$*
log=${all#*logfile=}
log=${log%% *}
trap 'echo "qemu: terminating on signal" >&2; kill %1; exit 0' TERM INT HUP
printf "$SAYS" >"$log"
printf "$SAYS" 2>/dev/null
echo started >>"$NOTES"
sleep ${SLEEP:-0} &
wait
exit $STATUS
END
program('baretick.elf', '');

my $end = '@bt seq=2 type=end records=2 result=pass crc=00000000\r\n';
my $whole = '@bt seq=1 type=begin schema=1\r\n' . $end;

sub run_ends {
    my ($what, $env, $status, $words) = @_;
    my $r = script($env, 'tools/run');
    is($r->{status}, $status, "$what: status $status") or diag($r->{out});
    like($r->{out}, $words, "$what: in words");
    my ($log) = $r->{out} =~ /^run: log kept in (\S+)$/m;
    my $want = sprintf $env->{SAYS} =~ s/\\r//gr =~ s/\\n/\n/gr;
    is(slurp($log // ''), $want, "$what: the log is kept");
    is(readlink "$dir/run/latest.log", ($log // '') =~ s{.*/}{}r, "$what: as the latest");
    is_deeply([ glob "$dir/run/.raw*" ], [], "$what: and nothing else is left");
}

run_ends('a pass', { SAYS => $whole, STATUS => 33 }, 0, qr/^run: log kept in \S+\n\z/m);
run_ends('33 and a cut log', { SAYS => '@bt seq=1 type=begin schema=1\r\n', STATUS => 33 }, 1,
    qr/^run: QEMU ended with 33, but the log has no whole type=end record/m);
run_ends('help', { ARGS => 'profile=quick help', SAYS => '\n  suite=  suites\r\n  help  this\r\n', STATUS => 33 }, 0,
    qr/^run: log kept in \S+\n\z/m);
run_ends('help that is not asked for', { SAYS => '  suite=  suites\r\n', STATUS => 33 }, 1, qr/no whole type=end/);
run_ends('help, and a cut log', { ARGS => 'label="help me"', SAYS => '@bt seq=1 type=begin\r\n', STATUS => 33 }, 1,
    qr/no whole type=end/);
run_ends('no console', { ARGS => 'console=none', SAYS => '', STATUS => 33 }, 1,
    qr/^run: QEMU ended with 33, but console=none leaves no log, and a verdict needs both$/m);
run_ends('a failure', { SAYS => "not ok 1 options # failed\\r\\n$whole", STATUS => 35 }, 1,
    qr/^run: .*35.*: see the lines 'not ok' in the log$/m);
run_ends('a crash', { SAYS => 'ok 1 a\r\n\r\nbaretick: PANIC: page fault\r\n', STATUS => 35 }, 1,
    qr/^run: the kernel crashed \(QEMU ended with 35\): see 'baretick: PANIC: page fault' in the log$/m);
run_ends('a failure without a word', { SAYS => 'text\r\n', STATUS => 35 }, 1,
    qr/^run: .*35.*the log does not say of what$/m);
run_ends('a reset', { SAYS => 'text\r\n', STATUS => 0 }, 1, qr/without a type=end record: triple fault, reset/);
run_ends('a power-off', { SAYS => $whole, STATUS => 0 }, 1, qr/powered off or rebooted, which tells no verdict$/m);
run_ends('no end', { SAYS => 'text\r\n', STATUS => 33, SLEEP => 50, TIMEOUT => 1 }, 1, qr/^run: no end within 1 s$/m);
run_ends('killed from without', { SAYS => 'text\r\n', STATUS => 137 }, 1, qr/^run: QEMU was killed after \d+ s/m);
run_ends('QEMU that does not start', { SAYS => '', STATUS => 1 }, 1, qr/^run: QEMU ended with 1; expected 33$/m);
is(script({ TIMEOUT => 'ten' }, 'tools/run')->{out}, "run: TIMEOUT=ten: expected seconds\n", 'a wrong TIMEOUT');

# ---- tools/run and signals

for my $signal (qw(INT TERM HUP)) {
    unlink "$dir/notes";
    my $start = time;
    my $pid = in_child(sub {
        %ENV = (%ENV, B => $dir, NOTES => "$dir/notes", PATH => "$dir/bin:$ENV{PATH}",
            SAYS => 'text\r\n', STATUS => 33, SLEEP => 50);
        open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
        open STDOUT, '>', "$dir/out" or die "$dir/out: $!\n";
        open STDERR, '>&', \*STDOUT or die "standard error: $!\n";
        exec 'tools/run' or return 127;
    });
    sleep 0.05 until -s "$dir/notes" || time - $start > 20;
    kill $signal => $pid;
    waitpid $pid, 0;
    is($?, 1 << 8, "SIG$signal: status 1");
    cmp_ok(time - $start, '<', 45, '... and QEMU is ended with it');
    my $out = slurp("$dir/out");
    like($out, qr/^run: ended by SIG$signal after \d+ s: the log is what there was by then$/m, '... which is said');
    unlike($out, qr/triple fault/, '... and nothing else is supposed');
    my ($log) = $out =~ /^run: log kept in (\S+)$/m;
    is(slurp($log // ''), "text\n", '... the log is kept');
    is_deeply([ glob "$dir/run/.raw*" ], [], '... and nothing else is left');
}

$r = script({ SAYS => $whole, STATUS => 33 }, qw(bash -c), '{ tools/run; echo "status $?" >&2; } | true');
like($r->{out}, qr/^run: log kept in (\S+)\nstatus 0$/m, 'a reader that has gone: the boot goes on, and the log is kept');
unlike($r->{out}, qr/I\/O error|Broken pipe/, '... without a word of the shell');
is_deeply([ glob "$dir/run/.raw*" ], [], '... and nothing else is left');

# ---- the deliberate faults, which move with the code

$r = script({}, qw(tests/check-mutants -l));
is($r->{status}, 0, 'each deliberate fault still applies')
    or diag(grep { /does not apply/ } split /^/, $r->{out});

$r = script({}, qw(tests/check-clocks -n));
is($r->{status}, 0, 'another clock can still be put into the sources') or diag($r->{out});

done_testing();
