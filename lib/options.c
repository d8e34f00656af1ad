// SPDX-License-Identifier: MIT
/* The table of options, and the parser, the help and the list in force that are derived from it. */
#include "options.h"

#include "list.h"
#include "mem.h"
#include "number.h"

enum kind {
	KIND_NUMBER, /* u64: min..max, or one word of `choices`, which is XSAVE_TRACE_ALL */
	KIND_MASK,   /* u64: as a number, printed in hex */
	KIND_AMOUNT, /* struct amount: min..max, directly followed by one of `choices` */
	KIND_COUNTS, /* u64 for each of `choices`: a list of those given as NAME:min..max */
	KIND_CHOICE, /* enum: the index in `choices` */
	KIND_FLAG,   /* bool: the index in `choices` modulo 2 */
	KIND_BITS,   /* u32: the items of `choices`, bit 0 first; `alone` is none of them */
	KIND_LIST,   /* text: names, out of `choices` if given, or one of `alone` by itself */
	KIND_PORT,   /* text: one of `choices`, or a hexadecimal number */
	KIND_TEXT,   /* text: min..max bytes of printable ASCII */
	KIND_WORD,   /* bool: the bare name, without a value */
};

struct option {
	const char *name;
	enum kind kind;
	size_t offset;
	u64 min, max;
	u64 divides;	       /* a number must divide this, unless 0 */
	const char *choices;   /* comma list */
	const char *alone;     /* comma list: what stands by itself instead of a list */
	const char *fallback;  /* the default, as it would be given; "" for unset */
	const char *otherwise; /* what the help calls an unset default */
	const char *doc;
};

/*
 * To look for a UART is to write to its eight ports. Below 100h are the board's own: B2h raises an
 * SMI, F4h ends QEMU; CF9h resets.
 */
#define PORT_MIN       0x100
#define PORT_PCI_FIRST 0xcf8
#define PORT_PCI_LAST  0xcff

#define AT(field) .offset = offsetof(struct options, field)

