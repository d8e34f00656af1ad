// SPDX-License-Identifier: MIT
/* The command line: what is taken, what is a problem and how it is named, and the way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "list.h"
#include "options.h"

static struct options parsed;

static const struct options *parse_bytes(const char *line, size_t n)
{
	char *exact = malloc(n ? n : 1);

	assert_non_null(exact);
	memcpy(exact, line, n);
	options_default(&parsed);
	options_parse(&parsed, exact, n);
	free(exact);
	return &parsed;
}

static const struct options *parse(const char *line)
{
	return parse_bytes(line, strlen(line));
}

static bool same_options(const struct options *a, const struct options *b)
{
	/* options_default clears the whole struct, and texts are stored with their padding cleared.
	 */
	return memcmp(a, b, offsetof(struct options, n_problems)) == 0;
}

/* The line gives exactly one problem with these words, and changes nothing. */
static void check_bad(const char *line, const char *word, const char *expected)
{
	static struct options plain;
	const struct options *o = parse(line);

	options_default(&plain);
	if (o->n_problems != 1)
		fail_msg("%s: %u problems", line, o->n_problems);
	assert_string_equal(o->problem[0].word, word);
	assert_string_equal(o->problem[0].expected, expected);
	if (!same_options(o, &plain))
		fail_msg("%s changed an option", line);
}

static const struct options *check_good(const char *line)
{
	const struct options *o = parse(line);

	if (o->n_problems)
		fail_msg("%s: %s", o->problem[0].word, o->problem[0].expected);
	return o;
}

static void the_defaults(void **unused)
{
	const struct options *o = check_good("");

	(void)unused;
	assert_string_equal(o->suite, "all");
	assert_string_equal(o->method, "all");
	assert_string_equal(o->workload, "all");
	assert_int_equal(o->profile, PROFILE_AUTO);
	assert_true(o->lines == OPTION_UNSET && o->samples == OPTION_UNSET);
	assert_true(o->threshold == OPTION_UNSET && o->soak == OPTION_UNSET);
	assert_true(o->limit_gap.n == OPTION_UNSET && o->limit_smi.n == OPTION_UNSET);
	assert_true(o->smi_inject == OPTION_UNSET && o->smi_handler == OPTION_UNSET);
	assert_true(o->budget == OPTION_UNSET && o->baud == OPTION_UNSET);
	assert_int_equal(o->xsave_trace, 0);
	assert_true(o->xsave_rfbm == OPTION_UNSET && o->xsave_xinuse == OPTION_UNSET);
	assert_string_equal(o->console, "auto");
	assert_int_equal(o->detail, 0);
	assert_true(o->records && o->ident);
	assert_false(o->strict || o->help);
	assert_string_equal(o->label, "");
	assert_int_equal(o->exit, EXIT_AUTO);
	assert_int_equal(o->panic, PANIC_NONE);
}

static void every_option_is_taken(void **unused)
{
	const struct options *o = check_good(
		"suite=tsc,xsave profile=soak lines=1000000 samples=0x1000 method=1c,5,7m "
		"workload=loop,empty threshold=1 budget=86400 xsave.trace=all xsave.rfbm=0x2e7 "
		"xsave.xinuse=514 console=0x3f8 baud=57600 detail=full,lines records=off label=x "
		"ident=off strict=1 exit=poweroff panic=triple help soak=86400 limit.gap=150us "
		"limit.smi=3/min smi=handler:100,inject:1000000");

	(void)unused;
	assert_string_equal(o->suite, "tsc,xsave");
	assert_int_equal(o->profile, PROFILE_SOAK);
	assert_int_equal(o->lines, 1000000);
	assert_int_equal(o->samples, 4096);
	assert_string_equal(o->method, "1c,5,7m");
	assert_string_equal(o->workload, "loop,empty");
	assert_int_equal(o->threshold, 1);
	assert_int_equal(o->budget, 86400);
	assert_true(o->xsave_trace == XSAVE_TRACE_ALL);
	assert_int_equal(o->xsave_rfbm, 0x2e7);
	assert_int_equal(o->xsave_xinuse, 514);
	assert_string_equal(o->console, "0x3f8");
	assert_int_equal(o->baud, 57600);
	assert_int_equal(o->detail, DETAIL_LINES | DETAIL_FULL);
	assert_false(o->records || o->ident);
	assert_string_equal(o->label, "x");
	assert_int_equal(o->exit, EXIT_POWEROFF);
	assert_int_equal(o->panic, PANIC_TRIPLE);
	assert_true(o->strict && o->help);
	assert_int_equal(o->soak, 86400);
	assert_int_equal(o->limit_gap.n, 150);
	assert_int_equal(o->limit_gap.unit, GAP_US);
	assert_int_equal(o->limit_smi.n, 3);
	assert_int_equal(o->limit_smi.unit, RATE_MINUTE);
	assert_int_equal(o->smi_inject, 1000000);
	assert_int_equal(o->smi_handler, 100);
}

