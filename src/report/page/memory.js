/* Plots bytes between memory and the GPU over the cycles of a frame, per client and per channel. */

/* Plots stacked areas: names, and for each a list of values at `x`. */
function stackedPlot({ x, names, values, colors, unit, width, height, onZoom, zoom }) {
    const sums = [];
    let below = new Float64Array(x.length);
    for (const list of values) {
        below = below.map((v, i) => v + list[i]);
        sums.push(below);
    }
    const order = names.map(
        (_, i) => names.length - 1 - i,
    ); /* topmost first, so that lower areas are drawn over it */
    const stepped = uPlot.paths.stepped({ align: 1 });
    const axis = plotAxis();
    const plot = new uPlot(
        {
            width,
            height,
            ms: 1,
            cursor: { drag: { x: true, y: false, setScale: false } },
            legend: { show: false },
            scales: {
                x: { time: false, range: (u, min, max) => [min, max] },
                y: { range: (u, min, max) => [0, max || 1] },
            },
            axes: [
                { ...axis, values: (u, ticks) => ticks.map(short) },
                {
                    ...axis,
                    size: 64,
                    values: (u, ticks) => ticks.map(short),
                    label: unit,
                    labelSize: 18,
                },
            ],
            series: [
                { label: "cycle" },
                ...order.map((i) => ({
                    label: names[i],
                    fill: colors[i],
                    stroke: colors[i],
                    width: 0.5,
                    paths: stepped,
                    points: { show: false },
                })),
            ],
            hooks: {
                setSelect: [
                    (u) => {
                        if (u.select.width > 3)
                            onZoom([
                                u.posToVal(u.select.left, "x"),
                                u.posToVal(u.select.left + u.select.width, "x"),
                            ]);
                        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
                    },
                ],
            },
        },
        [x, ...order.map((i) => sums[i])],
        el("div"),
    );
    if (zoom) plot.setScale("x", { min: zoom[0], max: zoom[1] });
    return plot;
}

class MemoryView {
    constructor(selection) {
        this.selection = selection;
        const { node, head, body } = section(
            "memory",
            "Memory",
            "Bytes per cycle between memory and the GPU. Drag to zoom this plot and the timeline.",
        );
        this.node = node;
        this.by = "client";
        this.tabs = el(
            "div.tabs",
            { role: "radiogroup", "aria-label": "memory by" },
            ["client", "channel"].map((name) =>
                el("button", {
                    type: "button",
                    role: "radio",
                    "data-by": name,
                    "aria-checked": String(name === this.by),
                    text: "by " + name,
                    onclick: () => {
                        this.by = name;
                        this.draw();
                    },
                }),
            ),
        );
        head.append(el("div.tools", null, this.tabs));
        this.keys = el("div.keys");
        this.place = el("div.plot");
        this.readout = el("p.readout", { text: "\u00a0" });
        this.table = el("div");
        body.append(this.keys, this.place, this.readout, this.table);
        this.draw = later(() => this.paint());
        selection.listen((changed) => {
            if (changed.has("zoom") && this.plot && !changed.has("frame") && !changed.has("run"))
                this.zoom();
            if (["run", "frame", "row", "cycles"].some((n) => changed.has(n))) this.draw();
        });
        new ResizeObserver(() => {
            if (this.place.clientWidth !== this.width) this.draw();
        }).observe(this.place);
        this.draw();
    }

    zoom() {
        const [min, max] = this.selection.zoom || [0, this.end];
        this.plot.setScale("x", { min, max });
    }

    /* Returns {name: [columns of bytes]} of clients or channels. */
    series(table) {
        const series = new Map();
        const add = (name, column) => {
            if (!series.has(name)) series.set(name, []);
            series.get(name).push(column);
        };
        for (const column of table.names) {
            const client = /^memctl\.(\w+)_bytes_(read|written)$/.exec(column);
            const channel = /^channel\[(\d+)\]\.bytes_(read|written)$/.exec(column);
            if (this.by === "client" && client) add(client[1], column);
            if (this.by === "channel" && channel) add("channel " + channel[1], column);
        }
        return series;
    }