/* clang-format off */
static const struct option table[] = {
	{"suite", KIND_LIST, AT(suite), .alone = "all", .fallback = "all",
	 .doc = "suites to run"},
	{"profile", KIND_CHOICE, AT(profile), .choices = "auto,quick,standard,soak",
	 .fallback = "auto", .doc = "how long to measure"},
	{"lines", KIND_NUMBER, AT(lines), .min = 1, .max = 1000000, .fallback = "",
	 .otherwise = "by profile", .doc = "lines a series"},
	{"samples", KIND_NUMBER, AT(samples), .min = 1, .max = 16777216, .fallback = "",
	 .otherwise = "by profile and budget", .doc = "samples a line"},
	{"method", KIND_LIST, AT(method), .alone = "all,matrix", .fallback = "all",
	 .doc = "TSC read methods"},
	{"workload", KIND_LIST, AT(workload), .choices = "empty,store,add,loop", .alone = "all",
	 .fallback = "all", .doc = "what stands between the two reads"},
	{"threshold", KIND_NUMBER, AT(threshold), .min = 1, .max = 1000000000, .fallback = "",
	 .otherwise = "by suite", .doc = "ticks above the usual for an outlier or gap"},
	{"soak", KIND_NUMBER, AT(soak), .min = 1, .max = 86400, .fallback = "",
	 .otherwise = "by machine", .doc = "seconds for the gaps suite"},
	{"limit.gap", KIND_AMOUNT, AT(limit_gap), .min = 1, .max = 1000000000,
	 .choices = "ns,us,ms,s,t", .fallback = "", .otherwise = "none",
	 .doc = "longest gap allowed; t: ticks"},
	{"limit.smi", KIND_AMOUNT, AT(limit_smi), .min = 0, .max = 1000000000,
	 .choices = "/s,/min,/h", .fallback = "", .otherwise = "none",
	 .doc = "highest rate of SMIs allowed"},
	{"smi", KIND_COUNTS, AT(smi_inject), .min = 1, .max = 1000000,
	 .choices = "inject,handler", .fallback = "", .otherwise = "none",
	 .doc = "make N SMIs; stay in each for N ticks"},
	{"budget", KIND_NUMBER, AT(budget), .min = 1, .max = 86400, .fallback = "",
	 .otherwise = "by machine", .doc = "seconds for the tsc suite"},
	{"xsave.trace", KIND_NUMBER, AT(xsave_trace), .min = 0, .max = 16777216,
	 .choices = "all", .fallback = "0", .doc = "samples a cell printed as trace lines"},
	{"xsave.rfbm", KIND_MASK, AT(xsave_rfbm), .min = 0, .max = OPTION_UNSET - 1,
	 .fallback = "", .otherwise = "the sweep", .doc = "one requested-feature bitmap only"},
	{"xsave.xinuse", KIND_MASK, AT(xsave_xinuse), .min = 0, .max = OPTION_UNSET - 1,
	 .fallback = "", .otherwise = "the sweep", .doc = "one set of state in use only"},
	{"console", KIND_PORT, AT(console), .min = PORT_MIN, .max = 0xfff8,
	 .choices = "auto,none,com1,com2,com3,com4", .fallback = "auto",
	 .doc = "serial port to print to; 0xcf8..0xcff are PCI's"},
	{"baud", KIND_NUMBER, AT(baud), .min = 50, .max = 115200, .divides = 115200,
	 .fallback = "", .otherwise = "as firmware left it", .doc = "bits a second"},
	{"detail", KIND_BITS, AT(detail), .choices = "lines,full", .alone = "default",
	 .fallback = "default", .doc = "lines: every line; full: every combination"},
	{"records", KIND_FLAG, AT(records), .choices = "off,on", .fallback = "on",
	 .doc = "print records for machines"},
	{"label", KIND_TEXT, AT(label), .min = 0, .max = 64, .fallback = "",
	 .otherwise = "none", .doc = "a name for this run"},
	{"ident", KIND_FLAG, AT(ident), .choices = "off,on", .fallback = "on",
	 .doc = "print the system's serial number and UUID"},
	{"strict", KIND_FLAG, AT(strict), .choices = "0,1,off,on", .fallback = "0",
	 .doc = "unstable fails the run"},
	{"exit", KIND_CHOICE, AT(exit), .choices = "auto,debug,halt,reboot,poweroff",
	 .fallback = "auto", .doc = "what to do at the end"},
	{"panic", KIND_CHOICE, AT(panic), .choices = "none,test,triple,stack,text,data",
	 .fallback = "none", .doc = "crash on purpose"},
	{"help", KIND_WORD, AT(help), .fallback = "", .otherwise = "off",
	 .doc = "print this and measure nothing"},
};
/* clang-format on */

_Static_assert(sizeof(enum profile) == sizeof(u32), "a KIND_CHOICE is stored as a u32");
_Static_assert(sizeof(enum exit_how) == sizeof(u32), "a KIND_CHOICE is stored as a u32");
_Static_assert(offsetof(struct options, smi_handler) == offsetof(struct options, smi_inject) + 8,
	       "the values of a KIND_COUNTS follow each other");
_Static_assert(sizeof(enum panic_how) == sizeof(u32), "a KIND_CHOICE is stored as a u32");

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* The item at `index`, which must be there. */
static void list_print(const char *list, u32 index, struct text *t)
{
	const char *item = "";
	size_t pos = 0, n = 0;

	for (u32 i = 0; i <= index; i++)
		list_next(list, &pos, &item, &n);
	text_bytes(t, item, n);
}

static void *field_of(struct options *o, const struct option *opt)
{
	return (char *)o + opt->offset;
}

static const void *value_of(const struct options *o, const struct option *opt)
{
	return (const char *)o + opt->offset;
}

