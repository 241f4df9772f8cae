# shellcheck shell=sh disable=SC2154
# The part `programs` of tools/real.sh, which sources this file. It renders two frames of each OpenGL
# program of tests/real/programs.txt, and writes the page.

programs_list=tests/real/programs.txt
programs_page=docs/studies/programs.md

# press KEY ... presses keys repeatedly, one per second, for the listed commands. Without a window
# manager, keys go to the window under the pointer.
# shellcheck disable=SC2016  # expanded where it runs
press='press() {
    while :; do for key; do sleep 1; xdotool mousemove 200 200 key "$key"; done; done &
}'

# programs_lines RUNS: prints the lines of the list, without spaces around the columns: those that run
# here (yes) or those that do not (no). If $PROGRAMS is set, only these programs.
programs_lines() {
    awk -F'|' -v OFS='|' -v runs="$1" -v only="${PROGRAMS:-}" '
        BEGIN { n = split(only, names, " "); for (i = 1; i <= n; i++) wanted[names[i]] = 1 }
        /^#/ || NF < 5 { next }
        {
            for (i = 1; i <= NF; i++) gsub(/^ +| +$/, "", $i)
            for (i = 6; i <= NF; i++) $5 = $5 "|" $i # the command contains a pipe
            if (only == "" ? ($3 != "-") == (runs == "yes") : runs == "yes" && $1 in wanted)
                print $1, $2, $3, $4, $5
        }' "$programs_list"
}

# run_quietly FOLDER COMMAND...: runs without a terminal or sound, in a new folder that is its HOME. REAL is
# the folder tests/real. A command that takes too long is killed.
run_quietly() (
    home=$1
    real=$PWD/tests/real
    shift
    rm -rf "$home"
    mkdir -p -m 700 "$home"
    cd "$home"
    env -u DISPLAY -u WAYLAND_DISPLAY -u DBUS_SESSION_BUS_ADDRESS -u PULSE_SERVER \
        HOME="$home" REAL="$real" XDG_RUNTIME_DIR="$home" SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null \
        PATH=/usr/bin:/bin:/usr/games:/usr/libexec/xscreensaver NO_AT_BRIDGE=1 LC_ALL=C.UTF-8 \
        timeout -k 10 "${PROGRAM_SECONDS:-120}" "$@" </dev/null
)

seconds_since() {
    awk -v from="$1" -v to="$(date +%s.%N)" 'BEGIN { printf "%.1f", to - from }'
}

# program_row NAME FRAMES COMMAND: writes the page's data about a program to row.json in its folder.
# FRAMES may end with the OpenGL that the program is offered.
program_row() {
    name=programs/$1
    frames=${2%% *}
    gl=${2#"$frames"}
    gl=${gl# }
    of=$out/programs/$1
    trace=$of/trace
    mkdir -p "$of"
    rm -f "$of/row.json"
    began=$(date +%s.%N)
    run_quietly "$of/home" "$aetius" capture --gl "${gl:-2.1}" --force -o "$trace" --frames "$frames" --stop -- \
        sh -c "$press; $3" >"$of/log" 2>&1 || {
        [ $? = 124 ] && echo "ended after ${PROGRAM_SECONDS:-120} s" >>"$of/log"
        printf '%s\terror\tnot captured: %s\n' "$name" "$(tail -n 1 "$of/log" | tr '\t' ' ')" \
            >>"$out/pictures.txt"
        rm -rf "$of/home"
        return
    }
    captured=$(seconds_since "$began")
    rm -rf "$of/home"
    "$aetius" info --json "$trace" >"$of/info.json"
    shown=0-$(jq '.frames - 1' "$of/info.json")
    picture "$name" "$trace" "$shown"
    case $(result_of "$1" 3) in
    *'softpipe has one sample per pixel'*)
        forget "$name"
        multisampled "$name" "$trace" "$shown"
        ;;
    esac
    began=$(date +%s.%N)
    "$aetius" verify --json "$trace" >"$of/verify.json" 2>"$of/verify.log" || true
    verified=$(seconds_since "$began")
    jq -r --arg name "$name/verify" '[$name, (if .differences == 0 and .frames > 0 then "met" else "missed" end),
        (def count($of): "\(.) \($of)\(if . == 1 then "" else "s" end)";
         "\(.frames | count("frame")), \(.readbacks | count("readback")), " +
         "\(.query_results | count("query result")): \(.differences) differ")] | @tsv' \
        "$of/verify.json" >"$of/verify.line"
    [ -s "$of/verify.line" ] || printf '%s/verify\terror\t%s\n' "$name" \
        "$(tail -n 1 "$of/verify.log" | tr '\t' ' ')" >"$of/verify.line"
    cat "$of/verify.line" >>"$out/pictures.txt"
    "$aetius" sim --json --force -o "$of/sim" "$trace" >"$of/run.json" 2>"$of/sim.log" || return 0
    conserved "$name" "$of/sim"
    jq -n --slurpfile run "$of/run.json" --slurpfile info "$of/info.json" \
        --arg captured "$captured" --arg verified "$verified" --argjson bytes "$(stat -c %s "$trace")" '
        $run[0] as $r | {width: $r.width, height: $r.height, draws: $info[0].draws,
            fragments: $r.fragments, cycles: $r.cycles, mb: ($bytes / 10000 | round / 100),
            captured: $captured, verified: $verified}' >"$of/row.json"
}

