# SPDX-License-Identifier: MIT
# What each folder may see is the list of include roots below: a wrong #include does not compile.

CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
NASM     ?= nasm
OBJCOPY  ?= objcopy
HOSTCC   := $(CC)
B        := build

see_lib           := lib
see_arch/x86      := lib arch/x86
see_arch/x86/ring0:= lib arch/x86 arch/x86/ring0
see_boot          := lib boot
see_kern/bench    := lib arch/x86 kern/bench
see_kern          := lib arch/x86 arch/x86/ring0 boot kern/bench kern
see_kern/hosted   := lib arch/x86 kern/bench kern/hosted
see_kern/peers    := lib arch/x86 kern/bench kern/hosted kern/peers
see_tools         := lib tools
see_tests/unit    := lib arch/x86 arch/x86/ring0 boot kern/bench kern/peers tests/unit
see_tests/fuzz    := lib arch/x86 boot tools tests/fuzz

WARN    := -Wall -Wextra -Werror -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes
COMMON  := -std=gnu11 -O2 -g $(WARN) -MMD -MP -ffile-prefix-map=$(CURDIR)=. -I$(B)/gen
# The state under test is never touched by the compiler; no red zone under traps.
PURE    := -mgeneral-regs-only -fcf-protection=none -fno-asynchronous-unwind-tables
KFLAGS  := $(COMMON) $(PURE) -ffreestanding -mno-red-zone -fno-pic -fno-stack-protector \
	   -ffunction-sections -fdata-sections -mcmodel=small
HFLAGS  := $(COMMON) -fno-pie -D_GNU_SOURCE
LFLAGS  := $(COMMON) -D_GNU_SOURCE
# libFuzzer is clang's, whatever compiles the rest.
FUZZCC  := clang
FFLAGS  := $(COMMON) -D_GNU_SOURCE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
TFLAGS  := $(COMMON) -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

rooms_kernel := lib arch/x86 arch/x86/ring0 boot kern/bench kern
rooms_hosted := lib arch/x86 kern/bench kern/hosted
rooms_tested := lib arch/x86 boot
rooms_tool   := lib tools