static bool set_text(void *field, const char *value, size_t n)
{
	if (n >= OPTION_TEXT)
		return false;
	memset(field, 0, OPTION_TEXT);
	memcpy(field, value, n);
	return true;
}

static bool number_within(const struct option *opt, const char *text, size_t n, u64 *number)
{
	return number_parse(text, n, number) && *number >= opt->min && *number <= opt->max;
}

static bool set_number(const struct option *opt, u64 *field, const char *value, size_t n)
{
	u64 number;
	u32 index;

	if (list_index(opt->choices, value, n, &index)) {
		*field = XSAVE_TRACE_ALL;
		return true;
	}
	if (!number_within(opt, value, n, &number) || (opt->divides && opt->divides % number))
		return false;
	*field = number;
	return true;
}

/* The unit is what follows the digits, so no unit may begin with one. */
static bool set_amount(const struct option *opt, struct amount *field, const char *value, size_t n)
{
	size_t digits = 0;
	u64 number;
	u32 unit;

	while (digits < n && value[digits] >= '0' && value[digits] <= '9')
		digits++;
	if (!number_within(opt, value, digits, &number) ||
	    !list_index(opt->choices, value + digits, n - digits, &unit))
		return false;
	*field = (struct amount){.n = number, .unit = unit};
	return true;
}

static void counts_unset(const struct option *opt, u64 *field)
{
	const char *item;
	size_t pos = 0, n;

	while (list_next(opt->choices, &pos, &item, &n))
		*field++ = OPTION_UNSET;
}

static bool set_counts(const struct option *opt, u64 *field, const char *value, size_t n)
{
	const char *item;
	size_t item_n;
	u64 number;
	u32 index;

	/* Twice over the list, so that a bad item leaves all as it was. */
	for (int keep = 0; keep < 2; keep++) {
		for (size_t pos = 0; list_item(value, n, &pos, &item, &item_n);) {
			size_t name = 0;

			while (name < item_n && item[name] != ':')
				name++;
			if (name == item_n || !list_index(opt->choices, item, name, &index) ||
			    !number_within(opt, item + name + 1, item_n - name - 1, &number))
				return false;
			if (keep)
				field[index] = number;
		}
		if (!keep)
			counts_unset(opt, field);
	}
	return true;
}

static bool set_choice(const struct option *opt, u32 *field, const char *value, size_t n)
{
	return list_index(opt->choices, value, n, field);
}

static bool set_flag(const struct option *opt, bool *field, const char *value, size_t n)
{
	u32 index;

	if (!list_index(opt->choices, value, n, &index))
		return false;
	*field = index % 2;
	return true;
}

static bool set_bits(const struct option *opt, u32 *field, const char *value, size_t n)
{
	const char *item;
	size_t pos = 0, item_n;
	u32 index, bits = 0;

	if (list_index(opt->alone, value, n, &index)) {
		*field = 0;
		return true;
	}
	while (list_item(value, n, &pos, &item, &item_n)) {
		if (!list_index(opt->choices, item, item_n, &index))
			return false;
		bits |= 1u << index;
	}
	*field = bits;
	return true;
}

static bool is_name(const char *item, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = item[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '.')
			return false;
	}
	return n > 0;
}

static bool set_list(const struct option *opt, char *field, const char *value, size_t n)
{
	const char *item;
	size_t pos = 0, item_n;
	u32 index;

	if (list_index(opt->alone, value, n, &index))
		return set_text(field, value, n);
	while (list_item(value, n, &pos, &item, &item_n)) {
		if (!is_name(item, item_n) || list_index(opt->alone, item, item_n, &index))
			return false;
		if (opt->choices && !list_index(opt->choices, item, item_n, &index))
			return false;
	}
	return set_text(field, value, n);
}

static bool port_may_be_uart(u64 port)
{
	return port + 7 < PORT_PCI_FIRST || port > PORT_PCI_LAST;
}

/*
 * A port is hexadecimal only, so that console=3 is not taken for com3 by one and port 3 by another.
 */
