/* Top-Down: the causes of the selection's cycles (docs/topdown.md), and the expected gains. */
class TreeView {
    constructor(selection) {
        this.selection = selection;
        const { node, body } = section(
            "topdown",
            "Top-Down",
            "Each cycle is attributed to exactly one cause. Children add up to their parent.",
        );
        this.node = node;
        this.what = el("p.lead");
        this.tree = el("ul.tree");
        this.gains = el("div");
        this.shaders = el("div");
        body.append(
            this.what,
            el("div.two", null, el("div", null, this.tree, this.shaders), this.gains),
        );
        selection.listen((changed) => {
            if (["run", "frame", "row", "cycles"].some((n) => changed.has(n))) this.draw();
        });
        this.draw();
    }

    draw() {
        const picked = selectedRows(this.selection);
        const { tree } = this.selection.run.page;
        const values = treeOf(tree, picked);
        this.drawShaders(picked);
        this.what.textContent = `${picked.title}: ${plural(picked.cycles, "cycle")}`;
        if (!values) {
            clear(
                this.tree,
                el("li.note", {
                    text: "The tables of this run have no causes of lost cycles.",
                }),
            );
            clear(this.gains);
            return;
        }
        clear(this.tree, treeItems(tree, values, "cycles"));
        const root = values.get("cycles") || 1;
        const csv = el("button", {
            type: "button",
            text: "CSV",
            title: "save the tree as CSV",
            onclick: () =>
                saveFile(
                    "topdown.csv",
                    "node,parent,cycles,share\n" +
                        tree
                            .map((n) =>
                                [
                                    n.name,
                                    n.parent,
                                    values.get(n.name),
                                    (values.get(n.name) / root).toFixed(6),
                                ].join(","),
                            )
                            .join("\n") +
                        "\n",
                    "text/csv",
                ),
        });
        this.drawGains(picked, values, csv);
    }

    /* Issue slots; each slot has exactly one fate. */
    drawShaders(picked) {
        const { page } = this.selection.run;
        const values = slotsOf(page, picked);
        if (!values?.get("all")) return clear(this.shaders);
        clear(
            this.shaders,
            el("h3", {
                text: `The shaders' ${whole(values.get("all"))} issue slots in ${picked.name}`,
            }),
            el("ul.tree.slots", null, treeItems(page.shader_tree, values, "all")),
        );
    }

    drawGains(picked, values, csv) {
        const { run, frame } = this.selection;
        const gains = gainsOf(this.selection, picked, values);
        if (!gains) return clear(this.gains, csv);
        const of = gains.resources;
        const all = picked.cycles || 1;
        const about = (i) =>
            run.page.ideals[of[i].name] || {
                what: run.page.tree.find((n) => n.name === of[i].name).what,
            };
        const part = (title, name) => ({
            title,
            unit: "%",
            value: (i) => (100 * of[i][name]) / all,
            show: (v) => percent(v / 100),
            numeric: true,
            share: (i) => (of[i][name] || 0) / all,
        });
        const columns = [
            { title: "resource", value: (i) => of[i].name, hint: (i) => about(i).what },
            part("attributed", "charged"),
            part("upper bound", "most"),
            part("predicted gain", "expected"),
            { title: "then limited by", value: (i) => of[i].behind || "" },
            { title: "parameter", value: (i) => about(i).parameter || "" },
        ];
        const rows = of.map((_, i) => i).filter((i) => of[i].charged > 0 || of[i].most > 0);
        const verdict = verdictText(run, gains, all);
        const note = (text) => el("p.note", { text });
        clear(
            this.gains,
            el("h3", { text: `Predicted gains in ${picked.name}` }),
            verdict
                ? el(
                      "p",
                      null,
                      "Bound by ",
                      el("strong", { text: verdict[0] }),
                      verdict[1],
                      ` Advice: ${run.page.ideals[verdict[0]].advice}.`,
                      verdict[2],
                  )
                : null,
            gains.notes.map(note),
            new DataTable({
                caption: "predicted gains",
                columns,
                rows,
                file: "gains",
                sort: verdict ? [3, -1] : [1, -1],
                filter: false,
            }).node,
            note(
                "Attributed: cycles of the tree, each counted once. Upper bound: all cycles that the resource can save, including cycles attributed to others.",
            ),
            note("Check by simulation (whole frame):"),
            commandLine(`aetius topdown ${quoted(run.name)} --frame ${frame} --prove`),
            csv,
        );
    }
}

