# Whether every node of the trees of a run is the sum of its children:
#
#     jq -n --slurpfile frames A --slurpfile draws B --slurpfile run DIR/run.json -f tools/conservation.jq
#
# A and B: `aetius topdown DIR --all --json` with --over-time and with --draws. At every node of every
# tree, of the cycles and of the shaders' slots, of all frames, of each, and of each draw and what is
# between: the children add up to it exactly; a frame's cycles are those of run.json; the frames' trees
# add up to that of all, and the draws' to that of their frame (of the shaders' slots, which each tree
# divides among lanes by itself, only the whole). Prints the result, and what was checked.
def nodes: recurse(.children[]);
def adds_up: [nodes | select(.children != []) | (.children | map(.value) | add) == .value] | all;
def values: [.tree | nodes | .value] + [.shaders.total];
def trees: .tree, .shaders.tree;
def together($all): [$all[] | values] | transpose | map(add);
def same($one; $all): together([$one]) == together($all);
def frame_of: .draw | split(":")[0] | split(" ")[0] | tonumber;

$frames[0] as $frames | $draws[0] as $draws | $run[0] as $run
| [$frames, $frames.frames[], $draws.draws[]] as $views
| ($run.per_frame | map({key: (.frame | tostring), value: .cycles}) | from_entries) as $cycles
| ($draws.draws | group_by(frame_of) | map({key: (.[0] | frame_of | tostring), value: .}) | from_entries)
    as $parts
| [
    ($views[] | trees | adds_up),
    ($views[] | .total == .tree.value and .shaders.total == .shaders.tree.value),
    ($frames.frames[] | .total == $cycles[.frame | tostring]),
    ($frames.frames[] | . as $frame | same($frame; $parts[.frame | tostring] // [])),
    same($frames; $frames.frames),
    ($frames.frames | length) == ($cycles | length),
    ($frames.frames | length) > 0
  ]
| [(if all then "met" else "missed" end),
   "\($views | map(trees | [nodes] | length) | add) nodes of \($frames.frames | length) frames and \(
      $draws.draws | length) rows of draws add up"]
| @tsv
