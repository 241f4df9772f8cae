# Thin front doors over meson and ninja. Each installs the packages it misses (tools/setup.sh).
#
#   make            builds build/aetius
#   make demo       real programs on the simulated GPU, checked against a reference (out/demo)
#   make check      every test, with gcc and clang, with sanitizers, optimized and not
#   make real       the real programs that the pictures are judged by, against what is expected
#                   (out/real; PART=glmark2, multisample, openarena, apitrace, piglit,
#                   verify, programs, machines, slurm: only these; PROGRAMS=names of
#                   tests/real/programs.txt: of the programs only these)
#   make fuzz       every fuzz target for TIME seconds (out/fuzz)
#   make mutate     whether the tests notice a changed line: COUNT changes of src, drawn by SEED (out/mutate;
#                   PART=unit/rop: only of this folder)
#   make bench      the simulator's speed (PART=scenes, programs, jobs, codecs, replay, capture:
#                   only these), kept over commits in out/bench-history.csv
#   make scaling    whether more memory channels, shader units and cache make frames faster
#   make studies    every study (studies/*.ini): captures, simulates, writes its page (out/study)
#   make golden     captures anew the traces that tests keep (tools/golden.sh)
#   make install    into PREFIX (DESTDIR is honoured)
#   make format     clang-format over all sources
#   make clean      removes what was built and what was put out
BUILD  = build
PREFIX = /usr/local
TIME   = 1800
PART   =
COUNT  = 100
SEED   = $(shell date +%s)

.PHONY: build demo check real fuzz mutate bench scaling studies golden install docs format clean

build:
	@tools/setup.sh build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
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
	@tools/setup.sh build demo real $(if $(PART),$(filter programs,$(PART)),programs)
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
	@tools/setup.sh build studies
	@$(MAKE) --no-print-directory build
	@for plan in studies/*.ini; do $(BUILD)/aetius study $$(basename $$plan .ini) || exit; done

golden:
	@tools/setup.sh build golden
	@$(MAKE) --no-print-directory build
	@tools/golden.sh $(BUILD)/aetius

# In a build folder of its own, since the prefix is compiled in.
install:
	@tools/setup.sh build
	@meson setup $(if $(wildcard build-install/build.ninja),--reconfigure) \
	    --prefix=$(abspath $(PREFIX)) build-install
	@ninja -C build-install
	@meson install --no-rebuild -C build-install

docs: build
	@tools/docs.sh $(BUILD)/aetius

format:
	@find src tests benchmarks -name '*.[ch]' | xargs clang-format -i
	@tools/format-js.sh || [ $$? = 77 ]

clean:
	rm -rf build build-check build-fuzz build-install build-mutate out
