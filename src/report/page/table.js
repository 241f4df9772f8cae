/* A table with sorting, a filter, virtual scrolling for any number of rows, keyboard control and
 * CSV export.
 *
 *     columns: [{title, unit, value: (row) => number or text, show: (value, row) => text or node,
 *                text: (row) => text for filter and CSV if the value is only for sorting,
 *                numeric, share: (row) => 0..1 for a bar, hint: (row) => title of the cell, width}]
 *     rows: [numbers], select: (row) => ..., file: name of the CSV */
const ROW_HEIGHT = 27;

class DataTable {
    constructor({ caption, columns, rows, select, file, sort, filter = true, most = 14, empty }) {
        Object.assign(this, { columns, select, file, most, empty });
        this.all = rows;
        this.selected = -1;
        this.sorted = sort || null; /* [column, 1 or -1] */
        this.query = "";
        this.count = el("span.count");
        const search =
            filter && rows.length > 3
                ? el("input", {
                      type: "search",
                      placeholder: "filter",
                      "aria-label": "filter " + caption,
                      oninput: (e) => {
                          this.query = e.target.value.toLowerCase();
                          this.refresh();
                          this.filtered?.();
                      },
                  })
                : null;
        const csv = el("button", {
            type: "button",
            onclick: () => this.save(),
            text: "CSV",
            title: "save all rows as CSV",
        });
        this.head = el("thead");
        this.body = el("tbody");
        this.table = el(
            "table.data",
            null,
            el("caption.offscreen", { text: caption }),
            this.head,
            this.body,
        );
        this.scroller = el(
            "div.scroller",
            {
                tabindex: 0,
                role: "region",
                "aria-label": caption + " (arrow keys move, Enter selects)",
            },
            this.table,
        );
        this.scroller.owner = this;
        this.scroller.addEventListener(
            "scroll",
            later(() => this.draw()),
        );
        this.scroller.addEventListener("keydown", (e) => this.key(e));
        this.body.addEventListener("click", (e) => {
            const line = e.target.closest("tr[data-at]");
            if (line && !e.target.closest("a,button")) this.pick(Number(line.dataset.at), e);
        });
        this.tools = el("div.tools", null, search, this.count, csv);
        this.node = el("div.table", null, this.tools, this.scroller);
        this.makeHead();
        this.refresh();
        if (window.ResizeObserver)
            new ResizeObserver(later(() => this.draw())).observe(this.scroller);
    }

    makeHead() {
        clear(
            this.head,
            el(
                "tr",
                null,
                this.columns.map((column, i) => {
                    const [by, way] = this.sorted || [-1, 1];
                    const button = el(
                        "button",
                        { type: "button", title: column.doc || "", onclick: () => this.sortBy(i) },
                        column.title,
                        column.unit ? el("small", { text: " " + column.unit }) : null,
                    );
                    return el(
                        "th" + (column.numeric ? ".number" : ""),
                        {
                            scope: "col",
                            "aria-sort": by !== i ? "none" : way > 0 ? "ascending" : "descending",
                        },
                        button,
                    );
                }),
            ),
        );
    }

    sortBy(i) {
        const [by, way] = this.sorted || [-1, 1];
        this.sorted = [i, by === i ? -way : this.columns[i].numeric ? -1 : 1];
        this.makeHead();
        this.refresh();
    }

    /* Replaces the rows, or updates their values. */
    setRows(rows) {
        this.all = rows;
        this.refresh();
    }

    refresh() {
        let rows = this.all;
        if (this.query)
            rows = rows.filter((row) =>
                this.columns.some((c) =>
                    String((c.text || c.value)(row) ?? "")
                        .toLowerCase()
                        .includes(this.query),
                ),
            );
        if (this.sorted) {
            const [by, way] = this.sorted;
            const values = new Map(rows.map((row) => [row, this.columns[by].value(row)]));
            const none = (v) => v === null || v === undefined || v === "" || Number.isNaN(v);
            rows = rows.slice().sort((a, b) => {
                const [x, y] = [values.get(a), values.get(b)];
                if (none(x) || none(y)) return none(x) - none(y) || a - b;
                return way * (typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0) || a - b;
            });
        }
        this.rows = rows;
        this.count.textContent =
            rows.length === this.all.length
                ? plural(rows.length, "row")
                : `${whole(rows.length)} of ${plural(this.all.length, "row")}`;
        this.scroller.style.maxHeight = (this.most + 1.4) * ROW_HEIGHT + "px";
        this.draw();
    }

