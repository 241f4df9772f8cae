#!/bin/sh
# Checks the manual pages and the completions: each has every command and every option of --help, groff
# formats the pages without warnings, and the shells that are installed accept the files.
#
#     tests/manuals.sh build/aetius FOLDER
#
# FOLDER contains the pages and the completions.
set -u
aetius=$1
completions=$(cd "$(dirname "$0")/../tools" && pwd)/completions.sh
cd "$2" || exit 1
status=0

fault() {
    echo "$*"
    status=1
}

commands() { "$aetius" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
options() { "$aetius" "$@" --help | sed -n 's/^ *\(-[a-z], \)*--\([a-z-]*\).*/\2/p'; }

# check_options PAGE COMMAND [SUBCOMMAND]
check_options() {
    page=$1
    shift
    # The bash completions of a command are one case.
    case $# in
    1) case_of="\"$1 \"\\*)" seen="__fish_seen_subcommand_from $1'" ;;
    *) case_of="\"$*\")" seen="__fish_seen_subcommand_from $1; and __fish_seen_subcommand_from $2'" ;;
    esac
    sed -n "/^    $case_of$/,/;;$/p" aetius.bash >"$work/bash"
    sed -n "/^    $case_of$/,/;;$/p" _aetius >"$work/zsh"
    grep -F "$seen" aetius.fish >"$work/fish"
    for option in $(options "$@"); do
        [ "$option" = help ] || grep -q -- "\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')\( \|\[\|$\)" "$page" ||
            fault "$page lacks --$option of $*"
        grep -q -- "--${option}[ \"]" "$work/bash" || fault "aetius.bash lacks --$option of $*"
        grep -q -- "--$option\(\[\|=\|}\)" "$work/zsh" || fault "_aetius lacks --$option of $*"
        grep -q -- " -l $option " "$work/fish" || fault "aetius.fish lacks --$option of $*"
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for name in $(commands); do
    count=$((count + 1))
    grep -q "^.B aetius\\\\-$name$" aetius.1 || fault "aetius.1 lacks $name"
    check_options "aetius-$name.1" "$name"
    for part in $("$aetius" "$name" --help | sed -n "s/^  $name \([a-z-]*\) .*/\1/p"); do
        check_options "aetius-$name.1" "$name" "$part"
    done
done
[ $count -gt 20 ] || fault "--help lists $count commands"

for page in aetius*.1; do
    command -v man >/dev/null || break
    warnings=$(MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fault "$page: $warnings"
done
for file in aetius.bash _aetius aetius.fish; do
    case $file in _*) shell=zsh ;; *) shell=${file#*.} ;; esac
    ! command -v "$shell" >/dev/null || $shell -n "$file" || fault "$shell does not accept $file"
done

# completed WORD...: prints what bash offers for the last word
completed() {
    bash -c '. ./aetius.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _aetius 2>/dev/null; echo "${COMPREPLY[*]}"' \
        bash "$@"
}
# offers EXPECTED WORD...
offers() {
    expected=$1
    shift
    [ "$(completed "$@")" = "$expected" ] || fault "'$*' is completed to '$(completed "$@")', not '$expected'"
}
if command -v bash >/dev/null; then
    offers 'capture' aetius cap
    offers '--json --jobs' aetius sim --j
    offers 'r420-like' aetius sim --preset r4
    offers 'query' aetius sweep que
    offers '--csv' aetius sweep query --c
    offers 'GPU.NumFragmentShaders=' aetius sim --set GPU.NumFragmentS
    offers 'aetius-sim.1' aetius sim aetius-si
fi

# A program outside the source tree, which finds its presets only relative to itself
mkdir "$work/elsewhere"
cat >"$work/elsewhere/aetius" <<END
#!/bin/sh
[ "\$1" != params ] || [ -f "\${0%/*}/../configs/reference-2008.ini" ] || exit 1
exec "$aetius" "\$@"
END
chmod +x "$work/elsewhere/aetius"
"$completions" "$work/elsewhere/aetius" bash | cmp - aetius.bash || fault "completions depend on the build folder"
# shellcheck disable=SC2016  # expanded where it runs
printf '#!/bin/sh\n[ "$1" != params ] && exec "%s" "$@"\n' "$aetius" >"$work/elsewhere/aetius"
! "$completions" "$work/elsewhere/aetius" fish >/dev/null || fault "completions without parameters are no failure"
exit $status