    paint() {
        const { run, frame } = this.selection;
        for (const button of this.tabs.children)
            button.setAttribute("aria-checked", String(button.dataset.by === this.by));
        const rows = (times) => {
            const r = times.frames.get(frame);
            return r ? r[1] - r[0] : 0;
        };
        const fine = rows(run.intervalTimes) >= rows(run.drawTimes);
        const [table, times] = fine
            ? [run.intervals, run.intervalTimes]
            : [run.draws, run.drawTimes];
        const [first, last] = times.frames.get(frame) || [0, 0];
        const series = this.series(table);
        this.width = this.place.clientWidth || 600;
        this.readout.textContent = "\u00a0";
        this.list();
        this.plot?.destroy();
        this.plot = null;
        if (!series.size || last <= first) {
            clear(this.place, el("p.note", { text: "This run has no table of memory over time." }));
            clear(this.keys);
            return;
        }
        const cycles = table.column("cycles");
        const bytes = (columns, i) => columns.reduce((sum, c) => sum + table.column(c)[i], 0);
        const picked = [];
        for (let i = first; i < last; i++) if (cycles[i] > 0) picked.push(i);
        /* leaves out clients or channels without traffic */
        const names = [...series.keys()].filter((n) =>
            picked.some((i) => bytes(series.get(n), i) > 0),
        );
        const x = picked.map((i) => times.start[i]);
        this.end = times.start[picked.at(-1)] + cycles[picked.at(-1)];
        const values = names.map((n) =>
            Float64Array.from(
                [...picked, picked.at(-1)],
                (i) => bytes(series.get(n), i) / cycles[i],
            ),
        );
        x.push(this.end);
        const colors = names.map((_, i) => OKABE[i % OKABE.length]);
        this.plot = stackedPlot({
            x,
            names,
            values,
            colors,
            unit: "bytes per cycle",
            width: this.width,
            height: 200,
            zoom: this.selection.zoom,
            onZoom: (zoom) => this.selection.set({ zoom }),
        });
        clear(this.place, this.plot.root);
        this.plot.over.addEventListener("pointermove", () => {
            const at = this.plot.cursor.idx;
            if (at === null || at === undefined) return;
            this.readout.textContent =
                `from cycle ${whole(x[at])}: ` +
                names.map((n, i) => `${n} ${real(values[i][at])}`).join(", ") +
                " bytes per cycle";
        });
        clear(
            this.keys,
            names.map((n, i) =>
                el("span.key", null, el("i", { style: `background:${colors[i]}` }), n),
            ),
        );
    }

    list() {
        const picked = selectedRows(this.selection);
        const series = this.series(picked.table);
        const names = [...series.keys()];
        if (!picked.rows.length || !names.length) return clear(this.table);
        const of = (name, way) =>
            series
                .get(name)
                .filter((c) => c.endsWith(way))
                .reduce((sum, c) => sum + picked.sum(c), 0);
        const total = names.reduce((sum, n) => sum + of(n, "read") + of(n, "written"), 0) || 1;
        const columns = [
            { title: this.by, value: (i) => names[i] },
            { title: "read", unit: "bytes", value: (i) => of(names[i], "read"), numeric: true },
            {
                title: "written",
                unit: "bytes",
                value: (i) => of(names[i], "written"),
                numeric: true,
            },
            {
                title: "share",
                unit: "%",
                value: (i) => (100 * (of(names[i], "read") + of(names[i], "written"))) / total,
                show: (v) => percent(v / 100),
                numeric: true,
                share: (i) => (of(names[i], "read") + of(names[i], "written")) / total,
            },
        ];
        clear(
            this.table,
            el("h3", { text: picked.title }),
            new DataTable({
                caption: "memory by " + this.by,
                columns,
                rows: names.map((_, i) => i),
                file: "memory",
                filter: false,
                sort: this.by === "client" ? [3, -1] : null,
            }).node,
        );
    }
}
