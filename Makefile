# Targets that call meson, ninja and the scripts of tools. Each installs missing packages (tools/setup.sh).
#
#   make            builds build/aetius
#   make demo       renders real programs on the simulated GPU, and checks the pictures (out/demo)
#   make check      runs every test: gcc and clang, with sanitizers, optimized and not
#   make real       compares real programs with their expected results (out/real;
#                   PART=glmark2, multisample, openarena, apitrace, piglit, verify, programs,
#                   d3d, planted, machines, slurm: only these; PROGRAMS=names of tests/real/programs.txt:
#                   only these programs)
#   make fuzz       runs every fuzz target for TIME seconds (out/fuzz)
#   make mutate     measures whether the tests detect changed lines: COUNT lines of src, selected
#                   by SEED (out/mutate; PART=unit/rop: only this folder)
#   make bench      measures the simulator's speed (PART=scenes, programs, jobs, codecs, replay,
#                   capture: only these), and appends it to out/bench-history.csv
#   make scaling    checks that more memory channels, shader units and cache make frames faster
#   make studies    runs every study (studies/*.ini), and writes its page (out/study); of the study
#                   of verdicts, only a tenth of the pairs, selected by SEED (FRAMES=folder with the
#                   captures of studies/programs/unseen.sh)
#   make golden     captures the traces of the tests again (tools/golden.sh)
#   make docs       writes the generated pages of docs again (tools/docs.sh)
#   make install    installs the program, its data and pages, without tests, into PREFIX (and respects DESTDIR)
#   make dist       writes a tarball of the last commit to build/meson-dist; it builds without git
#   make format     formats all sources (clang-format, prettier)
#   make clean      removes the build folders and out
BUILD  = build
PREFIX = /usr/local
TIME   = 1800
PART   =
COUNT  = 100
SEED   = $(shell date +%s)

.PHONY: build demo check real fuzz mutate bench scaling studies golden install dist docs format clean

build:
	@tools/setup.sh build
	@test -f $(BUILD)/build.ninja || meson setup --werror $(BUILD)
	@ninja -C $(BUILD)

demo:
	@tools/setup.sh build demo
	@$(MAKE) --no-print-directory build
	@tools/demo.sh $(BUILD)/aetius

check:
	@tools/setup.sh build check
	@{ command -v chromium && command -v npm; } >/dev/null || tools/setup.sh browser || true
	@tools/check.sh

real:
	@tools/setup.sh build demo real $(if $(PART),$(filter programs d3d,$(PART)),programs)
	@$(MAKE) --no-print-directory build
	@tools/real.sh $(BUILD)/aetius $(PART)

fuzz:
	@tools/setup.sh build check
	@tools/fuzz.sh $(TIME)

mutate:
	@tools/setup.sh build check
	@tools/mutate.sh $(SEED) $(COUNT) $(PART)

bench:
	@tools/setup.sh build demo
	@$(MAKE) --no-print-directory build
	@tools/bench.sh $(BUILD)/aetius $(PART)

scaling:
	@tools/setup.sh build demo
	@$(MAKE) --no-print-directory build
	@tools/scaling.sh $(BUILD)/aetius

studies:
	@tools/setup.sh build studies programs
	@$(MAKE) --no-print-directory build
	@for plan in studies/*.ini; do \
	    [ $$plan = studies/verdicts.ini ] || $(BUILD)/aetius study $$(basename $$plan .ini) || exit; \
	done
	@tools/verdicts-tenth.sh $(BUILD)/aetius "$(FRAMES)" $(SEED)

golden:
	@tools/setup.sh build golden
	@$(MAKE) --no-print-directory build
	@tools/golden.sh $(BUILD)/aetius

install:
	@tools/setup.sh install
	@tools/install.sh $(abspath $(PREFIX))

dist:
	@tools/setup.sh build
	@test -f $(BUILD)/build.ninja || meson setup --werror $(BUILD)
	@meson dist -C $(BUILD) --no-tests

docs: build
	@tools/docs.sh $(BUILD)/aetius

format:
	@find src tests benchmarks -name '*.[ch]' | xargs clang-format -i
	@tools/format-js.sh || [ $$? = 77 ]

clean:
	rm -rf build build-check build-fuzz build-install build-mutate out