static void amounts_have_a_unit(void **unused)
{
	static const char *const bad[] = {
		"limit.gap=",	  "limit.gap=150",  "limit.gap=us",	     "limit.gap=0us",
		"limit.gap=1 s",  "limit.gap=1min", "limit.gap=0x10us",	     "limit.gap=-1us",
		"limit.gap=1us,", "limit.gap=1uss", "limit.gap=1000000001t", "limit.gap=1.5ms",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char word[32];

		snprintf(word, sizeof(word), "\"%s\"", bad[i]);
		check_bad(word, word,
			  "limit.gap: a number from 1 to 1000000000 with ns or us or ms or s or t");
	}
	check_bad("limit.smi=1h", "limit.smi=1h",
		  "limit.smi: a number from 0 to 1000000000 with /s or /min or /h");
	assert_int_equal(check_good("limit.gap=1ns")->limit_gap.unit, GAP_NS);
	assert_int_equal(check_good("limit.gap=2ms")->limit_gap.unit, GAP_MS);
	assert_int_equal(check_good("limit.gap=1s")->limit_gap.unit, GAP_S);
	assert_int_equal(check_good("limit.gap=300t")->limit_gap.unit, GAP_TICKS);
	assert_int_equal(check_good("limit.smi=0/s")->limit_smi.n, 0);
	assert_int_equal(check_good("limit.smi=0/s")->limit_smi.unit, RATE_SECOND);
	assert_int_equal(check_good("limit.smi=1/h")->limit_smi.unit, RATE_HOUR);
}

static void counts_are_named(void **unused)
{
	static const char *const bad[] = {
		"smi=",
		"smi=inject",
		"smi=inject:",
		"smi=5",
		"smi=inject:0",
		"smi=:5",
		"smi=inject:5,",
		"smi=inject:1000001",
		"smi=inject:5,x:1",
		"smi=handler:1-2",
		"smi=inject:1:2",
	};
	const struct options *o;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_bad(bad[i], bad[i],
			  "smi: inject:N, handler:N or both with a comma, N from 1 to 1000000");
	o = check_good("smi=inject:5");
	assert_true(o->smi_inject == 5 && o->smi_handler == OPTION_UNSET);
	o = check_good("smi=inject:5 smi=handler:7");
	assert_true(o->smi_inject == OPTION_UNSET && o->smi_handler == 7);
	o = parse("smi=inject:5 smi=handler:x");
	assert_true(o->smi_inject == 5 && o->smi_handler == OPTION_UNSET);
}

