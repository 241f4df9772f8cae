#!/bin/sh
# `make real`: compares pictures of real programs with those of reference renderers. Writes tables and
# real.json to out/real, and compares them with tests/real/expected (its README describes the format).
#
#     tools/real.sh build/aetius [PART...]
#
# Parts: glmark2 multisample openarena apitrace moderngl (OpenGL 3.1) piglit verify; programs (tools/real-programs.sh); d3d
# (tools/real-d3d.sh); planted (tools/real-planted.sh); slurm (tools/real-slurm.sh); machines and statistics (of the other
# parts' traces; machines captures missing ones).
#
# Environment:
# - SCENES: scenes of glmark2
# - SIZE (800x600)
# - FRAMES (1 30 60): frames of glmark2
# - OPENARENA_FRAMES (20)
# - TIMED (30): frames of glmark2 that also run on the machine; "" for none
# - OPENARENA_TIMED (5): number of the OPENARENA_FRAMES that also run on the machine, evenly spaced
# - OPENARENA_MACHINES (3): the same for the part machines
# - PIGLIT (quick_gl quick_shader), PIGLIT_ARGS (-t REGEX ...: replaces a list's arguments)
# - PIGLIT_GL (2.1): OpenGL that piglit's tests are offered
# - PROGRAMS: only these names of tests/real/programs.txt
# - PROGRAM_SECONDS (120): time limit of a capture, or of a run of a Direct3D program
# - RESUME (1: continue an interrupted call, keeping its captures, extracted frames and pictures)
# - OUT: replaces out/real
set -eu
cd "$(dirname "$0")/.."
aetius=$(realpath "$1")
shift
parts=${*:-glmark2 multisample openarena apitrace moderngl piglit verify programs d3d planted machines statistics slurm}
scenes=${SCENES:-build texture shading bump effect2d pulsar desktop buffer ideas jellyfish terrain \
shadow refract conditionals function loop}
size=${SIZE:-800x600}
out=$(realpath -m "${OUT:-out/real}")
expected=tests/real/expected
mkdir -p "$out"
touch "$out/pictures.txt"
# shellcheck source=tools/inputs.sh
. tools/inputs.sh
# shellcheck source=tools/real-programs.sh
. tools/real-programs.sh
# shellcheck source=tools/real-d3d.sh
. tools/real-d3d.sh
# shellcheck source=tools/real-slurm.sh
. tools/real-slurm.sh
# shellcheck source=tools/real-planted.sh
. tools/real-planted.sh

say() { echo "real: $*"; }

# there NAME: whether a resumed call already has this result
there() {
    [ -n "${RESUME:-}" ] && awk -F'\t' -v name="$1" \
        '$1 == name && $2 != "error" { found = 1 } END { exit !found }' "$out/pictures.txt"
}

# picture NAME TRACE FRAMES [OPTION]: compares our pictures of frames with the references'; adds a line
# NAME, result, score. The option is for softpipe.
picture() {
    at=$out/pictures/$1
    rm -rf "$at"
    mkdir -p "$at"
    {
        "$aetius" replay "$2" --frames "$3" -o "$at/ours" &&
            "$aetius" replay "$2" --frames "$3" --reference=llvmpipe -o "$at/llvmpipe" &&
            "$aetius" replay "$2" --frames "$3" ${4:+"$4"} --reference=softpipe -o "$at/softpipe" &&
            "$aetius" compare --json "$at/llvmpipe" "$at/ours" -o "$at/difference" >"$at/ours.json" &&
            "$aetius" compare --json "$at/llvmpipe" "$at/softpipe" >"$at/softpipe.json"
    } >"$at/log" 2>&1 || {
        printf '%s\terror\t%s\n' "$1" "$(tail -n 1 "$at/log" | tr '\t' ' ')" >>"$out/pictures.txt"
        return
    }
    jq -nr --arg name "$1" --slurpfile exact "$at/ours.json" --slurpfile ours "$at/ours.json" \
        --slurpfile softpipe "$at/softpipe.json" -f tools/bar.jq |
        awk -F'|' -v name="$1" -v OFS='\t' '{
            print name, ($6 == "met" ? "met" : "missed"),
                "off " $2 ", softpipe " $3 ", interior " $4 ", PSNR " $5 }' >>"$out/pictures.txt"
}

