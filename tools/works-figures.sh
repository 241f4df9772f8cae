#!/bin/sh
# Compares the figures of docs/works with their sources: quick commands, and the tables of docs/studies.
# Prints each figure that differs. Also prints each row of a table with a column "ours" that states a
# figure, if this script neither compares it nor lists it as long. Fails if it prints a line.
#
#     tools/works-figures.sh build/aetius FOLDER
#
# FOLDER gets the files of the commands. `make studies` repeats the long commands.
set -eu
cd "$(dirname "$0")/.."
aetius=$(realpath "$1")
benchmarks=$(dirname "$aetius")/benchmarks/gl
rm -rf "$2"
mkdir -p "$2"
folder=$(realpath "$2")
data=docs/studies
status=0
: >"$folder/rows"

# rows_of KEY: prints the rows of $page that contain the key
rows_of() { grep -F -- "$1" "docs/works/$page" | grep '^|'; }

fault() {
    echo "docs/works/$page: $1"
    status=1
}

# row KEY FIGURE SOURCE: checks that the row with the key contains the figure, which comes from the source
row() {
    printf '%s|%s\n' "$page" "$1" >>"$folder/rows"
    [ -n "$2" ] || fault "'$3' prints no figure for the row '$1'"
    rows_of "$1" | grep -qF -- "$2" || fault "the row '$1' lacks '$2' ($3)"
}

# long KEY SOURCE: the row with the key has figures of a command that takes minutes, or of other files
long() {
    printf '%s|%s\n' "$page" "$1" >>"$folder/rows"
    rows_of "$1" >/dev/null || fault "no row has '$1' ($2)"
}

# text FIGURE SOURCE: checks that the page contains the figure; the page wraps lines
text() { tr '\n' ' ' <"docs/works/$page" | grep -qF -- "$1" || fault "lacks '$1' ($2)"; }

# quiet COMMAND...: runs a command; prints its output only if it fails, and then ends the script
quiet() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }; }

# field FILE ROW COLUMN: a field of a CSV file, by the first field and the name of the column. A quoted
# field has commas, so quotes separate fields, too.
field() {
    awk -v name="$2" -v column="$3" '
        function split_line(line, fields,   n, quoted, i, c) {
            n = 1
            fields[1] = ""
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) fields[++n] = ""
                else fields[n] = fields[n] c
            }
            return n
        }
        NR == 1 { n = split_line($0, names); for (i = 1; i <= n; i++) if (names[i] == column) at = i }
        { delete fields; split_line($0, fields) }
        fields[1] == name { print fields[at]; exit }' "$1"
}

rounded() { awk -v x="$1" 'BEGIN { printf "%.0f", x }'; }

page=attila-2005.md
findings=$data/shader/findings.csv
average() { field $findings average "$1" | tr -d +; }
row '(a) | about twice' "$(average '(a) four units') %" $findings
row '2-way instead of 1-way (d)' "$(rounded "$(average '(d) 2-way')") %" $findings
row '4-way instead of 2-way (d)' "$(average '(d) 4-way') %" $findings
extremes=$(awk -F, 'NR > 1 && $5 != "" && $1 !~ /average|accepted|bunny|buffer|fill|openarena/ { x = $4 + 0
    if (!n++ || x < low) low = x
    if (x > high) high = x } END { printf "%.1f to %.0f", low, high }' $findings)
