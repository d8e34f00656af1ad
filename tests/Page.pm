# SPDX-License-Identifier: MIT
# What the tests of ticklog report share: making a page, with the gnuplot that is here or another, and
# what must be true of every page.
package Page;
use strict;
use warnings;

use Exporter qw(import);
use File::Temp qw(tempdir);
use Test::More;
use Ticklog;

our @EXPORT = qw(report report_with fake_gnuplot program changed has has_no count needs_nothing
    unbalanced);

# Status, page, standard error.
sub report {
    my (@args) = @_;
    my ($status, $out, $err) = ticklog('report', @args, '-o', '-');
    return ($status, $out, $err);
}

# The path of a program, or nothing.
sub program {
    my (@names) = @_;
    return (grep { -x } map { my $in = $_; map { "$in/$_" } @names } split /:/, $ENV{PATH})[0];
}

# The report with a program called gnuplot that is this shell script: status, page, standard error.
sub report_with {
    my ($script, @args) = @_;
    local $ENV{PATH} = fake_gnuplot($script) . ":$ENV{PATH}";
    return report(@args);
}

# Returns the folder that such a program is in.
sub fake_gnuplot {
    my ($script) = @_;
    my $dir = tempdir('gnuplot-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    open my $f, '>', "$dir/gnuplot" or die "$dir/gnuplot: $!\n";
    print {$f} "#!/bin/sh\n$script\n" or die;
    close $f or die;
    chmod 0755, "$dir/gnuplot" or die;
    return $dir;
}

# All records changed by a function of the words behind `type=`, with their right CRC.
sub changed {
    my ($log, $change) = @_;
    return join "\n", map { /^\@bt / ? crc_mend($change->($_)) : $_ } split /\n/, $log, -1;
}

# like() would print the whole page.
sub has {
    my ($text, $match, $name) = @_;
    return ok(scalar($text =~ $match), $name) || diag("no $match");
}

sub has_no {
    my ($text, $match, $name) = @_;
    return ok(scalar($text !~ $match), $name) || diag("'$&' matches $match");
}

sub count {
    my ($text, $match) = @_;
    my $n = () = $text =~ /$match/g;
    return $n;
}

# Everything that a browser would fetch, run or be sent to, beside places on the page.
sub needs_nothing {
    my ($page, $name) = @_;
    my $tags = join '', $page =~ /<[a-z][^>]*>/gi;
    my @foreign = $tags =~ /\b((?:src|href|srcset|action|data|poster|xlink:href)\s*=\s*["']?(?!["']?#)(?!["']?data:,)[^>\s]*)/gi;
    is_deeply(\@foreign, [], "$name: refers to nothing elsewhere");
    has_no($page, qr{https?://|//[a-z]|url\(|\@import|<script|<iframe|<object|<embed|<form}i,
        "$name: no address, no script");
    has_no($page, qr/<[^>]*\son[a-z]+\s*=/i, "$name: no handler");
    has($page, qr/Content-Security-Policy[^>]*default-src 'none'/, "$name: and forbids it");
    return;
}

# Tags that must be closed are, in order.
sub unbalanced {
    my ($page) = @_;
    my @open;
    $page =~ s/<style>.*?<\/style>//s;
    while ($page =~ m{<(/?)(\w+)((?:[^>"]|"[^"]*")*)>}g) {
        my ($end, $tag, $rest) = ($1, $2, $3);
        next if $tag =~ /^(?:meta|link|li|i|path|polygon|circle)$/ || $rest =~ m{/$};
        if (!$end) {
            push @open, $tag;
        } elsif (($open[-1] // '') eq $tag) {
            pop @open;
        } else {
            return "</$tag> in <" . ($open[-1] // '') . '>';
        }
    }
    return join ' ', @open;
}

1;