static void every_choice_has_its_value(void **unused)
{
	(void)unused;
	assert_int_equal(check_good("profile=auto")->profile, PROFILE_AUTO);
	assert_int_equal(check_good("profile=quick")->profile, PROFILE_QUICK);
	assert_int_equal(check_good("profile=standard")->profile, PROFILE_STANDARD);
	assert_int_equal(check_good("exit=auto")->exit, EXIT_AUTO);
	assert_int_equal(check_good("exit=debug")->exit, EXIT_DEBUG);
	assert_int_equal(check_good("exit=halt")->exit, EXIT_HALT);
	assert_int_equal(check_good("exit=reboot")->exit, EXIT_REBOOT);
	assert_int_equal(check_good("panic=none")->panic, PANIC_NONE);
	assert_int_equal(check_good("panic=test")->panic, PANIC_TEST);
	assert_int_equal(check_good("detail=lines")->detail, DETAIL_LINES);
	assert_int_equal(check_good("detail=full")->detail, DETAIL_FULL);
	assert_int_equal(check_good("detail=full detail=default")->detail, 0);
	assert_true(check_good("records=off records=on")->records);
	assert_true(check_good("strict=on")->strict);
	assert_false(check_good("strict=1 strict=0")->strict);
	assert_false(check_good("strict=1 strict=off")->strict);
	assert_string_equal(check_good("method=matrix")->method, "matrix");
}

static void a_later_word_overrides(void **unused)
{
	const struct options *o;

	(void)unused;
	assert_int_equal(check_good("lines=1 lines=2")->lines, 2);
	o = parse("lines=3 lines=0");
	assert_int_equal(o->lines, 3);
	assert_int_equal(o->n_problems, 1);
}