# conserved NAME RUN: checks `topdown` for each frame and draw of a run: the children of every node must
# add up to it. Adds a line NAME/topdown.
conserved() {
    {
        "$aetius" topdown "$2" --all --json --over-time >"$2/topdown-frames.json" &&
            "$aetius" topdown "$2" --all --json --draws >"$2/topdown-draws.json" &&
            jq -nr --slurpfile frames "$2/topdown-frames.json" --slurpfile draws "$2/topdown-draws.json" \
                --slurpfile run "$2/run.json" -f tools/conservation.jq >"$2/topdown.txt"
    } 2>"$2/topdown.log" ||
        printf 'error\t%s\n' "$(tail -n 1 "$2/topdown.log" | tr '\t' ' ')" >"$2/topdown.txt"
    rm -f "$2/topdown-frames.json" "$2/topdown-draws.json"
    sed "s|^|$1/topdown\t|" "$2/topdown.txt" >>"$out/pictures.txt"
}

# timed NAME TRACE FRAMES: checks that the machine's pictures equal the functional ones
timed() {
    at=$out/pictures/$1
    if "$aetius" sim "$2" --frames "$3" --force -o "$at/sim" >"$at/sim.log" 2>&1 &&
        "$aetius" compare --json "$at/ours" "$at/sim" >"$at/timed.json" 2>>"$at/sim.log"; then
        jq -r --arg name "$1/timed" \
            '[$name, (if .total.identical == .total.pixels and .total.pixels > 0 then "met" else "missed" end),
              "\(.total.pixels - .total.identical) of \(.total.pixels) pixels differ"] | @tsv' \
            "$at/timed.json" >>"$out/pictures.txt"
        conserved "$1" "$at/sim"
    else
        printf '%s/timed\terror\t%s\n' "$1" "$(tail -n 1 "$at/sim.log" | tr '\t' ' ')" >>"$out/pictures.txt"
    fi
}

# record TRACE OPTIONS... -- PROGRAM...: captures the draws of a program, replacing the trace
record() {
    file=$1
    shift
    mkdir -p "$out/traces"
    "$aetius" capture --gl 2.1 --force -o "$file" "$@" >"$file.log" 2>&1 || {
        say "could not capture $file: $(tail -n 1 "$file.log")"
        return 1
    }
}

# Captures one trace per frame that begins with that frame, so no earlier frame must be rendered.
part_glmark2() {
    for scene in $scenes; do
        for frame in ${FRAMES:-1 30 60}; do
            name=glmark2/$scene/$frame
            trace=$out/traces/$scene-$frame.trace
            there "$name" && continue
            say "$name"
            record "$trace" --frames "$frame-$frame" --stop -- \
                glmark2 -s "$size" -b "$scene:duration=3600:nframes=$((frame + 1))" || {
                printf '%s\terror\tnot captured\n' "$name" >>"$out/pictures.txt"
                continue
            }
            picture "$name" "$trace" 0
            case " ${TIMED-30} " in *" $frame "*) timed "$name" "$trace" 0 ;; esac
        done
    done
}

