/* SPDX-License-Identifier: MIT */
/*
 * What the gaps suite asks of the world and its tests have no say in. Beforehand: gaps.c and its
 * parts, TPS (ticks a second).
 */
#ifndef GAP_WORLD_H
#define GAP_WORLD_H

u64 env_arena_left(void)
{
	return 0;
}

void env_flush(void)
{
}

u64 env_ticks_per_second(void)
{
	return TPS;
}

void env_smi_sources(struct smi_sources *s)
{
	*s = (struct smi_sources){.chipset = NULL};
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	(void)run, (void)topic, (void)format;
}

#endif
