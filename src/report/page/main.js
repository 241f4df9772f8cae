/* The page: head, views, keys and colors. */
const themeListeners = [() => knownColors.clear()];

function themeButton() {
    const button = el("button", {
        type: "button",
        title: "light or dark (t)",
        "aria-label": "light or dark",
        text: "◐",
    });
    button.addEventListener("click", () => {
        const dark = document.documentElement.dataset.theme
            ? document.documentElement.dataset.theme === "dark"
            : matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.dataset.theme = dark ? "light" : "dark";
        themeListeners.forEach((fn) => fn());
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
        themeListeners.forEach((fn) => fn()),
    );
    return button;
}

const KEYS = [
    ["[ ]", "previous, next frame"],
    ["← →", "previous, next draw"],
    ["+ − 0", "timeline: zoom in, zoom out, whole frame"],
    ["z", "timeline: zoom to the selection"],
    ["Esc", "clear the selection"],
    ["1 … 9", "go to a section"],
    ["r", "next run"],
    ["t", "light or dark"],
    ["l", "copy the link to the selection"],
    ["?", "show this list"],
];

function helpDialog() {
    const dialog = el(
        "dialog",
        { "aria-label": "keys" },
        el("h2", { text: "Keys" }),
        el(
            "dl",
            null,
            KEYS.map(([key, what]) => [
                el("dt", null, el("kbd", { text: key })),
                el("dd", { text: what }),
            ]),
        ),
        el("p", {
            text: "On the picture, arrow keys move by a tile, with Shift by a pixel. In tables, they move by a row.",
        }),
        el("form", { method: "dialog" }, el("button", { text: "close" })),
    );
    return dialog;
}

/* A summary in sentences, which screen readers can read too. */
function summaryOf(run) {
    const { facts } = run;
    const count = run.frames.length;
    const metrics = facts.metrics || {};
    const parts = [
        `${facts.program || "A program"}: ${plural(count, "frame")} of ${facts.width}×${facts.height} pixels on ${facts.preset || "a custom machine"}, ${plural(facts.cycles, "cycle")}${count > 1 ? `, ${whole(facts.cycles / count)} per frame` : ""}${Number.isFinite(metrics.frame_rate) ? ` (${real(metrics.frame_rate)} frames per second at its clock)` : ""}.`,
    ];
    const verdict = run.data.resources && verdictText(run, run.data, facts.cycles);
    if (verdict) parts.push("Bound by " + verdict.join(""));
    const { draws } = run.data;
    if (draws)
        parts.push(
            `${plural(draws.count, "draw")}. The most expensive is ${draws.most_expensive} with ${plural(draws.cycles, "cycle")}.`,
        );
    return parts.join(" ");
}

/* Bars with the cycles of each frame. A click selects a frame. */
function frameStrip(selection) {
    const canvas = el("canvas.strip", {
        tabindex: 0,
        role: "img",
        "aria-label": "cycles of each frame; arrow keys choose one",
    });
    const readout = el("p.readout", { text: "cycles of each frame" });
    const node = el("div.strip", null, canvas, readout);
    const paint = () => {
        const { frames } = selection.run;
        const width = node.clientWidth || 600;
        const c = sharpCanvas(canvas, width, 56);
        const most = Math.max(...frames.map((f) => f.cycles), 1);
        const step = Math.min(24, width / frames.length);
        frames.forEach((f, i) => {
            const height = Math.max(2, (50 * f.cycles) / most);
            c.fillStyle = f.frame === selection.frame ? cssColor("--accent") : cssColor("--bars");
            c.fillRect(i * step, 56 - height, Math.max(1, step - (step > 4 ? 1 : 0)), height);
        });
    };
    const at = (e) =>
        selection.run.frames[
            Math.max(
                0,
                Math.min(
                    selection.run.frames.length - 1,
                    Math.floor(
                        (e.clientX - canvas.getBoundingClientRect().left) /
                            Math.min(24, canvas.clientWidth / selection.run.frames.length),
                    ),
                ),
            )
        ];
    canvas.addEventListener("click", (e) => selection.set({ frame: at(e).frame }));
    canvas.addEventListener("pointermove", (e) => {
        const f = at(e);
        readout.textContent = `frame ${f.frame}: ${plural(f.cycles, "cycle")}${f.bound_by ? ", bound by " + f.bound_by : ""}`;
    });
    new ResizeObserver(later(paint)).observe(node);
    selection.listen((changed) => {
        if (changed.has("frame") || changed.has("run")) paint();
    });
    themeListeners.push(paint);
    return node;
}

function stepFrame(selection, way) {
    const { frames } = selection.run;
    const at = frames.findIndex((f) => f.frame === selection.frame);
    const next = frames[Math.max(0, Math.min(frames.length - 1, at + way))];
    if (next) selection.set({ frame: next.frame });
}

function pageHead(title, selection, runs, dialog) {
    const head = el("header.top");
    const frames = el("select", {
        "aria-label": "frame",
        onchange: (e) => selection.set({ frame: Number(e.target.value) }),
    });
    const which =
        runs.length > 1
            ? el(
                  "select",
                  {
                      "aria-label": "run",
                      onchange: (e) => selection.set({ run: runs[Number(e.target.value)] }),
                  },
                  runs.map((r, i) =>
                      el("option", { value: i, text: `${r.letter} ${cut(r.name, 40)}` }),
                  ),
              )
            : null;
    const fill = () => {
        clear(
            frames,
            selection.run.frames.map((f) =>
                el("option", {
                    value: f.frame,
                    selected: f.frame === selection.frame,
                    text: `frame ${f.frame}`,
                }),
            ),
        );
        frames.value = String(selection.frame);
        if (which) which.value = String(selection.run.number);
    };
    if (selection) {
        selection.listen((changed) => {
            if (changed.has("run")) fill();
            else if (changed.has("frame")) frames.value = String(selection.frame);
        });
        fill();
    }
    const keys = el("button", {
        type: "button",
        text: "?",
        title: "keys (?)",
        "aria-label": "keys",
        onclick: () => dialog.showModal(),
    });
    return clear(
        head,
        el("strong", { text: "Aetius" }),
        el("span.name", { text: title, title: cut(title, 1000) }),
        el("span.grow"),
        selection ? [which, frames] : null,
        el("nav", { "aria-label": "parts of the page" }),
        themeButton(),
        keys,
    );
}

function listenToKeys(selection, runs, views, dialog) {
    document.addEventListener("keydown", (e) => {
        if (
            e.ctrlKey ||
            e.metaKey ||
            e.altKey ||
            /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) ||
            dialog.open
        )
            return;
        const parts = [...document.querySelectorAll("main > section")];
        const done =
            {
                "?": () => dialog.showModal(),
                t: () =>
                    document.querySelector("header.top button[aria-label='light or dark']").click(),
                ...(selection && {
                    "[": () => stepFrame(selection, -1),
                    "]": () => stepFrame(selection, 1),
                    r: () => selection.set({ run: runs[(selection.run.number + 1) % runs.length] }),
                    l: () => copyText(location.href.split("#")[0] + selection.address()),
                    Escape: () => selection.set({ row: -1, cycles: null, pixel: null }),
                    ArrowLeft: () => views.timeline.step(-1),
                    ArrowRight: () => views.timeline.step(1),
                    "+": () => views.timeline.zoomBy(0.5),
                    "=": () => views.timeline.zoomBy(0.5),
                    "-": () => views.timeline.zoomBy(2),
                    0: () => selection.set({ zoom: null }),
                    z: () => views.timeline.zoomToSelection(),
                }),
            }[e.key] ||
            (/^[1-9]$/.test(e.key) &&
                parts[e.key - 1] &&
                (() => parts[e.key - 1].scrollIntoView({ block: "start" })));
        if (!done) return;
        e.preventDefault();
        done();
    });
}

