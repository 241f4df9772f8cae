/* The frame and its maps. A click on a pixel selects its tile and lists the tile's draws. */
class FrameView {
    constructor(selection) {
        this.selection = selection;
        this.mode = "picture";
        this.size = [selection.run.facts.width, selection.run.facts.height];
        this.image = this.tiles = this.levels = null;
        const { node, body } = section(
            "frame",
            "Frame",
            "Click the picture to list the draws of that 8×8 tile.",
        );
        this.node = node;
        this.tabs = el("div.tabs", { role: "radiogroup", "aria-label": "what is shown" });
        this.canvas = el("canvas.picture", { tabindex: 0, role: "img" });
        this.overlay = el("canvas.overlay", { "aria-hidden": "true" });
        this.readout = el("p.readout", { text: "\u00a0" });
        this.legend = el("div.legend");
        this.tile = el("div.tile");
        const stage = el("div.stage", null, this.canvas, this.overlay);
        body.append(
            this.tabs,
            el(
                "div.frame-columns",
                null,
                el("div", null, stage, this.readout, this.legend),
                this.tile,
            ),
        );
        this.canvas.addEventListener("pointermove", (e) => this.hover(this.pixelAt(e)));
        this.canvas.addEventListener("pointerleave", () => this.hover(null));
        this.canvas.addEventListener("click", (e) => this.pick(this.pixelAt(e)));
        this.canvas.addEventListener("keydown", (e) => this.key(e));
        selection.listen((changed) => {
            if (changed.has("frame") || changed.has("run")) this.load();
            else if (changed.has("pixel") || changed.has("row")) this.mark();
        });
        this.shown = this.load();
    }

    /* The frame object that has the picture. A picture equal to the first run's is stored only
     * there. */
    pictured(number) {
        const [own, first] = [
            this.selection.run.frame(number),
            this.selection.runs[0].frame(number),
        ];
        return own && !own.picture && first?.hash === own.hash ? first : own;
    }

    /* Whether the selection changed while data was loading, so that the result is out of date. */
    isLate(run, frame) {
        return run !== this.selection.run || frame !== this.selection.frame;
    }

    async load() {
        const { run, frame } = this.selection;
        const at = run.frame(frame);
        const pictured = this.pictured(frame);
        const image = pictured?.picture ? new Image() : null;
        if (image) {
            image.src = pictured.picture;
            await image.decode().catch(() => notify("The picture of this frame cannot be read."));
        }
        const tiles = await run.tileTable(frame);
        if (this.isLate(run, frame)) return;
        this.size = [pictured?.width || run.facts.width, pictured?.height || run.facts.height];
        [this.image, this.tiles] = [image, tiles];
        this.hover(null);
        const there = Object.entries(MAPS).filter(([, m]) => at?.maps?.[m.map]);
        if (this.mode !== "picture" && !there.some(([name]) => name === this.mode))
            this.mode = "picture";
        const modes = [["picture", { title: "Picture", what: "the rendered frame" }], ...there];
        clear(
            this.tabs,
            modes.map(([name, m]) =>
                el("button", {
                    type: "button",
                    role: "radio",
                    "aria-checked": String(name === this.mode),
                    title: m.what,
                    "data-mode": name,
                    text: m.title,
                    onclick: () => this.setMode(name),
                }),
            ),
        );
        if (!there.length)
            this.tabs.append(
                el("span.note", {
                    text: "No maps in this run. `aetius sim TRACE --map all` writes them.",
                }),
            );
        await this.draw();
        if (!this.isLate(run, frame)) this.mark();
    }

    async setMode(name) {
        this.mode = name;
        for (const button of this.tabs.querySelectorAll("button"))
            button.setAttribute("aria-checked", String(button.dataset.mode === name));
        await this.draw();
    }

