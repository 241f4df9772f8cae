/* What the cycles of the selection were lost to (docs/topdown.md), and what would be gained. */
class TreeView {
  constructor(selection) {
    this.selection = selection;
    const { node, body } = section("topdown", "Top-Down", "Each cycle is lost to exactly one cause: children add up to their parent.");
    this.node = node;
    this.what = el("p.lead");
    this.tree = el("ul.tree");
    this.gains = el("div");
    this.shaders = el("div");
    body.append(this.what, el("div.two", null, el("div", null, this.tree, this.shaders), this.gains));
    selection.listen((changed) => { if (["run", "frame", "row", "cycles"].some((n) => changed.has(n))) this.draw(); });
    this.draw();
  }

  draw() {
    const picked = selectedRows(this.selection);
    const { run } = this.selection;
    this.drawShaders();
    this.what.textContent = `${picked.title}: ${plural(picked.cycles, "cycle")}`;
    const { values, root } = treeOf(run.page.tree, picked);
    if (!values) {
      clear(this.tree, el("li.note", { text: "The tables of this run do not say what cycles were lost to." }));
      clear(this.gains);
      return;
    }
    const csv = el("button", { type: "button", text: "CSV", title: "save the tree as CSV", onclick: () => saveFile("topdown.csv", "node,parent,cycles,share\n" + run.page.tree.map((n) => [n.name, n.parent, values.get(n.name), (values.get(n.name) / (root || 1)).toFixed(6)].join(",")).join("\n") + "\n", "text/csv") });
    const verdict = verdictOf(run.page.tree, values);
    const branch = (parent, depth) => run.page.tree.filter((n) => n.parent === parent && values.get(n.name) > 0)
      .sort((a, b) => values.get(b.name) - values.get(a.name)).map((n) => this.item(n, values, root, depth, verdict, branch));
    clear(this.tree, branch("cycles", 1));
    this.drawGains(csv);
  }

  item(n, values, root, depth, verdict, branch) {
    return treeItem({ name: n.name, what: n.what, value: values.get(n.name), share: values.get(n.name) / (root || 1), most: verdict === n.name, depth, children: n.leaf ? [] : branch(n.name, depth + 1) });
  }

  /* Of the frame: issue slots, each of which had one fate. */
  drawShaders() {
    const { run, frame } = this.selection;
    const tree = (run.frame(frame) || run.data).shaders;
    if (!tree || !tree.value) return clear(this.shaders);
    const nodes = (list, depth) => (list || []).filter((n) => n.value > 0).sort((a, b) => b.value - a.value)
      .map((n) => treeItem({ name: n.name, value: n.value, share: n.share, depth, children: nodes(n.children, depth + 1) }));
    clear(this.shaders, el("h3", { text: `The shaders' ${whole(tree.value)} issue slots in frame ${frame}` }), el("ul.tree.slots", null, nodes(tree.children, 1)));
  }

  /* Of the whole run's frame, or of the run: what is known of a draw is its "bound by". */
  drawGains(csv) {
    const { run, frame } = this.selection;
    const of = run.frame(frame)?.resources ? run.frame(frame) : run.data;
    if (!of.resources) return clear(this.gains, csv);
    const all = of === run.data ? run.facts.cycles : of.cycles;
    const rows = of.resources.map((_, i) => i).filter((i) => of.resources[i].charged > 0);
    const about = (i) => run.page.ideals[of.resources[i].name];
    const columns = [
      { title: "resource", value: (i) => of.resources[i].name, hint: (i) => about(i).what },
      { title: "charged", unit: "%", value: (i) => (100 * of.resources[i].charged) / all, show: (v) => percent(v / 100), numeric: true, share: (i) => of.resources[i].charged / all },
      { title: "expected gain", unit: "%", value: (i) => (100 * of.resources[i].expected) / all, show: (v) => percent(v / 100), numeric: true, share: (i) => of.resources[i].expected / all },
      { title: "then", value: (i) => of.resources[i].behind || "" },
      { title: "parameter", value: (i) => about(i).parameter },
    ];
    const best = of.resources.find((r) => r.name === of.bound_by);
    clear(this.gains, el("h3", { text: `What would be gained in frame ${frame}` }),
      best ? el("p", null, "Bound by ", el("strong", { text: best.name }), `: ${percent(best.charged / all)} of the cycles are charged to it; ${percent(best.expected / all)} fewer are expected without. Advice: ${run.page.ideals[best.name].advice}.`, of.hide_each_other ? " None of them gives 2 % alone: they hide each other, and gain together." : "") : null,
      new DataTable({ caption: "expected gains", columns, rows, file: "gains", sort: [2, -1], filter: false }).node,
      commandLine(`aetius topdown ${quoted(run.name)} --frame ${frame} --prove`), csv);
  }
}

/* The cycles of every node, and of all; null: the tables have none. */
function treeOf(tree, picked) {
  if (!tree.some((n) => picked.has("lost." + n.name))) return { values: null, root: 0 };
  const values = new Map(tree.map((n) => [n.name, n.leaf ? picked.sum("lost." + n.name) : 0]));
  let root = 0;
  for (const n of tree.slice().reverse()) { /* children before their parents */
    if (n.parent === "cycles") root += values.get(n.name);
    else values.set(n.parent, values.get(n.parent) + values.get(n.name));
  }
  return { values, root };
}

/* From the top, the largest child each time. */
function verdictOf(tree, values) {
  let at = "cycles";
  for (;;) {
    const children = tree.filter((n) => n.parent === at && values.get(n.name) > 0);
    if (!children.length) return at;
    at = children.reduce((a, b) => (values.get(b.name) > values.get(a.name) ? b : a)).name;
  }
}

/* A node with its bar; `children` are such nodes. */
function treeItem({ name, what, value, share, most, depth, children }) {
  const line = [
    el("span.name", { text: name.replace(/_/g, " ") }), el("span.bar", { style: `--share:${share.toFixed(4)}`, "aria-hidden": "true" }),
    el("span.number", { text: whole(value) }), el("span.number.share", { text: percent(share) }),
    most ? el("span.verdict", { text: "◀ most", title: "the largest loss, level by level" }) : el("span.verdict"),
  ];
  if (!children.length) return el("li", { title: what }, el("div.line.leaf", null, line));
  return el("li", { title: what }, el("details", { open: share >= 0.05 && depth < 3 }, el("summary.line", null, line), el("ul", null, children)));
}
