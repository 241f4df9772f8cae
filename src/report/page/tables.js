/* Tables of any content (sweeps, studies, benchmark history): a plot of two columns with its Pareto
 * front, and the table itself. */
const MANY_POINTS = 5000;

const PARAMETER = /\b([A-Z][A-Z0-9]+)\.([A-Z]\w*)/g;

/* Removes the section from parameter names such as FRAGMENTSHADER.TextureCacheWays, unless two
 * names would become equal. Machines of a sweep differ at the end of their names, which would be
 * cut off. */
function withoutSections(texts) {
    const sections = new Map();
    for (const text of texts)
        for (const [, section, name] of text.matchAll(PARAMETER))
            sections.set(name, (sections.get(name) || new Set()).add(section));
    return (text) =>
        text.replace(PARAMETER, (all, section, name) =>
            sections.get(name)?.size === 1 ? name : all,
        );
}

class TableView {
    constructor(data, number) {
        this.data = data;
        this.rows = data.values[0]?.length || 0;
        const { node, head, body } = section("table-" + number, data.title || data.name, data.note);
        this.node = node;
        const numeric = data.columns
            .map((_, c) => c)
            .filter((c) => data.values[c].some((v) => typeof v === "number"));
        const texts = data.columns
            .map((_, c) => c)
            .filter((c) => !numeric.includes(c) && new Set(data.values[c]).size <= 60);
        const shorter = data.sections
            ? withoutSections([
                  ...data.columns,
                  ...texts.flatMap((c) => data.values[c].map((v) => v ?? "")),
              ])
            : (text) => text;
        const find = (name, otherwise) => {
            const c = data.columns.indexOf(name);
            return numeric.includes(c) ? c : otherwise;
        };
        const table = new DataTable({
            caption: data.name,
            file: data.name.replace(/[^\w.-]+/g, "-").slice(0, 60) || "table",
            rows: Array.from({ length: this.rows }, (_, i) => i),
            most: 16,
            columns: data.columns.map((title, c) => ({
                title: cut(shorter(title), 60),
                name: title,
                value: (i) => data.values[c][i],
                show: (v) => (typeof v === "number" ? real(v) : cut(shorter(v ?? ""), 120)),
                numeric: numeric.includes(c),
                hint: (i) => {
                    const v = String(data.values[c][i] ?? "");
                    return v.length > 120 || shorter(v) !== v ? cut(v, 2000) : null;
                },
            })),
            select: (i) => {
                this.chosen = i;
                this.paint();
            },
        });
        this.table = table;
        const order =
            data.values[data.columns.indexOf(data.order)] ||
            Array.from({ length: this.rows }, (_, i) => i);
        const places = new Map(); /* index of each value in time order */
        for (const v of order) if (!places.has(v)) places.set(v, places.size);
        this.order = [...places.keys()];
        this.places = order.map((v) => places.get(v));
        table.filtered = () => this.paint();
        if (numeric.length && this.rows > 1) {
            this.x = data.order ? -1 : find(data.x, numeric[0]);
            this.y = find(data.y, numeric.find((c) => c !== this.x) ?? numeric[0]);
            this.by = texts.includes(data.columns.indexOf(data.by))
                ? data.columns.indexOf(data.by)
                : -1;
            const choose = (label, list, at, set) =>
                el(
                    "label",
                    { text: label + " " },
                    el(
                        "select",
                        {
                            onchange: (e) => {
                                set(Number(e.target.value));
                                this.paint();
                            },
                        },
                        list.map((c) =>
                            el("option", {
                                value: c,
                                selected: c === at,
                                text:
                                    c < 0
                                        ? label === "x"
                                            ? data.order || "order"
                                            : "one color"
                                        : cut(shorter(data.columns[c]), 50),
                            }),
                        ),
                    ),
                );
            this.front = el("input", { type: "checkbox", onchange: () => this.paint() });
            this.front.checked = Boolean(data.better);
            head.append(
                el(
                    "div.tools",
                    null,
                    choose("x", [-1, ...numeric], this.x, (c) => {
                        this.x = c;
                    }),
                    choose("y", numeric, this.y, (c) => {
                        this.y = c;
                    }),
                    choose("color", [-1, ...texts], this.by, (c) => {
                        this.by = c;
                    }),
                    el("label", null, this.front, " Pareto front"),
                ),
            );
            this.place = el("div.plot");
            this.keys = el("div.keys");
            this.readout = el("p.readout", { text: "\u00a0" });
            body.append(this.keys, this.place, this.readout);
            new ResizeObserver(later(() => this.paint())).observe(this.place);
            themeListeners.push(() => this.paint());
        }
        body.append(table.node);
    }