/* Cycles of every node, including "cycles"; null: the tables do not count causes. */
function treeOf(tree, picked) {
    if (!tree.some((n) => picked.has("lost." + n.name))) return null;
    return addUp(
        tree,
        "cycles",
        new Map(tree.filter((n) => n.leaf).map((n) => [n.name, picked.sum("lost." + n.name)])),
    );
}

/* Shader issue slots of every node, including "all". Evaluates the formulas of
 * analysis/shader_tree.def like analysis/shader_tree.c. null: the tables lack slots, or slots
 * without a fate exist. */
function slotsOf(page, picked) {
    const x = {};
    for (const { name, formula } of page.shader_counters) {
        if (!formula && !picked.has("shader." + name)) return null;
        x[name] = formula ? formulaOf(formula, x) : picked.sum("shader." + name);
    }
    if (!x.lane_slots)
        x.lane_slots = x.lanes_active = 1; /* nothing issued: avoids division by zero */
    const values = new Map();
    let [exact, slots] = [0, 0];
    for (const { name, formula } of page.shader_tree) {
        if (!formula) continue;
        exact += formulaOf(formula, x);
        values.set(name, Math.round(exact) - slots);
        slots += values.get(name);
    }
    return slots === x.slots ? addUp(page.shader_tree, "all", values) : null;
}

/* Evaluates "x->a + x->b" or "x->a * x->b / x->c" from left to right. */
function formulaOf(text, x) {
    const [first, ...rest] = text.replaceAll("x->", "").split(" ");
    let value = x[first];
    for (let i = 0; i < rest.length; i += 2) {
        const next = x[rest[i + 1]];
        value = rest[i] === "+" ? value + next : rest[i] === "*" ? value * next : value / next;
    }
    return value;
}

/* Computes the sums of children for every node and for the root. */
function addUp(tree, root, values) {
    const sums = new Map([[root, 0], ...tree.map((n) => [n.name, values.get(n.name) || 0])]);
    for (const n of tree.slice().reverse())
        sums.set(
            n.parent,
            sums.get(n.parent) + sums.get(n.name),
        ); /* the reversed list has children first */
    return sums;
}

/* Descends from the root to the largest loss above its threshold, level by level: the node that
 * `aetius topdown` marks. */
function verdictOf(tree, values, root) {
    const share = (n) => (values.get(root) > 0 ? values.get(n.name) / values.get(root) : 0);
    for (let at = root; ; ) {
        const losses = tree.filter((n) => n.parent === at && n.loss && share(n) >= n.threshold);
        if (!losses.length) return at;
        at = losses.reduce((a, b) => (values.get(b.name) > values.get(a.name) ? b : a)).name;
    }
}

/* Items of nonzero nodes, largest first. */
function treeItems(tree, values, root) {
    const verdict = verdictOf(tree, values, root);
    const items = (parent, depth) =>
        tree
            .filter((n) => n.parent === parent && values.get(n.name) > 0)
            .sort((a, b) => values.get(b.name) - values.get(a.name))
            .map((n) =>
                treeItem({
                    name: n.name,
                    what: n.what,
                    value: values.get(n.name),
                    share: values.get(n.name) / values.get(root),
                    most: verdict === n.name,
                    depth,
                    children: items(n.name, depth + 1),
                }),
            );
    return items(root, 1);
}

/* A node with its bar. `children`: nodes made by this function. */
function treeItem({ name, what, value, share, most, depth, children }) {
    const line = [
        el("span.name", { text: name.replace(/_/g, " ") }),
        el("span.bar", { style: `--share:${share.toFixed(4)}`, "aria-hidden": "true" }),
        el("span.number", { text: whole(value) }),
        el("span.number.share", { text: percent(share) }),
        most
            ? el("span.verdict", { text: "◀ most", title: "the largest loss, level by level" })
            : el("span.verdict"),
    ];
    if (!children.length) return el("li", { title: what }, el("div.line.leaf", null, line));
    return el(
        "li",
        { title: what },
        el(
            "details",
            { open: share >= 0.05 && depth < 3 },
            el("summary.line", null, line),
            el("ul", null, children),
        ),
    );
}