    line(at) {
        const row = this.rows[at];
        return el(
            "tr" + (row === this.selected ? ".selected" : ""),
            { "data-at": at, "aria-selected": row === this.selected ? "true" : null },
            this.columns.map((column) => {
                const value = column.value(row);
                const shown = column.show
                    ? column.show(value, row)
                    : column.numeric
                      ? Number.isFinite(value)
                          ? whole(value)
                          : "–"
                      : cut(String(value ?? ""), 200);
                const cell = el(
                    "td" + (column.numeric ? ".number" : ""),
                    { title: column.hint ? column.hint(row) : null },
                    shown,
                );
                if (column.share)
                    cell.style.setProperty(
                        "--share",
                        Math.max(0, Math.min(1, column.share(row))).toFixed(4),
                    );
                if (column.share) cell.classList.add("bar");
                return cell;
            }),
        );
    }

    draw(everything) {
        if (!this.rows.length) {
            clear(
                this.body,
                el(
                    "tr",
                    null,
                    el("td", { colspan: this.columns.length, text: this.empty || "nothing" }),
                ),
            );
            return;
        }
        const first = everything
            ? 0
            : Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - 8);
        const last = Math.min(this.rows.length, everything || first + this.most + 24);
        const lines = [];
        if (first)
            lines.push(
                el("tr.space", { style: `height:${first * ROW_HEIGHT}px`, "aria-hidden": "true" }),
            );
        for (let at = first; at < last; at++) lines.push(this.line(at));
        if (last < this.rows.length && !everything)
            lines.push(
                el("tr.space", {
                    style: `height:${(this.rows.length - last) * ROW_HEIGHT}px`,
                    "aria-hidden": "true",
                }),
            );
        clear(this.body, lines);
    }

    pick(at, event) {
        this.selected = this.rows[at];
        this.draw();
        if (this.select) this.select(this.selected, event);
    }

    /* Selects a row from outside and scrolls to it. */
    show(row, scroll = true) {
        if (this.selected === row) return;
        this.selected = row;
        const at = this.rows.indexOf(row);
        if (at >= 0 && scroll) {
            const top = at * ROW_HEIGHT;
            const height = this.scroller.clientHeight - 2 * ROW_HEIGHT;
            if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height)
                this.scroller.scrollTop = Math.max(0, top - height / 2);
        }
        this.draw();
    }

    key(event) {
        const page = Math.max(1, this.most - 1);
        const step = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: page,
            PageUp: -page,
            Home: -1e9,
            End: 1e9,
        }[event.key];
        if (
            !step ||
            event.ctrlKey ||
            event.metaKey ||
            event.altKey ||
            event.target !== this.scroller
        )
            return;
        event.preventDefault();
        event.stopPropagation();
        const at = this.rows.indexOf(this.selected);
        const next = Math.max(0, Math.min(this.rows.length - 1, at < 0 ? 0 : at + step));
        this.selected = -1;
        this.show(this.rows[next]);
        if (this.select) this.select(this.selected, event);
    }

    save() {
        const lines = [
            this.columns
                .map((c) => csvField(c.name || c.title + (c.unit ? " (" + c.unit + ")" : "")))
                .join(","),
        ];
        for (const row of this.rows)
            lines.push(this.columns.map((c) => csvField((c.text || c.value)(row))).join(","));
        saveFile(this.file + ".csv", lines.join("\n") + "\n", "text/csv");
        notify(plural(this.rows.length, "row") + " saved as " + this.file + ".csv");
    }
}

window.addEventListener("beforeprint", () =>
    document.querySelectorAll(".scroller").forEach((s) => s.owner?.draw(60)),
);
