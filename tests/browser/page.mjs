// Tests the report page with the actions of a user and with hostile data. Figures are compared with
// run.json and the tables, which this file reads with separate code.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";
import { chromium } from "playwright-core";

const [aetius, executablePath, golden, work] = process.argv.slice(2);
const at = (...names) => path.join(work, ...names);
const MINUTE = 60000;

function run(...args) {
    const done = spawnSync(aetius, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    assert.equal(done.status, 0, `aetius ${args.join(" ")}\n${done.stderr}`);
    return done;
}

/* Returns the rows of a table as objects of strings. */
function readTable(file) {
    const [head, ...lines] = zlib.gunzipSync(fs.readFileSync(file)).toString().trim().split("\n");
    const names = head.split(",");
    return {
        names,
        rows: lines.map((line) => Object.fromEntries(line.split(",").map((v, i) => [names[i], v]))),
    };
}

function writeTable(file, { names, rows }) {
    fs.writeFileSync(
        file,
        zlib.gzipSync(
            [names.join(","), ...rows.map((r) => names.map((n) => r[n]).join(","))].join("\n") +
                "\n",
        ),
    );
}

const digits = (text) => Number(text.replace(/[^\d.−-]/g, "").replace("−", "-"));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const faults = [];

/* Opens a page from disk. Every error and every request for another resource is a fault. */
async function open(file, { hash = "", width = 1400, scheme = "light" } = {}) {
    const page = await browser.newPage({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        acceptDownloads: true,
    });
    page.on("request", (r) => {
        if (!/^(data|blob):/.test(r.url()) && r.url().split("#")[0] !== pathToFileURL(file).href)
            faults.push("asks for " + r.url().slice(0, 200));
    });
    page.on("console", (m) => {
        if (["error", "warning"].includes(m.type())) faults.push(m.text());
    });
    page.on("pageerror", (e) => faults.push(String(e.stack)));
    page.on("dialog", (d) => {
        faults.push("a dialog: " + d.message());
        d.dismiss();
    });
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForFunction(() => document.documentElement.dataset.ready, null, {
        timeout: MINUTE,
    });
    return page;
}
const readyMs = (page) => page.evaluate(() => Number(document.documentElement.dataset.ready));

async function saved(page, button) {
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    return fs
        .readFileSync(await download.path(), "utf8")
        .trim()
        .split("\n")
        .map(cellsOf);
}

/* Returns the cells of a CSV line. No cell contains a line end. */
function cellsOf(line) {
    return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) =>
        m[1] === undefined ? m[2] : m[1].replaceAll('""', '"'),
    );
}

/* Returns the rows of a table, each with the cycles of its frame at which it begins and ends. */
function timed(folder, name) {
    const { rows } = readTable(path.join(folder, name));
    const now = {};
    for (const r of rows) {
        r.begin = now[r.frame] || 0;
        r.end = now[r.frame] = r.begin + Number(r.cycles);
    }
    return rows;
}

const near = (a, b, within, what) =>
    assert.ok(Math.abs(a - b) <= within, `${what}: ${a}, not ${b}`);

/* Returns the table of gains as {name: {charged, most, expected}}, in shares; NaN: no value. */
async function gainsOn(page) {
    const [head, ...lines] = await saved(
        page,
        page.locator("#topdown .table button", { hasText: "CSV" }),
    );
    assert.deepEqual(head.slice(0, 4), [
        "resource",
        "attributed (%)",
        "upper bound (%)",
        "predicted gain (%)",
    ]);
    const share = (text) => (text === "" ? NaN : Number(text) / 100);
    return Object.fromEntries(
        lines.map((l) => [
            l[0],
            { charged: share(l[1]), most: share(l[2]), expected: share(l[3]), behind: l[4] },
        ]),
    );
}

/* Returns a tree of the page as {name: {value, children}}, including collapsed nodes. */
const treeOn = (page, selector) =>
    page.$eval(selector, (list) => {
        const read = (ul) =>
            Object.fromEntries(
                [...ul.children].map((li) => {
                    const line = li.querySelector(".line");
                    const inner = li.querySelector("ul");
                    return [
                        line.querySelector(".name").textContent,
                        {
                            value: Number(
                                line.querySelector(".number").textContent.replace(/\D/g, ""),
                            ),
                            most: Boolean(line.querySelector(".verdict").textContent),
                            children: inner ? read(inner) : {},
                        },
                    ];
                }),
            );
        return read(list);
    });

/* Checks that each node of a tree on the page equals that of --json. */
function sameTree(shown, told) {
    const nodes = told.filter((n) => n.value > 0);
    assert.deepEqual(
        Object.keys(shown).sort(),
        nodes.map((n) => n.name.replaceAll("_", " ")).sort(),
    );
    for (const node of nodes) {
        const line = shown[node.name.replaceAll("_", " ")];
        assert.equal(line.value, node.value, node.name);
        sameTree(line.children, node.children);
    }
}

/* Returns the names of the nodes that are marked as the largest loss. */
const marked = (tree) =>
    Object.entries(tree).flatMap(([name, node]) => [
        ...(node.most ? [name] : []),
        ...marked(node.children),
    ]);

/* Checks that Top-Down shows the output of `aetius topdown` for the selection. Returns this output. */
async function sameTopDown(page, folder, args, name) {
    const told = JSON.parse(run("topdown", at(folder), ...args, "--json").stdout);
    const lines = run("topdown", at(folder), ...args, "--csv")
        .stdout.trim()
        .split("\n")
        .map((line) => line.split(",")); /* the last cell may contain commas */
    for (const [selector, unit] of [
        ["#topdown ul.tree:not(.slots)", "cycles"],
        ["#topdown ul.tree.slots", "slots"],
    ])
        if (await page.locator(selector).count())
            assert.deepEqual(
                marked(await treeOn(page, selector)),
                lines
                    .filter((l) => l[5] === unit && l[6] === "<==")
                    .map((l) => l[1].replaceAll("_", " ")),
                `${name}: the mark of ${unit}`,
            );
    sameTree(await treeOn(page, "#topdown ul.tree:not(.slots)"), told.tree.children);
    if (told.shaders.tree.value)
        sameTree(await treeOn(page, "#topdown ul.tree.slots"), told.shaders.tree.children);
    const heads = await page.$$eval("#topdown h3", (h) => h.map((n) => n.textContent));
    for (const head of heads) assert.ok(head.endsWith(" in " + name), head);
    assert.equal(heads.length, told.shaders.tree.value ? 2 : 1);
    const gains = await gainsOn(page);
    for (const r of told.resources) {
        const shown = gains[r.name] || { charged: 0, most: 0, expected: 0 };
        near(shown.charged, r.charged, 1e-4, `${name}, charged to ${r.name}`);
        near(shown.most, r.share, 1e-4, `${name}, at most of ${r.name}`);
        near(shown.expected, r.expected_gain, 1e-4, `${name}, expected of ${r.name}`);
        if (r.name in gains)
            assert.equal(gains[r.name].behind, r.behind || "", `${name}, behind ${r.name}`);
    }
    assert.ok(
        (await page.textContent("#topdown")).includes(`Bound by ${told.verdict.name}:`),
        `${name} is bound by ${told.verdict.name}`,
    );
    return told;
}

