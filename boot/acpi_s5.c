// SPDX-License-Identifier: MIT
/*
 * The \_S5 package without an AML interpreter: the byte pattern of Name(_S5, Package(){...}) with
 * integer constants, which is how firmware writes it (ACPI 6.5, 7.4.2.6 and 20.2).
 */
#include "acpi.h"

#define NAME_OP	     0x08
#define PACKAGE_OP   0x12
#define BYTE_PREFIX  0x0a
#define WORD_PREFIX  0x0b
#define DWORD_PREFIX 0x0c

/* Takes one integer constant at *at. */
static bool take_integer(struct span s, size_t *at, u32 *value)
{
	u8 op = span_u8(s, *at);
	size_t n = op == BYTE_PREFIX ? 1 : op == WORD_PREFIX ? 2 : op == DWORD_PREFIX ? 4 : 0;

	if (!span_has(s, *at, 1 + n) || (!n && op > 1)) /* ZeroOp and OneOp are their values */
		return false;
	*value = n ? (u32)span_number(s, *at + 1, n) : op;
	*at += 1 + n;
	return true;
}

/* Takes a PkgLength, which counts its own bytes: the span becomes what is left of the package. */
static bool take_package(struct span *s)
{
	u8 lead = span_u8(*s, 0);
	size_t more = lead >> 6;
	size_t len = more ? lead & 0xf : lead & 0x3f;

	if (!span_has(*s, 0, 1 + more))
		return false;
	if (more)
		len |= (size_t)span_number(*s, 1, more) << 4;
	if (len <= 1 + more || !span_has(*s, 0, len))
		return false;
	*s = span_part(*s, 1 + more, len - (1 + more));
	return true;
}

static bool read_package(struct span s, u8 *typ_a, u8 *typ_b)
{
	size_t at = 1;
	u32 a, b;

	if (span_u8(s, 0) != PACKAGE_OP)
		return false;
	s = span_part(s, 1, SIZE_MAX);
	if (!take_package(&s))
		return false;
	u8 elements = span_u8(s, 0);

	if (!elements || !take_integer(s, &at, &a))
		return false;
	if (elements == 1) { /* old firmware packs both into one number */
		b = a >> 8 & 0xff;
		a &= 0xff;
	} else if (!take_integer(s, &at, &b)) {
		return false;
	}
	if (a > 7 || b > 7) /* SLP_TYP has three bits */
		return false;
	*typ_a = (u8)a;
	*typ_b = (u8)b;
	return true;
}

static bool is_named(struct span aml, size_t at)
{
	if (at >= 1 && aml.at[at - 1] == NAME_OP)
		return true;
	return at >= 2 && aml.at[at - 1] == '\\' && aml.at[at - 2] == NAME_OP;
}

bool acpi_find_s5(struct span aml, u8 *typ_a, u8 *typ_b)
{
	for (size_t at = 0; span_has(aml, at, 4); at++)
		if (aml.at[at] == '_' && !memcmp(aml.at + at, "_S5_", 4) && is_named(aml, at) &&
		    read_package(span_part(aml, at + 4, SIZE_MAX), typ_a, typ_b))
			return true;
	return false;
}
