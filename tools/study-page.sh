#!/bin/sh
# Copies the output of `aetius study NAME` from DIR (out/study/NAME) into docs/studies: CSV files, plots
# with their data and scripts, and pictures. Its tables replace the part of docs/studies/NAME.md below the
# line "<!-- made by aetius study NAME -->". The part above this line is hand-written.
#
#     tools/study-page.sh NAME [DIR]
set -eu
cd "$(dirname "$0")/.."
name=$1
dir=${2:-out/study/$name}
page=docs/studies/$name.md
to=docs/studies/$name
mark="<!-- made by aetius study $name -->"
[ -f "$dir/$name.md" ] || { echo "study-page: $dir has no $name.md" >&2; exit 1; }
grep -qxF "$mark" "$page" || { echo "study-page: $page has no line $mark" >&2; exit 1; }

mkdir -p "$to"
for file in "$dir"/*.csv "$dir"/*.svg "$dir"/*.dat "$dir"/*.gnuplot; do
    [ ! -f "$file" ] || cp "$file" "$to/"
done
if [ -d "$dir/pictures" ]; then
    mkdir -p "$to/pictures"
    cp "$dir"/pictures/*.png "$to/pictures/"
fi
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    sed "/^$mark\$/q" "$page"
    # without its title; links point to the folder next to the page
    {
        sed 1d "$dir/$name.md"
        if [ -f "$dir/pictures.md" ]; then
            printf '\n## Pictures\n\n'
            cat "$dir/pictures.md"
        fi
    } | sed -E "s#\]\((<?)([^):/<][^):]*\.(svg|png))#](\1$name/\2#g"
} >"$new"
cat "$new" >"$page"
