#!/bin/sh
# Prints the commit of the sources: from git, or in a tarball from the name that `git archive` has inserted
# here. Fails if neither exists.
set -eu
# shellcheck disable=SC2016  # git inserts the commit
archived='$Format:%H$'
case $archived in
*Format*) ;;
*) echo "$archived" | cut -c 1-12; exit ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
# Another repository that contains the tree is not meant.
GIT_CEILING_DIRECTORIES=$(dirname "$root") git -C "$root" describe --always --dirty --abbrev=12 --exclude='*'
