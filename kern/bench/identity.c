// SPDX-License-Identifier: MIT
/* Identity and the checks it decides: see identity.h. Names and units are README "Records". */
#include "identity.h"

static const char *const profile_name[] = {"auto", "quick", "standard", "soak"};

/* How an emulator gave itself away, or "no". */
static const char *emulated_why(const struct run *run)
{
	if (run->machine->emulated)
		return run->machine->emulated_why;
	return run->icount ? "the clock counts instructions" : "no";
}

static void machine_record(struct run *run)
{
	const struct machine *m = run->machine;
	struct record *r = report_record(run->report, "machine");

	record_word(r, "vendor", m->vendor);
	record_hex(r, "signature", m->signature);
	record_word(r, "brand", m->brand);
	record_u64(r, "core_type", m->core_type);
	if (m->microcode_state == VALUE_READ)
		record_hex(r, "microcode", m->microcode);
	record_word(r, "hypervisor", m->hypervisor ? m->hv_vendor : "none");
	record_word(r, "emulated", emulated_why(run));
	record_word(r, "boot", m->boot_path);
	record_word(r, "loader", m->loader ? m->loader : "");
	record_word(r, "rtc", m->rtc);
	record_u64(r, "cpus", m->cpus);
	record_u64(r, "apic", m->apic_id);
	record_u64(r, "memory", m->memory);
	record_word(r, "lfence", m->lfence ? m->lfence : "unknown");
	record_u64(r, "invariant", m->invariant_tsc);
	report_send(run->report);
}

static void board_record(struct run *run)
{
	const struct machine *m = run->machine;
	struct record *r = report_record(run->report, "board");

	record_word(r, "firmware", m->firmware);
	if (run->options->ident) {
		record_word(r, "board", m->board);
		record_word(r, "serial", m->serial);
		record_word(r, "uuid", m->uuid);
	}
	record_word(r, "label", run->options->label);
	report_send(run->report);
}

static void clock_records(struct run *run)
{
	const struct machine *m = run->machine;
	struct record *r;

	for (u32 i = 0; i < m->n_clocks; i++) {
		r = report_record(run->report, "clock");
		record_word(r, "source", m->clock[i].name);
		record_word(r, "state", m->clock[i].state);
		record_u64(r, "khz", m->clock[i].khz);
		record_u64(r, "spread", m->clock[i].spread);
		report_send(run->report);
	}
	r = report_record(run->report, "tsc");
	record_u64(r, "khz", m->tsc_khz);
	record_u64(r, "trusted", m->tsc_trusted);
	record_word(r, "source", m->tsc_source && m->tsc_source[0] ? m->tsc_source : "none");
	record_u64(r, "entry", m->entry_tsc);
	record_u64(r, "took", m->clocks_took);
	report_send(run->report);
}

/* Longest first part of the words at `text` that fits the open record as `given`; at least one. */
static size_t options_given(struct report *r, const char *text, size_t n)
{
	const struct record before = r->record;

	for (;;) {
		size_t shorter = n;

		r->record = before;
		r->record.t.at = r->record.bytes;
		record_str(&r->record, "given", text, n);
		if (r->record.t.cut == 0)
			return n;
		while (shorter && text[shorter - 1] != ' ')
			shorter--;
		if (shorter == 0)
			return n;
		n = shorter - 1;
	}
}

/* What the first record cannot hold goes on in records `options_more`. */
static void options_record(struct run *run)
{
	char bytes[1600];
	struct text t = TEXT_ON(bytes);
	struct report *out = run->report;
	struct record *r = report_record(out, "options");
	size_t at;

	options_in_force(run->options, &t);
	record_word(r, "profile", profile_name[run->profile]);
	record_key(r, "code");
	fmt(&r->t, "%08X", seq_crc());
	at = options_given(out, bytes, t.len);
	report_send(out);
	while (at < t.len) {
		report_record(out, "options_more");
		at += 1 + options_given(out, bytes + at + 1, t.len - at - 1);
		report_send(out);
	}
	report_text(out, "options  profile %s; given: %.*s\n", profile_name[run->profile],
		    t.len ? (int)t.len : 7, t.len ? bytes : "nothing");
}