static bool set_port(const struct option *opt, char *field, const char *value, size_t n)
{
	u64 port;
	u32 index;

	if (!list_index(opt->choices, value, n, &index) &&
	    !(n > 2 && value[1] == 'x' && number_parse(value, n, &port) && port >= opt->min &&
	      port <= opt->max && port_may_be_uart(port)))
		return false;
	return set_text(field, value, n);
}

static bool set_label(const struct option *opt, char *field, const char *value, size_t n)
{
	if (n < opt->min || n > opt->max)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_printable(value[i]))
			return false;
	return set_text(field, value, n);
}

/* Gives an option its value; false, and nothing changed, for a bad one. */
static bool option_set(const struct option *opt, struct options *o, const char *value, size_t n)
{
	void *field = field_of(o, opt);

	switch (opt->kind) {
	case KIND_NUMBER:
	case KIND_MASK:
		return set_number(opt, field, value, n);
	case KIND_AMOUNT:
		return set_amount(opt, field, value, n);
	case KIND_COUNTS:
		return set_counts(opt, field, value, n);
	case KIND_CHOICE:
		return set_choice(opt, field, value, n);
	case KIND_FLAG:
		return set_flag(opt, field, value, n);
	case KIND_BITS:
		return set_bits(opt, field, value, n);
	case KIND_LIST:
		return set_list(opt, field, value, n);
	case KIND_PORT:
		return set_port(opt, field, value, n);
	case KIND_TEXT:
		return set_label(opt, field, value, n);
	case KIND_WORD:
		break;
	}
	return false;
}

static void option_unset(const struct option *opt, struct options *o)
{
	if (opt->kind == KIND_NUMBER || opt->kind == KIND_MASK)
		*(u64 *)field_of(o, opt) = OPTION_UNSET;
	else if (opt->kind == KIND_AMOUNT)
		((struct amount *)field_of(o, opt))->n = OPTION_UNSET;
	else if (opt->kind == KIND_COUNTS)
		counts_unset(opt, field_of(o, opt));
}

void options_default(struct options *o)
{
	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!option_set(&table[i], o, table[i].fallback, strlen(table[i].fallback)))
			option_unset(&table[i], o);
}

/* a,b,c printed as a|b|c, as `sep` says. */
static void choices_print(const char *list, const char *sep, struct text *t)
{
	for (; *list; list++) {
		if (*list == ',')
			text_str(t, sep);
		else
			text_byte(t, *list);
	}
}

static void number_range(const struct option *opt, struct text *t)
{
	fmt(t, opt->divides ? "a divisor of %llu" : "a number", (unsigned long long)opt->divides);
	fmt(t, " from %llu to %llu", (unsigned long long)opt->min, (unsigned long long)opt->max);
	if (opt->choices)
		fmt(t, ", or %s", opt->choices);
}

static void list_range(const struct option *opt, struct text *t)
{
	choices_print(opt->alone, " or ", t);
	text_str(t, ", or a comma list of ");
	if (opt->choices)
		choices_print(opt->choices, ", ", t);
	else
		text_str(t, "names");
}

/* What an option takes, in words: for problems and for the help. */
static void option_range(const struct option *opt, struct text *t)
{
	unsigned long long min = opt->min, max = opt->max;

	switch (opt->kind) {
	case KIND_NUMBER:
		number_range(opt, t);
		break;
	case KIND_MASK:
		fmt(t, "a mask from 0x%llx to 0x%llx", min, max);
		break;
	case KIND_AMOUNT:
		fmt(t, "a number from %llu to %llu with ", min, max);
		choices_print(opt->choices, " or ", t);
		break;
	case KIND_COUNTS:
		choices_print(opt->choices, ":N, ", t);
		fmt(t, ":N or both with a comma, N from %llu to %llu", min, max);
		break;
	case KIND_CHOICE:
	case KIND_FLAG:
		choices_print(opt->choices, "|", t);
		break;
	case KIND_BITS:
	case KIND_LIST:
		list_range(opt, t);
		break;
	case KIND_PORT:
		choices_print(opt->choices, "|", t);
		fmt(t, ", or a port from 0x%llx to 0x%llx", min, max);
		break;
	case KIND_TEXT:
		fmt(t, "%llu to %llu bytes of printable ASCII", min, max);
		break;
	case KIND_WORD:
		text_str(t, "the bare word, without a value");
		break;
	}
}

