/* Values in place of a row: the run lacks the draw, or the page does not include it. */
const NONE = -2;
const LEFT_OUT = -1;

/* Compares several runs: side by side in columns, and draw by draw, joined by hash
 * (report/draw/draws_join.c). */
class CompareView {
    constructor(selection, runs, joins) {
        this.selection = selection;
        this.runs = runs;
        this.joins = joins;
        const { node, body } = section(
            "compare",
            "Runs",
            "Compared with run A. Draws are matched by the hash of their content.",
        );
        this.node = node;
        this.body = body;
    }

    async load() {
        this.pairs = await Promise.all(
            this.joins.map(async (join) => {
                const table = new Columns(join.pairs);
                await table.load();
                return {
                    run: this.runs[join.run],
                    join,
                    a: table.column("a"),
                    b: table.column("b"),
                    difference: table.column("difference"),
                    rows: table.rows,
                };
            }),
        );
        this.draw();
    }

    draw() {
        const names = el(
            "ul.runs",
            null,
            this.runs.map((r) =>
                el(
                    "li",
                    null,
                    el("strong", { text: r.letter }),
                    " ",
                    el("button.link", {
                        type: "button",
                        title: "show this run",
                        text: cut(r.name, 120),
                        onclick: () => this.selection.set({ run: r }),
                    }),
                    ` ${r.facts.preset || ""}, ${plural(r.facts.cycles, "cycle")}`,
                ),
            ),
        );
        clear(
            this.body,
            names,
            el("h3", { text: "Figures" }),
            this.figures().node,
            el("h3", { text: "Parameters that differ" }),
            this.parameters(),
            this.joins.length ? [el("h3", { text: "Draws" }), this.drawTable()] : null,
        );
    }

    /* Figures of run.json, one column per run. */
    figures() {
        const lines = [];
        const add = (name, unit, of, fewer) =>
            lines.push({ name, unit, values: this.runs.map(of), fewer });
        add("cycles", "cycles", (r) => r.facts.cycles);
        add("frames", "frames", (r) =>
            typeof r.facts.frames === "number" ? r.facts.frames : r.frames.length,
        );
        add("bound by", "", (r) => r.data.bound_by || "");
        for (const name of Object.keys(this.runs[0].facts.metrics || {})) {
            const [unit] = this.runs[0].page.names[name] || [""];
            add(name, unit, (r) => r.facts.metrics?.[name] ?? NaN);
        }
        const change = (line, k) =>
            typeof line.values[0] === "number" && line.values[0]
                ? line.values[k] / line.values[0] - 1
                : NaN;
        const columns = [
            {
                title: "figure",
                value: (i) => lines[i].name,
                hint: (i) => (this.runs[0].page.names[lines[i].name] || [])[1],
            },
            { title: "unit", value: (i) => lines[i].unit },
        ];
        this.runs.forEach((r, k) => {
            columns.push({
                title: r.letter,
                value: (i) => lines[i].values[k],
                show: (v) => (typeof v === "number" ? real(v) : v),
                numeric: true,
            });
            if (k)
                columns.push({
                    title: r.letter + " over A",
                    unit: "%",
                    value: (i) => 100 * change(lines[i], k),
                    show: (v) =>
                        Number.isFinite(v) ? signed(v, (x) => x.toFixed(1) + THIN + "%") : "",
                    numeric: true,
                });
        });
        return new DataTable({
            caption: "figures of the runs",
            columns,
            rows: lines.map((_, i) => i),
            file: "runs",
            most: 12,
        });
    }

    parameters() {
        const { parameters } = this.runs[0].page;
        const of = (r, i) => r.data.machine?.values?.[i] ?? "";
        const differ = parameters
            .map((_, i) => i)
            .filter((i) => this.runs.some((r) => of(r, i) !== of(this.runs[0], i)));
        if (!differ.length) return el("p.note", { text: "None. The machines are equal." });
        return new DataTable({
            caption: "parameters that differ",
            file: "parameters",
            rows: differ,
            filter: false,
            columns: [
                {
                    title: "parameter",
                    value: (i) => parameters[i][0],
                    hint: (i) => parameters[i][2],
                },
                { title: "unit", value: (i) => parameters[i][1] },
                ...this.runs.map((r) => ({ title: r.letter, value: (i) => of(r, i) })),
            ],
        }).node;
    }