async function showRuns(page, root, dialog) {
    const runs = page.runs.map((r, i) => new Run(r, i, page));
    await Promise.all(runs.map((r) => r.load()));
    const selection = new Selection(runs);
    selection.follow(location.hash);
    const title = runs.map((r) => cut(r.name, 60)).join(", ");
    document.title = `Aetius: ${cut(title, 100)}`;
    const main = el("main");
    const letters = new Map(); /* each distinct note, with the letters of its runs */
    for (const r of runs)
        for (const n of r.data.notes) letters.set(n, [...(letters.get(n) || []), r.letter]);
    const notes = [...letters].map(([n, of]) => (runs.length > 1 ? of.join(", ") + ": " : "") + n);
    const summary = el(
        "section",
        { id: "summary", "aria-label": "summary" },
        el("p.summary", { text: summaryOf(selection.run) }),
        notes.length
            ? el(
                  "ul.notes",
                  { "aria-label": "what was omitted" },
                  notes.map((n) => el("li", { text: n })),
              )
            : null,
    );
    selection.listen((changed) => {
        if (changed.has("run")) summary.firstChild.textContent = summaryOf(selection.run);
    });
    if (selection.run.frames.length > 1) summary.append(frameStrip(selection));
    root.append(pageHead(title, selection, runs, dialog), main);
    main.append(summary);
    const compare = runs.length > 1 ? new CompareView(selection, runs, page.joins) : null;
    if (compare) main.append(compare.node);
    const views = { frame: new FrameView(selection) };
    main.append(views.frame.node);
    views.timeline = { node: el("section") };
    const add = (make) => {
        const view = make();
        main.append(view.node || view);
        return view;
    };
    views.timeline = add(() => new Timeline(selection));
    add(() => new Details(selection));
    add(() => new DrawsView(selection));
    add(() => new TreeView(selection));
    views.memory = add(() => new MemoryView(selection));
    const followed = followSection(selection);
    if (followed) main.append(followed);
    add(() => machineSection(selection));
    themeListeners.push(() => {
        views.timeline.draw();
        views.memory.draw();
        views.frame.draw();
    });
    addEventListener("hashchange", () => selection.follow(location.hash));
    listenToKeys(selection, runs, views, dialog);
    if (compare) await compare.load();
    await views.frame.shown;
    return selection;
}