/* NUL-terminated, and safe to print whatever came in on the command line. */
static void keep_printable(char *to, size_t cap, const char *from, size_t n)
{
	size_t i;

	for (i = 0; i < n && i + 1 < cap; i++)
		to[i] = is_printable(from[i]) ? from[i] : '?';
	to[i] = '\0';
}

void options_problem(struct options *o, const char *word, size_t n, const char *expected)
{
	if (o->n_problems < OPTION_PROBLEMS) {
		struct option_problem *p = &o->problem[o->n_problems];

		keep_printable(p->word, sizeof(p->word), word, n);
		keep_printable(p->expected, sizeof(p->expected), expected, strlen(expected));
	}
	o->n_problems++;
}

static void problem_value(struct options *o, const struct option *opt, const char *word, size_t n)
{
	char expected[sizeof(o->problem[0].expected)];
	struct text t = {.at = expected, .cap = sizeof(expected) - 1};

	fmt(&t, "%s: ", opt->name);
	option_range(opt, &t);
	expected[t.len] = '\0';
	options_problem(o, word, n, expected);
}

static const struct option *option_find(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (bytes_are(name, n, table[i].name))
			return &table[i];
	return NULL;
}

/* One word, quotes and escapes undone. One that was cut to fit is longer than any good value. */
static bool word_set(struct options *o, const struct option *opt, const struct text *word)
{
	size_t name = strlen(opt->name);

	if (opt->kind == KIND_WORD) {
		if (word->len != name)
			return false;
		*(bool *)field_of(o, opt) = true;
		return true;
	}
	return word->len > name && word->cut == 0 &&
	       option_set(opt, o, word->at + name + 1, word->len - name - 1);
}

static const struct option *word_option(const struct text *word)
{
	size_t name = 0;

	while (name < word->len && word->at[name] != '=')
		name++;
	return option_find(word->at, name);
}

static bool is_blank(char c)
{
	return (u8)c <= ' ';
}

/* GRUB puts a backslash before these three, inside its quotes and outside. */
static bool is_escape(const char *at, size_t n)
{
	return n >= 2 && at[0] == '\\' && (at[1] == '\\' || at[1] == '"' || at[1] == '\'');
}

/* Reads one word from line[i..n), quotes and escapes undone; returns where it ends. */
static size_t word_read(const char *line, size_t i, size_t n, struct text *word, bool *open)
{
	*open = false;
	for (; i < n && (*open || !is_blank(line[i])); i++) {
		if (line[i] == '"') {
			*open = !*open;
			continue;
		}
		if (is_escape(line + i, n - i))
			i++;
		text_byte(word, line[i]);
	}
	return i;
}

void options_parse(struct options *o, const char *line, size_t n)
{
	char bytes[2 * OPTION_TEXT];
	size_t i = 0;

	for (;;) {
		struct text word = TEXT_ON(bytes);
		const struct option *opt;
		size_t start;
		bool open;

		while (i < n && is_blank(line[i]))
			i++;
		if (i == n)
			return;
		start = i;
		i = word_read(line, i, n, &word, &open);
		opt = word_option(&word);
		if (open)
			options_problem(o, line + start, i - start, "a closing quote");
		else if (!opt)
			options_problem(o, line + start, i - start, "no such option; see help");
		else if (!word_set(o, opt, &word))
			problem_value(o, opt, line + start, i - start);
	}
}