    async draw() {
        const { run, frame } = this.selection;
        const [width, height] = this.size;
        const context = this.canvas.getContext("2d");
        const name = this.mode;
        const mode = MAPS[name];
        const levels = mode ? await run.map(frame, mode.map) : null;
        if (this.isLate(run, frame) || name !== this.mode) return;
        this.levels = levels;
        this.hover(null);
        const source =
            this.levels ||
            (this.image
                ? { width: this.image.naturalWidth, height: this.image.naturalHeight }
                : { width, height });
        this.canvas.width = source.width;
        this.canvas.height = source.height;
        this.canvas.style.aspectRatio = `${width} / ${height}`;
        this.canvas.style.imageRendering = mode || source.width === width ? "pixelated" : "auto";
        if (this.levels) {
            const colors = new Uint32Array(256);
            const bytes = new Uint8Array(colors.buffer);
            for (let level = 0; level < 256; level++) {
                const share = mode.share(level);
                bytes.set([...(share > 0 ? cividis(share) : [0, 0, 0]), 255], 4 * level);
            }
            const pixels = context.createImageData(source.width, source.height);
            const words = new Uint32Array(pixels.data.buffer);
            for (let i = 0; i < words.length; i++) words[i] = colors[this.levels.levels[i]];
            context.putImageData(pixels, 0, 0);
        } else if (this.image) {
            context.drawImage(this.image, 0, 0);
        } else {
            context.fillStyle = cssColor("--shade");
            context.fillRect(0, 0, width, height);
        }
        this.canvas.setAttribute(
            "aria-label",
            `frame ${frame}: ${mode ? mode.what : "the picture"}, ${width} by ${height} pixels. Arrow keys move a pixel, Enter selects its tile.`,
        );
        this.drawLegend(mode);
    }

    drawLegend(mode) {
        if (!mode) return clear(this.legend);
        const stops = [];
        for (let i = 0; i <= 20; i++) stops.push(`rgb(${cividis(i / 20).join(",")}) ${5 * i}%`);
        const bar = el("div.gradient", {
            style: `background:linear-gradient(to right,${stops.join(",")})`,
        });
        const ticks = el(
            "div.ticks",
            null,
            mode.ticks.map(([at, text]) =>
                el("span", { style: `left:${(100 * at).toFixed(1)}%`, text }),
            ),
        );
        clear(
            this.legend,
            bar,
            ticks,
            el("p", { text: `${mode.what}${mode.unit ? ` (${mode.unit})` : ""}; black: none` }),
        );
    }

    /* Pixel of the picture, counted from its top left. */
    pixelAt(event) {
        const box = this.canvas.getBoundingClientRect();
        const x = Math.floor(((event.clientX - box.left) / box.width) * this.size[0]);
        const y = Math.floor(((event.clientY - box.top) / box.height) * this.size[1]);
        return x >= 0 && y >= 0 && x < this.size[0] && y < this.size[1] ? [x, y] : null;
    }

    hover(at) {
        if (!at) {
            this.readout.textContent = "\u00a0";
            return;
        }
        let text = `pixel ${at.join(", ")}`;
        if (this.levels) {
            const x = Math.floor((at[0] * this.levels.width) / this.size[0]);
            const y = Math.floor((at[1] * this.levels.height) / this.size[1]);
            text += ": " + MAPS[this.mode].text(this.levels.levels[y * this.levels.width + x]);
        }
        const count = this.tiles ? this.tiles.at(at[0], this.tiles.surfaceRow(at[1])).length : 0;
        if (this.tiles) text += `; ${plural(count, "draw")} in its tile`;
        this.readout.textContent = text;
    }

    pick(at) {
        if (at)
            this.selection.set({
                pixel: [at[0], this.tiles ? this.tiles.surfaceRow(at[1]) : at[1]],
            });
    }

    key(event) {
        const step = event.shiftKey ? 1 : 8;
        const move = {
            ArrowLeft: [-step, 0],
            ArrowRight: [step, 0],
            ArrowUp: [0, -step],
            ArrowDown: [0, step],
        }[event.key];
        if (event.key === "Escape") this.selection.set({ pixel: null });
        if (!move) return;
        event.preventDefault();
        event.stopPropagation();
        const now = this.selection.pixel
            ? this.pictureOfPixel(this.selection.pixel)
            : [Math.floor(this.size[0] / 2), Math.floor(this.size[1] / 2)];
        const at = now.map((v, i) =>
            Math.max(0, Math.min(this.size[i] - 1, v + (this.selection.pixel ? move[i] : 0))),
        );
        this.hover(at);
        this.pick(at);
    }