static void machine_text(struct run *run)
{
	const struct machine *m = run->machine;
	struct report *r = run->report;

	report_text(r, "cpu      %s %02X_%02XH stepping %u, %s\n", m->vendor, m->family, m->model,
		    m->stepping, m->brand[0] ? m->brand : "no brand string");
	if (m->hypervisor)
		report_text(r, "hv       %s\n", m->hv_vendor[0] ? m->hv_vendor : "unnamed");
	if (run_emulated(run))
		report_text(r, "emulated %s: numbers are the emulator's, not hardware's\n",
			    emulated_why(run));
	if (m->firmware[0])
		report_text(r, "firmware %s\n", m->firmware);
	report_text(r, "boot     %s%s%s, %u CPU%s, %llu MiB\n", m->boot_path,
		    m->loader && m->loader[0] ? ", " : "", m->loader ? m->loader : "", m->cpus,
		    m->cpus == 1 ? "" : "s", (unsigned long long)(m->memory >> 20));
}

static u32 clock_claims(const struct machine *m)
{
	u32 claims = 0;

	for (u32 i = 0; i < m->n_clocks; i++)
		claims += m->clock[i].khz != 0;
	return claims;
}

static void clock_text(struct run *run)
{
	const struct machine *m = run->machine;

	report_text(run->report, "tsc      ");
	if (m->tsc_khz)
		report_text(run->report, "%llu kHz (%s), %s\n", (unsigned long long)m->tsc_khz,
			    m->tsc_source ? m->tsc_source : "one source",
			    m->tsc_trusted ? "trusted" : "UNTRUSTED: no other source agrees");
	else
		report_text(run->report, "frequency UNTRUSTED: %s\n",
			    clock_claims(m) ? "the sources contradict each other" : "no source");
	for (u32 i = 0; i < m->n_clocks; i++)
		report_text(run->report, "         %-22s %s %llu kHz\n", m->clock[i].name,
			    m->clock[i].state, (unsigned long long)m->clock[i].khz);
}

void identity_report(struct run *run)
{
	machine_text(run);
	clock_text(run);
	options_record(run);
	machine_record(run);
	board_record(run);
	clock_records(run);
	for (u32 i = 0; i < run->machine->n_findings; i++)
		report_text(run->report, "note     %s\n", run->machine->finding[i]);
}

static void check_frequency(struct run *run)
{
	const struct machine *m = run->machine;

	if (m->tsc_trusted)
		verdict_add(run->verdict, "tsc.frequency", STATUS_OK, "%llu kHz",
			    (unsigned long long)m->tsc_khz);
	else
		verdict_add(run->verdict, "tsc.frequency",
			    run_emulated(run) ? STATUS_SKIP : STATUS_UNSTABLE,
			    "UNTRUSTED: no two sources agree within 500 ppm");
}

/* The promise and the behaviour are two facts: this is the promise. */
static void check_invariant(struct run *run)
{
	const struct machine *m = run->machine;

	if (m->invariant_tsc)
		verdict_add(run->verdict, "tsc.invariant", STATUS_OK, "%s", "");
	else if (m->hypervisor || run_emulated(run))
		verdict_add(run->verdict, "tsc.invariant", STATUS_SKIP,
			    "not promised (CPUID.80000007H:EDX[8] is 0 %s)",
			    m->hypervisor ? "under a hypervisor" : "in an emulator");
	else
		verdict_add(run->verdict, "tsc.invariant", STATUS_UNSTABLE,
			    "not promised (CPUID.80000007H:EDX[8] is 0)");
}

void identity_checks(struct run *run)
{
	const struct machine *m = run->machine;

	check_invariant(run);
	check_frequency(run);
	if (m->cpus == 1)
		verdict_add(run->verdict, "machine.cpus", STATUS_OK, "%s", "");
	else if (m->cpus == 0)
		verdict_add(run->verdict, "machine.cpus", STATUS_SKIP, "number of CPUs not known");
	else
		verdict_add(run->verdict, "machine.cpus", STATUS_SKIP, "1 of %u CPUs measured",
			    m->cpus);
	if (m->n_findings)
		verdict_add(run->verdict, "machine.findings",
			    m->boot_damaged ? STATUS_UNSTABLE : STATUS_SKIP, "%s%s", m->finding[0],
			    m->n_findings > 1 ? " (and more, see the log)" : "");
}
