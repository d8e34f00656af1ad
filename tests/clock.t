#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The TSC's frequency, its sources taken away one by one or made to contradict each other: each says
# what it is, those that agree are believed, and where none do no time is named anywhere.
use strict;
use warnings;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Baretick;
use Test::More;

my @all   = qw(cpuid.15h cpuid.16h hypervisor.40000010h pit hpet pmtimer);
my $agree = 500;          # ppm
my $most  = 300_000;      # microseconds that calibration may take

# What could name a time, and short: the gaps alone, and all of it.
my $gaps = 'suite=gaps profile=quick soak=1';
my $rest = 'profile=quick soak=1 lines=2 samples=50 xsave.trace=2 xsave.rfbm=3 xsave.xinuse=3';

sub frequency {
    my ($b) = @_;
    my $log = read_records($b->{log});
    my ($tsc) = records_of($log, 'tsc');
    my %clock = map { $_->{source} => $_ } records_of($log, 'clock');
    return ($tsc // {}, \%clock);
}

sub states {
    my ($clock) = @_;
    return { map { $_ => $clock->{$_}{state} } keys %$clock };
}

sub apart {
    my ($x, $y) = sort { $a <=> $b } @_;
    return ($y - $x) / $x * 1e6;
}

# The candidates have just these states, and what is said of the frequency follows from them.
sub clocks_are {
    my ($b, %state) = @_;
    my ($tsc, $clock) = frequency($b);
    my %want = ((map { $_ => 'absent' } @all), %state);
    is_deeply(states($clock), \%want, "$b->{name}: each candidate has its state");
    my @wrong = grep {
        my $said = $clock->{$_}{khz} > 0;
        $said != ($clock->{$_}{state} =~ /^(?:ok|outvoted)$/)
    } sort keys %$clock;
    is_deeply(\@wrong, [], "$b->{name}: a rate is given with ok and outvoted, and with no other");
    is_deeply([ grep { !/^\d+$/ } map { $_->{spread} } values %$clock ], [],
        "$b->{name}: each has its spread");
    return ($tsc, $clock);
}

# ---- believed

# A source that fails may take longer than all the good ones, until its bound.
sub trusted {
    my ($b, %state) = @_;
    my $bound = grep({ $_ ne 'ok' } values %state) ? 1_000_000 : $most;
    my ($tsc, $clock) = clocks_are($b, %state);
    my @ok = grep { $_->{state} eq 'ok' } values %$clock;
    is($tsc->{trusted}, 1, "$b->{name}: trusted");
    cmp_ok(scalar @ok, '>=', 2, "$b->{name}: by two sources or more");
    my @far = grep { apart($_->{khz}, $tsc->{khz}) > $agree } @ok;
    is_deeply([ map { "$_->{source} $_->{khz}" } @far ], [],
        "$b->{name}: all that are ok are within $agree ppm of $tsc->{khz} kHz");
    is($clock->{ $tsc->{source} }{khz}, $tsc->{khz}, "$b->{name}: the source named said it");
    cmp_ok($tsc->{took} * 1000 / $tsc->{khz}, '<', $bound,
        "$b->{name}: calibrated in less than $bound us");
    my $check = check_named(read_ktap($b->{log}), 'tsc.frequency');
    like("$check->{ok} $check->{note}", qr/^1 $tsc->{khz} kHz/, "$b->{name}: tsc.frequency is ok");
    return ($tsc, $clock);
}

# ---- not believed: ticks only

# Words of a time as they stand in a log. What was asked for, what the rule wants and what a serial
# line takes come from no clock.
sub times_named {
    my ($log) = @_;
    my @found;
    for my $line (split /\n/, $log) {
        next if $line =~ /^\s*#.*at 115200 baud/ || $line =~ /type=options|^options /;
        $line =~ s/limit\.\S+//g;
        push @found, $line
            if $line =~ /\d(?: |\\x20)?(?:ns|us|ms|s)\b(?![\/=])/
            || $line =~ /\d(?: |\\x20)(?:seconds?|minutes?|hours?|days?)\b/
            || $line =~ /\ba(?: |\\x20)(?:second|minute|hour|day)\b/
            || ($line =~ /d\.\.1\.\s+(\d+\.\d+):/ && $1 != 0)
            || ($line =~ /^# baretick unit=ticks tsc_khz=(\d+)/ && $1 != 0);
    }
    return \@found;
}

sub untrusted {
    my ($b) = @_;
    my ($tsc) = frequency($b);
    is($tsc->{trusted}, 0, "$b->{name}: not trusted");
    like($b->{log}, qr/^tsc .*UNTRUSTED/m, "$b->{name}: ... and says UNTRUSTED");
    like($b->{log}, qr/^CLOCK .*UNTRUSTED/m, "$b->{name}: ... in the summary too");
    like($b->{log}, qr/^TRUST: UNKNOWN .*tsc\.frequency .*gaps watched for a time not known/m,
        "$b->{name}: ... and in TRUST");
    like($b->{log}, qr/^# .* ticks watched/m, "$b->{name}: gaps were watched");
    is_deeply(times_named($b->{log}), [], "$b->{name}: no time is named anywhere");
    return $tsc;
}

# What looks for times finds them where there are some.
cmp_ok(scalar @{ times_named("watched 1.234 s\n3 a minute\n  61.7 us\nx\\x201\\x20s\n") }, '==', 4,
    'a time in a log is found');

# ---- sources taken away

my %machine = (
    'pc'              => [ 'pc',                   { pit => 1, hpet => 1, pmtimer => 1 } ],
    'q35 without pit' => [ 'q35,pit=off',          { hpet => 1, pmtimer => 1 } ],
    'q35 without hpet' => [ 'q35,hpet=off',        { pit => 1, pmtimer => 1 } ],
    'q35, pm timer alone' => [ 'q35,pit=off,hpet=off', { pmtimer => 1 } ],
);

# Where the clock counts instructions the sources are exact, and so is what calibration took.
for my $name (sort keys %machine) {
    my ($machine, $there) = @{ $machine{$name} };
    my %state = map { $_ => 'ok' } keys %$there;
    my $b = boot(name => $name, machine => $machine, cpu => 'max', icount => 3,
        append => "suite=gaps,tsc,xsave $rest", timeout => 120);
    boot_ok($b);
    if (keys %state >= 2) {
        my ($tsc) = trusted($b, %state);
        cmp_ok(apart($tsc->{khz}, 1_000_000), '<', 100, "$name: 1 GHz, which it is");
        isnt(scalar @{ times_named($b->{log}) }, 0, "$name: times are named");
    } else {
        clocks_are($b, %state);
        my $tsc = untrusted($b);
        is($tsc->{source}, 'pmtimer', "$name: the one source is named");
    }
}

my $acpi = boot(name => 'no ACPI', cpu => 'max', icount => 3, append => $gaps,
    extra => ['-no-acpi'], timeout => 120);
boot_ok($acpi);
my ($left) = clocks_are($acpi, pit => 'ok');
is($left->{source}, 'pit', 'no ACPI: the PIT alone, HPET and PM timer are not found');
untrusted($acpi);

my $micro = boot(name => 'microvm', machine => 'microvm', cpu => 'max',
    append => "suite=gaps,stability,tsc,xsave detail=full method=5 $rest", timeout => 120);
boot_ok($micro);
clocks_are($micro);
my $none = untrusted($micro);
is("$none->{khz} $none->{source}", '0 none', 'microvm: no frequency and no source');

my $limits = boot(name => 'microvm, limits', machine => 'microvm',
    append => "suite=gaps profile=quick soak=1 limit.gap=150us limit.smi=1/h", timeout => 60);
for my $name ('gaps.limit.gap', 'gaps.limit.smi') {
    my $check = check_named(read_ktap($limits->{log}), $name);
    ok($check && !$check->{ok}, "$name cannot be checked without a frequency, and is not ok");
}

# ---- the clock that counts every instruction at its slowest, twice

my @twice = map {
    boot(name => "shift 0, $_", cpu => 'max', icount => 0, append => $gaps,
        extra => [ '-rtc', 'base=2000-01-01T00:00:00,clock=vm' ], timeout => 120)
} 1, 2;
boot_ok($_) for @twice;
trusted($_, pit => 'ok', hpet => 'ok', pmtimer => 'ok') for @twice;
is_deeply(map({ [ frequency($_) ] } @twice), 'shift 0: two boots measure the same to the tick');

# At its coarsest an instruction takes a microsecond: what reads leave open shrinks over a longer time.
my $coarse = boot(name => 'shift 10', cpu => 'max', icount => 10, append => $gaps, timeout => 60);
boot_ok($coarse);
my (undef, $open) = trusted($coarse, pit => 'implausible', hpet => 'ok', pmtimer => 'ok');
cmp_ok($open->{$_}{spread}, '<', 1000, "shift 10: what $_ leaves open") for qw(hpet pmtimer);

# ---- a counter that stands still: a table that names memory as an HPET, of 10 ns a count

my $hpet = built("test-logs/clock-hpet-$$");
my $at   = 0x6000000;
my %bytes = (
    table     => pack('V C4 V V C v C', 0x8086a201, 0, 64, 0, 0, $at, 0, 0, 100, 0),
    registers => pack('V V', 0x8086a201, 10_000_000) . "\0" x 1016,
);
for my $part (keys %bytes) {
    open my $f, '>:raw', "$hpet.$part" or die "$hpet.$part: $!\n";
    print $f $bytes{$part};
    close $f or die "$hpet.$part: $!\n";
}
my $stuck = boot(name => 'a counter that stands still', machine => 'pc,hpet=off', cpu => 'max',
    icount => 3, append => $gaps, timeout => 120,
    extra => [ '-acpitable', "sig=HPET,data=$hpet.table",
        '-device', "loader,addr=$at,file=$hpet.registers,force-raw=on" ]);
unlink map { "$hpet.$_" } keys %bytes;
boot_ok($stuck);
trusted($stuck, pit => 'ok', hpet => 'stuck', pmtimer => 'ok');

# ---- more CPUs than are measured

my $smp = boot(name => 'two CPUs', cpu => 'max', smp => 2, append => $gaps,
    timeout => 120);
boot_ok($smp);
my ($machine) = records_of($smp->{log}, 'machine');
is($machine->{cpus}, 2, 'two CPUs: both are seen');
like($smp->{log}, qr/^TRUST: (?!GOOD).*1 of 2 CPUs measured/m, '... and one measured: not GOOD');
like(check_named(read_ktap($smp->{log}), 'machine.cpus')->{note}, qr/^SKIP 1 of 2 CPUs measured/,
    '... and a check says so');

done_testing();
