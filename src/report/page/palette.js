/* Colors that remain distinguishable with color vision deficiencies (Okabe and Ito 2008; cividis:
 * Nunez, Anderton, Renslow 2018). */
const OKABE = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#8f8f8f",
];
const STATE_COLORS = { busy: "#0072b2", waiting: "#e69f00", blocked: "#d55e00", starved: "" };
const BOUND_COLORS = {
    transfers: "#8f8f8f",
    geometry: "#56b4e9",
    raster: "#f0e442",
    shader: "#0072b2",
    texture: "#009e73",
    z: "#cc79a7",
    color: "#d55e00",
    rop: "#d55e00",
    blit: "#b8b8b8",
    memory: "#e69f00",
    drain: "#5a5a5a",
};

function boundColor(name) {
    return BOUND_COLORS[name] || "#b8b8b8";
}

const CIVIDIS = [
    [0, 34, 78],
    [18, 53, 112],
    [59, 73, 108],
    [87, 93, 109],
    [112, 113, 115],
    [138, 134, 120],
    [165, 156, 116],
    [195, 179, 105],
    [225, 204, 85],
    [254, 232, 56],
];

function cividis(share) {
    const at = Math.max(0, Math.min(1, share)) * (CIVIDIS.length - 1);
    const i = Math.min(CIVIDIS.length - 2, Math.floor(at));
    return CIVIDIS[i].map((v, c) => Math.round(v + (CIVIDIS[i + 1][c] - v) * (at - i)));
}

/* A map: meaning of its levels (docs/maps.md), and their position on the scale. Level 0 is
 * black. */
const counted = (step, noun) => ({
    share: (level) => level / 255,
    text: (level) => {
        const n = Math.round(level / step);
        return level >= 255 ? `${Math.ceil(255 / step)} or more ${noun}` : `${n} ${noun}`;
    },
    ticks: [0, 0.25, 0.5, 0.75, 1].map((t) => [
        t,
        t === 1 ? Math.ceil(255 / step) + "+" : String(Math.round((t * 256) / step)),
    ]),
});
const timed = {
    share: (level) => level / 255,
    text: (level) =>
        level >= 255
            ? "64k or more cycles"
            : level < 16
              ? "at most 1 cycle"
              : `about ${whole(2 ** Math.floor(level / 16) * (1 + (level % 16) / 16))} cycles`,
    ticks: [
        ["0", 0],
        ["4", 32],
        ["16", 64],
        ["64", 96],
        ["256", 128],
        ["1k", 160],
        ["4k", 192],
        ["16k", 224],
        ["64k+", 255],
    ].map(([t, l]) => [l / 255, t]),
    unit: "logarithmic",
};
/* Three counts in one level: hz + 5 tests + 25 killed, each 0 to 4. */
const culledPart = (divide, noun) => {
    const part = (level) => Math.floor(level / divide) % 5;
    return {
        share: (level) => part(level) / 4,
        text: (level) => `${part(level)}${part(level) === 4 ? " or more" : ""} ${noun}`,
        ticks: [0, 1, 2, 3, 4].map((n) => [n / 4, n === 4 ? "4+" : String(n)]),
    };
};
const MAPS = {
    overdraw: {
        map: "overdraw",
        title: "Overdraw",
        what: "fragments written to the pixel",
        ...counted(32, "fragments written"),
    },
    hz: {
        map: "culled",
        title: "Culled: HZ",
        what: "fragments culled by Hierarchical Z",
        ...culledPart(1, "fragments culled by Hierarchical Z"),
    },
    tests: {
        map: "culled",
        title: "Culled: tests",
        what: "fragments culled by the depth and stencil tests",
        ...culledPart(5, "fragments culled by depth and stencil"),
    },
    killed: {
        map: "culled",
        title: "Killed",
        what: "fragments killed by their program or the alpha test",
        ...culledPart(25, "fragments killed"),
    },
    shader: {
        map: "shader",
        title: "Shading",
        what: "cycles in the shader unit (last fragment shaded)",
        ...timed,
    },
    latency: {
        map: "latency",
        title: "Latency",
        what: "cycles from generation to write (last fragment written)",
        ...timed,
    },
    misses: {
        map: "misses",
        title: "Texture misses",
        what: "texture cache misses of quads with this pixel",
        ...counted(8, "misses"),
    },
    compression: {
        map: "compression",
        title: "Compression",
        what: "size in memory of the pixel's color block at the swap",
        share: (level) => level / 4,
        text: (level) =>
            [
                "cleared: nothing in memory",
                "up to 1/4 of its size",
                "up to 1/2 of its size",
                "up to 3/4 of its size",
                "not compressed",
            ][level],
        ticks: [
            [0, "cleared"],
            [0.25, "1/4"],
            [0.5, "1/2"],
            [0.75, "3/4"],
            [1, "all"],
        ],
    },
};

const knownColors = new Map(); /* colors of the current theme */

function cssColor(name) {
    if (!knownColors.has(name))
        knownColors.set(
            name,
            getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
        );
    return knownColors.get(name);
}

/* Style of a plot's axes in the current theme. */
function plotAxis() {
    const font = "12px " + cssColor("--sans");
    const grid = { stroke: cssColor("--line"), width: 1 };
    return { stroke: cssColor("--soft"), grid, ticks: grid, font, labelFont: font };
}
