# shellcheck shell=sh disable=SC2154
# The part `planted` of tools/real.sh, which sources this file. It captures the programs of
# benchmarks/gl/planted with their planted fault and without (--fixed), simulates one frame of each, and
# compares the findings of `aetius topdown`: that of the fault must be first, and the twin must have none.

# planted_frame NAME OPTION...: captures frames 2 and 3 of a program, and simulates frame 3, by which time nothing is
# loaded. Frame 2 shows which uploads of frame 3 repeat bytes.
planted_frame() {
    run=$planted/$1
    program=${1%-*}
    shift
    {
        "$aetius" capture --gl 2.1 --force --frames 2-3 -o "$run.trace" -- "$programs/$program" "$@" &&
            for preset in reference-2008 reference-2005; do
                "$aetius" sim "$run.trace" --frames 1 --force --preset $preset -o "$run.$preset" &&
                    "$aetius" topdown "$run.$preset" --json >"$run.$preset.json" || return
            done
    } >"$run.log" 2>&1 </dev/null
}

# planted_row NAME FAULT FINDING PRESET: adds a line to planted.txt, and one to the pictures
planted_row() {
    jq -nr --arg name "$1" --arg fault "$2" --arg finding "$3" --arg preset "$4" \
        --slurpfile with "$planted/$1-fault.$4.json" --slurpfile without "$planted/$1-fixed.$4.json" '
        def found: [.findings[].name] | if . == [] then "none" else join(" ") end;
        ($with[0] | found) as $first | ($without[0] | found) as $twin
        | [$name, $fault, $preset, $with[0].total, $without[0].total, $first, $twin,
           (if ($first | split(" ")[0]) == $finding and $twin == "none" then "met" else "missed" end)]
        | @tsv' >"$planted/row"
    cat "$planted/row" >>"$out/planted.txt"
    awk -F'\t' -v OFS='\t' '{
        print "planted/" $1 "/" $3, $8, $4 " and " $5 " cycles; found " $6 ", without the fault " $7
    }' "$planted/row" >>"$out/pictures.txt"
}

part_planted() {
    planted=$out/planted
    programs=$(dirname "$aetius")/benchmarks/gl/planted
    mkdir -p "$planted"
    printf 'program\tfault\tpreset\tcycles\twithout the fault\tfound\tfound without the fault\tresult\n' >"$out/planted.txt"
    grep -v '^#' benchmarks/gl/planted/faults.txt >"$planted/list"
    while read -r program fault finding; do
        say "planted/$program"
        if planted_frame "$program-fault" && planted_frame "$program-fixed" --fixed; then
            planted_row "$program" "$fault" "$finding" reference-2008
            planted_row "$program" "$fault" "$finding" reference-2005
        else
            printf 'planted/%s\terror\t%s\n' "$program" "$(tail -n 1 "$run.log" | tr '\t' ' ')" >>"$out/pictures.txt"
        fi
    done <"$planted/list"
    awk -F'\t' '
        FILENAME ~ /list$/ {
            split($0, words, " ")
            finding[words[1]] = words[3]
        }
        FILENAME !~ /list$/ && FNR > 1 {
            split($6, found, " ")
            all[$3]++
            first[$3] += found[1] == finding[$1]
            wrong[$3] += $7 != "none"
        }
        END {
            for (p in all)
                printf "%s: the first finding names %d of %d faults; %d twins have a finding\n", p, first[p], all[p], wrong[p]
        }' "$planted/list" "$out/planted.txt"
}
