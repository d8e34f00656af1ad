#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The CI jobs that the README shows: they are YAML, and their commands do here what they shall do
# there. What installs and builds is not run, but must be targets that there are.
use strict;
use warnings;

use CPAN::Meta::YAML;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Test::More;

use Altered;
use Baretick;
use Ticklog;

my $root = root();
my $dir = tempdir('ci-XXXXXX', TMPDIR => 1, CLEANUP => 1);
mkdir "$dir/bin";
symlink substr(built('x'), 0, -2), "$dir/build" or die $!;
# No test makes a device writable.
spew("$dir/bin/sudo", "#!/bin/sh\nexit 0\n");
chmod 0755, "$dir/bin/sudo";

# Runs one step as a runner does: bash, ending at the first command that fails.
sub step {
    my ($command) = @_;
    spew("$dir/step", $command);
    my $said = qx(cd $dir && PATH=$dir/bin:\$PATH timeout 150 bash --noprofile --norc -eo pipefail step 2>&1 </dev/null);
    return ($? >> 8, $said);
}

sub yaml {
    my ($file) = @_;
    my $yaml = eval { CPAN::Meta::YAML->read("$root/tests/data/ci/$file") };
    ok($yaml && ref $yaml->[0] eq 'HASH', "$file is YAML") or diag($@);
    return $yaml->[0];
}

sub one {
    my ($what, $pattern, @commands) = @_;
    my @found = grep { $_ =~ $pattern } @commands;
    is(scalar @found, 1, "$what: one step") or return '';
    return $found[0];
}

my ($makefile) = slurp("$root/Makefile");
my $has_report = qx(@{[ built('ticklog') ]} --help) =~ /^  report /m;
my ($log, $worse);

sub job {
    my ($name, @commands) = @_;
    my @targets = map { split ' ' } map { /^make (.*)$/mg } @commands;
    is_deeply([ grep { !/^-/ && $makefile !~ /^[^\n:#]*\b\Q$_\E\b[^\n:]*:(?!=)/m } @targets ], [],
        "$name: what it makes can be made");
    my ($boot) = one("$name: boot", qr/qemu-system/, @commands);
    my ($check) = one("$name: check", qr/ticklog check/, @commands);
    my ($page) = one("$name: page", qr/ticklog report/, @commands);
    my ($status, $said);

    if (!$log) {
        ($status, $said) = step($boot);
        is($status, 0, "$name: the ISO boots") or diag($said);
        $log = slurp("$dir/baretick.log");
        is_deeply(read_records($log =~ s/\r//gr)->{problems}, [], "$name: and leaves a whole log");
    }
    (my $fails = $boot) =~ s/baretick\.iso/no-such.iso/;
    isnt((step($fails))[0], 0, "$name: a boot that fails ends the job");

    spew("$dir/baretick.log", $log);
    system "rm -rf $dir/baselines $dir/check.xml";
    ($status, $said) = step($check);
    is($status, 0, "$name: without a baseline it passes");
    like($said, qr/no baseline for this machine: put baretick\.log/, "$name: and says what to do");
    mkdir "$dir/baselines";
    spew("$dir/baselines/first.log", $log);
    ($status, $said) = step($check);
    is($status, 0, "$name: with its own log as the baseline") or diag($said);
    like($said, qr/^SAME: /m, "$name: all is the same");
    like(slurp("$dir/check.xml"), qr/^ *<testsuite .*failures="0" errors="0"/m, "$name: JUnit XML");
    spew("$dir/baretick.log", altered(bare($log =~ s/\r//gr), sub {
        s{ overhead=\K\S+}{$& =~ s/\d+/99999999/gr}e if / type=rows method=5 /;
    }));
    ($status, $said) = step($check);
    is($status, 1, "$name: a regression fails the job") or diag($said);
    like($said, qr/^REGRESSION tsc\.5\./m, "$name: and is named");
    spew("$dir/baretick.log", substr $log, 0, length($log) / 2);
    is((step($check))[0], 2, "$name: so does a cut log");
    spew("$dir/baretick.log", $log);
    SKIP: {
        skip 'ticklog has no report', 2 unless $has_report;
        is((step($page))[0], 0, "$name: the page");
        like(slurp("$dir/report.html"), qr/<html/i, "$name: is one");
    }
}

my $github = yaml('github.yml');
my $steps = $github->{jobs}{baretick}{steps};
ok(exists $github->{on}{push}, 'GitHub: runs on a push');
like($github->{jobs}{baretick}{'runs-on'}, qr/^ubuntu-/, 'GitHub: on Ubuntu');
my ($upload) = grep { ($_->{uses} // '') =~ m{^actions/upload-artifact\@v\d+$} } @$steps;
is_deeply([ split ' ', $upload->{with}{path} ], [qw(baretick.log check.xml report.html)], 'GitHub: what is kept');
is(scalar(grep { ($_->{if} // '') eq 'always()' } @$steps), 2, 'GitHub: the page is made and kept whatever happens');
job('GitHub', grep { defined } map { $_->{run} } @$steps);

my $gitlab = yaml('gitlab.yml')->{baretick};
is($gitlab->{image}, 'debian:12', 'GitLab: the image');
is_deeply($gitlab->{artifacts},
    { when => 'always', paths => [qw(baretick.log report.html)], reports => { junit => 'check.xml' } },
    'GitLab: what is kept');
job('GitLab', @{ $gitlab->{script} }, @{ $gitlab->{after_script} });

done_testing();
