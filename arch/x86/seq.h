/* SPDX-License-Identifier: MIT */
/*
 * The measured code. All of it is one NASM object (seq.asm and what it includes), in one section
 * without relocations, the same bytes in the kernel and in the process.
 */
#ifndef SEQ_H
#define SEQ_H

#include "types.h"

enum seq_workload { WORK_EMPTY, WORK_STORE, WORK_ADD, WORK_LOOP, WORKLOADS };
enum seq_preamble { PRE_NONE, PRE_TSC, PRE_TSC_WORK, PRE_TSC_WORK_LFENCE, PREAMBLES };
enum seq_form { FORM_MEM, FORM_REG, FORMS };

/* What a method needs of the CPU. */
#define NEED_RDTSCP    1u
#define NEED_SERIALIZE 2u
#define NEED_RDPMC     4u

/* Scratch memory of a sequence: one cache line for the time, one for the workload. */
struct seq_scratch {
	u64 start; /* the mem form's two halves */
	u64 pre;   /* the preamble's read */
	u64 pad[6];
	u64 work; /* the workload's memory */
	u64 pad2[7];
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct seq_scratch, pre) == 8 && offsetof(struct seq_scratch, work) == 64,
	       "edge.inc writes these by offset");

/*
 * Measures one line: n samples of loop size j into out[0..n), each the difference end - start of
 * the 64-bit reads (negative differences wrap). out is touched before. RDI, RSI, RDX, RCX.
 * The work between start and end, i being the sample's index in the line: WORK_STORE work = j;
 * WORK_ADD work = i + j; WORK_LOOP work = k for k in 0..j-1 (j = 0: no store).
 * An instruction that the CPU lacks faults: the method's `needs` are to be met first.
 */
typedef void seq_fn(u64 *out, u64 n, u64 j, struct seq_scratch *scratch);

/*
 * seq_table: one entry a sequence, made by the macro that makes the code. FORM_MEM has every
 * workload with every preamble; FORM_REG only WORK_EMPTY with PRE_NONE.
 */
struct seq_entry {
	seq_fn *run;
	u8 method;   /* index into seq_method[] */
	u8 workload; /* enum seq_workload */
	u8 preamble; /* enum seq_preamble */
	u8 form;     /* enum seq_form */
	u32 pad;
};
_Static_assert(sizeof(struct seq_entry) == 16, "seq.asm writes these");

extern const struct seq_entry seq_table[];
extern const u64 seq_table_n;

/* Every start with every end (empty, mem): run at [start * SEQ_ENDS + end]. */
#define SEQ_STARTS 7
#define SEQ_ENDS   10
extern seq_fn *const seq_matrix[SEQ_STARTS * SEQ_ENDS];
struct seq_edge {
	const char *text; /* "lfence; rdtsc" */
	u32 needs;
};
extern const struct seq_edge seq_start[SEQ_STARTS], seq_end_edge[SEQ_ENDS];

/* What seq.asm made: must be SEQ_METHODS, SEQ_STARTS and SEQ_ENDS, which a test compares. */
struct seq_made {
	u64 methods, starts, ends;
};
extern const struct seq_made seq_made;

/* The table of README "Methods", in report order. */
struct seq_method {
	const char *id;	   /* "0", "1c", ... */
	const char *start; /* instructions, "; " between them */
	const char *end;
	u32 needs;
	bool symmetric; /* start and end are the same */
	bool ticks;	/* false: the unit is cycles (RDPMC), never recommended */
};

#define SEQ_METHODS 14
extern const struct seq_method seq_method[SEQ_METHODS];
extern const char *const seq_workload_name[WORKLOADS]; /* empty store add loop */
extern const char *const seq_preamble_name[PREAMBLES]; /* none tsc tsc+work tsc+work+lfence */
extern const char *const seq_form_name[FORMS];	       /* mem reg */

/* The symbol of a sequence is seq_<id>_<workload>_<preamble without '+'>_<form>; seq_mx_<s>_<e>. */

/* NULL if there is no such sequence. */
seq_fn *seq_find(u32 method, enum seq_workload w, enum seq_preamble p, enum seq_form f);