const tests = {
    async "figures are those of run.json and the tables"() {
        const page = await open(at("one.html"));
        const facts = JSON.parse(fs.readFileSync(at("one", "run.json")));
        const summary = (await page.textContent(".summary")).replaceAll("\u202f", "");
        for (const text of [
            facts.program,
            String(facts.cycles),
            `${facts.width}×${facts.height}`,
            facts.preset,
        ])
            assert.ok(summary.includes(text), `${text} in ${summary}`);
        const { rows } = readTable(at("one", "stats.draws.csv.gz"));
        const first = rows.filter((r) => r.frame === "0");
        const table = await saved(page, page.locator("#draws .table button", { hasText: "CSV" }));
        assert.equal(table.length - 1, first.length);
        const column = (name) => table[0].findIndex((h) => h.startsWith(name));
        const told = table.slice(1).map((r) => Number(r[column("cycles")]));
        assert.deepEqual(
            told,
            told.slice().sort((a, b) => b - a),
            "sorted by cycles",
        );
        assert.deepEqual(
            told,
            first.map((r) => Number(r.cycles)).sort((a, b) => b - a),
        );
        assert.equal(
            table.slice(1).reduce((s, r) => s + Number(r[column("fragments")]), 0),
            first.reduce((s, r) => s + Number(r["fraggen.fragments"]), 0),
        );
        assert.equal(
            table.slice(1).reduce((s, r) => s + Number(r[column("memory")]), 0),
            first.reduce(
                (s, r) => s + Number(r["memctl.bytes_read"]) + Number(r["memctl.bytes_written"]),
                0,
            ),
        );
        await page.close();
    },

    async "ready within a second of the browser's main thread, however busy the machine is"() {
        const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
        const session = await page.context().newCDPSession(page);
        await session.send("Performance.enable", { timeDomain: "threadTicks" });
        await page.goto(pathToFileURL(at("one.html")).href);
        await page.waitForFunction(() => document.documentElement.dataset.ready, null, {
            timeout: MINUTE,
        });
        const { metrics } = await session.send("Performance.getMetrics");
        const seconds = metrics.find((m) => m.name === "ThreadTime").value;
        console.log(
            `        ${seconds.toFixed(2)} s, of which scripts ${metrics.find((m) => m.name === "ScriptDuration").value.toFixed(2)} s`,
        );
        assert.ok(seconds > 0 && seconds < 1);
        await page.close();
    },

    async "Top-Down of a frame is that of `aetius topdown --frame`"() {
        for (const frame of [0, 3, 4, 6]) {
            const page = await open(at("one.html"), { hash: `#frame=${frame}` });
            await sameTopDown(page, "one", ["--frame", String(frame)], `frame ${frame}`);
            await page.close();
        }
    },

    async "Top-Down of a draw is that of `aetius topdown --draw`"() {
        run(
            "sim",
            path.join(golden, "workloads.trace"),
            "--preset",
            "reference-2005",
            "--frames",
            "0-3",
            "--force",
            "-o",
            at("small"),
        );
        run("report", "--force", at("small"), "-o", at("small.html"));
        const draws = {
            one: ["0:0", "0:3", "1:2", "2:2", "3:0", "4:0", "4:3", "6:1"],
            small: ["1:0", "2:2", "3:0"],
        }; /* in those of `small` the largest loss is below its threshold */
        let others = 0;
        for (const [folder, names] of Object.entries(draws)) {
            const page = await open(at(folder + ".html"));
            const frames = Object.fromEntries(
                JSON.parse(run("topdown", at(folder), "--over-time", "--json").stdout).frames.map(
                    (f) => [f.frame, f.verdict.name],
                ),
            );
            for (const name of names) {
                const [frame, draw] = name.split(":").map(Number);
                await page.evaluate(
                    ([f, d]) => selection.set({ row: selection.run.drawRow(f, d) }),
                    [frame, draw],
                );
                const told = await sameTopDown(page, folder, ["--draw", name], `draw ${name}`);
                others += told.verdict.name !== frames[frame];
            }
            await page.close();
        }
        assert.ok(
            others >= 2,
            `${others} of these draws are bound by something else than their frame`,
        );
    },

    async "Top-Down of a range is that of its draws, and of a part of a draw it says what is not known"() {
        const page = await open(at("one.html"));
        const rows = timed(at("one"), "stats.draws.csv.gz");
        const told = JSON.parse(run("topdown", at("one"), "--draws", "--json").stdout).draws;
        assert.equal(told.length, rows.length);
        const slotsShown = async () =>
            digits(
                (await page.locator("#topdown h3", { hasText: "slots" }).textContent()).split(
                    " issue",
                )[0],
            );
        const leaf = (tree, ...way) =>
            way.reduce((node, name) => node.children?.find((c) => c.name === name), tree).value;
        let others = 0;
        for (const [frame, first, last] of [
            ["2", 1, 7],
            ["0", 4, 7],
            ["6", 14, 21],
        ]) {
            const picked = rows
                .map((r, i) => [r, told[i]])
                .filter(([r]) => r.frame === frame)
                .slice(first, last);
            const range = [picked[0][0].begin, picked.at(-1)[0].end];
            const sum = (of) => picked.reduce((s, [r, t]) => s + of(t, Number(r.cycles)), 0);
            const share = (of) => sum(of) / (range[1] - range[0]);
            await page.evaluate(
                ([number, cycles]) => selection.set({ frame: number, cycles }),
                [Number(frame), range],
            );
            const gains = await gainsOn(page);
            assert.ok(!gains.drain);
            for (const [i, r] of told[0].resources.entries()) {
                if (!gains[r.name]) continue;
                near(
                    gains[r.name].charged,
                    share((t, n) => t.resources[i].charged * n),
                    1e-4,
                    r.name,
                );
                near(
                    gains[r.name].most,
                    share((t, n) => t.resources[i].share * n),
                    1e-4,
                    r.name,
                );
                near(
                    gains[r.name].expected,
                    share((t, n) => t.resources[i].expected_gain * n),
                    1e-4,
                    r.name,
                );
            }
            const largest = (figure) =>
                Object.keys(gains)
                    .filter((n) => gains[n].expected >= 0)
                    .reduce((a, b) => (gains[b][figure] > gains[a][figure] ? b : a));
            assert.ok(
                (await page.textContent("#topdown")).includes(`Bound by ${largest("expected")}:`),
            );
            assert.ok((await page.textContent("#topdown")).includes("No prediction for drain"));
            others += largest("expected") !== largest("most");
            /* slots that are not divided by lanes add up */
            const slots = await treeOn(page, "#topdown ul.tree.slots");
            assert.equal(
                slots.frontend.children.fetch.children.starved.value,
                sum((t) => leaf(t.shaders.tree, "frontend", "fetch", "starved")),
            );
            assert.equal(
                slots.backend?.children["core bound"]?.children.result.value || 0,
                sum((t) => leaf(t.shaders.tree, "backend", "core_bound", "result")),
            );
            assert.equal(
                await slotsShown(),
                sum((t) => t.shaders.total),
            );
        }
        assert.ok(others > 0, "a range that is bound by another resource than could give most");
        /* these intervals begin or end inside draws */
        const [a, b] = timed(at("one"), "stats.cycles.csv.gz")
            .filter((r) => r.frame === "2")
            .slice(3, 5);
        assert.ok(!rows.some((r) => r.frame === "2" && r.begin === a.begin));
        await page.evaluate((cycles) => selection.set({ frame: 2, cycles }), [a.begin, b.end]);
        const part = await gainsOn(page);
        for (const name of Object.keys(part)) assert.ok(Number.isNaN(part[name].expected), name);
        const text = await page.textContent("#topdown");
        assert.ok(text.includes("Predictions need whole draws") && !text.includes("Bound by"));
        assert.equal(await slotsShown(), Number(a["shader.slots"]) + Number(b["shader.slots"]));
        await page.close();
    },

    async "each cycle is charged once, whatever is selected"() {
        const adds = (tree, all) => {
            const values = Object.values(tree).map((n) => n.value);
            if (values.length)
                assert.equal(
                    values.reduce((s, v) => s + v, 0),
                    all,
                );
            for (const n of Object.values(tree)) adds(n.children, n.value);
        };
        for (const hash of [
            "#frame=0",
            "#frame=2",
            "#frame=4",
            "#frame=4&draw=3",
            "#frame=2&cycles=2000-4500",
        ]) {
            const page = await open(at("one.html"), { hash });
            const tree = await treeOn(page, "#topdown ul.tree:not(.slots)");
            const all = digits((await page.textContent("#topdown .lead")).split(": ")[1]);
            adds(tree, all);
            const charged = Object.values(await gainsOn(page)).map((g) => g.charged);
            near(
                charged.reduce((s, v) => s + v, 0),
                1,
                1e-9,
                `all that is charged, ${hash}`,
            );
            const shares = Object.values(tree)
                .map((n) => n.value / all)
                .sort((a, b) => a - b);
            charged
                .filter((v) => v)
                .sort((a, b) => a - b)
                .forEach((v, i) => near(v, shares[i], 1e-9, `a branch of the tree, ${hash}`));
            await page.close();
        }
    },

    async "every statistic of a draw is that of its row"() {
        const page = await open(at("one.html"), { hash: "#frame=1&draw=2" });
        const row = readTable(at("one", "stats.draws.csv.gz")).rows.find(
            (r) => r.frame === "1" && r.draw === "2" && r.work === "draw",
        );
        await page.click("#details details summary");
        const table = await saved(page, page.locator("#details .table button", { hasText: "CSV" }));
        let seen = 0;
        for (const [name, value] of table.slice(1))
            if (name in row) {
                assert.equal(Number(value), Number(row[name]), name);
                seen++;
            }
        assert.ok(seen > 100, `${seen} statistics`);
        for (const [name, , , meaning] of table.slice(1))
            if (name.includes(".")) assert.ok(meaning, `what ${name} is`);
        assert.ok(
            table
                .find(([name]) => name === "draws.occupancy_peak")[3]
                .includes("since the start of the frame"),
        );
        await page.close();
    },

    async "a click on a pixel lists all draws of its life"() {
        const page = await open(at("one.html"));
        for (const [x, y] of [
            [20, 20],
            [40, 30],
            [5, 50],
        ]) {
            run(
                "sim",
                path.join(golden, "workloads.trace"),
                "--frames",
                "0",
                "--pixel",
                `${x},${y}`,
                "--force",
                "-o",
                at("pixel"),
            );
            const fragments = JSON.parse(fs.readFileSync(at("pixel", "pixel.json"))).fragments;
            const box = await page.locator("canvas.picture").boundingBox();
            const { width, height } = JSON.parse(fs.readFileSync(at("one", "run.json")));
            const flipped = await page.evaluate(
                async () => (await selection.run.tileTable(0)).flipped,
            );
            const row = flipped ? height - 1 - y : y;
            await page.mouse.click(
                box.x + ((x + 0.5) / width) * box.width,
                box.y + ((row + 0.5) / height) * box.height,
            );
            assert.deepEqual(await page.evaluate(() => selection.pixel), [x, y]);
            const listed = await page.$$eval(
                ".tile table.data tr[data-at] td:first-child",
                (cells) => cells.map((c) => Number(c.textContent.split(":")[1])),
            );
            for (const f of fragments)
                assert.ok(
                    listed.includes(f.draw),
                    `draw ${f.draw} of pixel ${x},${y} is among ${listed}`,
                );
            assert.ok((await page.textContent(".tile")).includes(`--pixel ${x},${y}`));
        }
        await page.close();
    },

    async "maps show what is in them"() {
        const page = await open(at("one.html"));
        for (const mode of ["Overdraw", "Shading", "Culled: tests", "Picture"]) {
            await page.click(`#frame button:has-text("${mode}")`);
            await page.waitForFunction(
                (m) =>
                    document.querySelector(`#frame button[aria-checked="true"]`).textContent === m,
                mode,
            );
        }
        /* the overdraw of all pixels adds up to the written fragments, because no pixel of this frame has 8 or more */
        const sum = await page.evaluate(async () =>
            (await selection.run.map(0, "overdraw")).levels.reduce(
                (s, level) => s + Math.round(level / 32),
                0,
            ),
        );
        const tiles = await page.evaluate(async () =>
            (await selection.run.tileTable(0)).written.reduce((a, b) => a + b, 0),
        );
        assert.equal(sum, tiles);
        await page.close();
    },

    async "selecting goes through all views, and into the address"() {
        const page = await open(at("one.html"));
        await page.locator("#draws tr[data-at]").nth(1).click();
        const name = await page.locator("#draws tr.selected td").first().textContent();
        for (const part of ["#details", "#topdown"])
            assert.ok((await page.textContent(part)).includes(name), `${name} in ${part}`);
        const address = await page.evaluate(() => location.hash);
        const again = await open(at("one.html"), { hash: address });
        assert.equal(await again.locator("#draws tr.selected td").first().textContent(), name);
        await again.close();
        await page.close();
    },

    async "a range of cycles is one, however it is selected: painted, linked and counted"() {
        const page = await open(at("one.html"));
        const { height } = await page.locator("canvas.timeline").boundingBox();
        const total = JSON.parse(fs.readFileSync(at("one", "run.json"))).per_frame[0].cycles;
        const tables = {
            draws: timed(at("one"), "stats.draws.csv.gz"),
            cycles: timed(at("one"), "stats.cycles.csv.gz"),
        };
        const drag = async (a, b) => {
            await page.locator("#timeline").scrollIntoViewIfNeeded();
            const box = await page.locator("canvas.timeline").boundingBox();
            const [y, x] = [box.y + height / 2, (share) => box.x + 92 + share * (box.width - 92)];
            await page.mouse.move(x(a), y);
            await page.mouse.down();
            await page.mouse.move(x(b), y, { steps: 5 });
            await page.mouse.up();
        };
        /* checks that the range is the fewest whole rows of the table that contain cycles `least` to `most` */
        const check = async (what, table, [least, most]) => {
            const [from, to] = await page.evaluate(() => selection.cycles);
            const rows = tables[table].filter(
                (r) => r.frame === "0" && r.begin >= from && r.end <= to,
            );
            assert.ok(
                rows.length && rows[0].begin === from && rows.at(-1).end === to,
                `${what}: ${from} and ${to} are ends of ${table}`,
            );
            assert.ok(
                from <= least && rows[0].end > least && to >= most && rows.at(-1).begin < most,
                `${what}: ${from} to ${to} are the ${table} of ${least} to ${most}`,
            );
            assert.equal(
                await page.evaluate(() => location.hash),
                `#frame=0&cycles=${from}-${to}`,
                what,
            );
            for (const part of ["#details h3", "#topdown .lead", "#memory h3"]) {
                const title = (await page.locator(part).first().textContent()).replaceAll(
                    "\u202f",
                    "",
                );
                assert.ok(
                    title.startsWith(`Cycles ${from} to ${to} of frame 0`),
                    `${what}: ${title}`,
                );
            }
            assert.equal(
                digits((await page.textContent("#topdown .lead")).split(": ")[1]),
                to - from,
                what,
            );
            const sum = (name) => rows.reduce((s, r) => s + Number(r[name]), 0);
            const facts = (await page.textContent("#details dl")).replaceAll("\u202f", "");
            assert.ok(
                facts.includes(`${sum("fraggen.fragments")} generated`) &&
                    facts.includes(`${sum("memctl.bytes_read")} bytes read`),
                `${what}: ${facts}`,
            );
            const tree = await treeOn(page, "#topdown ul.tree:not(.slots)");
            assert.equal(
                tree.shading?.value || 0,
                [
                    "gather",
                    "load",
                    "vertex_issue",
                    "triangle_issue",
                    "fragment_issue",
                    "result",
                ].reduce((s, n) => s + sum("lost." + n), 0),
                what,
            );
            const painted = await page.evaluate(
                () =>
                    new Promise((done) => {
                        const { fillRect } = CanvasRenderingContext2D.prototype;
                        const brush = getComputedStyle(document.documentElement)
                            .getPropertyValue("--brush")
                            .trim();
                        const context = document.createElement("canvas").getContext("2d");
                        context.fillStyle = brush;
                        const rects = [];
                        CanvasRenderingContext2D.prototype.fillRect = function (...rect) {
                            if (this.fillStyle === context.fillStyle) rects.push(rect);
                            fillRect.apply(this, rect);
                        };
                        document
                            .querySelector("canvas.timeline")
                            .dispatchEvent(new PointerEvent("pointerleave"));
                        requestAnimationFrame(() =>
                            requestAnimationFrame(() => {
                                CanvasRenderingContext2D.prototype.fillRect = fillRect;
                                done(rects);
                            }),
                        );
                    }),
            );
            const width = await page.$eval("canvas.timeline", (c) => c.clientWidth);
            const x = (cycle) => 92 + (cycle / total) * (width - 92);
            near(painted.at(-1)[0], x(from), 0.01, `${what}: painted from`);
            near(painted.at(-1)[0] + painted.at(-1)[2], x(to), 0.01, `${what}: painted to`);
            const again = await open(at("one.html"), { hash: `#frame=0&cycles=${from}-${to}` });
            assert.deepEqual(await again.evaluate(() => selection.cycles), [from, to], what);
            await again.close();
        };
        await page.click('#timeline button:has-text("by interval")');
        await drag(0.4, 0.7);
        await check("a drag over intervals", "cycles", [0.4 * total, 0.7 * total]);
        await page.click('#timeline button:has-text("by draw")');
        await drag(0.7, 0.3);
        await check("a drag over draws", "draws", [0.3 * total, 0.7 * total]);
        const [first, last] = [3111, 7777];
        assert.ok(
            !Object.values(tables)
                .flat()
                .some((r) => r.frame === "0" && [first, last].includes(r.begin)),
        );
        await page.evaluate(
            (hash) =>
                new Promise((done) => {
                    addEventListener("hashchange", () => setTimeout(done), { once: true });
                    location.hash = hash;
                }),
            `#frame=0&cycles=${first}-${last}`,
        );
        await check("a link to any cycles", "cycles", [first, last]);
        await page.evaluate(() => selection.set({ row: 1 }));
        assert.equal(await page.evaluate(() => selection.cycles), null);
        await page.evaluate(() => selection.set({ cycles: [5000, 5001] }));
        assert.equal(await page.evaluate(() => selection.row), -1);
        await check("cycles after a draw", "cycles", [5000, 5001]);
        await page.close();
    },

    async "ranges beside each other have each step once, those of no cycle too"() {
        run(
            "sim",
            path.join(golden, "workloads.trace"),
            "--set",
            "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
            "--force",
            "-o",
            at("overlap"),
        );
        run("report", "--force", at("overlap"), "-o", at("overlap.html"));
        assert.ok(timed(at("overlap"), "stats.draws.csv.gz").some((r) => r.cycles === "0"));
        const page = await open(at("overlap.html"));
        for (const name of ["stats.draws.csv.gz", "stats.cycles.csv.gz"]) {
            const rows = timed(at("overlap"), name);
            for (const frame of new Set(rows.map((r) => r.frame))) {
                const own = rows.filter((r) => r.frame === frame);
                const cuts = [...new Set([0, ...own.map((r) => r.end)])];
                const ranges = cuts.slice(1).map((to, i) => [cuts[i], to]);
                const steps = await page.evaluate(
                    ([table, number, all]) =>
                        all
                            .map((r) => selection.run.wholeSteps(selection.run[table], number, r))
                            .map((s) => ({ range: s.range, count: s.rows[1] - s.rows[0] })),
                    [name.includes("draws") ? "draws" : "intervals", Number(frame), ranges],
                );
                assert.deepEqual(
                    steps.map((s) => s.range),
                    ranges,
                );
                assert.equal(
                    steps.reduce((sum, s) => sum + s.count, 0),
                    own.length,
                    `${name}, frame ${frame}`,
                );
            }
        }
        await page.close();
    },

    async "no view keeps figures of what was selected before"() {
        fs.rmSync(at("mixed.html"), { force: true });
        run(
            "sim",
            path.join(golden, "tiny.trace"),
            "--set",
            "SIMULATOR.Statistics=FALSE",
            "--force",
            "-o",
            at("bare"),
        );
        run("report", "--force", at("one"), at("bare"), "-o", at("mixed.html"));
        const page = await open(at("mixed.html"));
        const pixels = () =>
            page.evaluate(() => document.querySelector("canvas.picture").toDataURL());
        const settled = () => page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
        const first = await pixels();
        /* data of a frame that arrives after another frame is selected is ignored */
        await page.evaluate(() => {
            for (let i = 0; i < 9; i++) selection.set({ frame: (i + 1) % 3 });
            selection.set({ frame: 0 });
        });
        await settled();
        assert.equal(await pixels(), first);
        assert.ok((await page.getAttribute("canvas.picture", "aria-label")).startsWith("frame 0:"));
        assert.ok((await page.textContent("#draws .note")).startsWith("Draws of frame 0 "));
        await page.click('#draws button:has-text("all frames")');
        assert.ok((await page.textContent("#draws .note")).startsWith("Draws of all frames "));
        await page.locator("#memory .u-over").scrollIntoViewIfNeeded();
        const box = await page.locator("#memory .u-over").boundingBox();
        for (const share of [0.4, 0.5, 0.6])
            await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
        await page.waitForFunction(() =>
            document.querySelector("#memory .readout").textContent.startsWith("from cycle"),
        );
        await page.keyboard.press("r");
        await settled();
        const [{ cycles }] = JSON.parse(fs.readFileSync(at("bare", "run.json"))).per_frame;
        assert.equal(digits((await page.textContent("#topdown .lead")).split(": ")[1]), cycles);
        assert.equal(
            (await page.locator("#memory tr[data-at]").count()) +
                (await page.locator("#memory h3").count()),
            0,
        );
        assert.equal((await page.textContent("#memory .readout")).trim(), "");
        assert.equal(await page.locator("#topdown h3").count(), 0);
        await page.close();
    },

    async "the peak of a range is the highest of its rows"() {
        const rows = timed(at("one"), "stats.draws.csv.gz")
            .filter((r) => r.frame === "2")
            .slice(1, 6);
        const page = await open(at("one.html"), {
            hash: `#frame=2&cycles=${rows[0].begin}-${rows.at(-1).end}`,
        });
        await page.click("#details details summary");
        const table = await saved(page, page.locator("#details .table button", { hasText: "CSV" }));
        const peaks = table.slice(1).filter(([name]) => name.endsWith("_peak"));
        for (const [name, value] of peaks)
            assert.equal(Number(value), Math.max(...rows.map((r) => Number(r[name]))), name);
        const added = table.slice(1).filter(([name]) => name.endsWith("_cycles"));
        for (const [name, value] of added)
            if (name in rows[0])
                assert.equal(
                    Number(value),
                    rows.reduce((s, r) => s + Number(r[name]), 0),
                    name,
                );
        assert.ok(peaks.length > 10 && added.length > 10, `${peaks.length} and ${added.length}`);
        await page.close();
    },

    async "keys: draws, zoom, frames, help, link"() {
        const page = await open(at("one.html"));
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        assert.equal(await page.evaluate(() => selection.run.drawName(selection.row)), "0:1");
        await page.keyboard.press("z");
        const zoom = await page.evaluate(() => selection.zoom);
        assert.ok(zoom && zoom[1] > zoom[0]);
        await page.keyboard.press("0");
        assert.equal(await page.evaluate(() => selection.zoom), null);
        await page.keyboard.press("]");
        assert.equal(await page.evaluate(() => selection.frame), 1);
        await page.keyboard.press("Escape");
        assert.equal(await page.evaluate(() => selection.row), -1);
        await page.keyboard.press("?");
        assert.ok(await page.locator("dialog[open]").count());
        await page.keyboard.press("Escape");
        await page.locator("#draws .scroller").focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowDown");
        assert.ok((await page.evaluate(() => selection.row)) >= 0);
        await page.locator("canvas.picture").focus();
        await page.keyboard.press("ArrowRight");
        assert.ok(await page.evaluate(() => selection.pixel));
        await page.close();
    },

    async "columns sort, both ways, and a filter leaves what it says"() {
        const page = await open(at("one.html"));
        const head = page.locator("#draws th", { hasText: "fragments" });
        await head.locator("button").click();
        assert.equal(await head.getAttribute("aria-sort"), "descending");
        await head.locator("button").click();
        assert.equal(await head.getAttribute("aria-sort"), "ascending");
        const values = (
            await page.$$eval("#draws tr[data-at] td:nth-child(4)", (c) =>
                c.map((n) => n.textContent),
            )
        ).map(digits);
        assert.deepEqual(
            values,
            values.slice().sort((a, b) => a - b),
        );
        await page.fill("#draws input[type=search]", "swap");
        const names = await page.$$eval("#draws tr[data-at] td:first-child", (c) =>
            c.map((n) => n.textContent),
        );
        assert.deepEqual(names, ["0 swap"]);
        await page.close();
    },

    async "memory by client and by channel adds up to all bytes of the frame"() {
        const page = await open(at("one.html"));
        const row = readTable(at("one", "stats.frames.csv.gz")).rows[0];
        for (const by of ["client", "channel"]) {
            await page.click(`#memory button:has-text("by ${by}")`);
            await page.waitForFunction(
                (b) => document.querySelector("#memory th")?.textContent === b,
                by,
            );
            const table = await saved(
                page,
                page.locator("#memory .table button", { hasText: "CSV" }),
            );
            assert.equal(
                table.slice(1).reduce((s, r) => s + Number(r[1]), 0),
                Number(row["memctl.bytes_read"]),
                by,
            );
            assert.equal(
                table.slice(1).reduce((s, r) => s + Number(r[2]), 0),
                Number(row["memctl.bytes_written"]),
                by,
            );
        }
        await page.close();
    },

    async "several runs: figures, parameters, and draws joined as `aetius draws --over` joins them"() {
        const page = await open(at("three.html"));
        const facts = ["one", "wide", "other"].map((n) =>
            JSON.parse(fs.readFileSync(at(n, "run.json"))),
        );
        const cells = await page
            .locator("#compare table.data")
            .first()
            .locator("tr[data-at]")
            .first()
            .locator("td")
            .allTextContents();
        assert.equal(cells[0], "cycles");
        assert.deepEqual(
            [cells[2], cells[3], cells[5]].map(digits),
            facts.map((f) => f.cycles),
        );
        const parameters = await page.locator("#compare .table").nth(1).textContent();
        assert.ok(parameters.includes("MEMORYCONTROLLER.CommandProcessorBusWidth"));
        const joined = await saved(
            page,
            page.locator("#compare .table").nth(2).locator("button", { hasText: "CSV" }),
        );
        const told = JSON.parse(run("draws", at("wide"), "--over", at("one"), "--json").stdout);
        const column = joined[0].findIndex((h) => h.startsWith("B − A"));
        const changes = joined
            .slice(1)
            .map((r) => Number(r[column]))
            .sort((a, b) => a - b);
        assert.deepEqual(
            changes,
            told.draws.map((d) => d.change).sort((a, b) => a - b),
        );
        await page.keyboard.press("r");
        assert.equal(await page.evaluate(() => selection.run.letter), "B");
        assert.ok((await page.textContent("#machine")).includes("CommandProcessorBusWidth"));
        await page.close();
    },

    async "what was followed has a lane and a table"() {
        fs.rmSync(at("followed"), { recursive: true, force: true });
        fs.cpSync(at("one"), at("followed"), { recursive: true });
        fs.writeFileSync(
            at("followed", "follow.json"),
            JSON.stringify({
                schema: 1,
                frame: 0,
                draw: 0,
                steps: [
                    { unit: "streamer", from: 10, to: 20 },
                    { unit: "setup", from: 30, to: 31, quads: [{ stage: "raster", cycle: 40 }] },
                ],
            }),
        );
        run("report", "--force", at("followed"), "-o", at("followed.html"));
        const page = await open(at("followed.html"));
        const table = await saved(page, page.locator("#follow .table button", { hasText: "CSV" }));
        assert.deepEqual(table.slice(1), [
            ["streamer", "10", "20", "10"],
            ["setup", "30", "31", "1"],
            ["raster", "40", "40", "0"],
        ]);
        await page.locator("#draws tr[data-at]").first().click();
        await page.locator("#follow tr[data-at]").first().click();
        assert.deepEqual(
            await page.evaluate(() => [selection.row, ...selection.cycles]),
            [-1, 0, 500],
        ); /* the interval that contains the clicked row */
        await page.close();
    },

    async "names of strangers stay text"() {
        const evil = `</script><img src=x onerror=alert(1)><!--"'&lt;`;
        const folder = at(`hostile "it's" <b>`);
        fs.rmSync(folder, { recursive: true, force: true });
        fs.cpSync(at("one"), folder, { recursive: true });
        const facts = JSON.parse(fs.readFileSync(path.join(folder, "run.json")));
        facts.program = evil + "x".repeat(1 << 20);
        facts.trace = evil;
        facts.preset = evil;
        fs.writeFileSync(path.join(folder, "run.json"), JSON.stringify(facts));
        const table = readTable(path.join(folder, "stats.draws.csv.gz"));
        const label = evil.replace('"', "'");
        table.rows.forEach((r, i) => {
            if (r.work === "draw") {
                r.label = label;
                r.target_name = i % 2 ? "=1+1" : "y".repeat(70000);
                r.program_name = "__proto__";
            }
        });
        writeTable(path.join(folder, "stats.draws.csv.gz"), table);
        run("report", "--force", folder, at("one"), "-o", at("hostile.html"));
        const page = await open(at("hostile.html"), { hash: "#frame=0&draw=1" });
        assert.equal(await page.locator("img").count(), 0);
        assert.equal(await page.locator("body script").count(), 2);
        assert.ok((await page.textContent("#details")).includes(label));
        assert.ok((await page.textContent(".summary")).includes(evil));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.ok((await readyMs(page)) < 20000);
        await page.close();
    },

    async "an address that is none selects nothing that is not there"() {
        for (const hash of [
            "#frame=99&draw=7",
            "#draw=-1",
            "#cycles=5",
            "#cycles=9-4",
            "#cycles=4-4",
            "#cycles=99999999-999999999",
            "#pixel=a,b",
            "#run=ZZ&frame=<b>",
            "#%%%",
        ]) {
            const page = await open(at("one.html"), { hash });
            assert.equal(await page.evaluate(() => selection.frame), 0);
            assert.deepEqual(await page.evaluate(() => [selection.cycles, selection.row]), [
                null,
                -1,
            ]);
            await page.close();
        }
    },

    async "fits at 320 and 400 pixels, light and dark, and prints"() {
        for (const width of [320, 400])
            for (const scheme of ["light", "dark"]) {
                const page = await open(at("three.html"), { width, scheme });
                assert.ok(
                    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                );
                await page.close();
            }
        const page = await open(at("one.html"));
        assert.ok((await page.pdf()).length > 20000);
        await page.close();
    },

    async "100 frames, and 5,000 draws a frame, stay usable"() {
        for (const [name, frames, draws] of [
            ["many-frames", 100, 430],
            ["many-draws", 3, 5000],
        ]) {
            enlarge(at(name), frames, draws);
            const began = Date.now();
            run("report", "--force", at(name), "-o", at(name + ".html"));
            const made = Date.now() - began;
            const page = await open(at(name + ".html"));
            const size = fs.statSync(at(name + ".html")).size;
            const ready = await readyMs(page);
            const begin = Date.now();
            await page.locator("#draws th", { hasText: "fragments" }).locator("button").click();
            await page.keyboard.press("]");
            await page.keyboard.press("ArrowRight");
            await page.evaluate(
                () => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
            );
            const answer = Date.now() - begin;
            console.log(
                `        ${frames} frames of ${draws} draws: ${(size / 1e6).toFixed(1)} MB, made in ${made} ms, ready in ${ready} ms, answers in ${answer} ms`,
            );
            assert.ok(size < 25e6 && ready < 60000 && answer < 30000);
            assert.equal(await page.evaluate(() => selection.frame), 1);
            await page.close();
        }
    },

    async "a draw that was left out of the page is not one that the run has not"() {
        /* the page has room for one of two frames per run: frame 0 and frame 1 alternate over 16 runs */
        for (const [name, dearer] of [
            ["thin-a", 0],
            ["thin-b", 1],
        ])
            enlarge(at(name), 2, 4000, (f) => (f === dearer ? 3 : 1));
        run(
            "report",
            "--force",
            ...Array.from({ length: 16 }, (_, i) => at(i % 2 ? "thin-b" : "thin-a")),
            "-o",
            at("thin.html"),
        );
        const page = await open(at("thin.html"));
        const summary = (await page.textContent(".summary")).replaceAll("\u202f", "");
        assert.ok(summary.includes("8000 draws."), summary);
        await page.click('#draws button:has-text("all frames")');
        assert.ok(
            (await page.textContent("#draws .note")).startsWith(
                "Draws of all frames whose draws the page has ",
            ),
        );
        const joined = await saved(
            page,
            page.locator("#compare .table").last().locator("button", { hasText: "CSV" }),
        );
        const column = (name) => joined[0].findIndex((h) => h.startsWith(name));
        const [a, b, change] = ["draw in A", "draw in B", "B − A"].map(column);
        const lines = joined.slice(1);
        assert.ok(lines.some((l) => l[a].startsWith("0:") && l[b] === "left out"));
        assert.ok(lines.some((l) => l[a] === "left out" && l[b].startsWith("1:")));
        for (const l of lines) assert.equal(l[change], "", `${l[a]} and ${l[b]}`);
        const same = joined.slice(1).filter((l) => l[column("draw in C")].startsWith("0:"));
        assert.ok(same.length === 4000 && same.every((l) => l[column("C − A")] === "0"));
        await page.close();
    },

    async "a sweep: its rows, and the front that `aetius sweep pareto` finds"() {
        fs.rmSync(at("sweep"), { recursive: true, force: true });
        fs.writeFileSync(
            at("plan.ini"),
            `[sweep]
outputs = cycles
axis FRAGMENTSHADER.TextureCacheWays = 2 8
axis GPU.NumFragmentShaders = 2 4
[machine m]
[input tiny]
file = ${path.join(golden, "tiny.trace")}
[output kilobytes]
formula = FRAGMENTSHADER.TextureCacheWays * GPU.NumFragmentShaders
`,
        );
        run("sweep", at("plan.ini"), "-o", at("sweep"));
        run("report", "--force", at("sweep"), "-o", at("sweep.html"));
        const page = await open(at("sweep.html"));
        const rows = JSON.parse(
            run(
                "sweep",
                "query",
                at("sweep"),
                "SELECT machine, cycles, kilobytes FROM results",
                "--json",
            ).stdout,
        ).rows;
        const table = await saved(
            page,
            page.locator("section .table button", { hasText: "CSV" }).first(),
        );
        const column = (name) => table[0].indexOf(name);
        assert.deepEqual(
            table.slice(1).map((r) => Number(r[column("cycles")])),
            rows.map((r) => r.cycles),
        );
        const front = JSON.parse(
            run("sweep", "pareto", at("sweep"), "cycles", "kilobytes", "--json").stdout,
        ).rows;
        assert.ok((await page.textContent("main")).includes(`Pareto front: ${front.length} row`));
        await page.close();
    },

    async "a sweep of two inputs: a front of each, and distinct names"() {
        fs.rmSync(at("sweep2"), { recursive: true, force: true });
        fs.writeFileSync(
            at("plan2.ini"),
            `[sweep]
outputs = cycles
axis FRAGMENTSHADER.TextureCacheWays = 2 8
axis GPU.NumFragmentShaders = 2 4
axis ZSTENCILTEST.CompressionAlgorithm COLORWRITE.CompressionAlgorithm = hilo,none
[machine m]
[input tiny]
file = ${path.join(golden, "tiny.trace")}
[input other]
file = ${path.join(golden, "tiny.trace")}
[output kilobytes]
formula = FRAGMENTSHADER.TextureCacheWays * GPU.NumFragmentShaders
`,
        );
        run("sweep", at("plan2.ini"), "-o", at("sweep2"));
        run("report", "--force", at("sweep2"), "-o", at("sweep2.html"));
        const page = await open(at("sweep2.html"));
        const fronts = ["tiny", "other"].map(
            (input) =>
                JSON.parse(
                    run(
                        "sweep",
                        "pareto",
                        at("sweep2"),
                        "cycles",
                        "kilobytes",
                        "--input",
                        input,
                        "--json",
                    ).stdout,
                ).rows.length,
        );
        assert.ok(
            (await page.textContent("#table-1")).includes(
                `Pareto front of each input: ${fronts[0] + fronts[1]} rows`,
            ),
        );
        assert.equal(
            await page.textContent("#table-0 tbody td >> nth=0"),
            "m,TextureCacheWays=2,NumFragmentShaders=2,ZSTENCILTEST.CompressionAlgorithm=hilo,COLORWRITE.CompressionAlgorithm=none",
        );
        await page.close();
    },

    async "tables of strangers: any cells, and a history over commits"() {
        fs.writeFileSync(
            at("history.csv"),
            "commit,case,wall_ms\nabc,one,5\nabc,two,7\ndef,one,4\ndef,two,9\n",
        );
        fs.writeFileSync(
            at("odd.csv"),
            'a,"b""</script><img src=x onerror=alert(1)>",__proto__\n1,"=cmd()",2\n,"line\nend",3\n',
        );
        run("report", "--force", at("history.csv"), at("odd.csv"), "-o", at("tables.html"));
        const page = await open(at("tables.html"));
        assert.equal(await page.locator("img").count(), 0);
        assert.equal(await page.locator("main canvas").count(), 2);
        assert.ok((await page.textContent("main")).includes("onerror=alert(1)"));
        const columns = await page.$$eval("#table-0 select option:checked", (o) =>
            o.map((n) => n.textContent),
        );
        assert.deepEqual(columns, ["commit", "wall_ms", "case"]);
        await page.fill("#table-0 input[type=search]", "two");
        assert.ok((await page.textContent("#table-0 .count")).startsWith("2 of 4"));
        await page.close();
    },

    async "a run without maps, draws or intervals has a page, which says what is missing"() {
        run(
            "sim",
            path.join(golden, "tiny.trace"),
            "--set",
            "SIMULATOR.Statistics=FALSE",
            "--force",
            "-o",
            at("bare"),
        );
        run("report", "--force", at("bare"), "-o", at("bare.html"));
        const page = await open(at("bare.html"));
        assert.ok((await page.textContent("#frame")).includes("--map all"));
        assert.ok((await page.textContent("#draws")).includes("no table of draws"));
        await page.close();
    },
};

