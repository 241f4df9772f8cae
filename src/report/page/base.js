"use strict";
/* Elements, numbers, and exports. Texts of the data are always inserted as text, never as
 * markup. */

/* Creates an element: el("div.name", {attribute: value, onclick: fn}, child, "text", [more
 * children]). */
function el(spec, attributes, ...children) {
    const [tag, ...classes] = spec.split(".");
    const node = document.createElement(tag || "div");
    if (classes.length) node.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name === "text") node.textContent = value;
        else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(2))
        if (child !== null && child !== undefined && child !== false) node.append(child);
    return node;
}

function clear(node, ...children) {
    node.replaceChildren(
        ...children.flat(2).filter((c) => c !== null && c !== undefined && c !== false),
    );
    return node; /* allows use in a list of children */
}

const THIN = "\u202f"; /* between groups of three digits, and before a unit */

function whole(value) {
    if (!Number.isFinite(value)) return "–";
    return Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, THIN);
}

/* Formats four significant digits. */
function real(value) {
    if (!Number.isFinite(value)) return "–";
    if (Number.isInteger(value) || Math.abs(value) >= 10000) return whole(value);
    return Number(value.toPrecision(4)).toString();
}

/* Formats 1.54 M, 12.3 k. */
function short(value) {
    const size = Math.abs(value);
    for (const [factor, name] of [
        [1e9, "G"],
        [1e6, "M"],
        [1e3, "k"],
    ])
        if (size >= factor) return Number((value / factor).toPrecision(3)) + THIN + name;
    return real(value);
}

function percent(share) {
    if (!Number.isFinite(share)) return "–";
    return (100 * share).toFixed(1) + THIN + "%";
}

function signed(value, show) {
    return (value > 0 ? "+" : value < 0 ? "−" : "±") + (show || whole)(Math.abs(value));
}

function plural(count, word) {
    return whole(count) + " " + word + (count === 1 ? "" : "s");
}

/* Shortens a text for a narrow space. The caller shows the whole text in the title. */
function cut(text, most) {
    return text.length > most ? text.slice(0, most - 1) + "…" : text;
}

function csvField(value) {
    const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function saveFile(name, text, type) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = el("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/* The clipboard may be inaccessible on a page from disk. The fallback copies from a text field. */
async function copyText(text, button) {
    let done = true;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const field = el("textarea.offscreen", { readonly: true });
        field.value = text;
        document.body.append(field);
        field.select();
        done = document.execCommand("copy");
        field.remove();
    }
    notify(done ? "copied: " + cut(text, 80) : "This browser does not allow pages to copy.");
    if (button && done) {
        button.classList.add("done");
        setTimeout(() => button.classList.remove("done"), 900);
    }
}

/* Announces a text to screen readers, and shows it at the foot of the page. */
function notify(text) {
    const live = document.getElementById("live");
    if (!live) return;
    live.textContent = text;
    live.classList.add("shown");
    clearTimeout(notify.timer);
    notify.timer = setTimeout(() => live.classList.remove("shown"), 2500);
}

function section(id, title, note) {
    const body = el("div.body");
    const head = el(
        "header",
        null,
        el("h2", { text: title, id: id + "-title" }),
        note ? el("p.note", { text: note }) : null,
    );
    const node = el("section", { id, "aria-labelledby": id + "-title" }, head, body);
    return { node, head, body };
}

function commandLine(text) {
    const button = el("button.copy", {
        type: "button",
        title: "copy",
        "aria-label": "copy the command",
        text: "copy",
    });
    button.addEventListener("click", () => copyText(text, button));
    return el("div.command", null, el("code", { text }), button);
}

/* Quotes a word for a shell command. */
function quoted(text) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

/* Returns a function that runs `fn` in the next animation frame, once for any number of calls. */
function later(fn) {
    let asked = false;
    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            fn();
        });
    };
}

/* Sizes a canvas in device pixels. Returns its context, scaled to CSS pixels. */
function sharpCanvas(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (
        canvas.width !== Math.round(width * ratio) ||
        canvas.height !== Math.round(height * ratio)
    ) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = width + "px";
        canvas.style.height = height + "px";
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}