    better(c) {
        return c >= 0 && this.data.better?.[this.data.columns[c]] === "more" ? -1 : 1;
    }

    /* Pareto fronts: rows that no other row beats, i.e. is no worse in both columns and better in
     * one. Rows with different inputs do not compete: each value of the column `fronts` has its own
     * front. */
    fronts(points) {
        const apart = this.data.values[this.data.columns.indexOf(this.data.fronts)];
        if (!apart) return [this.paretoRows(points)];
        return [...new Set(points.map((p) => apart[p.i]))].map((v) =>
            this.paretoRows(points.filter((p) => apart[p.i] === v)),
        );
    }

    paretoRows(points) {
        const [sx, sy] = [this.better(this.x), this.better(this.y)];
        const sorted = points.slice().sort((a, b) => sx * (a.x - b.x) || sy * (a.y - b.y));
        const front = [];
        let best = Infinity;
        let last = null;
        for (const p of sorted) {
            if (sy * p.y < best || (last && p.x === last.x && p.y === last.y)) {
                front.push(p);
                best = Math.min(best, sy * p.y);
                last = p;
            }
        }
        return front;
    }

    /* Points of the rows that the filter accepts. Over time, rows of one commit share an x
     * position. */
    points() {
        const { values } = this.data;
        return this.table.rows
            .slice()
            .sort((a, b) => a - b)
            .map((i) => ({
                i,
                x: this.x < 0 ? this.places[i] : values[this.x][i],
                y: values[this.y][i],
                by: this.by < 0 ? "" : (values[this.by][i] ?? ""),
            }))
            .filter((p) => typeof p.x === "number" && typeof p.y === "number");
    }

    paint() {
        if (!this.place) return;
        const points = this.points();
        const width = this.place.clientWidth || 600;
        const height = 340;
        const groups = [...new Set(points.map((p) => p.by))];
        const color = (p) => OKABE[this.group(groups, p.by) % OKABE.length];
        const fronts =
            this.front.checked && this.x >= 0 ? this.fronts(points).filter((f) => f.length) : [];
        const onFronts = fronts.reduce((sum, f) => sum + f.length, 0);
        const line = this.x < 0;
        const axis = { ...plotAxis(), labelSize: 20 };
        const padded = (u, min, max) => {
            const pad = (max - min || Math.abs(max) || 1) * 0.06;
            return [min - pad, max + pad];
        };
        const sorted = points.slice().sort((a, b) => a.x - b.x || a.i - b.i);
        const xs = sorted.map((p) => p.x);
        this.plot?.destroy();
        this.plot = new uPlot(
            {
                width,
                height,
                legend: { show: false },
                cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
                scales: { x: { time: false, range: padded }, y: { range: padded } },
                axes: [
                    {
                        ...axis,
                        label: this.x < 0 ? this.data.order || "order" : this.data.columns[this.x],
                        values: (u, t) => t.map((v) => (this.x < 0 ? this.orderName(v) : short(v))),
                    },
                    {
                        ...axis,
                        size: 70,
                        label: this.data.columns[this.y],
                        values: (u, t) => t.map(short),
                    },
                ],
                series: [{}, { paths: () => null, points: { show: false } }],
                hooks: { draw: [(u) => this.drawPoints(u, sorted, fronts, color, groups, line)] },
            },
            [xs, sorted.map((p) => p.y)],
            el("div"),
        );
        clear(this.place, this.plot.root);
        this.plot.over.addEventListener("pointermove", (e) =>
            this.showReadout(this.near(e, points)),
        );
        this.plot.over.addEventListener("click", (e) => {
            const p = this.near(e, points);
            if (p) {
                this.chosen = p.i;
                this.table.show(p.i);
                this.plot.redraw();
            }
        });
        clear(
            this.keys,
            groups.length > 1
                ? groups.map((g) =>
                      el(
                          "span.key",
                          null,
                          el("i.shape-" + this.shape(groups, g), {
                              style: `background:${OKABE[groups.indexOf(g) % OKABE.length]}`,
                          }),
                          cut(String(g), 60),
                      ),
                  )
                : null,
            onFronts
                ? el(
                      "span.key",
                      null,
                      el("i.front"),
                      fronts.length > 1
                          ? `Pareto front of each ${this.data.fronts}: ${plural(onFronts, "row")}`
                          : `Pareto front: ${plural(onFronts, "row")}`,
                  )
                : null,
        );
    }