/* Index of the method with this id, or -1. */
int seq_method_find(const char *id, size_t n);

/* Ruler: ticks of `adds` dependent one-cycle adds (rounded down to a multiple of 100). One pass. */
u64 seq_ruler(u64 adds);
/* Canary: ticks of 8,192 single-byte NOPs. One pass. */
u64 seq_canary(void);

/*
 * One round of the stability loop for each method that can be recommended is a line of the `loop`
 * workload with j = 500: seq_find(method, WORK_LOOP, PRE_NONE, FORM_MEM).
 */

/* Two reads too far apart. Bit 63 of length: the second came before the first. */
struct seq_gap {
	u64 start, length; /* ticks */
};

/*
 * Stolen time: seq_gaps() reads the TSC twice a turn, and writes down each difference that is above
 * the limit of its kind: within a turn (inner), from turn to turn (outer). From `start` to `end` no
 * time is unobserved, and a find costs nothing. It ends with the turn that reads `stop` or later,
 * finds the `room`th gap, or is the last of `turns`.
 */
struct seq_gaps {
	struct seq_gap *at; /* for room + 2 of them, touched before */
	u64 room;	    /* at least 1 */
	u64 inner, outer;   /* limits: above is a gap; ~0 finds none */
	u64 stop;
	u64 turns;  /* at least 1; after the call those left */
	u64 resume; /* the stop that holds once the port is written */
	u32 port;   /* not 0: instead of stopping, write `value` to it, once; becomes 0 then */
	u32 value;
	u64 start, end;	      /* of what was watched, TSC reads */
	struct seq_gap *next; /* one behind the last found */
	u64 most;	      /* the longest difference, gap or not */
	u64 written;	      /* the read before the port was written */
};
_Static_assert(sizeof(struct seq_gaps) == 104, "gaps.inc reads and writes these by offset");

void seq_gaps(struct seq_gaps *g);

/*
 * XSAVE family. Each call takes n samples: prime with XRSTOR [image] (mask prime), read XINUSE by
 * XGETBV(1) when xinuse is not NULL, then the timed instruction on `area` with mask rfbm, between
 * `lfence; rdtsc; lfence` and `lfence; rdtsc`, start and mask kept in registers.
 * op SEQX_EMPTY is the overhead twin: the same register moves and mask loads, no instruction.
 */
enum seq_xop {
	SEQX_EMPTY,
	SEQX_XSAVE,
	SEQX_XSAVEOPT,
	SEQX_XSAVEC,
	SEQX_XSAVES,
	SEQX_XRSTOR,
	SEQX_XRSTORS,
	SEQX_FXSAVE,
	SEQX_FXRSTOR,
	SEQX_OPS
};

struct seq_xargs {
	u64 *out;    /* n ticks */
	u64 *xinuse; /* n values of XGETBV(1), or NULL: not read */
	u64 n;
	void *image; /* primed from before each sample; NULL: not primed */
	u64 prime;   /* its mask */
	void *area;  /* operand of the timed instruction, 64-byte aligned */
	u64 rfbm;
	u64 flush; /* bytes of area to CLFLUSH before each sample; 0: hot */
};
_Static_assert(sizeof(struct seq_xargs) == 64, "xseq.inc reads these by offset");

/*
 * Returns 0, or the vector + 1 of a fault (in priming, XGETBV or the instruction), which ends the
 * call at that sample. The state is left as priming and the instruction made it: vector registers,
 * x87, MXCSR, PKRU, tiles. A process saves it before and restores it after; the kernel need not.
 */
typedef u32 seq_xfn(const struct seq_xargs *a);
extern seq_xfn *const seq_xtable[SEQX_OPS];
extern const char *const seq_xop_name[SEQX_OPS]; /* empty xsave ...; symbol seq_x_<name> */

/* First byte and one past the last of the measured section. */
extern const u8 seq_begin[], seq_end[];
size_t seq_size(void);
/* CRC-32 of it: logs with different values did not measure the same code. */
u32 seq_crc(void);

#endif
