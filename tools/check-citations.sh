#!/bin/sh
# Fails if a text cites a page (.md) or a heading that does not exist. Prints file:line. It checks:
#
# - in comments: each path that ends in .md, relative to the root of the repository
# - elsewhere: such paths that begin with a folder of the repository
# - a heading after a page: "docs/design/NAME.md, Heading", in comments and pages
# - links of Markdown pages, with their anchors (as GitHub derives them from headings)
#
# NAME.md and STUDY.md are placeholders for any name; DIR/... is a folder of the user.
#
#     tools/check-citations.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"

pages() { find . -name '*.md' ! -path './build*' ! -path './out/*' ! -path './.git/*' | sort; }
texts() {
    find src tests tools benchmarks docs studies configs -type f ! -path 'tests/fuzz/corpus/*' |
        grep -E '\.([chd]|def|js|mjs|css|html|sh|awk|jq|ini|txt|tsv|build|md)$|meson\.build$'
    ls ./*.md Makefile meson.build .ci/run
}

{
    pages | sed 's|^\./|page |'
    texts | sed 's|^\./||; s|^|text |' | sort -u
} | awk '
function complain(line, why) { printf "%s:%d: %s\n", file, line, why; bad = 1 }

# GitHub derives an anchor from a heading: lower case, no punctuation, hyphens for spaces.
function anchor_of(heading,    a) {
    a = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", a)
    gsub(/ /, "-", a)
    return a
}

function read_headings(page,    line, fenced, h, a) {
    exists[page] = 1
    while ((getline line < page) > 0) {
        if (line ~ /^(```|~~~)/) fenced = !fenced
        if (fenced || line !~ /^#+ /) continue
        h = line
        sub(/^#+ +/, "", h); sub(/ +#*$/, "", h)
        gsub(/`/, "", h); gsub(/\]\([^)]*\)/, "", h); gsub(/\[/, "", h)
        headings[page] = headings[page] h "\n"
        a = anchor_of(h)
        if ((page, a) in used) a = a "-" used[page, a]++
        else used[page, a] = 1
        anchors[page, a] = 1
    }
    close(page)
}

# Removes "." and ".." from a path.
function normal(path,    n, part, out_part, out, i, k) {
    n = split(path, part, "/")
    k = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == ".." && k > 0) k--
        else if (part[i] != "." && part[i] != "") out_part[++k] = part[i]
    }
    out = out_part[1]
    for (i = 2; i <= k; i++) out = out "/" out_part[i]
    return out
}

# The comment part of a line of C or JavaScript. in_comment carries over to the next line.
function c_comment(line,    out, c, two, quote) {
    out = ""
    quote = ""
    while (line != "") {
        c = substr(line, 1, 1)
        two = substr(line, 1, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; out = out " "; line = substr(line, 3); continue }
            out = out c
        } else if (quote != "") {
            if (c == "\\") { line = substr(line, 3); continue }
            if (c == quote) quote = ""
        } else if (two == "/*") { in_comment = 1; line = substr(line, 3); continue
        } else if (two == "//") { return out substr(line, 3)
        } else if (c == "\"" || c == "\047") quote = c
        line = substr(line, 2)
    }
    return out
}

function comment_of(line, kind,    at) {
    if (kind == "c") return c_comment(line)
    if (kind == "hash") at = match(line, /(^|[ \t])#/)
    else at = match(line, /(^|[ \t])[;#]/)
    return at ? substr(line, at) : ""
}

function kind_of(path) {
    if (path ~ /\.md$/) return "md"
    if (path ~ /\.([chd]|def|js|mjs|css|html)$/) return "c"
    if (path ~ /\.(ini|tsv|txt)$/) return "ini"
    return "hash"
}

function is_placeholder(path) {
    return path ~ /(^|\/)(NAME|STUDY)\.md$/ || path ~ /^DIR\//
}

# Whether `rest`, the text after a page and a comma, begins with a heading of the page.
function names_heading(page, rest,    n, h, i, after) {
    sub(/^"/, "", rest)
    n = split(headings[page], h, "\n")
    for (i = 1; i < n; i++) {
        if (index(rest, h[i]) != 1) continue
        after = substr(rest, length(h[i]) + 1, 1)
        if (after !~ /[A-Za-z0-9_-]/) return 1
    }
    return 0
}

# Checks every path in `text`, which continues in `next_lines`.
function check_paths(text, next_lines, number, in_comments,    at, path, before, rest) {
    while (match(text, /[A-Za-z0-9_.\/*-]*[A-Za-z0-9_*-]\.md/)) {
        path = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
        at = RSTART + RLENGTH
        rest = substr(text, at) " " next_lines
        text = substr(text, at)
        if (text ~ /^[A-Za-z0-9_]/ || before ~ /[$%}>]/ || path ~ /\*/ || is_placeholder(path)) continue
        if (!in_comments && path !~ /^(docs|src|tests|tools|benchmarks)\/|^(ARCHITECTURE|CONTRIBUTING)\.md$/) continue
        if (!(path in exists)) { complain(number, "there is no " path); continue }
        if (rest !~ /^, ["A-Z]/) continue
        sub(/^, +/, "", rest)
        gsub(/[ \t]+/, " ", rest)
        if (rest !~ /^[A-Za-z0-9_.\/-]*\.md/ && rest !~ /^(and|or) / && !names_heading(path, rest))
            complain(number, path " has no heading \"" substr(rest, 1, 40) "\"")
    }
}

function check_links(line, number,    target, path, anchor, at, dir) {
    dir = file ~ /\// ? file : ""
    sub(/[^\/]*$/, "", dir)
    while (match(line, /\]\([^) ]+\)/)) {
        target = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (target ~ /^[a-z]+:/) continue
        at = index(target, "#")
        anchor = at ? substr(target, at + 1) : ""
        path = at ? substr(target, 1, at - 1) : target
        if (path != "" && path !~ /\.md$/) continue
        path = path == "" ? file : normal(dir path)
        if (!(path in exists)) complain(number, "there is no " path)
        else if (anchor != "" && !((path, anchor) in anchors))
            complain(number, path " has no heading for #" anchor)
    }
}

function check_text(path,    kind, n, i, line, fenced, words) {
    file = path
    kind = kind_of(path)
    in_comment = fenced = n = 0
    while ((getline line < path) > 0) lines[++n] = line
    close(path)
    lines[n + 1] = lines[n + 2] = ""
    if (kind == "md") {
        for (i = 1; i <= n; i++) {
            if (lines[i] ~ /^(```|~~~)/) fenced = !fenced
            if (!fenced && lines[i] !~ /^    /) check_links(lines[i], i)
            check_paths(lines[i], lines[i + 1] " " lines[i + 2], i, 0)
        }
        return
    }
    for (i = 1; i <= n; i++) {
        words = comment_of(lines[i], kind)
        sub(/^[ \t]*[*#;]+[ \t]*/, "", words)
        comments[i] = words
    }
    comments[n + 1] = comments[n + 2] = ""
    for (i = 1; i <= n; i++) {
        if (comments[i] ~ /\.md/) check_paths(comments[i], comments[i + 1] " " comments[i + 2], i, 1)
        else if (lines[i] ~ /\.md/) check_paths(lines[i], "", i, 0)
    }
}

$1 == "page" { read_headings(substr($0, 6)) }
$1 == "text" { texts[++count] = substr($0, 6) }
END {
    for (t = 1; t <= count; t++) check_text(texts[t])
    exit bad
}'