# forget NAME: removes its results
forget() {
    awk -F'\t' -v name="$1" '$1 != name && $1 != name "/verify" && $1 != name "/topdown"' "$out/pictures.txt" \
        >"$out/pictures.kept"
    mv "$out/pictures.kept" "$out/pictures.txt"
}

part_programs() {
    programs_lines yes >"$out/programs.txt"
    while IFS='|' read -r program packages frames exercises command <&3; do
        there "programs/$program" && there "programs/$program/verify" && continue
        forget "programs/$program" # results of an earlier call
        say "programs/$program"
        program_row "$program" "$frames" "$command"
    done 3<"$out/programs.txt"
    programs_write_page >"$out/programs.md"
    # docs/studies has only the page of the whole list
    [ -n "${PROGRAMS:-}" ] || cp "$out/programs.md" "$programs_page"
}

# result_of NAME COLUMN: a column of NAME's line in the table of results
result_of() {
    awk -F'\t' -v name="programs/$1" -v column="$2" '$1 == name { print $column; exit }' "$out/pictures.txt"
}

# cause_of NAME: the cause recorded with NAME's expected result
cause_of() {
    awk -F'\t' -v name="programs/$1" '$1 == name { print $3; exit }' "$expected/pictures.txt"
}

# programs_results: one row of the page's table per program
programs_results() {
    while IFS='|' read -r program packages frames exercises command; do
        row=$out/programs/$program/row.json
        score=$(result_of "$program" 3)
        if [ -s "$row" ]; then
            jq -r --arg program "$program" --arg exercises "$exercises" --arg frames "$frames" \
                --arg score "$score" --arg bar "$(result_of "$program" 2)" \
                --arg verify "$(result_of "$program/verify" 2)" '
                ($score | capture("off (?<off>[^,]*), (softpipe|bar) (?<soft>[^,]*),") // {off: "", soft: ""}) as $s
                | "| \($program) | \($exercises) | \($frames) | \(.width)x\(.height) | \(.draws) | \(.fragments)"
                  + " | \($s.off) | \($s.soft) | \($bar) | \(if $verify == "met" then "yes" else "NO" end)"
                  + " | \(.cycles) | \(.captured) | \(.verified) | \(.mb) |"' "$row"
        else
            printf '| %s | %s | %s | | | | | | %s | | | | | |\n' "$program" "$exercises" "$frames" \
                "$(result_of "$program" 2): $score"
        fi
    done <"$out/programs.txt"
}

# programs_missed: prints the programs that miss the criterion, with the cause
programs_missed() {
    awk -F'\t' -v OFS='\t' '/^programs\// && $2 != "met" { sub("^programs/", "", $1); print }' \
        "$out/pictures.txt" >"$out/programs.missed"
    while IFS='|' read -r program packages frames exercises command; do
        awk -F'\t' -v program="$program" '$1 == program || $1 == program "/verify"' "$out/programs.missed"
    done <"$out/programs.txt" | while IFS="$(printf '\t')" read -r what result score; do
        cause=$(cause_of "$what")
        echo "- $what: $result ($score). ${cause:-The cause is not known.}"
    done
}

# programs_versions PACKAGE...: prints packages with their versions
programs_versions() {
    dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}, ' "$@" 2>/dev/null |
        sed 's/not-installed [^,]*, //g; s/installed //g; s/, $//'
}

