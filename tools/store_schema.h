/* SPDX-License-Identifier: MIT */
/* The tables of a store as SQL, and what is bound to them. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

extern const char store_schema[];

/*
 * Statements; parameters in the order of the columns. `run` of the other tables is run.id.
 */
extern const char store_insert_run[];
extern const char store_insert_record[];
extern const char store_insert_result[];
extern const char store_insert_figure[];
extern const char store_insert_xsave[];

#endif
