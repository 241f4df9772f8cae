#!/bin/sh
# Checks the include law of ARCHITECTURE.md: a file of src/ includes only its folder and earlier ones.
# Only src/trace/virgl includes the protocol constants of virgl and vtest. Prints each violation; fails if
# there is one.
set -eu
cd "$(dirname "$0")/.."

find src -name '*.[ch]' -o -name '*.def' | sort | xargs awk '
BEGIN {
    rank["shim"] = 0 # loaded into other programs, so it includes no other folder
    rank["base"] = 1; rank["core"] = 2; rank["params"] = 2.5; rank["isa"] = 3; rank["codec"] = 3; rank["state"] = 4
    rank["gfx"] = 5; rank["trace"] = 6; rank["unit"] = 7; rank["sim"] = 8
    rank["analysis"] = 9; rank["report"] = 9; rank["model"] = 10
    rank["sweep"] = 11; rank["study"] = 12; rank["cmd"] = 13
}
function complain(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; bad = 1 }
FNR == 1 {
    split(FILENAME, path, "/")
    own = path[2]
}
# Tables directly in src/, such as machine.def, belong to no folder; any folder may include them.
/^[ \t]*#[ \t]*include[ \t]*"/ && own ~ /^[a-z]+$/ {
    split($0, quoted, "\"")
    if (!(own in rank)) { complain("the folder src/" own " has no place in the include law"); nextfile }
    if (split(quoted[2], target, "/") < 2) {
        if (quoted[2] !~ /^[a-z]+\.def$/) complain("includes \"" quoted[2] "\" without its folder")
    } else if (!(target[1] in rank)) {
        complain("the folder of \"" quoted[2] "\" has no place in the include law")
    } else if (quoted[2] ~ /^trace\/virgl\/(vtest\/vtest_)?(protocol|packets)\.h$/ && FILENAME !~ /^src\/trace\/virgl\//) {
        complain("only src/trace/virgl knows what is in \"" quoted[2] "\"")
    } else if (target[1] != own && rank[target[1]] >= rank[own]) {
        complain("src/" own " must not include \"" quoted[2] "\"")
    }
}
END { exit bad }'