static void number_print(const struct option *opt, u64 value, struct text *t)
{
	if (value == OPTION_UNSET)
		return;
	if (opt->choices && value == XSAVE_TRACE_ALL)
		text_str(t, opt->choices);
	else
		fmt(t, opt->kind == KIND_MASK ? "0x%llx" : "%llu", (unsigned long long)value);
}

static void amount_print(const struct option *opt, const struct amount *a, struct text *t)
{
	if (a->n == OPTION_UNSET)
		return;
	fmt(t, "%llu", (unsigned long long)a->n);
	list_print(opt->choices, (u32)a->unit, t);
}

static void counts_print(const struct option *opt, const u64 *value, struct text *t)
{
	const char *item, *between = "";
	size_t pos = 0, n;

	for (; list_next(opt->choices, &pos, &item, &n); value++) {
		if (*value == OPTION_UNSET)
			continue;
		fmt(t, "%s%.*s:%llu", between, (int)n, item, (unsigned long long)*value);
		between = ",";
	}
}

static void bits_print(const struct option *opt, u32 bits, struct text *t)
{
	if (bits == 0)
		text_str(t, opt->alone);
	for (u32 i = 0; bits >> i; i++) {
		if (!(bits >> i & 1))
			continue;
		if (bits & ((1u << i) - 1))
			text_byte(t, ',');
		list_print(opt->choices, i, t);
	}
}

/* The value as it would be given; nothing for an unset one. */
static void value_print(const struct option *opt, const struct options *o, struct text *t)
{
	const void *value = value_of(o, opt);

	switch (opt->kind) {
	case KIND_NUMBER:
	case KIND_MASK:
		number_print(opt, *(const u64 *)value, t);
		break;
	case KIND_AMOUNT:
		amount_print(opt, value, t);
		break;
	case KIND_COUNTS:
		counts_print(opt, value, t);
		break;
	case KIND_CHOICE:
		list_print(opt->choices, *(const u32 *)value, t);
		break;
	case KIND_FLAG:
		list_print(opt->choices, *(const bool *)value, t);
		break;
	case KIND_BITS:
		bits_print(opt, *(const u32 *)value, t);
		break;
	case KIND_LIST:
	case KIND_PORT:
	case KIND_TEXT:
		text_str(t, value);
		break;
	case KIND_WORD:
		if (*(const bool *)value)
			text_str(t, opt->name);
		break;
	}
}

static void value_quote(const char *value, size_t n, struct text *t)
{
	text_byte(t, '"');
	for (size_t i = 0; i < n; i++) {
		if (value[i] == '"' || value[i] == '\\')
			text_byte(t, '\\');
		text_byte(t, value[i]);
	}
	text_byte(t, '"');
}

static bool needs_quotes(const char *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_blank(value[i]) || value[i] == '"' || value[i] == '\\')
			return true;
	return false;
}

void options_in_force(const struct options *o, struct text *t)
{
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char bytes[OPTION_TEXT];
		struct text value = TEXT_ON(bytes);

		value_print(&table[i], o, &value);
		if (bytes_are(value.at, value.len, table[i].fallback))
			continue;
		text_str(t, between);
		between = " ";
		if (table[i].kind != KIND_WORD)
			fmt(t, "%s=", table[i].name);
		if (needs_quotes(value.at, value.len))
			value_quote(value.at, value.len, t);
		else
			text_bytes(t, value.at, value.len);
	}
}

#define HELP_COLUMN 16

void options_help(struct text *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct option *opt = &table[i];

		fmt(t, "  %s%s%*s%s (default: %s)\n", opt->name, opt->kind == KIND_WORD ? " " : "=",
		    (int)(HELP_COLUMN - 3 - strlen(opt->name)), "", opt->doc,
		    opt->fallback[0] ? opt->fallback : opt->otherwise);
		fmt(t, "%*s", HELP_COLUMN, "");
		option_range(opt, t);
		text_byte(t, '\n');
	}
}
