#!/bin/sh
# Prints the plan of `aetius study model` with the captures of unseen.sh as additional inputs, which are in no
# fit. Each FOLDER has the captures of a draw. An input that an earlier FOLDER has is not repeated. Save the plan
# in studies, because the paths of its programs are relative.
#
#     studies/programs/model-plan.sh FOLDER... >studies/set4.ini
set -eu
[ $# -ge 1 ] || {
    echo 'usage: studies/programs/model-plan.sh FOLDER...' >&2
    exit 2
}
cat "$(dirname "$0")/../model.ini"
for folder; do
    plan=$folder/verdicts.ini
    [ -f "$plan" ] || {
        echo "model-plan.sh: $folder has no verdicts.ini (studies/programs/unseen.sh)" >&2
        exit 1
    }
    awk -v folder="$(cd "$folder" && pwd)" '
        /^\[/ { name = $0 }
        /^file = / { print name; print "file = " folder "/" $3; is_file = 1; next }
        /^sha256 = / && is_file { print; is_file = 0 }' "$plan"
done | awk '/^\[/ { skip = seen[$0]++ } !skip'