    /* One line per draw of A, then draws that only other runs have. A line holds rows and
     * differences. */
    lines() {
        const lines = new Map();
        const alone = [];
        this.pairs.forEach((p, k) => {
            for (let i = 0; i < p.rows; i++) {
                const [a, b] = [p.a[i], p.b[i]].map((place) => place + NONE);
                let line = a >= 0 ? lines.get(a) : null;
                if (!line) {
                    line = {
                        a,
                        others: new Array(this.pairs.length).fill(a === LEFT_OUT ? LEFT_OUT : NONE),
                        differences: new Array(this.pairs.length).fill(""),
                    };
                    if (a >= 0) lines.set(a, line);
                    else alone.push(line);
                }
                line.others[k] = b;
                line.differences[k] = p.difference[i];
            }
        });
        return [...lines.values(), ...alone];
    }

    drawTable() {
        const lines = this.lines();
        const [A] = this.runs;
        const costA = (i) => (lines[i].a >= 0 ? A.draws.column("cycles")[lines[i].a] : NaN);
        const cost = (i, k) =>
            lines[i].others[k] >= 0
                ? this.pairs[k].run.draws.column("cycles")[lines[i].others[k]]
                : NaN;
        /* a draw that only one run has costs 0 in the other */
        const change = (i, k) => {
            const places = [lines[i].a, lines[i].others[k]];
            return places.includes(LEFT_OUT) || places.every((place) => place === NONE)
                ? NaN
                : (cost(i, k) || 0) - (costA(i) || 0);
        };
        const named = (run, place) =>
            place >= 0 ? run.drawName(place) : place === LEFT_OUT ? "left out" : "";
        const first = (i) => {
            const k = lines[i].others.findIndex((b) => b >= 0);
            return lines[i].a >= 0 ? [A, lines[i].a] : [this.pairs[k].run, lines[i].others[k]];
        };
        const what = (i) => {
            const [run, row] = first(i);
            return (
                run.draws.column("label")[row] ||
                run.draws.column("program_name")[row] ||
                `${run.draws.column("primitive")[row]} ${run.draws.column("vertices")[row]}`
            );
        };
        const columns = [
            {
                title: "draw in A",
                value: (i) => lines[i].a,
                text: (i) => named(A, lines[i].a),
                show: (a) => named(A, a) || "–",
            },
            { title: "cycles A", value: costA, numeric: true },
        ];
        this.pairs.forEach((p, k) => {
            columns.push({
                title: "draw in " + p.run.letter,
                value: (i) => lines[i].others[k],
                text: (i) => named(p.run, lines[i].others[k]),
                show: (b) => named(p.run, b) || "–",
            });
            columns.push({
                title: "cycles " + p.run.letter,
                value: (i) => cost(i, k),
                numeric: true,
            });
            columns.push({
                title: `${p.run.letter} − A`,
                unit: "cycles",
                value: (i) => change(i, k),
                show: (v) => (Number.isFinite(v) ? signed(v) : "–"),
                numeric: true,
            });
        });
        columns.push(
            { title: "what", value: what },
            { title: "differs in", value: (i) => lines[i].differences.filter(Boolean).join("; ") },
        );
        const summary = this.pairs
            .map(
                (p) =>
                    `${p.run.letter}: ${plural(p.join.same_hash, "draw")} with equal hash, ${p.join.changed} changed, ${p.join.only_b} new, ${p.join.only_a} gone.`,
            )
            .join(" ");
        const changes = new Map(
            lines.map((_, i) => [
                i,
                Math.max(...this.pairs.map((p, k) => Math.abs(change(i, k) || 0))),
            ]),
        );
        const rows = lines.map((_, i) => i).sort((x, y) => changes.get(y) - changes.get(x));
        const table = new DataTable({
            caption: "draws of the runs, joined",
            columns,
            rows,
            file: "draws-joined",
            most: 14,
            select: (i) => {
                const [run, row] = first(i);
                this.selection.set({ run, row });
            },
        });
        return [el("p.lead", { text: summary }), table.node];
    }
}
