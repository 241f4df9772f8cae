/* The table of draws, and details of the selected one. */
class DrawsView {
    constructor(selection) {
        this.selection = selection;
        const { node, head, body } = section("draws", "Draws", " ");
        this.note = head.querySelector(".note");
        this.node = node;
        this.body = body;
        this.every = false;
        this.all = el("button", {
            type: "button",
            role: "switch",
            "aria-checked": "false",
            text: "all frames",
            onclick: () => {
                this.every = !this.every;
                this.all.setAttribute("aria-checked", String(this.every));
                this.load();
            },
        });
        head.append(el("div.tools", null, this.all));
        selection.listen((changed) => {
            if (changed.has("run") || (changed.has("frame") && !this.every)) this.load();
            if (changed.has("row")) this.table?.show(selection.row);
        });
        this.load();
    }

    columns() {
        const { run } = this.selection;
        const { draws } = run;
        const col = (name) => draws.column(name);
        const program = (i) =>
            col("program_name")[i] ||
            [col("vertex_program")[i], col("fragment_program")[i]]
                .map((h) => String(h || "").slice(0, 8))
                .join(" ")
                .trim();
        const columns = [
            {
                title: "draw",
                name: "draw",
                value: (i) => i,
                text: (i) => run.drawName(i),
                show: (_, i) => run.drawName(i),
            },
            {
                title: "cycles",
                value: (i) => col("cycles")[i],
                numeric: true,
                share: (i) => col("cycles")[i] / this.most_expensive,
            },
            {
                title: "of frame",
                unit: "%",
                value: (i) => (100 * col("cycles")[i]) / run.frame(col("frame")[i])?.cycles,
                show: (v) => percent(v / 100),
                numeric: true,
            },
            { title: "fragments", value: (i) => col("fraggen.fragments")[i], numeric: true },
            {
                title: "memory",
                unit: "bytes",
                value: (i) => col("memctl.bytes_read")[i] + col("memctl.bytes_written")[i],
                numeric: true,
            },
            {
                title: "texture misses",
                value: (i) => col("texunit.cache_misses")[i],
                numeric: true,
            },
            {
                title: "bound by",
                value: (i) => (draws.has("bound_by") ? col("bound_by")[i] : ""),
                show: (v) =>
                    v ? el("span.bound", { style: `--color:${boundColor(v)}`, text: v }) : "",
            },
            {
                title: "program",
                value: program,
                hint: (i) => `${col("vertex_program")[i]} ${col("fragment_program")[i]}`,
            },
            {
                title: "primitive",
                value: (i) =>
                    col("primitive")[i] ? `${col("primitive")[i]} ${col("vertices")[i]}` : "",
            },
            { title: "target", value: (i) => col("target_name")[i] || col("target")[i] || "" },
            { title: "label", value: (i) => col("label")[i] || "" },
            { title: "hash", value: (i) => col("hash")[i] || "" },
        ];
        return columns;
    }

    load() {
        const { run, frame } = this.selection;
        const every =
            run.drawTimes.frames.size < run.frames.length
                ? "all frames whose draws the page has"
                : "all frames";
        this.note.textContent = `Draws of ${this.every ? every : "frame " + frame} and the work between them. Each cycle is counted once.`;
        if (!run.draws.rows)
            return clear(this.body, el("p.note", { text: "This run has no table of draws." }));
        const [first, last] = this.every
            ? [0, run.draws.rows]
            : run.drawTimes.frames.get(frame) || [0, 0];
        const rows = Array.from({ length: last - first }, (_, i) => first + i);
        this.most_expensive = rows.reduce(
            (most, i) => Math.max(most, run.draws.column("cycles")[i]),
            1,
        );
        const sort = this.table?.sorted || [1, -1];
        this.table = new DataTable({
            caption: "draws",
            columns: this.columns(),
            rows,
            file: "draws",
            sort,
            most: 16,
            select: (row) => this.selection.set({ row }),
            empty: rows.length
                ? "nothing"
                : "The draws of this frame were omitted to keep the page small.",
        });
        clear(this.body, this.table.node);
        if (this.selection.row >= 0) this.table.show(this.selection.row);
    }
}

/* Describes the selection in text and numbers. */
class Details {
    constructor(selection) {
        this.selection = selection;
        const { node, body } = section("details", "Selection");
        this.node = node;
        this.body = body;
        selection.listen((changed) => {
            if (["run", "frame", "row", "cycles"].some((n) => changed.has(n))) this.draw();
        });
        this.draw();
    }

