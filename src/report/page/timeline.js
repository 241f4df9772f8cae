/* The activity of each unit over the cycles of a frame, below the draws, on a canvas. Dragging
 * selects cycles. The wheel with Ctrl, and the keys + - 0, zoom. Arrow keys step through the
 * draws. */
const LANE = 20;
const GUTTER = 92;
const RULER = 18;

class Timeline {
    constructor(selection) {
        this.selection = selection;
        const { node, head, body } = section(
            "timeline",
            "Timeline",
            "Drag to select cycles. Ctrl and the wheel zoom. Keys: ← → select draws, + − 0 zoom, z zooms to the selection.",
        );
        this.node = node;
        this.canvas = el("canvas.timeline", {
            tabindex: 0,
            role: "img",
            "aria-label": "timeline of the units",
        });
        this.readout = el("p.readout", { text: "\u00a0" });
        this.steps = el("div.tabs", { role: "radiogroup", "aria-label": "steps of the timeline" });
        this.buttons = el(
            "div.tabs",
            null,
            el("button", {
                type: "button",
                text: "+",
                title: "closer (+)",
                onclick: () => this.zoomBy(0.5),
            }),
            el("button", {
                type: "button",
                text: "−",
                title: "further (−)",
                onclick: () => this.zoomBy(2),
            }),
            el("button", {
                type: "button",
                text: "all",
                title: "the whole frame (0)",
                onclick: () => selection.set({ zoom: null }),
            }),
            el("button", {
                type: "button",
                text: "zoom to selection",
                title: "z",
                onclick: () => this.zoomToSelection(),
            }),
        );
        const legend = el(
            "div.keys",
            null,
            STATES.map((s) => el("span.key", null, el("i.state-" + s), s)),
        );
        head.append(el("div.tools", null, this.steps, this.buttons));
        this.bounds = el("div.keys", { "aria-label": "draws are bound by" });
        body.append(legend, this.bounds, this.canvas, this.readout);
        this.by = "intervals";
        this.draw = later(() => this.paint());
        this.canvas.addEventListener("pointermove", (e) => this.move(e));
        this.canvas.addEventListener("pointerleave", () => {
            if (!this.drag) {
                this.hoverAt = null;
                this.draw();
            }
        });
        this.canvas.addEventListener("pointerdown", (e) => this.down(e));
        this.canvas.addEventListener("pointerup", (e) => this.up(e));
        this.canvas.addEventListener("pointercancel", () => {
            this.drag = null;
            this.draw();
        });
        this.canvas.addEventListener("dblclick", () => selection.set({ zoom: null, cycles: null }));
        this.canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
        this.canvas.addEventListener("keydown", (e) => this.key(e));
        selection.listen((changed) => {
            if (changed.has("run") || changed.has("frame")) this.load();
            else this.draw();
        });
        new ResizeObserver(this.draw).observe(body);
        this.load();
    }

    load() {
        const { run, frame } = this.selection;
        const rows = (times) => {
            const r = times.frames.get(frame);
            return r ? r[1] - r[0] : 0;
        };
        const choices = [
            ["intervals", "by interval", rows(run.intervalTimes)],
            ["draws", "by draw", rows(run.drawTimes)],
        ].filter(([, , n]) => n > 0);
        if (!choices.some(([name]) => name === this.by) || !this.chosen)
            this.by = (choices.slice().sort((a, b) => b[2] - a[2])[0] || ["intervals"])[0];
        clear(
            this.steps,
            choices.map(([name, title, count]) =>
                el("button", {
                    type: "button",
                    role: "radio",
                    "aria-checked": String(name === this.by),
                    text: title,
                    title: plural(count, "step"),
                    onclick: () => {
                        this.by = name;
                        this.chosen = true;
                        this.load();
                    },
                }),
            ),
        );
        this.total = this.frameCycles();
        this.readout.textContent = "\u00a0";
        const [first, last] = run.drawTimes.frames.get(frame) || [0, 0];
        const bound = run.draws.has("bound_by")
            ? run.draws.column("bound_by").slice(first, last)
            : [];
        const names = Object.keys(BOUND_COLORS).filter((n) => bound.includes(n));
        clear(
            this.bounds,
            names.length ? "draws bound by" : null,
            names.map((n) =>
                el("span.key", null, el("i", { style: `background:${boundColor(n)}` }), n),
            ),
        );
        this.draw();
    }

    frameCycles() {
        const { run, frame } = this.selection;
        return run.frame(frame)?.cycles || 1;
    }