function showTables(page, root, dialog) {
    if (page.runs) {
        /* tables follow the views of the runs */
        page.tables.forEach((t, i) =>
            document.querySelector("main").append(new TableView(t, i).node),
        );
        return;
    }
    const title = page.title || page.tables.map((t) => t.name).join(", ");
    document.title = "Aetius: " + cut(title, 100);
    const main = el("main");
    root.append(pageHead(title, null, [], dialog), main);
    main.append(
        el(
            "section",
            { id: "summary", "aria-label": "summary" },
            el("p.summary", {
                text:
                    page.summary ||
                    `${plural(page.tables.length, "table")}: ` +
                        page.tables
                            .map(
                                (t) =>
                                    `${t.title || t.name}, ${plural(t.values[0]?.length || 0, "row")}`,
                            )
                            .join("; ") +
                        ".",
            }),
        ),
    );
    page.tables.forEach((t, i) => main.append(new TableView(t, i).node));
    listenToKeys(null, [], {}, dialog);
}

async function start() {
    const root = document.getElementById("page");
    const dialog = helpDialog();
    const page = JSON.parse(document.getElementById("data").textContent);
    document.body.append(dialog, el("div", { id: "live", role: "status", "aria-live": "polite" }));
    if (page.runs) window.selection = await showRuns(page, root, dialog);
    if (page.tables) showTables(page, root, dialog);
    const nav = document.querySelector("header.top nav");
    for (const title of document.querySelectorAll("main > section h2"))
        nav?.append(
            el("a", {
                href: "#" + title.parentNode.parentNode.id,
                text: cut(title.textContent, 24),
                onclick: (e) => {
                    e.preventDefault();
                    title.scrollIntoView({ block: "start" });
                },
            }),
        );
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch((error) => {
    document.getElementById("page").append(
        el("p.failed", {
            role: "alert",
            text: "The page cannot be shown: " + error.message,
        }),
    );
    throw error;
});