/* Writes the folder of a run with this number of frames and of draws per frame. Repeats the rows of the golden
 * run; `times` returns the factor of their cycles for each frame. */
function enlarge(folder, frames, draws, times = () => 1) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.cpSync(at("one"), folder, { recursive: true });
    fs.rmSync(path.join(folder, "maps"), { recursive: true, force: true });
    for (const name of fs.readdirSync(folder))
        if (/^stats\.\w+\.\w+\.csv\.gz$/.test(name)) fs.rmSync(path.join(folder, name));
    const facts = JSON.parse(fs.readFileSync(path.join(folder, "run.json")));
    const table = readTable(path.join(folder, "stats.draws.csv.gz"));
    const intervals = readTable(path.join(folder, "stats.cycles.csv.gz"));
    const totals = readTable(path.join(folder, "stats.frames.csv.gz"));
    const kept = table.rows.filter((r) => r.work === "draw");
    const [some, first] = [intervals.rows.filter((r) => r.frame === "0"), totals.rows[0]];
    const make = (count, of) => Array.from({ length: count }, (_, i) => of(i));
    const frameRows = (f) =>
        make(draws, (d) => ({
            ...kept[(d + f) % kept.length],
            frame: String(f),
            draw: String(d),
            nth: "0",
        })).map((r) => ({ ...r, cycles: String(times(f) * Number(r.cycles)) }));
    table.rows = make(frames, frameRows).flat();
    intervals.rows = make(frames, (f) => some.map((r) => ({ ...r, frame: String(f) }))).flat();
    totals.rows = make(frames, (f) => ({ ...first, frame: String(f) }));
    facts.per_frame = make(frames, (f) => ({
        ...facts.per_frame[0],
        frame: f,
        cycles: frameRows(f).reduce((s, r) => s + Number(r.cycles), 0),
    }));
    facts.frames = frames;
    facts.cycles = facts.per_frame.reduce((s, f) => s + f.cycles, 0);
    fs.writeFileSync(path.join(folder, "run.json"), JSON.stringify(facts));
    writeTable(path.join(folder, "stats.draws.csv.gz"), table);
    writeTable(path.join(folder, "stats.cycles.csv.gz"), intervals);
    writeTable(path.join(folder, "stats.frames.csv.gz"), totals);
}

const trace = path.join(golden, "workloads.trace");
const fine = ["--map", "all", "--set", "SIMULATOR.StatisticsRate=500", "--force"];
run("sim", trace, ...fine, "-o", at("one"));
run(
    "sim",
    trace,
    ...fine,
    "--set",
    "MEMORYCONTROLLER.CommandProcessorBusWidth=64",
    "-o",
    at("wide"),
);
run("sim", trace, ...fine, "--preset", "g70-like", "-o", at("other"));
run("report", "--force", at("one"), "-o", at("one.html"));
run("report", "--force", at("one"), at("wide"), at("other"), "-o", at("three.html"));
let failed = 0;
const only = process.env.ONLY;
for (const [name, test] of Object.entries(tests)) {
    if (only && !name.includes(only)) continue;
    faults.length = 0;
    try {
        await test();
        assert.deepEqual(faults, []);
        console.log("ok      " + name);
    } catch (error) {
        failed++;
        console.log(
            "FAILED  " +
                name +
                "\n" +
                String(error.stack).slice(0, 3000) +
                (faults.length ? "\nfaults: " + faults.join("\n").slice(0, 2000) : ""),
        );
    }
}
await browser.close();
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