    source() {
        const { run, frame } = this.selection;
        const [table, times] =
            this.by === "draws" ? [run.draws, run.drawTimes] : [run.intervals, run.intervalTimes];
        const [first, last] = times.frames.get(frame) || [0, 0];
        return { table, start: times.start, first, last };
    }

    view() {
        return this.selection.zoom || [0, this.total];
    }

    toX(cycle) {
        const [from, to] = this.view();
        return GUTTER + ((cycle - from) / (to - from)) * (this.width - GUTTER);
    }

    toCycle(x) {
        const [from, to] = this.view();
        return Math.max(
            0,
            Math.min(this.total, from + ((x - GUTTER) / (this.width - GUTTER)) * (to - from)),
        );
    }

    paint() {
        const { run } = this.selection;
        this.units = run.units;
        this.width = Math.max(300, this.node.querySelector(".body").clientWidth);
        this.follow = followLane(run, this.selection.frame);
        const extra = this.follow ? LANE + 6 : 0;
        this.top = RULER + LANE + 8 + extra;
        const height = this.top + this.units.length * LANE + 4;
        const c = sharpCanvas(this.canvas, this.width, height);
        c.font = "12px " + cssColor("--sans");
        c.textBaseline = "middle";
        this.paintRuler(c, height);
        this.paintDraws(c);
        if (this.follow) this.paintFollow(c);
        this.paintUnits(c);
        this.paintSelection(c, height);
    }