    /* With more groups than colors, shapes distinguish the groups. */
    shape(groups, group) {
        return Math.floor(this.group(groups, group) / OKABE.length) % 3;
    }

    group(groups, group) {
        if (this.numbered !== groups) {
            this.numbered = groups;
            this.numbers = new Map(groups.map((g, i) => [g, i]));
        }
        return this.numbers.get(group);
    }

    orderName(v) {
        return Number.isInteger(v) && v in this.order ? cut(String(this.order[v]), 10) : "";
    }

    drawPoints(u, points, fronts, color, groups, line) {
        const c = u.ctx;
        const ratio = devicePixelRatio || 1;
        const at = (p) => [u.valToPos(p.x, "x", true), u.valToPos(p.y, "y", true)];
        c.save();
        c.beginPath();
        c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        c.clip();
        const path = (list) => {
            c.beginPath();
            list.forEach((p, i) => c[i ? "lineTo" : "moveTo"](...at(p)));
            c.stroke();
        };
        if (line)
            for (const g of groups) {
                const own = points.filter((p) => p.by === g);
                if (!own.length || own.length > MANY_POINTS) continue;
                c.strokeStyle = color(own[0]);
                c.lineWidth = 1.5 * ratio;
                c.setLineDash([[], [6, 3], [2, 3]][this.shape(groups, g)].map((n) => n * ratio));
                path(own);
                c.setLineDash([]);
            }
        for (const front of fronts) {
            c.strokeStyle = cssColor("--ink");
            c.lineWidth = 1.5 * ratio;
            path(front);
        }
        const onFront = new Set(fronts.flat().map((p) => p.i));
        const small = points.length > MANY_POINTS;
        const taken = new Set(); /* with very many points, draw one per position */
        let last = null;
        for (const p of points) {
            const [x, y] = at(p);
            const special = onFront.has(p.i) || p.i === this.chosen;
            if (small && !special) {
                const place =
                    (Math.round(x / 2) * 65536 + Math.round(y / 2)) * 64 +
                    (groups.length > 1 ? this.group(groups, p.by) % 64 : 0);
                if (taken.has(place)) continue;
                taken.add(place);
            }
            if (color(p) !== last) c.fillStyle = last = color(p);
            if (small && !special) {
                c.fillRect(x - ratio, y - ratio, 2 * ratio, 2 * ratio);
                continue;
            }
            mark(c, this.shape(groups, p.by), x, y, (p.i === this.chosen ? 7 : 4) * ratio);
            c.fill();
            if (special) {
                c.strokeStyle = cssColor("--ink");
                c.lineWidth = 2 * ratio;
                c.stroke();
            }
        }
        c.restore();
    }

    near(event, points) {
        const box = this.plot.over.getBoundingClientRect();
        const [x, y] = [event.clientX - box.left, event.clientY - box.top];
        let best = null;
        let least = 900;
        for (const p of points) {
            const d =
                (this.plot.valToPos(p.x, "x") - x) ** 2 + (this.plot.valToPos(p.y, "y") - y) ** 2;
            if (d < least) [best, least] = [p, d];
        }
        return best;
    }

    showReadout(p) {
        const { columns, values } = this.data;
        this.readout.textContent = p
            ? cut(
                  columns
                      .map((n, c) => [n, values[c][p.i]])
                      .filter(([, v]) => v !== null)
                      .slice(0, 12)
                      .map(([n, v]) => `${n} ${typeof v === "number" ? real(v) : cut(v, 60)}`)
                      .join(", "),
                  600,
              )
            : "\u00a0";
    }
}

/* Draws a circle, a square or a diamond. */
function mark(c, shape, x, y, size) {
    c.beginPath();
    if (shape === 0) c.arc(x, y, size, 0, 2 * Math.PI);
    else if (shape === 1) c.rect(x - size, y - size, 2 * size, 2 * size);
    else
        [
            [0, -1.3],
            [1.3, 0],
            [0, 1.3],
            [-1.3, 0],
        ].forEach(([dx, dy], i) => c[i ? "lineTo" : "moveTo"](x + dx * size, y + dy * size));
    c.closePath();
}