# multisampled NAME TRACE FRAME: compares our picture with llvmpipe at 4 samples per pixel. The bar is
# softpipe's difference at one sample, its maximum, or 0.1 %. Our one-sample picture must miss the bar;
# otherwise the frame does not show multisampling, and the result is blind.
multisampled() {
    at=$out/pictures/$1
    rm -rf "$at"
    mkdir -p "$at"
    {
        "$aetius" replay "$2" --frames "$3" -o "$at/ours" &&
            "$aetius" replay "$2" --frames "$3" --reference=llvmpipe -o "$at/llvmpipe" &&
            "$aetius" replay "$2" --frames "$3" --single-sampled -o "$at/ours-1x" &&
            "$aetius" replay "$2" --frames "$3" --single-sampled --reference=llvmpipe \
                -o "$at/llvmpipe-1x" &&
            "$aetius" replay "$2" --frames "$3" --single-sampled --reference=softpipe \
                -o "$at/softpipe-1x" &&
            "$aetius" compare --json "$at/llvmpipe" "$at/ours" >"$at/ours.json" &&
            "$aetius" compare --json "$at/llvmpipe" "$at/ours-1x" >"$at/ours-1x.json" &&
            "$aetius" compare --json "$at/llvmpipe-1x" "$at/softpipe-1x" >"$at/softpipe-1x.json"
    } >"$at/log" 2>&1 || {
        printf '%s\terror\t%s\n' "$1" "$(tail -n 1 "$at/log" | tr '\t' ' ')" >>"$out/pictures.txt"
        return
    }
    jq -rs --arg name "$1" '
        def off: .total | (.pixels - .within_1) / .pixels;
        def percent: . * 100000 | round / 1000 | "\(.)%";
        map(off) as [$ours, $single, $softpipe]
        | ([0.001, $softpipe] | max) as $bar
        | [$name,
           (if $ours > $bar then "missed" elif $single <= $bar then "blind" else "met" end),
           "off \($ours | percent), bar \($bar | percent), our 1x off \($single | percent)"]
        | @tsv' "$at/ours.json" "$at/ours-1x.json" "$at/softpipe-1x.json" >>"$out/pictures.txt"
}

# glmark2 in a visual with 4 samples, and scenes of benchmarks/gl in framebuffer objects with 4.
part_multisample() {
    for scene in ${MULTISAMPLE_SCENES:-build texture shading bump desktop ideas jellyfish refract}; do
        name=multisample/glmark2-$scene
        there "$name" && continue
        trace=$out/traces/multisample.trace
        say "$name"
        if record "$trace" --frames 0-2 --stop -- glmark2 --visual-config samples=4 -s "$size" \
            -b "$scene:duration=3600:nframes=3"; then
            multisampled "$name" "$trace" 2
        else
            printf '%s\terror\tnot captured\n' "$name" >>"$out/pictures.txt"
        fi
    done
    for kind in triangles lines points alpha alpha-one mask centroid off blend stencil copy; do
        name=multisample/$kind
        there "$name" && continue
        say "$name"
        record "$out/traces/multisample.trace" -- \
            "$(dirname "$aetius")/benchmarks/gl/multisample" --kind "$kind" --frames 3
        multisampled "$name" "$out/traces/multisample.trace" 0-2
    done
}