    paintRuler(c, height) {
        const [from, to] = this.view();
        const about = (to - from) / Math.max(2, (this.width - GUTTER) / 110);
        const power = 10 ** Math.floor(Math.log10(about));
        const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= about) || power;
        c.fillStyle = cssColor("--soft");
        c.strokeStyle = cssColor("--line");
        c.lineWidth = 1;
        c.textAlign = "left";
        c.fillText("cycles", 0, RULER / 2);
        c.textAlign = "center";
        for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
            const x = Math.round(this.toX(at)) + 0.5;
            c.beginPath();
            c.moveTo(x, RULER - 3);
            c.lineTo(x, height);
            c.stroke();
            if (x < this.width - 18) c.fillText(short(at), Math.max(x, GUTTER + 6), RULER / 2);
        }
    }

    paintDraws(c) {
        const { run, frame, row } = this.selection;
        const [first, last] = run.drawTimes.frames.get(frame) || [0, 0];
        const [cycles, work] = [run.draws.column("cycles"), run.draws.column("work")];
        const bound = run.draws.has("bound_by") ? run.draws.column("bound_by") : null;
        const [from, to] = this.view();
        c.textAlign = "left";
        c.fillStyle = cssColor("--ink");
        c.fillText("draws", 0, RULER + LANE / 2);
        let covered = -1;
        for (let i = first; i < last; i++) {
            const begin = run.drawTimes.start[i];
            if (begin + cycles[i] < from || begin > to || !cycles[i]) continue;
            const left = Math.max(GUTTER, this.toX(begin));
            const right = Math.min(this.width, this.toX(begin + cycles[i]));
            if (right < covered + 0.4 && i !== row) continue; /* hidden by earlier rectangles */
            covered = right;
            c.fillStyle = work[i] === "draw" ? boundColor(bound && bound[i]) : cssColor("--shade");
            c.fillRect(left, RULER, Math.max(0.6, right - left - (right - left > 3 ? 1 : 0)), LANE);
            const name = work[i] === "draw" ? String(run.draws.column("draw")[i]) : work[i];
            if (right - left > c.measureText(name).width + 8) {
                c.fillStyle =
                    work[i] === "draw" ? inkOn(boundColor(bound && bound[i])) : cssColor("--ink");
                c.fillText(name, left + 4, RULER + LANE / 2 + 0.5);
            }
        }
        if (row >= 0 && cycles[row]) {
            const left = Math.max(GUTTER, this.toX(run.drawTimes.start[row]));
            const right = Math.min(this.width, this.toX(run.drawTimes.start[row] + cycles[row]));
            if (right >= GUTTER && left <= this.width) {
                c.strokeStyle = cssColor("--ink");
                c.lineWidth = 2;
                c.strokeRect(left, RULER, Math.max(2, right - left), LANE);
            }
        }
    }

    paintFollow(c) {
        const y = RULER + LANE + 6;
        c.fillStyle = cssColor("--ink");
        c.textAlign = "left";
        c.fillText("followed", 0, y + LANE / 2);
        for (const step of this.follow) {
            const left = Math.max(GUTTER, this.toX(step.from));
            const right = Math.min(this.width, this.toX(step.to));
            if (right < GUTTER || left > this.width) continue;
            c.fillStyle = OKABE[step.color % OKABE.length];
            c.fillRect(left, y, Math.max(1.5, right - left), LANE - 2);
        }
    }

    /* Share of each state per pixel column, from the steps that overlap the column. */
    shares(unit, columns) {
        const { table, start, first, last } = this.source();
        const [from, to] = this.view();
        const cycles = table.column("cycles");
        const values = STATES.map((s) => table.column(`${unit}.${s}_cycles`));
        const sums = STATES.map(() => new Float64Array(columns));
        const per = (to - from) / columns;
        for (let i = first; i < last; i++) {
            const begin = start[i];
            const end = begin + cycles[i];
            if (end <= from || begin >= to || !cycles[i]) continue;
            const all = values.reduce((sum, v) => sum + v[i], 0) || 1;
            const left = Math.max(0, (begin - from) / per);
            const right = Math.min(columns, (end - from) / per);
            for (let x = Math.floor(left); x < right; x++) {
                const part = Math.min(x + 1, right) - Math.max(x, left);
                for (let s = 0; s < STATES.length; s++) sums[s][x] += (part * values[s][i]) / all;
            }
        }
        return sums;
    }

    /* Paints device pixels: each column of a lane stacks the shares of its states. */
    paintUnits(c) {
        const ratio = window.devicePixelRatio || 1;
        const columns = Math.max(1, Math.floor((this.width - GUTTER) * ratio));
        const rows = Math.round((LANE - 3) * ratio);
        const [ground, ...colors] = [
            cssColor("--panel2"),
            ...STATES.slice(0, 3).map((s) => STATE_COLORS[s]),
        ].map(pixelOf);
        c.fillStyle = cssColor("--ink");
        c.textAlign = "left";
        this.units.forEach((unit, u) => {
            const y = this.top + u * LANE;
            c.fillText(unit, 0, y + LANE / 2);
            const sums = this.shares(unit, columns);
            const image = c.createImageData(columns, rows);
            const pixels = new Uint32Array(image.data.buffer).fill(ground);
            for (let x = 0; x < columns; x++) {
                let [share, at] = [0, 0];
                for (let s = 0; s < 3; s++) {
                    /* starved: background color */
                    share += sums[s][x];
                    for (const to = Math.round(share * rows); at < to; at++)
                        pixels[(rows - 1 - at) * columns + x] = colors[s];
                }
            }
            c.putImageData(image, Math.round(GUTTER * ratio), Math.round((y + 1) * ratio));
        });
    }

    paintSelection(c, height) {
        const range = this.drag ? this.range(this.drag) : this.selection.cycles;
        if (range) {
            const left = Math.max(GUTTER, this.toX(range[0]));
            const right = Math.min(this.width, this.toX(range[1]));
            if (right > left) {
                c.fillStyle = cssColor("--brush");
                c.fillRect(left, RULER, right - left, height - RULER);
                c.strokeStyle = cssColor("--accent");
                c.lineWidth = 1.5;
                c.strokeRect(left, RULER + 0.5, right - left, height - RULER - 1);
            }
        }
        if (this.hoverAt !== null && this.hoverAt !== undefined) {
            const x = Math.round(this.toX(this.hoverAt)) + 0.5;
            c.strokeStyle = cssColor("--accent");
            c.lineWidth = 1;
            c.beginPath();
            c.moveTo(x, RULER);
            c.lineTo(x, height);
            c.stroke();
        }
    }

    rowAt(table, times, cycle) {
        const [first, last] = times.frames.get(this.selection.frame) || [0, 0];
        let [low, high] = [first, last];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (times.start[middle] <= cycle) low = middle + 1;
            else high = middle;
        }
        return low > first ? low - 1 : last > first ? first : -1;
    }

    move(event) {
        const box = this.canvas.getBoundingClientRect();
        const [x, y] = [event.clientX - box.left, event.clientY - box.top];
        this.hoverAt = this.toCycle(x);
        if (this.drag) this.drag.to = this.hoverAt;
        this.showReadout(this.hoverAt, Math.floor((y - this.top) / LANE));
        this.draw();
    }

    showReadout(cycle, lane) {
        const { run } = this.selection;
        const draw = this.rowAt(run.draws, run.drawTimes, cycle);
        let text = `cycle ${whole(cycle)}`;
        if (draw >= 0 && run.draws.rows)
            text += `: ${run.draws.column("work")[draw] === "draw" ? "draw " : ""}${run.drawName(draw)}, ${plural(run.draws.column("cycles")[draw], "cycle")}`;
        const unit = this.units[lane];
        const { table } = this.source();
        const row = this.rowAt(
            table,
            this.by === "draws" ? run.drawTimes : run.intervalTimes,
            cycle,
        );
        if (unit && row >= 0) {
            const values = STATES.map((s) => table.column(`${unit}.${s}_cycles`)[row]);
            const all = values.reduce((a, b) => a + b, 0) || 1;
            text +=
                `; ${unit} (${run.page.units[unit]}): ` +
                STATES.map((s, i) => `${s} ${percent(values[i] / all)}`).join(", ");
        }
        this.readout.textContent = text;
    }

    down(event) {
        if (event.button) return;
        const box = this.canvas.getBoundingClientRect();
        if (event.clientX - box.left < GUTTER) return;
        this.canvas.setPointerCapture(event.pointerId);
        const at = this.toCycle(event.clientX - box.left);
        this.drag = { from: at, to: at, x: event.clientX, y: event.clientY - box.top };
    }

    up(event) {
        const drag = this.drag;
        this.drag = null;
        if (!drag) return;
        const { run } = this.selection;
        if (Math.abs(event.clientX - drag.x) < 4) {
            const row = this.rowAt(run.draws, run.drawTimes, drag.from);
            this.selection.set({ cycles: null, row: run.draws.rows ? row : -1 });
        } else this.selection.set({ cycles: this.range(drag) });
        this.draw();
    }

    /* The range that a drag selects: whole steps, because statistics exist for whole steps only. */
    range(drag) {
        const { run, frame } = this.selection;
        return (
            run.wholeSteps(
                this.source().table,
                frame,
                [drag.from, drag.to].sort((a, b) => a - b),
            )?.range || null
        );
    }

    zoomBy(factor, around) {
        const [from, to] = this.view();
        const middle = around ?? (from + to) / 2;
        const size = Math.max(50, Math.min(this.total, (to - from) * factor));
        const begin = Math.max(
            0,
            Math.min(this.total - size, middle - ((middle - from) / (to - from)) * size),
        );
        this.selection.set({ zoom: size >= this.total ? null : [begin, begin + size] });
    }

    zoomToSelection() {
        const { run, row, cycles } = this.selection;
        if (cycles) this.selection.set({ zoom: cycles.slice() });
        else if (row >= 0) {
            const size = Math.max(50, run.draws.column("cycles")[row]);
            const from = Math.max(0, run.drawTimes.start[row] - size * 0.25);
            this.selection.set({ zoom: [from, Math.min(this.total, from + size * 1.5)] });
        }
    }

    wheel(event) {
        const across = event.shiftKey ? event.deltaY : event.deltaX;
        if (!event.ctrlKey && !event.metaKey && !across) return;
        event.preventDefault();
        const box = this.canvas.getBoundingClientRect();
        if (event.ctrlKey || event.metaKey)
            return this.zoomBy(
                event.deltaY > 0 ? 1.25 : 0.8,
                this.toCycle(event.clientX - box.left),
            );
        const [from, to] = this.view();
        const by = ((to - from) * across) / 800;
        const begin = Math.max(0, Math.min(this.total - (to - from), from + by));
        if (this.selection.zoom) this.selection.set({ zoom: [begin, begin + to - from] });
    }

    /* Selects the previous or next draw. */
    step(way) {
        const { run, frame, row } = this.selection;
        const [first, last] = run.drawTimes.frames.get(frame) || [0, 0];
        const work = run.draws.column("work");
        let next = row < 0 ? (way > 0 ? first - 1 : last) : row;
        do next += way;
        while (next >= first && next < last && work[next] !== "draw");
        if (next >= first && next < last) this.selection.set({ row: next });
    }

    key(event) {
        const done = {
            ArrowRight: () => this.step(1),
            ArrowLeft: () => this.step(-1),
            "+": () => this.zoomBy(0.5),
            "=": () => this.zoomBy(0.5),
            "-": () => this.zoomBy(2),
            0: () => this.selection.set({ zoom: null }),
            z: () => this.zoomToSelection(),
            Escape: () => this.selection.set({ cycles: null, row: -1 }),
        }[event.key];
        if (!done || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        done();
    }
}

/* Converts "#rrggbb" to a pixel of canvas image data. */
function pixelOf(color) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
    return new Uint32Array(new Uint8Array([r, g, b, 255]).buffer)[0];
}

/* Black or white, whichever has more contrast with the color. */
function inkOn(color) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000" : "#fff";
}
