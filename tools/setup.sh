#!/bin/sh
# Installs the missing Debian packages for the given purposes; silent if none is missing.
#
#     tools/setup.sh build|install|check|demo|real|studies|browser|d3d|programs ...
#
# tests/real/programs.txt lists the packages of `programs` (PROGRAMS: only for these programs). PACKAGES: names of
# further packages.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }

wanted=$(awk -v what="$*" '
    BEGIN { n = split(what, sections, " ") }
    /^#/ { next }
    { for (i = 2; i <= NF; i++) for (j = 1; j <= n; j++) if ($i == sections[j]) found[$1] = 1 }
    END { for (name in found) print name }' tools/packages.txt | sort)
case " $* " in *' programs '*)
    wanted="$wanted $(awk -F'|' -v only="${PROGRAMS:-}" '
        /^#/ || NF < 5 || $3 ~ /^ *- *$/ { next }
        { name = $1; gsub(/ /, "", name) }
        only == "" || index(" " only " ", " " name " ") { print $2 }' tests/real/programs.txt |
        xargs -n 1 | sort -u | xargs)"
    ;;
esac

wanted="$wanted ${PACKAGES:-}"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not Debian; assuming that these packages of Debian 12 are installed:" $wanted
    exit 0
fi

# shellcheck disable=SC2086  # a list of words
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p') || true
missing=
for name in $wanted; do
    # A command with the name of the package suffices, whatever its origin: Node.js's own packages include
    # npm and conflict with Debian's.
    echo "$installed" | grep -qx "$name" || command -v "$name" >/dev/null || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    say "packages are missing, and neither root nor sudo is available; run as root: apt-get install$missing"
    exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 "$@" >>"$log" 2>&1
}
install() {
    # shellcheck disable=SC2086
    apt install --no-install-recommends $missing
}

say "installing$missing"
known=yes
for name in $missing; do
    [ -n "$(apt-cache policy "$name" 2>/dev/null | sed -n 's/^  Candidate: //p' | grep -v none)" ] ||
        known=no
done
if [ $known = no ] || ! install; then
    say "updating the package lists (apt-get update)"
    if ! { apt update && install; }; then
        tail -n 5 "$log" >&2
        say "apt-get cannot install:$missing"
        exit 1
    fi
fi
