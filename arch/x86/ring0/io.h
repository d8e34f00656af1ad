/* SPDX-License-Identifier: MIT */
/* Port input and output. SDM volume 1 chapter 19. */
#ifndef IO_H
#define IO_H

#include "types.h"

static inline u8 inb(u16 port)
{
	u8 v;

	asm volatile("inb %1, %0" : "=a"(v) : "Nd"(port) : "memory");
	return v;
}

static inline u16 inw(u16 port)
{
	u16 v;

	asm volatile("inw %1, %0" : "=a"(v) : "Nd"(port) : "memory");
	return v;
}

static inline u32 inl(u16 port)
{
	u32 v;

	asm volatile("inl %1, %0" : "=a"(v) : "Nd"(port) : "memory");
	return v;
}

static inline void outb(u16 port, u8 v)
{
	asm volatile("outb %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

static inline void outw(u16 port, u16 v)
{
	asm volatile("outw %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

static inline void outl(u16 port, u32 v)
{
	asm volatile("outl %0, %1" ::"a"(v), "Nd"(port) : "memory");
}

/* `n` bytes to one port: on an emulator one exit from translated code instead of n. */
static inline void outsb(u16 port, const void *from, size_t n)
{
	asm volatile("rep outsb" : "+S"(from), "+c"(n) : "d"(port) : "memory");
}

/*
 * About a microsecond on real boards: a write to the POST port, which nothing decodes as a command.
 */
static inline void io_delay(void)
{
	outb(0x80, 0);
}

#endif