# cut_openarena RESUME: extracts frames, evenly spaced over the demo, into separate traces in one pass. So
# no renderer has to render earlier frames. The game renders each frame from scratch, so three warm-up
# frames suffice. The first of the 20 is compared with the picture after rendering all earlier frames. The frame numbers are in $wanted.
cut_openarena() {
    trace=$out/traces/openarena.trace
    cuts=$out/traces/openarena
    home=$out/traces/home
    if [ -z "$1" ] || [ ! -e "$cuts.captured" ]; then
        rm -f "$cuts.captured" "$cuts.cut"
        mkdir -p "$home"
        say "openarena: capturing demo088-test1"
        # shellcheck disable=SC2046  # words
        HOME=$home record "$trace" -- $(game 640 480) +set nextdemo quit || return 1
        touch "$cuts.captured"
    fi
    wanted=$("$aetius" info --json "$trace" |
        jq -r --argjson n "${OPENARENA_FRAMES:-20}" '.frames as $f | [range($n) | ((. + 0.5) * $f / $n | floor)] | unique | join(",")')
    if [ -z "$1" ] || [ "$(cat "$cuts.cut" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$cuts"
        say "openarena: extracting frames $wanted"
        "$aetius" trim "$trace" --frames "$wanted" --warm-up 3 -o "$cuts" >"$cuts.log" 2>&1 || {
            say "could not extract frames: $(tail -n 1 "$cuts.log")"
            return 1
        }
        echo "$wanted" >"$cuts.cut"
    fi
}

part_openarena() {
    cut_openarena "${RESUME:-}" || return 0
    number=0
    first=${wanted%%,*}
    if ! there openarena/whole; then
        "$aetius" replay "$trace" --frames "$first" -o "$cuts.whole" >"$cuts.log" 2>&1
        "$aetius" replay "$cuts/frames-$first-$first.trace" -o "$cuts.part" >"$cuts.log" 2>&1
        if cmp "$cuts.whole/frames/frame-$(printf %04d "$first").png" \
            "$cuts.part/frames/frame-0000.png" >"$cuts.log" 2>&1; then
            printf 'openarena/whole\tmet\tframe %s is the same when extracted\n' "$first" >>"$out/pictures.txt"
        else
            printf 'openarena/whole\tmissed\t%s\n' "$(tail -n 1 "$cuts.log")" >>"$out/pictures.txt"
        fi
    fi
    for frame in $(echo "$wanted" | tr , ' '); do
        name=openarena/$frame
        number=$((number + 1))
        cut=$cuts/frames-$frame-$frame.trace
        there "$name" || { say "$name" && picture "$name" "$cut" 0; }
        [ $((number * ${OPENARENA_TIMED:-5} / ${OPENARENA_FRAMES:-20})) = \
            $(((number - 1) * ${OPENARENA_TIMED:-5} / ${OPENARENA_FRAMES:-20})) ] ||
            there "$name/timed" || timed "$name" "$cut" 0
    done
}

# Replays an apitrace, recorded with another renderer, on this one.
part_apitrace() {
    trace=$out/traces/apitrace.trace
    say "apitrace: tracing glmark2"
    rm -f "$out/traces/glmark2.apitrace"
    mkdir -p "$out/traces"
    LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a apitrace trace -o "$out/traces/glmark2.apitrace" \
        glmark2 -s 320x240 -b shading:nframes=3 -b texture:nframes=3 >"$out/traces/apitrace.log" 2>&1 || {
        say "apitrace failed: $(tail -n 1 "$out/traces/apitrace.log")"
        return 0
    }
    record "$trace" -- apitrace replay "$out/traces/glmark2.apitrace" || return 0
    picture apitrace "$trace" "$("$aetius" info --json "$trace" | jq -r "\"0-\\(.frames - 1)\"")"
}

# A program of OpenGL 3.1.
part_moderngl() {
    trace=$out/traces/moderngl.trace
    say moderngl
    record "$trace" --gl 3.1 -- /usr/bin/python3 tests/real/instances.py || {
        printf 'moderngl\terror\tnot captured\n' >>"$out/pictures.txt"
        return 0
    }
    picture moderngl "$trace" 0-3
    timed moderngl "$trace" 0-3
}

# run_piglit LIST FOLDER OPTIONS...: the options are those of `aetius run`
run_piglit() {
    list=$1
    folder=$2
    shift 2
    case $list in
    quick_gl) tests="-t spec@!opengl_[12] -t spec@arb_fragment_program -t spec@arb_vertex_program" ;;
    *) tests='-t spec@glsl-1.10 -t spec@glsl-1.20' ;;
    esac
    # shellcheck disable=SC2086  # words; _ replaces the space in a name (a regular expression's .)
    PIGLIT_NO_FAST_SKIP=1 "$aetius" run --gl "${PIGLIT_GL:-2.1}" "$@" -- piglit run "$list" -1 -o -l quiet --timeout 60 \
        $(echo "${PIGLIT_ARGS:-$tests}" | sed 's/_\[/.[/') "$folder" >"$folder.log" 2>&1
}

