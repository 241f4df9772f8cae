/* What is selected, in all views alike: a run, a frame, a draw (a row of its table), a range of
 * cycles, a pixel; and the address of the page that says so. */
class Selection {
  constructor(runs) {
    this.runs = runs;
    this.listeners = [];
    this.run = runs[0];
    this.frame = runs[0].frames.length ? runs[0].frames[0].frame : 0;
    this.row = -1;
    this.cycles = null; /* [from, to] */
    this.pixel = null; /* [x, y] as --pixel counts */
    this.zoom = null; /* [from, to] of the timeline */
  }

  listen(fn) {
    this.listeners.push(fn);
  }

  /* {run, frame, row, cycles, pixel, zoom}: what changes; a frame or run that changes ends the rest. */
  set(change, fromAddress) {
    const before = { run: this.run, frame: this.frame, row: this.row, cycles: this.cycles, pixel: this.pixel, zoom: this.zoom };
    if ("run" in change && change.run !== this.run) {
      this.run = change.run;
      this.row = -1;
      this.cycles = this.zoom = null;
      if (!this.run.frame(this.frame) && this.run.frames.length) this.frame = this.run.frames[0].frame;
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
    for (const name of ["row", "cycles", "pixel", "zoom"]) if (name in change) this[name] = change[name];
    if ("row" in change && change.row >= 0 && !("cycles" in change)) this.cycles = null;
    const changed = new Set(Object.keys(before).filter((n) => String(before[n]) !== String(this[n]) || before[n] !== this[n]));
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
      parts.push(work === "draw" ? "draw=" + draws.column("draw")[this.row] : "row=" + (this.row - this.run.drawTimes.frames.get(this.frame)[0]));
    }
    if (this.cycles) parts.push("cycles=" + this.cycles.map(Math.round).join("-"));
    if (this.pixel) parts.push("pixel=" + this.pixel.join(","));
    return "#" + parts.join("&");
  }

  follow(address) {
    const wanted = new URLSearchParams(address.replace(/^#/, ""));
    const number = (name) => (/^\d+$/.test(wanted.get(name) || "") ? Number(wanted.get(name)) : -1);
    const pair = (name, separator) => {
      const values = (wanted.get(name) || "").split(separator).map(Number);
      return values.length === 2 && values.every((v) => Number.isFinite(v) && v >= 0) ? values : null;
    };
    const run = this.runs.find((r) => r.letter === wanted.get("run")) || this.runs[0];
    const frame = run.frame(number("frame")) ? number("frame") : run.frames[0]?.frame || 0;
    const rows = run.drawTimes.frames.get(frame);
    let row = number("draw") >= 0 ? run.drawRow(frame, number("draw")) : -1;
    if (number("row") >= 0 && rows && rows[0] + number("row") < rows[1]) row = rows[0] + number("row");
    this.set({ run, frame, row, cycles: pair("cycles", "-"), pixel: pair("pixel", ",") }, true);
  }
}
