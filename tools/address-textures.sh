#!/bin/sh
# Judges the stage `dependent` with address textures that no fit used: fits the model to the stored
# measurements of a machine, simulates reads through textures drawn by chance, and prints the error
# of each texture. The error is measured seconds / predicted seconds - 1.
# usage: tools/address-textures.sh AETIUS PRESET FIRST LAST DIR
#   PRESET       a machine with measurements in docs/studies/model
#   FIRST, LAST  seeds of the textures; at most 51
#   DIR          folder for the model, the trace and the run
set -eu
test $# -eq 5 || { sed -n '5,8s/^# //p' "$0"; exit 2; }
aetius=$1 preset=$2 dir=$5
here=$(dirname "$0")
list=$(seq -s, -f 'chance%.0f' "$3" "$4")
mkdir -p "$dir"
"$aetius" model fit "$here/../docs/studies/model/$preset.csv" -o "$dir/model" >"$dir/fit.txt"
"$aetius" model bench --sweep dependent --patterns "$list" --preset "$preset" -o "$dir" --force \
    >"$dir/bench.txt"
for method in caches published; do
    "$aetius" model check "$dir/model" "$dir/measured.csv" --all-held-out --json \
        --dependent "$method" >"$dir/$method.json"
done
jq -rn --slurpfile caches "$dir/caches.json" --slurpfile published "$dir/published.json" '
def named: .what | capture("pattern=(?<name>[^ ]+).* texture=(?<texture>[^ ]+).* addresses=(?<side>[^ ]+)");
def percent: . * 100 | round / 1;
def mean: map(if . < 0 then -. else . end) | add / length * 1000 | round / 10;
[$caches[0].rows, $published[0].rows] | transpose
| map((.[0] | named) + {error: .[0].error, lines: .[1].error})
| (["texture", "side", "mean %", "worst %", "at size", "published lines, mean %"],
   (group_by(.name) | sort_by(.[0].name | ltrimstr("chance") | tonumber)[]
    | max_by(.error * .error) as $worst
    | [.[0].name, .[0].side, (map(.error) | mean), ($worst.error | percent), $worst.texture,
       (map(.lines) | mean)]),
   ["all", "", (map(.error) | mean), (max_by(.error * .error).error | percent), "",
    (map(.lines) | mean)],
   ["above 10 %", (map(select(.error * .error > 0.01)) | length), "of", length],
   ["above 30 %", (map(select(.error * .error > 0.09)) | length), "of", length])
| @tsv' | column -t -s "$(printf '\t')"