static void bad_lines_are_named(void **unused)
{
	static const char *const bad[] = {
		"lines",     "lines=",	 "lines=0",	  "lines=-1", "lines=+1",
		"lines=1e3", "lines=1,", "lines=1000001", "lines=0x", "lines=18446744073709551617",
		"lines=1=2", "lines=x",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_bad(bad[i], bad[i], "lines: a number from 1 to 1000000");
}

static void an_unknown_option_is_named(void **unused)
{
	static const char *const bad[] = {
		"linesx=3", "line=3", "Lines=3", "LINES=3", "quiet",
		"=3",	    "=",      "\"\"",	 "helpme",  "--help",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_bad(bad[i], bad[i], "no such option; see help");
}

static void every_kind_names_what_it_takes(void **unused)
{
	(void)unused;
	check_bad("profile=slow", "profile=slow", "profile: auto|quick|standard|soak");
	check_bad("profile=Quick", "profile=Quick", "profile: auto|quick|standard|soak");
	check_bad("profile=quick,soak", "profile=quick,soak", "profile: auto|quick|standard|soak");
	check_bad("samples=16777217", "samples=16777217", "samples: a number from 1 to 16777216");
	check_bad("threshold=0", "threshold=0", "threshold: a number from 1 to 1000000000");
	check_bad("budget=86401", "budget=86401", "budget: a number from 1 to 86400");
	check_bad("xsave.trace=some", "xsave.trace=some",
		  "xsave.trace: a number from 0 to 16777216, or all");
	check_bad("xsave.rfbm=0x10000000000000000", "xsave.rfbm=0x10000000000000000",
		  "xsave.rfbm: a mask from 0x0 to 0xfffffffffffffffe");
	check_bad("xsave.xinuse=2e7", "xsave.xinuse=2e7",
		  "xsave.xinuse: a mask from 0x0 to 0xfffffffffffffffe");
	check_bad("records=1", "records=1", "records: off|on");
	check_bad("strict=2", "strict=2", "strict: 0|1|off|on");
	check_bad("exit=", "exit=", "exit: auto|debug|halt|reboot|poweroff");
	check_bad("detail=all", "detail=all", "detail: default, or a comma list of lines, full");
	check_bad("detail=full,", "detail=full,",
		  "detail: default, or a comma list of lines, full");
	check_bad("help=1", "help=1", "help: the bare word, without a value");
	check_bad("help=", "help=", "help: the bare word, without a value");
}

static void masks_have_all_bits_but_the_unset_one(void **unused)
{
	(void)unused;
	assert_true(check_good("xsave.rfbm=0xfffffffffffffffe")->xsave_rfbm == OPTION_UNSET - 1);
	assert_true(check_good("xsave.rfbm=0")->xsave_rfbm == 0);
	assert_true(check_good("xsave.rfbm=0xABCdef")->xsave_rfbm == 0xabcdef);
	assert_int_equal(parse("xsave.rfbm=0xffffffffffffffff")->n_problems, 1);
}

static void bauds_divide_115200(void **unused)
{
	char line[32];

	(void)unused;
	for (u32 baud = 0; baud < 116000; baud++) {
		bool good = baud >= 50 && baud <= 115200 && 115200 % baud == 0;

		snprintf(line, sizeof(line), "baud=%u", baud);
		options_default(&parsed);
		options_parse(&parsed, line, strlen(line));
		assert_int_equal(parsed.n_problems, !good);
		if (good)
			assert_int_equal(parsed.baud, baud);
	}
}

static void consoles(void **unused)
{
	static const char *const good[] = {"auto",  "none",  "com1",   "com2",	"com3", "com4",
					   "0x100", "0x3F8", "0xfff8", "0xcf0", "0xd00"};
	static const char *const bad[] = {"",
					  "com0",
					  "com5",
					  "COM1",
					  "0x0",
					  "0xb2",
					  "0xf4",
					  "0xff",
					  "0xcf1",
					  "0xcf9",
					  "0xcff",
					  "0xfff9",
					  "0x",
					  "3f8",
					  "1016",
					  "0x3g8",
					  "none,com1",
					  "0X3f8",
					  "0x10000000000000001",
					  "ttyS0"};
	char line[64];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		snprintf(line, sizeof(line), "console=%s", good[i]);
		assert_string_equal(check_good(line)->console, good[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(line, sizeof(line), "console=%s", bad[i]);
		check_bad(line, line,
			  "console: auto|none|com1|com2|com3|com4, or a port from 0x100 to 0xfff8");
	}
}

static void lists_have_no_empty_items(void **unused)
{
	static const char *const bad[] = {
		"suite=",
		"suite=,",
		"suite=tsc,",
		"suite=,tsc",
		"suite=tsc,,gaps",
		"suite=TSC",
		"suite=a-b",
		"suite=all,tsc",
		"method=5,matrix",
		"method=all,5",
		"method=5;6",
		"workload=jump",
		"workload=all,loop",
		"workload=loop,",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		parse(bad[i]);
		if (parsed.n_problems != 1)
			fail_msg("taken: %s", bad[i]);
		assert_string_equal(parsed.problem[0].word, bad[i]);
	}
}

static void nothing_is_cut_silently(void **unused)
{
	char line[1024], word[OPTION_TEXT];

	(void)unused;
	for (size_t n = OPTION_TEXT - 2; n < 600; n++) {
		size_t len = strlen("suite=") + n;

		memset(line, 'a', sizeof(line));
		memcpy(line, "suite=", 6);
		line[len] = '\0';
		parse(line);
		assert_int_equal(parsed.n_problems, n >= OPTION_TEXT);
		if (n < OPTION_TEXT) {
			assert_string_equal(parsed.suite, line + 6);
			continue;
		}
		assert_string_equal(parsed.suite, "all");
		memcpy(word, line, sizeof(word) - 1);
		word[sizeof(word) - 1] = '\0';
		assert_string_equal(parsed.problem[0].word, word);
	}
	for (size_t n = 200; n < 600; n++) {
		memset(line, '0', sizeof(line));
		memcpy(line, "lines=", 6);
		memcpy(line + n, "59", 3);
		assert_true(parse(line)->lines == (parsed.n_problems ? OPTION_UNSET : 59));
	}
	memset(line, 'a', 600);
	line[600] = '\0';
	parse(line);
	assert_string_equal(parsed.problem[0].expected, "no such option; see help");
}

static void labels(void **unused)
{
	char line[256];

	(void)unused;
	assert_string_equal(check_good("label=")->label, "");
	assert_string_equal(check_good("label=x label=")->label, "");
	assert_string_equal(check_good("label=a=b")->label, "a=b");
	assert_string_equal(check_good("label=it's")->label, "it's");
	memset(line, 'x', sizeof(line));
	memcpy(line, "label=", 6);
	line[6 + 64] = '\0';
	assert_string_equal(check_good(line)->label, line + 6);
	line[6 + 64] = 'x';
	line[6 + 65] = '\0';
	check_bad(line, line, "label: 0 to 64 bytes of printable ASCII");
	check_bad("label=\x80", "label=?", "label: 0 to 64 bytes of printable ASCII");
	check_bad("label=\x7f", "label=?", "label: 0 to 64 bytes of printable ASCII");
	check_bad("label=\"a\tb\"", "label=\"a?b\"", "label: 0 to 64 bytes of printable ASCII");
}

static void quotes_as_grub_passes_them(void **unused)
{
	const struct options *o;

	(void)unused;
	assert_string_equal(check_good("label=\"a b\"")->label, "a b");
	assert_string_equal(check_good("\"label=a b\"")->label, "a b");
	assert_string_equal(check_good("\"label=a  b \"")->label, "a  b ");
	assert_string_equal(check_good("la\"bel=a b\"c")->label, "a bc");
	assert_string_equal(check_good("\"label=say \\\"hi\\\" \\\\ it\\'s\"")->label,
			    "say \"hi\" \\ it's");
	assert_string_equal(check_good("label=it\\'s\\\"\\\\")->label, "it's\"\\");
	assert_string_equal(check_good("label=a\\b\\")->label, "a\\b\\");
	o = check_good("\"label=a b\" lines=3");
	assert_int_equal(o->lines, 3);
	o = check_good("\"lines=3\"");
	assert_int_equal(o->lines, 3);
}

static void an_open_quote_is_named(void **unused)
{
	(void)unused;
	check_bad("\"label=a b lines=3", "\"label=a b lines=3", "a closing quote");
	check_bad("label=\"", "label=\"", "a closing quote");
	check_bad("\"", "\"", "a closing quote");
	check_bad("label=\"a\\\"", "label=\"a\\\"", "a closing quote");
}

static void control_bytes_are_blanks(void **unused)
{
	static const char line[] = "\0\tlines=2\0samples=3\r\nthreshold=4\x1f help\n";
	const struct options *o = parse_bytes(line, sizeof(line));

	(void)unused;
	assert_int_equal(o->n_problems, 0);
	assert_int_equal(o->lines, 2);
	assert_int_equal(o->samples, 3);
	assert_int_equal(o->threshold, 4);
	assert_true(o->help);
}

static void all_problems_are_counted(void **unused)
{
	char line[256] = "";
	const struct options *o;

	(void)unused;
	for (int i = 0; i < OPTION_PROBLEMS + 5; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "x%d ", i);
	strcat(line, "lines=9");
	o = parse(line);
	assert_int_equal(o->n_problems, OPTION_PROBLEMS + 5);
	assert_string_equal(o->problem[OPTION_PROBLEMS - 1].word, "x15");
	assert_int_equal(o->lines, 9);

	options_default(&parsed);
	options_problem(&parsed, "suite=nosuch", 12, "suite: tsc\nor xsave");
	assert_int_equal(parsed.n_problems, 1);
	assert_string_equal(parsed.problem[0].word, "suite=nosuch");
	assert_string_equal(parsed.problem[0].expected, "suite: tsc?or xsave");
}

static void in_force(const struct options *o, char *out, size_t cap)
{
	struct text t = {.at = out, .cap = cap - 1};

	options_in_force(o, &t);
	assert_int_equal(t.cut, 0);
	out[t.len] = '\0';
}

static void only_what_differs_is_in_force(void **unused)
{
	char line[1024];

	(void)unused;
	in_force(check_good(""), line, sizeof(line));
	assert_string_equal(line, "");
	in_force(check_good("lines=3 suite=all strict=0 records=on detail=default"), line,
		 sizeof(line));
	assert_string_equal(line, "lines=3");
	in_force(
		check_good(
			"help strict=on exit=halt \"label=a \\\"b\" xsave.rfbm=743 detail=full,lines"),
		line, sizeof(line));
	assert_string_equal(line, "xsave.rfbm=0x2e7 detail=lines,full label=\"a \\\"b\" strict=1 "
				  "exit=halt help");
}

static void draw_list(char *out, size_t cap, const char *const *item, size_t n)
{
	memset(out, 0, cap);
	snprintf(out, cap, "%s", item[draw_below(n)]);
	for (u64 more = draw_below(5); more > 0; more--)
		snprintf(out + strlen(out), cap - strlen(out), ",%s", item[draw_below(n)]);
}

/* Sets fields at random, each to something the parser can make. */
static void draw_options(struct options *o)
{
	static const char *const suites[] = {"tsc", "gaps", "xsave", "a.b_c"};
	static const char *const methods[] = {"0", "1c", "5", "7m"};
	static const char *const workloads[] = {"empty", "store", "add", "loop"};
	static const char *const ports[] = {"none", "com4", "0x3f8"};

	options_default(o);
	if (draw_below(2))
		draw_list(o->suite, sizeof(o->suite), suites, ARRAY_SIZE(suites));
	if (draw_below(2))
		draw_list(o->method, sizeof(o->method), methods, ARRAY_SIZE(methods));
	if (draw_below(2))
		draw_list(o->workload, sizeof(o->workload), workloads, ARRAY_SIZE(workloads));
	if (draw_below(2))
		strncpy(o->console, ports[draw_below(ARRAY_SIZE(ports))], sizeof(o->console) - 1);
	o->profile = (enum profile)draw_below(PROFILE_SOAK + 1);
	o->exit = (enum exit_how)draw_below(EXIT_POWEROFF + 1);
	o->panic = (enum panic_how)draw_below(PANIC_DATA + 1);
	if (draw_below(2))
		o->lines = 1 + draw_below(1000000);
	if (draw_below(2))
		o->samples = 1 + draw_below(16777216);
	if (draw_below(2))
		o->threshold = 1 + draw_below(1000000000);
	if (draw_below(2))
		o->soak = 1 + draw_below(86400);
	if (draw_below(2))
		o->limit_gap = (struct amount){1 + draw_below(1000000000), draw_below(5)};
	if (draw_below(2))
		o->limit_smi = (struct amount){draw_below(1000000001), draw_below(3)};
	if (draw_below(2))
		o->smi_inject = 1 + draw_below(1000000);
	if (draw_below(2))
		o->smi_handler = 1 + draw_below(1000000);
	if (draw_below(2))
		o->budget = 1 + draw_below(86400);
	o->xsave_trace = draw_below(2) ? XSAVE_TRACE_ALL : draw_below(16777217);
	o->xsave_rfbm = draw_wide();
	o->xsave_xinuse = draw_wide();
	if (draw_below(2))
		o->baud = 115200 / (1 + draw_below(3));
	o->detail = (u32)draw_below(4);
	o->records = draw_below(2);
	o->ident = draw_below(2);
	o->strict = draw_below(2);
	o->help = draw_below(2);
	for (u64 i = draw_below(65); i > 0; i--)
		o->label[i - 1] = (char)(' ' + draw_below(95));
}

static void in_force_parses_to_the_same(void **unused)
{
	(void)unused;
	for (int round = 0; round < 20000; round++) {
		static struct options drawn;
		char line[2048];

		draw_options(&drawn);
		in_force(&drawn, line, sizeof(line));
		if (!same_options(check_good(line), &drawn))
			fail_msg("read back otherwise: %s", line);
	}
}

/* What is taken from any bytes at all prints as a line that parses to the same. */
static void any_bytes_are_survived(void **unused)
{
	static const char *const piece[] = {
		"lines=",      "label=",  "\"",		"\\",	"'",	   " ",
		"1",	       "0x",	  "all",	",",	"detail=", "full",
		"help",	       "method=", "console=",	"com1", "\xff",	   "\t",
		"xsave.rfbm=", "=",	  "strict=",	"smi=", "inject:", "handler:",
		"limit.gap=",  "us",	  "limit.smi=", "/h",
	};

	(void)unused;
	for (int round = 0; round < 50000; round++) {
		static struct options taken;
		char line[2048];
		struct text t = TEXT_ON(line);

		for (u64 i = draw_below(24); i > 0; i--)
			text_str(&t, piece[draw_below(ARRAY_SIZE(piece))]);
		taken = *parse_bytes(line, t.len);
		in_force(&taken, line, sizeof(line));
		assert_true(same_options(check_good(line), &taken));
	}
}

/* Each option has its name in column 2, its text in column 16, and no line is over 80 bytes. */
static void the_help_is_aligned(void **unused)
{
	static char help[8192];
	struct text t = {.at = help, .cap = sizeof(help) - 1};

	(void)unused;
	options_help(&t);
	assert_int_equal(t.cut, 0);
	assert_int_equal(help[t.len - 1], '\n');
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
		if (strlen(line) > 80)
			fail_msg("over 80 columns: %s", line);
		assert_memory_equal(line, "  ", 2);
		assert_int_equal(line[15], ' ');
		assert_int_not_equal(line[16], ' ');
	}
}

static void the_help_names_everything(void **unused)
{
	static const char *const names[] = {
		"suite=",
		"profile=",
		"lines=",
		"samples=",
		"method=",
		"workload=",
		"threshold=",
		"soak=",
		"limit.gap=",
		"limit.smi=",
		"smi=",
		"budget=",
		"xsave.trace=",
		"xsave.rfbm=",
		"xsave.xinuse=",
		"console=",
		"baud=",
		"detail=",
		"records=",
		"label=",
		"ident=",
		"strict=",
		"exit=",
		"panic=",
		"help ",
		"(default: by suite)",
		"(default: by profile)",
		"a number from 1 to 1000000",
	};
	static char help[8192];
	struct text t = {.at = help, .cap = sizeof(help) - 1};

	(void)unused;
	options_help(&t);
	help[t.len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strstr(help, names[i]))
			fail_msg("not in the help: %s", names[i]);
	assert_null(strstr(help, "(null)"));
}

static void walking_lists(void **unused)
{
	const char *item;
	size_t pos = 0, n;

	(void)unused;
	assert_true(list_has("all", "anything"));
	assert_true(list_has("a,bc", "a") && list_has("a,bc", "bc"));
	assert_false(list_has("a,bc", "b") || list_has("a,bc", "c") || list_has("a,bc", "a,bc"));
	assert_false(list_has("", "a") || list_has("allx", "a") || list_has("x,all", "a"));
	assert_true(list_next("1c,5", &pos, &item, &n));
	assert_int_equal(n, 2);
	assert_memory_equal(item, "1c", 2);
	assert_true(list_next("1c,5", &pos, &item, &n));
	assert_int_equal(n, 1);
	assert_memory_equal(item, "5", 1);
	assert_false(list_next("1c,5", &pos, &item, &n));
	assert_false(list_next("1c,5", &pos, &item, &n));
	pos = 0;
	assert_false(list_next("", &pos, &item, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults),
		cmocka_unit_test(every_option_is_taken),
		cmocka_unit_test(every_choice_has_its_value),
		cmocka_unit_test(a_later_word_overrides),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(an_unknown_option_is_named),
		cmocka_unit_test(every_kind_names_what_it_takes),
		cmocka_unit_test(amounts_have_a_unit),
		cmocka_unit_test(counts_are_named),
		cmocka_unit_test(masks_have_all_bits_but_the_unset_one),
		cmocka_unit_test(bauds_divide_115200),
		cmocka_unit_test(consoles),
		cmocka_unit_test(lists_have_no_empty_items),
		cmocka_unit_test(nothing_is_cut_silently),
		cmocka_unit_test(labels),
		cmocka_unit_test(quotes_as_grub_passes_them),
		cmocka_unit_test(an_open_quote_is_named),
		cmocka_unit_test(control_bytes_are_blanks),
		cmocka_unit_test(all_problems_are_counted),
		cmocka_unit_test(only_what_differs_is_in_force),
		cmocka_unit_test(in_force_parses_to_the_same),
		cmocka_unit_test(any_bytes_are_survived),
		cmocka_unit_test(the_help_is_aligned),
		cmocka_unit_test(the_help_names_everything),
		cmocka_unit_test(walking_lists),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