    draw() {
        const picked = selectedRows(this.selection);
        const { run, frame, row } = this.selection;
        const link = el("button", {
            type: "button",
            text: "copy link",
            title: "copies the address of the page with this selection",
            onclick: (e) =>
                copyText(location.href.split("#")[0] + this.selection.address(), e.target),
        });
        const facts = [
            [
                "cycles",
                whole(picked.cycles) +
                    ` (${percent(picked.cycles / (run.frame(frame)?.cycles || picked.cycles))} of the frame)`,
            ],
        ];
        const isDraw = row >= 0 && run.draws.column("work")[row] === "draw";
        if (row >= 0) facts.push(["starts at cycle", whole(run.drawTimes.start[row])]);
        if (row >= 0 && run.draws.has("bound_by"))
            facts.push(["bound by", run.draws.column("bound_by")[row] || "–"]);
        if (isDraw) {
            for (const [title, name] of [
                ["label", "label"],
                ["primitive", "primitive"],
                ["vertices", "vertices"],
                ["instances", "instances"],
                ["target", "target"],
                ["target's name", "target_name"],
                ["program", "program_name"],
                ["vertex program", "vertex_program"],
                ["fragment program", "fragment_program"],
                ["textures", "textures"],
                ["state", "state"],
                ["hash", "hash"],
            ]) {
                const value = run.draws.column(name)[row];
                if (value !== "" && value !== undefined && value !== 0)
                    facts.push([title, String(value)]);
            }
        }
        const fragments = picked.sum("fraggen.fragments");
        if (picked.has("fraggen.fragments"))
            facts.push([
                "fragments",
                `${whole(fragments)} generated, ${whole(picked.sum("colorwrite.fragments_in"))} written`,
            ]);
        if (picked.has("memctl.bytes_read"))
            facts.push([
                "memory",
                `${whole(picked.sum("memctl.bytes_read"))} bytes read, ${whole(picked.sum("memctl.bytes_written"))} written`,
            ]);
        const list = el(
            "dl",
            null,
            facts.map(([name, value]) => [
                el("dt", { text: name }),
                el("dd", { text: cut(value, 4000) }),
            ]),
        );
        const commands = [];
        const trace = quoted(run.trace());
        if (isDraw) {
            const name = `${frame}:${run.draws.column("draw")[row]}`;
            commands.push(
                commandLine(`aetius show ${trace} draw ${name} -o draw-${name.replace(":", "-")}`),
                commandLine(
                    `aetius show ${trace} program ${run.draws.column("fragment_program")[row]}`,
                ),
                commandLine(`aetius topdown ${quoted(run.name)} --draw ${name}`),
            );
        }
        const every = el("details", null, el("summary", { text: "Statistics of the selection" }));
        every.addEventListener("toggle", async () => {
            if (!every.open || every.children.length > 1) return;
            await picked.table.load(true);
            every.append(statisticsTable(run.page, picked).node);
        });
        clear(
            this.body,
            el("div.tools", null, el("h3", { text: picked.title }), link),
            list,
            commands.length
                ? [
                      el("p.note", {
                          text: "Commands for this draw, its program and its bottleneck:",
                      }),
                      commands,
                  ]
                : null,
            every,
        );
    }
}

/* Table of nonzero statistics: name, value, unit, meaning. */
function statisticsTable(page, picked) {
    const names = picked.table.names.filter(
        (n) =>
            picked.table.kind(n) !== "text" &&
            !["frame", "draw", "nth", "cycle"].includes(n) &&
            (n.includes(".") || n === "cycles" || picked.rows.length === 1),
    );
    const values = names.map((n) => picked.sum(n));
    const about = (i) => {
        const name = names[i].replace(/\[\d+\]/, "");
        return (
            page.names[name] ||
            page.names[name.slice(name.indexOf("."))] ||
            lostCause(page, name) || ["", ""]
        );
    };
    const columns = [
        { title: "statistic", value: (i) => names[i] },
        { title: "value", value: (i) => values[i], show: (v) => real(v), numeric: true },
        { title: "unit", value: (i) => about(i)[0] },
        { title: "meaning", value: (i) => about(i)[1] },
    ];
    return new DataTable({
        caption: "statistics",
        columns,
        rows: names.map((_, i) => i).filter((i) => values[i]),
        file: "statistics",
        most: 12,
    });
}

/* Unit and meaning of "lost.CAUSE". */
function lostCause(page, name) {
    const node = name.startsWith("lost.") && page.tree.find((n) => n.name === name.slice(5));
    return node && ["cycles", node.what];
}
