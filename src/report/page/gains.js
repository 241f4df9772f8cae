/* Estimates the gain from an ideal resource (report/compare/ideals.h), for the selection. */

/* Gains for the selection: {resources: [{name, charged, most, expected, behind}], bound_by,
 * hide_each_other, together: {names, expected}, notes}, in cycles. null: the run does not count causes.
 *
 * A frame has the prediction that was made from its draws. A draw or a range of whole draws has the
 * sum of the expected gains of its rows. A range that ends inside a draw has no expected gains, and
 * "bound_by" is missing. Branches of the tree without a resource come last, so that charged cycles
 * add up to all cycles. */
function gainsOf(selection, picked, values) {
    const { run, frame } = selection;
    if (!run.data.resources) return null;
    const { ideals, tree } = run.page;
    const owned = new Set(Object.values(ideals).map((i) => i.branch));
    const rest = tree
        .filter((n) => n.parent === "cycles" && !owned.has(n.name))
        .map((n) => ({ name: n.name, charged: values.get(n.name) }));
    const made =
        picked.row < 0 && !picked.range ? run.frame(frame) : addedGains(run, picked, values);
    if (!made?.resources) return null;
    return { notes: [], ...made, resources: [...made.resources, ...rest] };
}

function addedGains(run, picked, values) {
    const { ideals } = run.page;
    const known = picked.table === run.draws;
    const resources = Object.keys(ideals)
        .filter((name) => ideals[name].branch)
        .map((name) => {
            const most = ideals[name].causes.reduce((sum, cause) => sum + values.get(cause), 0);
            return {
                name,
                charged: values.get(ideals[name].branch),
                most,
                ...(known && expectedOf(run, picked, name, most)),
            };
        });
    if (!known)
        return {
            resources,
            notes: [
                "Predictions need whole draws, and this range ends within one. Select by draw instead.",
            ],
        };
    return {
        resources,
        ...boundBy(run, picked, resources),
        notes: ["No prediction for drain: it occurs between two draws."],
    };
}

/* The upper bound less the parts that other resources hide in each row. */
function expectedOf(run, picked, name, most) {
    const [hidden, behind] = [run.gains.column(name), run.gains.column(name + "_behind")];
    const taken = new Map();
    for (const i of picked.rows)
        if (behind[i])
            taken.set(
                behind[i],
                (taken.get(behind[i]) || 0) + hidden[i] / 100,
            ); /* hundredths of a cycle */
    const [by, cycles] = [...taken].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
    return {
        expected: [...taken.values()].reduce((left, part) => left - part, most),
        behind:
            by && cycles >= run.page.ideals_nothing * picked.cycles
                ? Object.keys(run.page.ideals)[by - 1]
                : undefined,
    };
}

/* The resource with the largest expected gain. If no gain alone is worth it, the one with the
 * largest upper bound. */
function boundBy(run, picked, resources) {
    const largest = (name) => resources.reduce((a, b) => (b[name] > a[name] ? b : a));
    const hide = largest("expected").expected < run.page.ideals_nothing * picked.cycles;
    const best = largest(hide ? "most" : "expected");
    return {
        bound_by:
            picked.row >= 0
                ? run.draws.column("bound_by")[picked.row]
                : best.most > 0
                  ? best.name
                  : "",
        hide_each_other: hide,
    };
}

/* The verdict as a text, worded like `aetius topdown`. */
function verdictText(run, gains, cycles) {
    const best = gains.resources.find((r) => r.name === gains.bound_by);
    if (!best) return null;
    const share = (value) => percent(value / cycles);
    const charged = best.charged
        ? `${share(best.charged)} of the cycles are attributed to it`
        : "no cycle is attributed to it";
    const most = best.most === best.charged ? "" : ` (upper bound ${share(best.most)})`;
    const hide = gains.hide_each_other
        ? ` No resource alone saves ${100 * run.page.ideals_nothing} %. The resources hide each other: remove several together.`
        : "";
    const names = gains.together?.names ?? [];
    const together = names.length
        ? ` Together, ${names.slice(0, -1).join(", ")} and ${names.at(-1)}: ${share(gains.together.expected)} would be saved without ${names.length > 2 ? "all of them" : "both"}.`
        : "";
    return [
        best.name,
        `: ${charged}. Without this limit, ${share(best.expected)} of the cycles would be saved${most}.${together}`,
        hide,
    ];
}