csrc      = $(foreach d,$(1),$(wildcard $(d)/*.c))
# A process and the tests take the memory functions from libc.
hosted_c := $(filter-out lib/mem.c,$(call csrc,$(rooms_hosted)))
tested_c := $(filter-out lib/mem.c,$(call csrc,$(rooms_tested)))
kernel_o := $(patsubst %.c,$(B)/kernel/%.o,$(call csrc,$(rooms_kernel))) \
	    $(patsubst %.asm,$(B)/kernel/%.asm.o,$(wildcard boot/*.asm arch/x86/ring0/*.asm))
hosted_o := $(patsubst %.c,$(B)/hosted/%.o,$(hosted_c))
tested_o := $(patsubst %.c,$(B)/tested/%.o,$(tested_c))
tool_o   := $(patsubst %.c,$(B)/tool/%.o,$(filter-out lib/mem.c,$(call csrc,$(rooms_tool))))
toolt_o  := $(tool_o:$(B)/tool/%=$(B)/tested/%)
fuzz_o   := $(tool_o:$(B)/tool/%=$(B)/fuzz/%) $(patsubst %.c,$(B)/fuzz/%.o,$(call csrc,arch/x86 boot))
fuzzers  := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
bench_o  := $(patsubst %.c,$(B)/hosted/%.o,$(call csrc,kern/peers)) $(B)/hosted/kern/peers/pairs.asm.o
seq_o    := $(B)/seq.o
units    := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

# How long `make fuzz` takes for each target.
FUZZ_SECONDS ?= 60
prefix       ?= /usr/local

.PHONY: all iso run hosted bench ticklog check tests units lint format clean fuzz bench-ticklog install
.PHONY: install-run install-check install-iso install-lint install-tool install-fuzz install-bochs check-bochs check-mutants
.SECONDARY:
.DELETE_ON_ERROR:

all: $(B)/baretick.elf $(B)/baretick-hosted $(B)/baretick-bench $(B)/ticklog

# build.h changes only when the commit does, so that a build after `git status` rebuilds nothing.
BUILD_ID := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 946684800)
$(B)/gen/build.h: FORCE
	@mkdir -p $(@D)
	@echo '#define BUILD_ID "$(BUILD_ID)"' | cmp -s - $@ || echo '#define BUILD_ID "$(BUILD_ID)"' >$@
# Phony: under .SECONDARY a target that is merely missing forces nothing.
.PHONY: FORCE
FORCE:

# A word a command; V=1 shows the commands themselves.
do = $(if $(V),,@echo "  $(1)	$@"; )

includes = $(addprefix -I,$(see_$(patsubst %/,%,$(dir $(1)))))

$(B)/kernel/%.o: %.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(KFLAGS) $(call includes,$*) -c $< -o $@
$(B)/hosted/kern/hosted/%.o: kern/hosted/%.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(HFLAGS) $(call includes,kern/hosted/$*) -c $< -o $@
$(B)/hosted/%.o: %.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(HFLAGS) $(PURE) $(call includes,$*) -c $< -o $@
$(B)/tool/%.o: %.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(LFLAGS) $(call includes,$*) -c $< -o $@
$(B)/tested/%.o: %.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(TFLAGS) $(call includes,$*) -c $< -o $@

# NASM 2.16 -MD forgets what %include brings in: dependencies come from a pass of their own.
define nasm
@mkdir -p $(@D)
@$(NASM) -M -MP -MT $@ -MF $@.d -i $(dir $<) $<
$(call do,NASM)$(NASM) -f elf64 -w+error -i $(dir $<) $< -o $@
endef
$(B)/kernel/%.asm.o: %.asm Makefile
	$(nasm)
$(B)/hosted/%.asm.o: %.asm Makefile
	$(nasm)
$(seq_o): arch/x86/seq.asm Makefile
	$(nasm)

$(B)/baretick.elf: $(kernel_o) $(seq_o) linker.ld
	$(call do,LD)$(CC) -nostdlib -static -Wl,-T,linker.ld,--gc-sections,--build-id=none,-z,max-page-size=4096,-z,noexecstack,--orphan-handling=error \
		$(kernel_o) $(seq_o) -o $@
	@grub-file --is-x86-multiboot2 $@
$(B)/baretick-hosted: $(hosted_o) $(seq_o)
	$(call do,LD)$(CC) -no-pie -z noexecstack $^ -o $@
$(B)/baretick-bench: $(bench_o) $(filter-out %/hosted/main.o,$(hosted_o)) $(seq_o)
	$(call do,LD)$(CC) -no-pie -z noexecstack $^ -o $@

# The log tool, and the same under the sanitizers for its tests.
$(B)/ticklog: $(tool_o)
	$(call do,LD)$(CC) $^ -lsqlite3 -o $@
$(B)/ticklog-tested: $(toolt_o)
	$(call do,LD)$(CC) -fsanitize=address,undefined $^ -lsqlite3 -o $@

$(B)/ticklog.1: $(B)/ticklog tools/mkman
	tools/mkman $< >$@

$(B)/fuzz/%.o: %.c Makefile | $(B)/gen/build.h
	@mkdir -p $(@D)
	$(call do,CC)$(FUZZCC) $(FFLAGS) $(call includes,$*) -c $< -o $@
# An archive: a target takes what it calls, and main() stays behind.
$(B)/fuzz/code.a: $(fuzz_o)
	@rm -f $@
	ar rcs $@ $^
$(B)/fuzz/fuzz_%: $(B)/fuzz/tests/fuzz/fuzz_%.o $(B)/fuzz/code.a
	$(call do,LD)$(FUZZCC) -fsanitize=fuzzer,address,undefined $^ -lsqlite3 -o $@

$(B)/unit/%: tests/unit/%.c $(tested_o) $(seq_o) Makefile
	@mkdir -p $(@D)
	$(call do,LD)$(CC) $(TFLAGS) -no-pie $(call includes,tests/unit/$*) $< $(tested_o) $(seq_o) -lcmocka -o $@
units: $(units)
# All that tests/run looks at.
tests: all $(B)/baretick.iso units $(B)/ticklog-tested

$(B)/baretick.iso: $(B)/baretick.elf boot/grub.cfg tools/mkiso
	tools/mkiso $@ $(B)/baretick.elf boot/grub.cfg

install-run install-check install-iso install-lint install-tool install-fuzz install-bochs: install-%:
	@tools/install $*

# A make of its own, on all cores, once the packages are there. It waits for what else is asked for and
# is built by this one: two at once would write the same objects.
SUBMAKE = $(MAKE) --no-print-directory -j$(shell nproc)
iso ticklog: | $(filter all tests units,$(MAKECMDGOALS))

run: install-run
	@$(SUBMAKE) $(B)/baretick.elf
	@tools/run
hosted: install-run
	@$(SUBMAKE) $(B)/baretick-hosted
	$(B)/baretick-hosted $(ARGS)

iso: install-iso
	@$(SUBMAKE) $(B)/baretick.iso

# SEED= repeats an order of the readers.
bench: install-run install-iso
	@$(SUBMAKE) $(B)/baretick.iso $(B)/baretick-hosted $(B)/baretick-bench
	@tools/bench

ticklog: install-tool
	@$(SUBMAKE) $(B)/ticklog
bench-ticklog: ticklog
	@tests/bench-ticklog
fuzz: install-tool install-fuzz
	@$(SUBMAKE) $(fuzzers)
	@tests/fuzz/run $(FUZZ_SECONDS) $(fuzzers)
install: ticklog
	@$(SUBMAKE) $(B)/ticklog.1
	install -D -m 755 $(B)/ticklog "$(DESTDIR)$(prefix)/bin/ticklog"
	install -D -m 644 $(B)/ticklog.1 "$(DESTDIR)$(prefix)/share/man/man1/ticklog.1"
	install -D -m 644 tools/ticklog.bash "$(DESTDIR)$(prefix)/share/bash-completion/completions/ticklog"

check: install-check install-tool
	@$(SUBMAKE) tests
	@tests/run

check-bochs: install-check install-bochs
	@$(SUBMAKE) $(B)/baretick.iso
	@LIMIT=1200 tests/run tests/bochs/*.t
check-mutants: install-check install-tool
	@tests/check-mutants

lint: install-check install-lint install-tool
	@tests/lint
format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(B)

-include $(kernel_o:.o=.d) $(hosted_o:.o=.d) $(bench_o:.o=.d) $(tested_o:.o=.d) $(tool_o:.o=.d) $(toolt_o:.o=.d) $(fuzz_o:.o=.d) $(fuzzers:$(B)/fuzz/%=$(B)/fuzz/tests/fuzz/%.d) $(addsuffix .d,$(seq_o) $(filter %.asm.o,$(kernel_o) $(bench_o))) \
	 $(addsuffix .d,$(units))