count_programs() {
    awk -F'\t' -v part="$1" -v result="$2" '
        index($1, "programs/") == 1 && ($1 ~ /\/verify$/) == (part == "verify") && $2 == result { n++ }
        END { print n + 0 }' "$out/pictures.txt"
}

programs_write_page() {
    sed "s/@RUN@/$(wc -l <"$out/programs.txt")/; s/@MET@/$(count_programs picture met)/
        s/@MISSED@/$(count_programs picture missed)/; s/@ERROR@/$(count_programs picture error)/
        s/@EXACT@/$(count_programs verify met)/" <<'END'
# Programs of Debian

`make real PART=programs` generates this page from OpenGL programs of Debian 12. This part compares their
pictures with those of Mesa's software renderers.

The list covers every kind of program that was found; the simulator is not tuned for any of them. Each
program was installed and started without changes, in an X server, without network or sound. The only user
input was a few keys (`press`). One or two frames of each program were captured, usually from the middle of
the run. `tests/real/programs.txt` lists the programs, one per line. A new line adds a program.
`make real PART=programs PROGRAMS="NAME ..."` runs only the named programs.

Of @RUN@ programs, @MET@ meet the criterion for comparison with llvmpipe (*bar*), @MISSED@ miss it, and
@ERROR@ could not be rendered or compared. For @EXACT@ programs, the pictures, readbacks and query results of
the timed machine equal those of the functional renderer, bit for bit.

- *frames*: the captured frames. A version after the frames is that of `--gl`; the other programs were offered
  OpenGL 2.1.
- *off*: the share of pixels that differ from llvmpipe by more than one step of 255. llvmpipe renders
  the same trace with the same capabilities (virgl_test_server). *softpipe*: the same share for softpipe.
- *bar*: met if *off* is at most the larger of *softpipe* and 0.1 %. Interior errors and PSNR must also be
  about as good as softpipe's (`tools/bar.jq` states the tolerances).
- *exact*: the result of `aetius verify`.
- *draws*, *fragments* (shaded) and *cycles* (reference-2008, default options) cover all captured frames.
  Small values prove little.
- *capture*: seconds from the program's start to a trace with the state of its first frame.
- *verify*: seconds of `aetius verify`, which renders each frame twice. *MB*: size of the trace.

END
    echo '| program | what it exercises | frames | size | draws | fragments | off | softpipe | bar | exact | cycles | capture s | verify s | MB |'
    echo '|---|---|---|---|--:|--:|--:|--:|---|---|--:|--:|--:|--:|'
    programs_results
    printf '\n## Programs that miss the criterion\n\n'
    missed=$(programs_missed)
    echo "${missed:-None.}"
    printf '\n## Programs that do not run\n\nThese programs were started in the same way, but are not counted above.\n\n'
    programs_lines no | awk -F'|' '{ print "- " $1 " (package " $2 "): " $4 }'
    printf '\n## Versions and commands\n\nThe run used %s.\n\n' "$(programs_versions libgl1-mesa-dri virgl-server xvfb)"
    echo '| program | packages | command |'
    echo '|---|---|---|'
    while IFS='|' read -r program packages frames exercises command; do
        # shellcheck disable=SC2086  # words
        printf '| %s | %s | `%s` |\n' "$program" "$(programs_versions $packages)" \
            "$(printf '%s\n' "$command" | sed 's/|/\\|/g')"
    done <"$out/programs.txt"
}