# Prints every test and sub-test of a run: NAME or NAME#SUBTEST, and the result.
piglit_results() {
    bzcat "$1/results.json.bz2" | jq -r '.tests | to_entries[] | .key as $name | .value
        | [$name, .result], ((.subtests // {}) | to_entries[] | select(.key != "__type__") | [$name + "#" + .key, .value])
        | @tsv' | sort
}

part_piglit() {
    for list in ${PIGLIT:-quick_gl quick_shader}; do
        at=$out/piglit/$list
        mkdir -p "$at"
        rm -rf "$at/ours" "$at/reference"
        say "piglit $list: Aetius"
        run_piglit "$list" "$at/ours" --functional || true
        say "piglit $list: reference"
        run_piglit "$list" "$at/reference" --reference || true
        piglit_results "$at/ours" >"$at/ours.txt"
        piglit_results "$at/reference" >"$at/reference.txt"
        join -t "$(printf '\t')" "$at/reference.txt" "$at/ours.txt" >"$at/both.txt"
        awk -F'\t' '$2 == "pass" && $3 != "pass"' "$at/both.txt" >"$at/worse.txt"
        awk -F'\t' '$2 != "pass" && $2 != "skip" && $3 == "pass"' "$at/both.txt" >"$at/better.txt"
        # These lines can be copied to the expected results, with causes.
        awk -F'\t' '$2 != "pass" && $2 != "skip"' "$at/ours.txt" >"$out/piglit-$list.txt"
    done
}

# Captures every tenth test of quick_gl and all query tests. Compares the machine with the functional
# renderer bit for bit: frames, readbacks and query results. Many tests read nothing back, so nothing is
# compared: their result is `nothing`. At least half of the tests must compare something.
part_verify() {
    mkdir -p "$out/traces"
    piglit print-cmd quick_gl -t 'spec@!opengl [12]' -t 'spec@arb_fragment_program' \
        -t 'spec@arb_vertex_program' | awk 'NR % 10 == 1 || /occlusion|query/' >"$out/verify.list"
    trace=$out/traces/verify.trace
    while IFS= read -r line; do
        name=verify/$(echo "${line%% ::: *}" | tr ' \t' '__')
        command=${line##* ::: }
        rm -f "$trace"
        # The commands use paths of test programs relative to /usr/bin.
        (cd /usr/bin && timeout -k 10 120 "$aetius" capture --gl 2.1 --force -o "$trace" -- $command) \
            >"$trace.log" 2>&1 </dev/null || true
        if [ ! -s "$trace" ]; then
            printf '%s\tskip\trenders nothing\n' "$name" >>"$out/pictures.txt"
        elif timeout -k 10 600 "$aetius" verify "$trace" \
            --set MEMORYCONTROLLER.MemorySize=4294967040 >"$trace.out" 2>&1 </dev/null; then
            result=met
            grep -q '^0 frames, 0 readbacks, 0 query results' "$trace.out" && result=nothing
            printf '%s\t%s\t%s\n' "$name" "$result" "$(tail -n 1 "$trace.out")" >>"$out/pictures.txt"
        else
            printf '%s\tmissed\t%s\n' "$name" "$(tail -n 1 "$trace.out")" >>"$out/pictures.txt"
        fi
    done <"$out/verify.list"
    awk -F'\t' '
        $1 ~ /^verify\// { all++; compared += ($2 == "met" || $2 == "missed") }
        END {
            printf "verify\t%s\t%d of %d tests compare something\n",
                (all && 2 * compared >= all) ? "met" : "missed", compared, all
        }' "$out/pictures.txt" >"$out/verify.sum"
    cat "$out/verify.sum" >>"$out/pictures.txt"
}

# on_machines NAME TRACE MODES: checks that the pictures of each machine MODE/UNIFIED/GENERATOR equal the
# functional ones, bit for bit
on_machines() {
    good=0
    all=0
    first_bad=
    for machine in $3; do
        all=$((all + 1))
        mode=${machine%%/*}
        generator=${machine##*/}
        unified=${machine#*/}
        frames=$("$aetius" verify --json "$2" --set "SHADER.Mode=$mode" \
            --set "GPU.UnifiedShader=${unified%/*}" --set "RASTERIZER.Generator=$generator" \
            2>"$out/machines.log" | jq 'select(.differences == 0 and .frames > 0) | .frames') || true
        # no frames: the simulation could not run
        if [ "${frames:-0}" -gt 0 ]; then
            good=$((good + 1))
        else
            first_bad=${first_bad:-", not on $machine $(tail -n 1 "$out/machines.log" | tr '\t' ' ')"}
        fi
    done
    result=missed
    [ "$good" != "$all" ] || result=met
    printf 'machines/%s\t%s\tsame on %s of %s machines%s\n' "$1" $result "$good" "$all" "$first_bad" \
        >>"$out/pictures.txt"
}

# Runs the inputs on four machines that together cover every shader mode, both values of unified, and
# every fragment generator. glmark2's build and shadow and the first OpenArena frame run on all 12.
# Frames: the last of TIMED for each scene, and OPENARENA_MACHINES of OpenArena's 20.
part_machines() {
    four='timed/TRUE/scan timed/FALSE/seven-level instant/TRUE/recursive instant/FALSE/scan'
    twelve=
    for mode in timed instant; do
        for unified in TRUE FALSE; do
            for generator in scan recursive seven-level; do
                twelve="$twelve $mode/$unified/$generator"
            done
        done
    done
    frame=${TIMED-30}
    frame=${frame##* }
    [ -n "$frame" ] || return 0
    for scene in $scenes; do
        name=$scene/$frame
        there "machines/$name" && continue
        say "machines: $name"
        trace=$out/traces/$scene-$frame.trace
        [ -s "$trace" ] || record "$trace" --frames "$frame-$frame" --stop -- \
            glmark2 -s "$size" -b "$scene:duration=3600:nframes=$((frame + 1))" || {
            printf 'machines/%s\terror\tnot captured\n' "$name" >>"$out/pictures.txt"
            continue
        }
        case $scene in
        build | shadow) on_machines "$name" "$trace" "$twelve" ;;
        *) on_machines "$name" "$trace" "$four" ;;
        esac
    done
    cut_openarena 1 || return 0
    machines=$twelve
    number=0
    for frame in $(echo "$wanted" | tr , ' '); do
        number=$((number + 1))
        [ $((number * ${OPENARENA_MACHINES:-3} / ${OPENARENA_FRAMES:-20})) != \
            $(((number - 1) * ${OPENARENA_MACHINES:-3} / ${OPENARENA_FRAMES:-20})) ] || continue
        name=openarena-$frame
        there "machines/$name" || {
            say "machines: $name"
            on_machines "$name" "$cuts/frames-$frame-$frame.trace" "$machines"
        }
        machines=$four
    done
}

# Checks that each statistic is nonzero in one of the traces on one of the machines.
part_statistics() {
    at=$out/statistics
    rm -rf "$at"
    mkdir -p "$at"
    for trace in "$out"/traces/*-30.trace "$(find "$out/traces/openarena/" -name '*.trace' 2>/dev/null | sort | sed -n 10p)"; do
        [ -s "$trace" ] || continue
        frame=$("$aetius" info --json "$trace" | jq '.frames / 2 | floor')
        name=$(basename "$trace" .trace)
        say "statistics: $name"
        for options in '--preset reference-2005' '--preset reference-2008' \
            '--set RASTERIZER.Generator=seven-level --set GPU.UnifiedShader=FALSE' \
            '--set RASTERIZER.Generator=scan'; do
            run=$name-$(echo "$options" | tr -c 'a-zA-Z0-9\n' '-')
            # shellcheck disable=SC2086  # words
            "$aetius" sim "$trace" --frames "$frame" $options -o "$at/$run" >/dev/null 2>&1 || continue
            conserved "statistics/$run" "$at/$run"
        done
    done
    if tools/unused-statistics.sh "$at"/* >"$at.txt" 2>&1; then
        printf 'statistics\tmet\t%s\n' "$(tail -n 1 "$at.txt")" >>"$out/pictures.txt"
    else
        printf 'statistics\tmissed\t%s\n' "$(tr '\n' ' ' <"$at.txt")" >>"$out/pictures.txt"
    fi
}

# changes EXPECTED NOW SUCCESS: prints changes as NAME, expected, now. NOW has everything that ran. Entries
# missing in EXPECTED are expected to match SUCCESS (a regular expression).
changes() {
    awk -F'\t' -v OFS='\t' -v success="$3" '
        /^#/ || !NF { next }
        FILENAME == ARGV[1] { expected[$1] = $2; next }
        !($1 in expected) && $2 !~ success { print $1, "success", $2 }
        $1 in expected && $2 != expected[$1] { print $1, expected[$1], $2 }' "$1" "$2" | sort
}

for part in $parts; do
    case $part in
    glmark2 | multisample | openarena | apitrace | moderngl | verify | programs | d3d | planted | machines | statistics | slurm)
        # Entries with errors are tried again.
        awk -F'\t' -v part="$part" -v resume="${RESUME:-}" '
            index($1, part) != 1 || (resume && $2 != "error")' \
            "$out/pictures.txt" >"$out/pictures.kept"
        mv "$out/pictures.kept" "$out/pictures.txt"
        ;;
    piglit) ;;
    *)
        echo "real: unknown part '$part', expected glmark2, multisample, openarena, apitrace, moderngl, piglit, verify, programs, d3d, planted, machines, statistics or slurm" >&2
        exit 2
        ;;
    esac
    "part_$part"
done

: >"$out/changes.txt"
{
    if [ -s "$out/pictures.txt" ]; then
        printf '%-34s %-8s %s\n' picture bar score
        awk -F'\t' '{ printf "%-34s %-8s %s\n", $1, $2, $3 }' "$out/pictures.txt"
        awk -F'\t' '$1 ~ /\/topdown$/ && $2 == "met" {
                split($3, n, " ")
                runs++; nodes += n[1]; frames += n[4]; rows += n[7]
            }
            END {
                if (runs)
                    printf "topdown: %d nodes of %d frames and %d rows of draws of %d runs are the sums of their children\n",
                        nodes, frames, rows, runs
            }' "$out/pictures.txt"
        changes "$expected/pictures.txt" "$out/pictures.txt" '^(met|skip|nothing)$' >>"$out/changes.txt"
    fi
    for list in quick_gl quick_shader; do
        at=$out/piglit/$list
        case " $parts " in *' piglit '*) ;; *) continue ;; esac
        [ -s "$at/ours.txt" ] || continue
        for who in ours reference; do
            for what in tests sub-tests; do
                printf '%-34s %s\n' "piglit $list, $who, $what" "$(
                    awk -F'\t' -v sub_tests=$what '(sub_tests != "tests") == ($1 ~ /#/) { n[$2]++ }
                        END { for (r in n) printf "%d %s, ", n[r], r }' "$at/$who.txt" | sed 's/, $//'
                )"
            done
        done
        echo "piglit $list: $(wc -l <"$at/worse.txt") tests pass only with the reference, $(wc -l <"$at/better.txt") only with Aetius"
        changes "$expected/piglit-$list.txt" "$at/ours.txt" '^(pass|skip)$' >>"$out/changes.txt"
    done
} | tee "$out/table.txt"

counts() {
    [ -s "$1" ] || { echo null; return; }
    awk -F'\t' '{ n[$2]++ } END { for (r in n) print r "\t" n[r] }' "$1" |
        jq -Rn '[inputs | split("\t") | {(.[0]): (.[1] | tonumber)}] | add'
}
jq -n --argjson pictures "$(jq -Rn '[inputs | split("\t") | {name: .[0], bar: .[1], score: .[2]}]' \
        <"$out/pictures.txt")" \
    --argjson changes "$(jq -Rn '[inputs | split("\t") | {name: .[0], expected: .[1], now: .[2]}]' <"$out/changes.txt")" \
    --argjson gl "$(counts "$out/piglit/quick_gl/ours.txt")" \
    --argjson shader "$(counts "$out/piglit/quick_shader/ours.txt")" \
    '{pictures: $pictures, piglit: {quick_gl: $gl, quick_shader: $shader}, changes: $changes}' \
    >"$out/real.json"

if [ -s "$out/changes.txt" ]; then
    echo
    echo 'Differences from tests/real/expected (name, expected, now):'
    cat "$out/changes.txt"
    exit 1
fi
say "all results are as expected: $out/table.txt, real.json"
