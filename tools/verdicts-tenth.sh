#!/bin/sh
# Repeats a tenth of the pairs of frame and machine of docs/studies/verdicts/pairs.csv, drawn by chance, and compares
# them with that file. Prints the lines that differ; fails if there is one. `make studies` calls this script, because the
# whole study takes hours. FOLDER has the captures of studies/programs/unseen.sh; without it, only frames of
# studies/verdicts.ini are repeated. SEED: any text (default: the commit).
#
#     tools/verdicts-tenth.sh build/aetius [FOLDER [SEED]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
aetius=$(realpath "$1")
folder=${2:-}
seed=${3:-$(git -C "$root" rev-parse HEAD 2>/dev/null || echo 0)}
pairs=${PAIRS:-$root/docs/studies/verdicts/pairs.csv}
out=${OUT:-$root/out/study/verdicts-tenth}
plan=$root/studies/verdicts.ini
[ -z "$folder" ] || plan=$(realpath "$folder")/verdicts.ini
[ -f "$pairs" ] || {
    echo "verdicts-tenth: not repeated: the page is of a version without $pairs" >&2
    exit 0
}
mkdir -p "$out"

# Each line starts with frame and machine, which have no commas.
total=$(($(wc -l <"$pairs") - 1))
sed 1d "$pairs" | while IFS= read -r line; do
    key=$(echo "$line" | cut -d , -f 1,2)
    printf '%s %s\n' "$(printf '%s %s' "$seed" "$key" | sha256sum | cut -c 1-16)" "$line"
done | sort | head -n $(((total + 9) / 10)) | cut -d ' ' -f 2- >"$out/drawn.csv"

# Drops the pairs whose frame the plan lacks: an input makes the traces NAME and NAME-FRAME.
sed -n 's/^\[input \(.*\)\]$/\1/p' "$plan" >"$out/inputs.txt"
awk -F , 'NR == FNR { inputs[$1]; next }
    { name = $1; sub(/-[0-9]+$/, "", name) }
    $1 in inputs || name in inputs' "$out/inputs.txt" "$out/drawn.csv" | sort >"$out/wanted.csv"
echo "verdicts: seed $seed, $(wc -l <"$out/wanted.csv") of $(wc -l <"$out/drawn.csv") drawn pairs are in $plan"
[ -s "$out/wanted.csv" ] || exit 0

# The plan without other machines and inputs. Relative paths become absolute.
awk -F , -v folder="$(dirname "$plan")" '
    NR == FNR {
        inputs[$2] = inputs[$2] " " $1
        name = $1
        used[name]
        sub(/-[0-9]+$/, "", name)
        used[name]
        next
    }
    /^;/ { next }
    /^\[/ {
        kept = 1
        name = $0
        gsub(/^\[[a-z]+ |\]$/, "", name)
        if ($0 ~ /^\[machine /) kept = name in inputs
        if ($0 ~ /^\[input /) kept = name in used
        if ($0 ~ /^\[study/) kept = 0
        if (kept) print
        if (kept && $0 ~ /^\[machine /) print "inputs =" inputs[name]
        next
    }
    kept { sub(/^program = \.\.\//, "program = " folder "/../"); sub(/^file = /, "&" folder "/"); print }
' "$out/wanted.csv" "$plan" >"$out/plan.ini.new"
mv "$out/plan.ini.new" "$out/tenth.ini"
"$aetius" study verdicts --plan "$out/tenth.ini" -o "$out/study" >/dev/null

sed 1d "$out/study/pairs.csv" | sort >"$out/repeated.csv"
if ! diff "$out/wanted.csv" "$out/repeated.csv"; then
    echo 'verdicts-tenth: these lines differ (<: published, >: repeated)' >&2
    exit 1
fi
echo "verdicts: $(wc -l <"$out/wanted.csv") pairs repeated, all as published"
