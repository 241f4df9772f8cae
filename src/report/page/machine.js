/* The machine: parameters that differ from the preset, and all parameters. */
function machineSection(selection) {
    const { node, body } = section("machine", "Machine");
    const draw = () => {
        const { run } = selection;
        const { parameters } = run.page;
        const { values, preset } = run.data.machine || {};
        if (!values) return clear(body, el("p.note", { text: "The run has no machine.ini." }));
        const table = (rows, file) =>
            new DataTable({
                caption: "parameters",
                file,
                rows,
                filter: rows.length > 20,
                columns: [
                    { title: "parameter", value: (i) => parameters[i][0] },
                    { title: "value", value: (i) => values[i] },
                    {
                        title: run.facts.preset || "preset",
                        value: (i) => (preset ? preset[i] : ""),
                    },
                    { title: "unit", value: (i) => parameters[i][1] },
                    { title: "meaning", value: (i) => parameters[i][2] },
                ],
            }).node;
        const differ = preset ? values.map((_, i) => i).filter((i) => values[i] !== preset[i]) : [];
        const every = el(
            "details",
            null,
            el("summary", { text: `All ${plural(values.length, "parameter")}` }),
        );
        every.addEventListener("toggle", () => {
            if (every.open && every.children.length < 2)
                every.append(
                    table(
                        values.map((_, i) => i),
                        "machine",
                    ),
                );
        });
        clear(
            body,
            el("p.lead", {
                text: !preset
                    ? "This version does not have the preset."
                    : differ.length
                      ? `${whole(differ.length)} of ${plural(values.length, "parameter")} differ${differ.length === 1 ? "s" : ""} from ${run.facts.preset}:`
                      : `Equal to ${run.facts.preset}. No parameter differs.`,
            }),
            differ.length ? table(differ, "machine-differences") : null,
            every,
        );
    };
    selection.listen((changed) => {
        if (changed.has("run")) draw();
    });
    draw();
    return node;
}