    pictureOfPixel([x, y]) {
        return [x, this.tiles ? this.tiles.surfaceRow(y) : y];
    }

    /* Outlines the tiles of the selected draw, and the selected tile. */
    mark() {
        const { run, frame, row, pixel } = this.selection;
        const [width, height] = this.size;
        this.overlay.width = width;
        this.overlay.height = height;
        this.overlay.style.aspectRatio = `${width} / ${height}`;
        const context = this.overlay.getContext("2d");
        context.clearRect(0, 0, width, height);
        if (row >= 0 && this.tiles && run.draws.column("work")[row] === "draw") {
            context.fillStyle = "rgba(204,121,167,0.45)";
            for (const i of this.tiles.of(run.draws.column("draw")[row]))
                context.fillRect(...this.tiles.rectangle(i));
        }
        if (pixel) {
            const [x, y] = this.pictureOfPixel(pixel);
            const rows = this.tiles ? this.tiles.at(...pixel) : [];
            const box = rows.length
                ? this.tiles.rectangle(rows[0])
                : [x - (x % 8), y - (y % 8), 8, 8];
            context.lineWidth = Math.max(1.5, width / 400);
            context.strokeStyle = "#000";
            context.strokeRect(box[0] - 1, box[1] - 1, 10, 10);
            context.strokeStyle = "#fff";
            context.strokeRect(
                box[0] - 1 - context.lineWidth,
                box[1] - 1 - context.lineWidth,
                10 + 2 * context.lineWidth,
                10 + 2 * context.lineWidth,
            );
        }
        this.listTile(run, frame, pixel);
    }

    listTile(run, frame, pixel) {
        if (!pixel) {
            clear(
                this.tile,
                el("h3", { text: "Draws of a tile" }),
                el("p.note", {
                    text: this.tiles
                        ? "Select a pixel with a click or with the arrow keys on the picture."
                        : "No table of draws by tile in this run. `aetius sim TRACE --map all` writes it.",
                }),
            );
            return;
        }
        const [x, y] = pixel;
        const corner = `${x - (x % 8)}, ${y - (y % 8)}`;
        const at = this.tiles ? this.tiles.at(x, y) : [];
        const drawRows = at.map((i) => run.drawRow(frame, this.tiles.draw[i]));
        const cycles = run.draws.column("cycles");
        const bound = run.draws.has("bound_by") ? run.draws.column("bound_by") : [];
        const columns = [
            {
                title: "draw",
                value: (i) => this.tiles.draw[at[i]],
                text: (i) => `${frame}:${this.tiles.draw[at[i]]}`,
                show: (v) => `${frame}:${v}`,
                numeric: true,
            },
            {
                title: "fragments",
                unit: "here",
                value: (i) => this.tiles.fragments[at[i]],
                numeric: true,
            },
            {
                title: "written",
                unit: "here",
                value: (i) => this.tiles.written[at[i]],
                numeric: true,
            },
            {
                title: "cycles",
                unit: "of the draw",
                value: (i) => (drawRows[i] >= 0 ? cycles[drawRows[i]] : NaN),
                numeric: true,
            },
            { title: "bound by", value: (i) => bound[drawRows[i]] || "" },
        ];
        const table = new DataTable({
            caption: "draws of the tile at " + corner,
            columns,
            rows: at.map((_, i) => i),
            file: `tile-${x}-${y}`,
            most: 12,
            filter: false,
            select: (i) => drawRows[i] >= 0 && this.selection.set({ row: drawRows[i] }),
            empty: "No draw has a fragment here.",
        });
        table.selected = drawRows.indexOf(this.selection.row);
        table.draw();
        const command = `aetius sim ${quoted(run.trace())} --frames ${frame}${run.machineOptions()} --pixel ${x},${y} -o pixel-${x}-${y}`;
        clear(
            this.tile,
            el("h3", { text: "Draws of the tile at " + corner }),
            table.node,
            el("p.note", { text: `History of pixel ${x}, ${y}:` }),
            commandLine(command),
        );
    }
}
