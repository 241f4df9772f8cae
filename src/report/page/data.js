/* The data of the page. Columns are unpacked on first use. */

async function inflate(base64) {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Decodes LEB128: seven bits per byte, lowest bits first. */
function readNumbers(bytes, at, count) {
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
        let value = 0;
        let scale = 1;
        let byte;
        do {
            byte = bytes[at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte & 128);
        values[i] = value;
    }
    return values;
}

/* Decodes reals: 0 is NaN; otherwise 2 n + 1, plus 1 if negative, with n in units of 1e-8. */
function toReals(codes) {
    return codes.map((code) => {
        if (code === 0) return NaN;
        const size = Number((Math.floor((code - 1) / 2) / 1e8).toPrecision(7));
        return (code - 1) % 2 ? -size : size;
    });
}

/* A table of the data: columns by name, in two packs. The first has the columns that the views
 * use. */
class Columns {
    constructor(data) {
        this.data = data || { rows: 0, columns: {}, zero: [], packs: [] };
        this.rows = this.data.rows;
        this.zeros = new Set(this.data.zero);
        this.values = new Map();
        this.packs = [];
        this.names = [...Object.keys(this.data.columns), ...this.zeros];
    }

    has(name) {
        return this.zeros.has(name) || Object.hasOwn(this.data.columns, name);
    }

    kind(name) {
        return this.zeros.has(name) ? "whole" : this.data.columns[name].kind;
    }

    /* Loads the first pack, or both. */
    async load(rest) {
        const wanted = this.data.packs
            .map((_, i) => i)
            .filter((i) => !this.packs[i] && (rest || i === 0));
        await Promise.all(
            wanted.map(async (i) => {
                this.packs[i] = await inflate(this.data.packs[i]);
            }),
        );
    }

    unpack(name) {
        if (!this.has(name) || this.zeros.has(name)) return new Float64Array(this.rows);
        const { kind, pack, at, words } = this.data.columns[name];
        if (!this.packs[pack]) throw new Error(`${name} is not loaded`);
        const numbers = readNumbers(this.packs[pack], at, this.rows);
        return kind === "text"
            ? Array.from(numbers, (n) => words[n])
            : kind === "real"
              ? toReals(numbers)
              : numbers;
    }

    /* Returns zeros if there is no such column. */
    column(name) {
        if (!this.values.has(name)) this.values.set(name, this.unpack(name));
        return this.values.get(name);
    }
}

const STATES = ["busy", "waiting", "blocked", "starved"];

/* A run of the page: its frames by number, and its tables with start cycles of rows. */
class Run {
    constructor(data, number, page) {
        this.data = data;
        this.number = number;
        this.page = page;
        this.letter = String.fromCharCode(65 + number);
        this.name = data.name;
        this.facts = data.facts;
        this.frames = data.frames || [];
        this.draws = new Columns(data.tables.draws);
        this.intervals = new Columns(data.tables.cycles);
        this.frameRows = new Columns(data.tables.frames);
        this.gains = new Columns(data.tables.gains); /* per row of draws */
        this.maps = new Map();
        this.tiles = new Map();
    }

    /* Loads the data that all views need. */
    async load() {
        await Promise.all(
            [this.draws, this.intervals, this.frameRows, this.gains].map((table) => table.load()),
        );
        this.drawTimes = this.times(this.draws);
        this.intervalTimes = this.times(this.intervals);
        this.units = Object.keys(this.page.units).filter((u) =>
            STATES.some((s) =>
                [this.draws, this.intervals, this.frameRows].some((t) => t.has(`${u}.${s}_cycles`)),
            ),
        );
    }

    /* Start of each row in its frame, and the rows of each frame: [first, end). */
    times(table) {
        const frame = table.column("frame");
        const cycles = table.column("cycles");
        const start = new Float64Array(table.rows);
        const frames = new Map();
        let now = 0;
        for (let i = 0; i < table.rows; i++) {
            if (!frames.has(frame[i])) {
                frames.set(frame[i], [i, i]);
                now = 0;
            }
            start[i] = now;
            now += cycles[i];
            frames.get(frame[i])[1] = i + 1;
        }
        return { start, frames };
    }

    /* The whole steps of a table that overlap a range of cycles of a frame: {table, rows, range},
     * where rows is [first, end). null: none. */
    wholeSteps(table, frame, [from, to]) {
        const { start, frames } = table === this.draws ? this.drawTimes : this.intervalTimes;
        const cycles = table.column("cycles");
        let [first, last] = frames.get(frame) || [0, 0];
        const end = (i) => start[i] + cycles[i];
        const all = last > first ? end(last - 1) : 0;
        while (first < last && (end(first) < from || (end(first) === from && cycles[first])))
            first++; /* a step may have no cycles */
        while (first < last && start[last - 1] >= to && to < all) last--;
        return first < last
            ? { table, rows: [first, last], range: [start[first], end(last - 1)] }
            : null;
    }

    /* The steps that a range of cycles covers. They are draws if both ends of the range are ends of
     * draws, else intervals. The range is extended to their ends. */
    steps(frame, range) {
        const found = [this.draws, this.intervals]
            .map((table) => this.wholeSteps(table, frame, range))
            .filter(Boolean);
        return found.find((s) => String(s.range) === String(range)) || found.at(-1) || null;
    }

    frame(number) {
        return this.frames.find((f) => f.frame === number);
    }

    /* A map: width, height and a level per pixel; null: none. */
    async map(number, name) {
        const key = number + " " + name;
        if (!this.maps.has(key)) {
            const map = this.frame(number)?.maps?.[name];
            this.maps.set(
                key,
                map
                    ? inflate(map.data).then((levels) => ({
                          width: map.width,
                          height: map.height,
                          levels,
                      }))
                    : null,
            );
        }
        return this.maps.get(key);
    }

    /* Table of draws per tile of a frame; null: none. */
    async tileTable(number) {
        if (!this.tiles.has(number)) {
            const packed = this.frame(number)?.tiles;
            this.tiles.set(number, packed ? loadTiles(packed) : null);
        }
        return this.tiles.get(number);
    }

    /* Row of a draw in the table of draws; -1: none. */
    drawRow(frame, draw) {
        const [first, last] = this.drawTimes.frames.get(frame) || [0, 0];
        const work = this.draws.column("work");
        const numbers = this.draws.column("draw");
        for (let i = first; i < last; i++) if (work[i] === "draw" && numbers[i] === draw) return i;
        return -1;
    }

    /* Returns "0:12" or "0 upload". */
    drawName(row) {
        const work = this.draws.column("work")[row];
        const frame = this.draws.column("frame")[row];
        return work === "draw" ? `${frame}:${this.draws.column("draw")[row]}` : `${frame} ${work}`;
    }

    trace() {
        return this.facts.trace || "TRACE";
    }

    /* Command-line options that give the same machine. */
    machineOptions() {
        const { values, preset } = this.data.machine || {};
        let text = this.facts.preset ? " --preset " + quoted(this.facts.preset) : "";
        if (!values || !preset) return text;
        this.page.parameters.forEach(([name], i) => {
            if (values[i] !== preset[i] && !name.startsWith("SIMULATOR."))
                text += ` --set ${quoted(name + "=" + values[i])}`;
        });
        return text;
    }
}

async function loadTiles(packed) {
    const table = new Columns(packed);
    await table.load();
    const [x, y, row, draw, fragments, written] = [
        "x",
        "y",
        "row",
        "draw",
        "fragments",
        "written",
    ].map((n) => table.column(n));
    const key = (px, py) => Math.floor(py / 8) * 8192 + Math.floor(px / 8);
    const places = new Map(); /* first row of each tile; rows of a tile are adjacent */
    for (let i = 0; i < table.rows; i++)
        if (!i || x[i] !== x[i - 1] || y[i] !== y[i - 1]) places.set(key(x[i], y[i]), i);
    /* the picture may be upside down relative to the surface */
    const flipped = table.rows > 0 && row[0] !== y[0];
    const height = flipped ? row[0] + y[0] + 1 : 0;
    return {
        draw,
        fragments,
        written,
        flipped,
        surfaceRow: (pictureRow) => (flipped ? height - 1 - pictureRow : pictureRow),
        /* Rows of the tile that contains a pixel of the surface. */
        at(px, py) {
            const rows = [];
            const first = places.get(key(px, py));
            for (let i = first; i < table.rows && x[i] === x[first] && y[i] === y[first]; i++)
                rows.push(i);
            return rows;
        },
        /* Rows of a draw. */
        of(number) {
            const rows = [];
            for (let i = 0; i < table.rows; i++) if (draw[i] === number) rows.push(i);
            return rows;
        },
        /* Rectangle of a row in the picture: [x, y, width, height]. */
        rectangle: (i) => (flipped ? [x[i], row[i] - 7, 8, 8] : [x[i], row[i], 8, 8]),
    };
}