row '(b) | 1 to 8' "| $(average '(b) unified') %; $extremes % by input |" $findings
row '(c) | 15 %' "| $(rounded "$(average '(c) per area')") %, for" $findings
row '2-way (e)' "| $(average '(e) memory') % |" $findings
row 'highest memory load (e)' "| $(average '(e) highest') % |" $findings
peaks=$data/shader/peaks-openarena-370.csv
row 'shader load with 8 units' "$(rounded "$(field $peaks unified-8x2 shaders)") % on average, highest interval $(rounded "$(field $peaks unified-8x2 'shaders, highest')") %" $peaks
row 'ROP load' "highest interval $(rounded "$(field $peaks unified-8x2 'ROPs, highest')") %; $(rounded "$(field $data/shader/peaks-colobot.csv load 'ROPs, highest')") % in colobot" $peaks
row 'largest memory client (f)' "$(average '(f) order') inputs" $findings
fill=$(awk -F, '/read and written/ { if (!n++ || $5 < low) low = $5; if ($5 > high) high = $5; if ($6 > most) most = $6 }
    END { printf "%.1f to %.1f; %.0f", low, high, most }' $data/shader/fill.csv)
row 'fill with z and color' "[${fill%;*} %]" $data/shader/fill.csv
row 'fill with z and color' "at most ${fill#*; } % in an interval" $data/shader/fill.csv
row 'z compression (g)' "$(average '(g) compression') %" $findings
row 'hierarchical z (g)' "| $(average '(g) HZ') %; $(field $findings openarena '(g) HZ') % in OpenArena" $findings
quiet "$aetius" capture --gl 2.1 -o "$folder/fill.trace" -- "$benchmarks/rates" --kind color-z --size 1024x768 --layers 2
# memory_use BYTES_PER_CHANNEL: share of the peak rate in percent, z not compressed, then compressed
memory_use() {
    for raw in TRUE FALSE; do
        quiet "$aetius" sim "$folder/fill.trace" -o "$folder/fill" --force --preset reference-2005 \
            --set GPU.NumFragmentShaders=8 --set COLORWRITE.ReadBeforeWrite=TRUE \
            --set ZSTENCILTEST.DisableCompression=$raw --set MEMORYCONTROLLER.BankGranularity="$1"
        jq '100 * .metrics.bound_memory / .cycles' "$folder/fill/run.json"
    done | xargs printf '%.1f %% | %.1f %%'
}
row '| 1024 | |' "| $(memory_use 1024) |" 'aetius sim fill.trace'
row '| 256 | |' "| $(memory_use 256) |" 'aetius sim fill.trace'
speed=$data/shader/speed-openarena.csv
grep -qF "    awk -F, 'NR > 1 {print \$1, \$2, \$7 / \$3 * (\$5 - 80) / (\$9 - 80)}' $speed" "docs/works/$page" ||
    fault 'has another command for the area'
ratios() { awk -F, -v units="$1" 'NR > 1 && $1 == units && $2 ~ /^[14]-way$/ { print $2, $7 / $3 * ($5 - 80) / ($9 - 80) }' $speed; }
text "With 2 units, the ratio is $(ratios 2 | awk '/^1/ { printf "%.2f for 1-way and ", $2 } /^4/ { printf "%.2f", $2 }') for 4-way" $speed
text "With 8 units, the ratios are $(ratios 8 | awk '/^1/ { printf "%.2f and ", $2 } /^4/ { printf "%.2f", $2 }')" $speed

page=compression.md
row '9.2: object sizes' "| $("$aetius" params --unmodelled | grep -c 'not modelled:') parameters" 'aetius params --unmodelled'

page=semi-cycle-accurate.md
if command -v glmark2 >/dev/null && command -v virgl_test_server >/dev/null; then
    quiet "$aetius" capture --gl 2.1 -o "$folder/build.trace" --clock 60 --frames 10 --stop -- \
        glmark2 -s 800x600 -b build:duration=3600:nframes=12
    for preset in reference-2008 semi-cycle-accurate; do
        quiet "$aetius" sim "$folder/build.trace" -o "$folder/build" --force --preset $preset
        jq .cycles "$folder/build/run.json" | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/'
    done >"$folder/build.cycles"
    row '| build |' "| $(paste -sd'|' "$folder/build.cycles" | sed 's/|/ | /') |" 'aetius sim build.trace'
fi
long '| refract | 2,' 'aetius sim refract.trace'
long '| terrain |' 'aetius sim terrain.trace'
"$aetius" verify tests/golden/tiny.trace --preset semi-cycle-accurate >"$folder/verify" 2>&1 || true
tail -n 1 "$folder/verify" | grep -q '0 differ' || fault 'verify --preset semi-cycle-accurate: some differ'
readings=$data/rasterizer/readings.csv
reading=$(grep '^800x600,"tests, start by box",' $readings | cut -d, -f11 | xargs printf '%.1f')
row 'weighted mean over nine' "$reading % at 800x600" $readings
row '| weighted mean of 10.11 %' "| $reading % |" $readings
# by_box SCENE LEVEL, from_128 SCENE LEVEL: tests saved at 800x600
by_box() { awk -F, -v scene="$1" -v level="$2" '$1 == "800x600" && $2 == scene { print $(2 + level) }' $data/rasterizer/by-box-saved.csv; }
from_128() { awk -F, -v scene="$1" -v level="$2" '$1 == "800x600" && $2 == scene { print $(2 + level) }' $data/rasterizer/scene-saved.csv; }
row '| levels 1 to 3' "bump gains $(rounded "$(by_box bump 3)") % at level 3. Of the other scenes, ideas gains $(rounded "$(by_box ideas 3)") % at level 3" by-box-saved.csv
row '| level 5' "$(by_box buffer 5) %, $(by_box loop 5) % and $(by_box jellyfish 5) %" by-box-saved.csv
range=$(for scene in build shadow refract ideas terrain; do by_box $scene 6; done | sort -n | sed -n '1p;$p' | xargs printf '%.1f to %.1f')
row '| level 6' "$range % in each" by-box-saved.csv
row '| level 7' "$(by_box ideas 7) % in ideas" by-box-saved.csv
row '31.1 %, the highest' "| $(from_128 refract 6) % at 800x600 in frame 10, where ideas has $(from_128 ideas 6) %" scene-saved.csv
row '| refract | 3' "| $(from_128 refract 6) %" scene-saved.csv
row '| ideas | 3' "| $(from_128 ideas 6) %" scene-saved.csv
row '| refract, level 6: 31.1' "$(by_box refract 6) %; $(from_128 refract 6) %" by-box-saved.csv

page=staged-model-2006.md
predict() { "$aetius" model predict "$@" | awk '/ frames\/s/ { fps = $1 } END { print fps }'; }
row '| equation 3.4' "| $(predict --set rate=5.6e9 --set cycles=1 --set fragments=786432) |" 'aetius model predict'
row '| 4.2.1:' "| $(predict --set clock=486e6 --set pipes=24 --set cycles=10 --set fragments=786432) |" 'aetius model predict'
row '| table 2.1: a call' "| $(predict --set rate=11.664e9 --set cycles=10 --set calls=2 --set fragments=786432) |" 'aetius model predict'
echo '275; 131072; 5.6e9; 6; 0; 0' >"$folder/example.txt"
row '| figure 4.2' "| $(predict --workload "$folder/example.txt") |" 'aetius model predict --workload'
row '| equation 4.3' "| $(predict --set cycles=10 --set branch_cycles=6 --set if_cycles=7 --set else_cycles=7 \
    --set rate=11.664e9 --set fragments=786432) |" 'aetius model predict'
for machine in g70-like r580-like reference-2008 reference-2005; do
    "$aetius" model fit $data/model/$machine.csv -o "$folder/$machine.model" >"$folder/$machine.fit"
    awk '$1 == "dependent" { print $6 }' "$folder/$machine.fit" >>"$folder/dependent"
done
heading() { sed -n '1s/.*: \([0-9.e+]*\) cycles per second.*/\1/p' "$folder/$1.fit"; }
row '| equation 5.2' "| $(heading g70-like) |" 'aetius model fit'
row '| equation 5.3' "| $(heading r580-like) |" 'aetius model fit'
text "fitted caches are $(xargs printf '%.1f, %.1f, %.1f and %.1f' <"$folder/dependent") %" 'aetius model fit'
"$aetius" model predict "$folder/reference-2008.model" --set fragments=196608 --set triangles=2 --set cycles=15 \
    --set reads=2 --set dependent=1 --set texture=32 --set format=RGBA32F --set pattern=ramp >"$folder/stages"
text "prints $(awk '$1 == "base" { printf "%.0f", $2 }' "$folder/stages") frames per second for the base stage and $(awk \
    '$1 == "dependent" { printf "%.0f", $4 }' "$folder/stages") for" 'aetius model predict'
quiet "$aetius" model bench --preset g70-like --sweep springs -o "$folder/springs"
"$aetius" model check "$folder/g70-like.model" "$folder/springs/measured.csv" |
    sed -n 's/^ *\([a-z]*-[a-z]*\)  *\([0-9.]*\)  *[0-9.]*  *\([-+][0-9.]* %\)$/\1 \2 \3/p' >"$folder/springs.rows"
[ "$(wc -l <"$folder/springs.rows")" -eq 9 ] || fault 'model check has another form'
while read -r name fps error; do
    # the first columns: 7800 GTX, its error, g70-like, its error
    awk -F' *\\| *' -v name="$name" '$2 == name && NF > 11 { print $5, $6 }' "docs/works/$page" |
        grep -qxF "$(rounded "$fps") $error" || fault "the row '$name' lacks '$(rounded "$fps") | $error' (model check)"
done <"$folder/springs.rows"
for side in 2 4 6 8 10 11 12 16 64; do
    quiet "$aetius" capture --gl 2.1 -o "$folder/cells$side.trace" -- "$benchmarks/cells" --cell $side --size 512x512
    quiet "$aetius" sim "$folder/cells$side.trace" --preset g70-like -o "$folder/cells$side"
    "$aetius" draws "$folder/cells$side" | awk '
        $1 ~ /:/ { cycles += $2; fragments += $4; for (i = 1; i < NF; i++) if ($i == "triangles") vertices += $(i + 1) }
        END { printf "%.1f %.2f\n", 3 * fragments / vertices, fragments / cycles }' >"$folder/rates"
    read -r size rate <"$folder/rates"
    row "| $side | $size |" "| $rate |" 'aetius draws cells'
done
# million fragments per second of columns of the sweep, by width
columns() { awk -F, -v widths="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["sweep"] == "coherence" && $at["triangles"] == 2 { speed[$at["block"]] = $at["fragments"] / $at["seconds"] / 1e6 }
    END { n = split(widths, width, " "); for (i = 1; i <= n; i++) printf " %.0f |", speed[width[i]] }' "$data/model/$1.csv"; }
row '| 1024 (g70-like)' "|$(columns g70-like '32 48 64 96 128 256')" $data/model/g70-like.csv
text "$(columns r580-like 7 | tr -d ' |') million fragments per second with columns of 7 pixels, and $(columns r580-like 8 | tr -d ' |') with" \
    $data/model/r580-like.csv

page=topdown-nvidia.md
golden=tests/golden/profiler
"$aetius" topdown --ncu $golden/ncu-text-rtx4000.txt --cc 7.5 --published >"$folder/hotspot"
# shares of the stalls: all warps per issue slot that no instruction was issued from
shares=$(awk '$1 == "retire" || $1 == "divergence" { used += $2; part[$1] = $2 }
    $1 == "memory_bound" { memory = $2 }
    END { printf "%.3f %.3f %.2f", part["retire"], part["divergence"], 100 * memory / (4 - used) }' "$folder/hotspot")
# shellcheck disable=SC2086  # three numbers
set -- $shares
"$aetius" topdown --ncu $golden/ncu-text-rtx4000.txt --cc 7.5 >"$folder/hotspot"
frontend=$(awk '$1 == "retire" || $1 == "divergence" { used += $2 } $1 == "frontend" { printf "%.1f", 100 * $2 / (4 - used); exit }' "$folder/hotspot")
awk -F' *\\| *' '$2 == "hotspot" { print $4, $6, $8 }' "docs/works/$page" | grep -qxF "$1 $2 $frontend" ||
    fault "the row 'hotspot' lacks '$1', '$2' or '$frontend' (aetius topdown --ncu)"
row '| hotspot |' "$1" 'aetius topdown --ncu'
row '| equations 4.8' "| $3 % |" 'aetius topdown --published'
for program in b+tree bfs heartwall hotspot3D huffman hybridsort kmeans lavaMD myocyte nw srad_v2; do
    long "| $program |" "the files of the study's repository"
done
row '| 5.4: passes' "| $(grep -o '[0-9]* passes per launch' "$folder/hotspot" | cut -d' ' -f1) for the study" 'aetius topdown --ncu'
limit() { "$aetius" topdown --ncu $golden/ncu-text-rtx4000.txt --cc "$1" | sed -n '1s/.*IPC at most \([0-9]*\),.*/\1/p'; }
row '| 4.2: IPC_MAX' "| 6.0: $(limit 6.0); 6.1: $(limit 6.1); 7.0 and later: $(limit 7.0) |" 'aetius topdown --cc'
counters() { "$aetius" topdown --print-command --cc 7.5 --level "$1" | grep -oE '(,| )(sm|smsp)__[a-z_.]*' | wc -l; }
row '| 5.5: fewer counters' "| $(counters 1), $(counters 2) or $(counters 3) counters" 'aetius topdown --print-command'
# deepest FILE: the number of levels in the expected output; a level is indented by two columns
deepest() { sed -n 's/^\( *\)[a-z_0-9]*  *-\{0,1\}[0-9.]*  *-\{0,1\}[0-9.]* %.*/\1/p' "$1" | awk '{ if (length($0) > most) most = length($0) } END { print most / 2 }'; }
row '| figure 4.1: levels' "| level $(deepest $golden/nvprof-text-x2.txt.out) also for nvprof; level $(deepest "$folder/hotspot") below" 'aetius topdown'
first_ncu=$(for cc in 6.2 7.0 7.2 7.5; do
    "$aetius" topdown --print-command --cc $cc | grep -q '^ncu ' && echo $cc
done | head -n 1)
row '| chapter 4: nvprof' "| $first_ncu | $first_ncu |" 'aetius topdown --print-command'

# The tables of an H200. h200_rows SET: one row per program, as on the page
h200=$golden/h200
h200_rows() {
    for file in "$h200/$1"/*.csv; do
        program=$(basename "$file" .csv)
        slower=$(awk -F, -v set="$1" -v program="$program" '$1 == set && $2 == program { printf "%.1f", $4 / $3 }' $h200/times.csv)
        "$aetius" topdown --ncu "$file" --all --json | jq -r --arg program "$program" --arg slower "${slower:--}" '
            def share(name): [.tree | .. | objects | select(.name == name).share][0] * 1000 | round / 10 | tostring
                | if test("\\.") then . else . + ".0" end;
            "| \($program) | \([.kernels[].launches] | add) | \(share("retire")) | \(share("divergence")) | \(share("frontend"))"
            + " | \(share("memory_bound")) | \(share("core_bound")) | \(.verdict.name // "none") | \($slower) |"'
    done
}
{ h200_rows rodinia && h200_rows altis; } >"$folder/h200"
while read -r line; do
    grep -qxF -- "$line" "docs/works/$page" || fault "lacks the row '$line' ($h200)"
done <"$folder/h200"
[ "$(wc -l <"$folder/h200")" -eq 33 ] || fault "$h200: not 33 programs"
awk -F, 'NR > 1 && $1 !~ /^level/ { print $4 / $3 }' $h200/times.csv | sort -n >"$folder/slower"
median=$(awk '{ x[NR] = $1 } END { printf "%.1f", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }' "$folder/slower")
row '(figure 5.6)' "the median is $median; $(awk '$1 > 30' "$folder/slower" | wc -l) of $(wc -l <"$folder/slower") programs exceed 30" $h200/times.csv
# retire KERNEL: the lowest and highest share of its launches
retire() {
    "$aetius" topdown --ncu $h200/altis/srad.csv --kernel "$1" --over-time --json |
        jq '.launches[].tree.children[] | select(.name == "retire").share * 100' | sort -n | sed -n '1p;$p' | xargs printf '%.1f to %.1f %%'
}
text "Retire is $(retire srad_cuda_1) for \`srad_cuda_1\` and $(retire srad_cuda_2) for \`srad_cuda_2\`" 'topdown --over-time'
# seconds PROGRAM LEVEL: time under ncu
seconds() { awk -F, -v program="$1" -v set="level$2" '$1 == set && $2 == program { printf "%.2f s", $4 }' $h200/times.csv; }
for program in hotspot bfs lud; do
    launches=$(($(wc -l <"$h200/level1/$program.csv") - 2))
    line="| $program | $launches | $(seconds $program 1) | $(seconds $program 2) | $(seconds $program 3) |"
    grep -qxF -- "$line" "docs/works/$page" || fault "lacks the row '$line' ($h200/times.csv)"
done

# A figure is a number outside links, quotes, numbers of tables, and names such as g70-like.
for page in attila-2005.md compression.md semi-cycle-accurate.md staged-model-2006.md topdown-nvidia.md; do
    sed -n "s/^$page|//p" "$folder/rows" >"$folder/keys"
    awk -F' *\\| *' '
        !/^\|/ { table = 0; next }
        !table { table = 1; delete ours; for (i = 1; i <= NF; i++) if ($i == "ours") ours[i] = 1; next }
        { for (i in ours) {
            cell = $i
            gsub(/\]\([^)]*\)/, "]", cell)
            gsub(/table [0-9.]*|"[^"]*"/, "", cell)
            if (cell ~ /(^|[^-A-Za-z0-9_.])[0-9]/) { print; break } } }' "docs/works/$page" |
        grep -vFf "$folder/keys" >"$folder/unknown" || continue
    status=1
    sed "s|^|docs/works/$page: not compared: |" "$folder/unknown"
done
exit $status
