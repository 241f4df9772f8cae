/* The selection that all views share: a run, a frame, a draw (a row of its table) or a range of
 * cycles (of whole steps: Run.steps), a pixel. The page's address stores it. */
class Selection {
    constructor(runs) {
        this.runs = runs;
        this.listeners = [];
        this.run = runs[0];
        this.frame = runs[0].frames.length ? runs[0].frames[0].frame : 0;
        this.row = -1;
        this.cycles = null; /* [from, to] */
        this.pixel = null; /* [x, y], in the coordinates of --pixel */
        this.zoom = null; /* [from, to] of the timeline */
    }

    listen(fn) {
        this.listeners.push(fn);
    }

    /* {run, frame, row, cycles, pixel, zoom}: the properties to change. A change of run or frame
     * clears the rest. A row clears the range of cycles, and a range clears the row. */
    set(change, fromAddress) {
        const before = {
            run: this.run,
            frame: this.frame,
            row: this.row,
            cycles: this.cycles,
            pixel: this.pixel,
            zoom: this.zoom,
        };
        if ("run" in change && change.run !== this.run) {
            this.run = change.run;
            this.row = -1;
            this.cycles = this.zoom = null;
            if (!this.run.frame(this.frame) && this.run.frames.length)
                this.frame = this.run.frames[0].frame;
        }
        if ("row" in change && change.row >= 0) {
            const frame = this.run.draws.column("frame")[change.row];
            if (frame !== this.frame) change = { ...change, frame };
        }
        if ("frame" in change && change.frame !== this.frame) {
            this.frame = change.frame;
            this.row = -1;
            this.cycles = this.zoom = this.pixel = null;
        }
        for (const name of ["row", "cycles", "pixel", "zoom"])
            if (name in change) this[name] = change[name];
        if (change.row >= 0) this.cycles = null;
        else if (change.cycles) {
            this.cycles = this.run.steps(this.frame, change.cycles)?.range || null;
            this.row = -1;
        }
        const changed = new Set(
            Object.keys(before).filter(
                (n) => String(before[n]) !== String(this[n]) || before[n] !== this[n],
            ),
        );
        if (!changed.size) return;
        if (!fromAddress) history.replaceState(null, "", this.address());
        for (const fn of this.listeners) fn(changed);
    }

    address() {
        const parts = [];
        if (this.run.number) parts.push("run=" + this.run.letter);
        parts.push("frame=" + this.frame);
        if (this.row >= 0) {
            const { draws } = this.run;
            const work = draws.column("work")[this.row];
            parts.push(
                work === "draw"
                    ? "draw=" + draws.column("draw")[this.row]
                    : "row=" + (this.row - this.run.drawTimes.frames.get(this.frame)[0]),
            );
        }
        if (this.cycles) parts.push("cycles=" + this.cycles.map(Math.round).join("-"));
        if (this.pixel) parts.push("pixel=" + this.pixel.join(","));
        return "#" + parts.join("&");
    }

    follow(address) {
        const wanted = new URLSearchParams(address.replace(/^#/, ""));
        const number = (name) =>
            /^\d+$/.test(wanted.get(name) || "") ? Number(wanted.get(name)) : -1;
        const pair = (name, separator) => {
            const values = (wanted.get(name) || "").split(separator).map(Number);
            return values.length === 2 && values.every((v) => Number.isFinite(v) && v >= 0)
                ? values
                : null;
        };
        const cycles = pair("cycles", "-");
        const run = this.runs.find((r) => r.letter === wanted.get("run")) || this.runs[0];
        const frame = run.frame(number("frame")) ? number("frame") : run.frames[0]?.frame || 0;
        const rows = run.drawTimes.frames.get(frame);
        let row = number("draw") >= 0 ? run.drawRow(frame, number("draw")) : -1;
        if (number("row") >= 0 && rows && rows[0] + number("row") < rows[1])
            row = rows[0] + number("row");
        this.set(
            {
                run,
                frame,
                row,
                cycles: cycles && cycles[0] < cycles[1] ? cycles : null,
                pixel: pair("pixel", ","),
            },
            true,
        );
        if (cycles)
            history.replaceState(
                null,
                "",
                this.address(),
            ); /* the range may have grown to whole steps */
    }
}

/* The selection as rows of a table: a draw (or other work), the steps of a range, or the whole
 * frame. Returns {title, name, table, rows, cycles, sum, has}, plus "row" (-1: none) for a draw and
 * "range" for steps. */
function selectedRows(selection) {
    const { run, frame, row, cycles } = selection;
    const made = (title, name, table, rows, more) => {
        const sum = (of) => {
            const values = table.column(of);
            return rows.reduce(
                of.endsWith("_peak")
                    ? (most, i) => Math.max(most, values[i])
                    : (all, i) => all + values[i],
                0,
            );
        };
        return {
            title,
            name,
            table,
            rows,
            row: -1,
            cycles: rows.length ? sum("cycles") : run.frame(frame)?.cycles || 0,
            sum,
            has: (of) => rows.length > 0 && table.has(of),
            ...more,
        };
    };
    const between = ([first, last]) => Array.from({ length: last - first }, (_, i) => first + i);
    if (row >= 0) {
        const work = run.draws.column("work")[row];
        const name = run.drawName(row);
        return made(
            work === "draw" ? "Draw " + name : name,
            work === "draw" ? "draw " + name : `the ${work} of frame ${frame}`,
            run.draws,
            [row],
            { row },
        );
    }
    const steps = cycles && run.steps(frame, cycles);
    if (steps) {
        const name = `ycles ${whole(cycles[0])} to ${whole(cycles[1])} of frame ${frame}`;
        return made("C" + name, "c" + name, steps.table, between(steps.rows), {
            range: steps.range,
        });
    }
    const at = run.frameRows.column("frame").indexOf(frame);
    const rows = at >= 0 ? [at] : between(run.drawTimes.frames.get(frame) || [0, 0]);
    return made("Frame " + frame, "frame " + frame, at >= 0 ? run.frameRows : run.draws, rows);
}
