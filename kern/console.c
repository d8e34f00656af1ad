// SPDX-License-Identifier: MIT
/* The log's way out: which UART, and "\n" as CR LF. */
#include "console.h"

#include "acpi.h"
#include "mem.h"
#include "number.h"
#include "paging.h"
#include "uart.h"

static const u16 com_port[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

/* BIOS data area: four words, the ports of COM1 to COM4 as the BIOS found them. */
#define BDA_COM 0x400

static struct uart sink;
static bool have_sink, missing;
static u16 bda_port;
static char description[128];

static u32 com_number(u16 port)
{
	for (u32 i = 0; i < ARRAY_SIZE(com_port); i++) {
		if (com_port[i] == port)
			return i + 1;
	}
	return 0;
}

/*
 * UEFI leaves no BIOS data area but whatever lies there: all four words must look like one, since
 * even a probe writes to what may be another device.
 */
static bool bda_plausible(const u16 *com)
{
	for (u32 i = 0; i < ARRAY_SIZE(com_port); i++) {
		if (com[i] && (com[i] < 0x200 || com[i] > 0x3f8 || com[i] % 8))
			return false;
	}
	return com[0] != 0;
}

/* Read before the kernel has its own page tables, which leave page 0 out. */
static void bda_read(void)
{
	const volatile u16 *bda;
	u16 com[ARRAY_SIZE(com_port)];
	u64 at = BDA_COM;

	bda_port = 0;
	if (!paging_mapped(at, sizeof(com)))
		return;
	/* To a compiler an object at so low an address has no bytes. */
	asm("" : "+r"(at));
	bda = (const volatile u16 *)at;
	for (u32 i = 0; i < ARRAY_SIZE(com_port); i++)
		com[i] = bda[i];
	if (bda_plausible(com))
		bda_port = com[0];
}

static struct uart at_port(u16 port)
{
	return (struct uart){.port = port};
}

/* Table SPCR, without its speed: the divisor is as firmware set it. */
static bool at_spcr(struct uart *u, const struct acpi_info *a)
{
	u64 at;

	if (!a || !a->spcr || !a->serial_16550 || !a->serial.address)
		return false;
	at = a->serial.address;
	if (a->serial.space == ACPI_IO && at <= 0xfff8) {
		*u = at_port((u16)at);
		return true;
	}
	if (a->serial.space != ACPI_MEMORY)
		return false;
	*u = (struct uart){.stride = a->serial.bits == 32 ? 4 : 1};
	u->mmio = paging_map_mmio(at, 8u * u->stride);
	return u->mmio != NULL;
}

/* The port that console= names; false for auto and none. */
static bool option_port(const char *s, u16 *port)
{
	u64 number;

	if (strlen(s) == 4 && !memcmp(s, "com", 3) && s[3] >= '1' && s[3] <= '4') {
		*port = com_port[s[3] - '1'];
		return true;
	}
	if (!number_parse(s, strlen(s), &number))
		return false;
	*port = (u16)number; /* the options hold no other than a port */
	return true;
}

/* Takes u as the sink if there is one. */
static bool take(struct uart u, u16 divisor, const char *why)
{
	struct text t = {.at = description, .cap = sizeof(description) - 1};
	u32 com = com_number(u.port);

	if (!uart_exists(&u))
		return false;
	uart_start(&u, divisor);
	if (u.dead)
		return false;
	sink = u;
	have_sink = true;
	if (com)
		fmt(&t, "com%u ", com);
	if (u.port)
		fmt(&t, "%xh (%s, %u baud", u.port, why, UART_CLOCK / 16 / u.divisor);
	else
		fmt(&t, "mmio (%s, divisor %u", why, u.divisor);
	fmt(&t, " %s, fifo %u)", u.divisor_set ? "set" : "as found", u.burst == 1 ? 0 : u.burst);
	description[t.len] = 0;
	return true;
}

static void describe_none(const char *why)
{
	struct text t = {.at = description, .cap = sizeof(description) - 1};

	fmt(&t, "none (%s)", why);
	description[t.len] = 0;
}

static u16 divisor_for(u64 baud)
{
	u64 d;

	if (baud == OPTION_UNSET || !baud)
		return 0;
	d = (UART_CLOCK / 16 + baud / 2) / baud;
	return d < 1 ? 1 : d > 0xffff ? 0xffff : (u16)d;
}

void console_early(void)
{
	have_sink = false;
	bda_read();
	if (bda_port && take(at_port(bda_port), 0, "bios data area"))
		return;
	if (!take(at_port(com_port[0]), 0, "default"))
		describe_none("no uart answers");
}

static bool choose(const struct options *o, const struct acpi_info *acpi)
{
	u16 divisor = divisor_for(o->baud), port;
	struct uart u;

	if (option_port(o->console, &port)) {
		if (take(at_port(port), divisor, "console="))
			return true;
		missing = true;
	}
	if (at_spcr(&u, acpi) && take(u, divisor, "spcr"))
		return true;
	if (bda_port && take(at_port(bda_port), divisor, "bios data area"))
		return true;
	return take(at_port(com_port[0]), divisor, "default");
}

void console_init(const struct options *o, const struct acpi_info *acpi)
{
	char line[sizeof(description) + 32];
	struct text t = TEXT_ON(line);

	console_flush();
	have_sink = missing = false;
	if (str_is(o->console, "none")) {
		describe_none("console=none");
		return;
	}
	if (!choose(o, acpi)) {
		describe_none("no uart answers");
		return;
	}
	/*
	 * A line known beforehand: if it is not readable, the line's speed is not what was assumed.
	 */
	fmt(&t, "\nbaretick: console %s\n", description);
	console_write(line, t.len);
}

bool console_missing(void)
{
	return missing;
}

const char *console_describe(void)
{
	return description;
}

static void send_lines(struct uart *u, const char *bytes, size_t n)
{
	char out[256];
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			out[len++] = '\r';
		out[len++] = bytes[i];
		if (len >= sizeof(out) - 1 || i + 1 == n) {
			uart_send(u, out, len);
			len = 0;
		}
	}
}

/* The gap in the log is told, or it would look as if nothing had been there. */
static void tell_lost(void)
{
	char line[80];
	struct text t = TEXT_ON(line);

	fmt(&t, "\nbaretick: console: no answer for a while, %llu bytes lost\n",
	    (unsigned long long)sink.lost);
	sink.lost = 0;
	send_lines(&sink, line, t.len);
}

void console_write(const char *bytes, size_t n)
{
	if (!have_sink)
		return;
	if (sink.dead && uart_revive(&sink))
		tell_lost();
	send_lines(&sink, bytes, n);
}

void console_flush(void)
{
	if (have_sink)
		uart_drain(&sink);
}

void console_panic_write(const char *bytes, size_t n)
{
	/* A copy: whatever state the crash left, the port is tried afresh. */
	struct uart u = sink;

	if (!have_sink)
		return;
	if (!u.port && !u.mmio)
		u.port = com_port[0];
	u.dead = false;
	u.revived = 0;
	if (u.burst != 16)
		u.burst = 1;
	send_lines(&u, bytes, n);
	uart_drain(&u);
}
