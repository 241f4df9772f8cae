/* The trace of a followed triangle (`sim --follow`, follow.json in the run folder) as a lane of the
 * timeline. Every named object with two cycles becomes a step. */

/* Returns [{from, to, name, color}] of the frame, or null. Steps are objects with "from" and "to"
 * (or only "cycle"), in any list of the file. "unit", "stage", "step" or "name" gives the name. */
function followLane(run, frame) {
    const trace = run.data.follow;
    if (!trace || (Number.isFinite(trace.frame) && trace.frame !== frame)) return null;
    if (run.followed?.has(frame)) return run.followed.get(frame);
    const steps = [];
    const names = [];
    const walk = (value, depth) => {
        if (!value || typeof value !== "object" || depth > 8 || steps.length > 20000) return;
        if (Array.isArray(value)) return value.forEach((v) => walk(v, depth + 1));
        const from = value.from ?? value.begin ?? value.cycle;
        const to = value.to ?? value.end ?? from;
        if (Number.isFinite(from) && Number.isFinite(to)) {
            const name = String(value.unit ?? value.stage ?? value.step ?? value.name ?? "step");
            if (!names.includes(name)) names.push(name);
            steps.push({ from, to, name, color: names.indexOf(name) });
        }
        for (const inner of Object.values(value)) walk(inner, depth + 1);
    };
    walk(trace, 0);
    const lane = steps.length ? steps.sort((a, b) => a.from - b.from) : null;
    (run.followed ||= new Map()).set(frame, lane);
    return lane;
}

/* The steps as a table; null if no run has any. */
function followSection(selection) {
    if (!selection.runs.some((r) => r.data.follow)) return null;
    const { node, body } = section(
        "follow",
        "Followed",
        "Steps recorded by `aetius sim --follow`. Cycles count from the start of the frame.",
    );
    const draw = () => {
        const lane = followLane(selection.run, selection.frame);
        if (!lane)
            return clear(body, el("p.note", { text: "Nothing was followed in this frame." }));
        const columns = [
            { title: "step", value: (i) => lane[i].name },
            { title: "from", unit: "cycle", value: (i) => lane[i].from, numeric: true },
            { title: "to", unit: "cycle", value: (i) => lane[i].to, numeric: true },
            {
                title: "took",
                unit: "cycles",
                value: (i) => lane[i].to - lane[i].from,
                numeric: true,
            },
        ];
        clear(
            body,
            new DataTable({
                caption: "steps of what was followed",
                columns,
                rows: lane.map((_, i) => i),
                file: "followed",
                select: (i) =>
                    selection.set({
                        cycles: [lane[i].from, Math.max(lane[i].to, lane[i].from + 1)],
                    }),
            }).node,
        );
    };
    selection.listen((changed) => {
        if (changed.has("frame") || changed.has("run")) draw();
    });
    draw();
    return node;
}
