#!/bin/sh
# Converts files to C arrays on standard output:
#
#     tools/embed.sh HEADER NAME FILE... [-- NAME FILE...]...
#
# NAME[] contains the bytes of its files in order, separated by newlines.
set -eu
echo "/* made by tools/embed.sh */"
echo "#include \"$1\""
shift
while [ $# -gt 0 ]; do
    name=$1
    shift
    echo "const unsigned char $name[] = {"
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        od -An -v -tu1 "$1" | sed 's/  */,/g; s/^,//; s/$/,/'
        echo '10,'
        shift
    done
    [ $# -eq 0 ] || shift
    echo '};'
    echo "const size_t ${name}_size = sizeof $name;"
done
