#include "cmd/explain_words.h"

#include "analysis/nvidia.h"
#include "analysis/pipeline_tree.h"
#include "analysis/shader_tree.h"
#include "core/clock_stats.h"
#include "params/params.h"
#include "report/compare/ideals.h"
#include "report/findings/findings.h"
#include "sim/work_accounting.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *who;
} memory_clients[] = {
#define MEMORY(name, unit, port, client, traffic, width, who) {#client, who},
#include "machine.def"
};
enum { CLIENTS = sizeof memory_clients / sizeof memory_clients[0] };

static const struct {
    const char *word, *kind, *doc;
} terms[] = {
#define TERM(word, kind, doc) {word, kind, doc},
#include "cmd/explain_terms.def"
};
enum { TERMS = sizeof terms / sizeof terms[0] };

/* Trees of `aetius topdown`. */
static const struct {
    const struct topdown_shape *shape;
    const char *branch, *leaf;
} trees[] = {
    {&pipeline_shape, "branch of lost cycles", "cause of lost cycles"},
    {&shader_shape, "branch of the shaders' issue slots", "fate of the shaders' issue slots"},
    {&nvidia_shape, "node of an NVIDIA profile", "node of an NVIDIA profile"},
};
enum { TREES = sizeof trees / sizeof trees[0] };

static struct word_meaning *
add(word_meanings *list, const char *kind, const char *doc)
{
    struct word_meaning meaning = {.advice = NULL};
    snprintf(meaning.kind, sizeof meaning.kind, "%s", kind);
    snprintf(meaning.doc, sizeof meaning.doc, "%s", doc);
    VEC_PUSH(list, meaning);
    return &list->items[list->count - 1];
}

static void
add_verdict(word_meanings *list, const char *word)
{
    for (uint32_t i = 0; i < IDEALS; i++) {
        char doc[512];
        if (strcasecmp(word, ideals[i].name) != 0)
            continue;
        snprintf(doc, sizeof doc,
                 "\"bound by %s\" predicts the largest gain for this ideal resource: %s",
                 ideals[i].name, ideals[i].what);
        struct word_meaning *meaning = add(list, "verdict", doc);
        meaning->advice = ideals[i].advice;
        meaning->parameter = ideals[i].parameter;
    }
}

static void
add_finding(word_meanings *list, const char *word)
{
    for (uint32_t i = 0; i < FINDINGS; i++)
        if (!strcasecmp(word, finding_infos[i].name))
            add(list, "finding", finding_infos[i].what)->advice = finding_infos[i].advice;
}

static bool
has_children(const struct topdown_shape *shape, uint32_t node)
{
    for (uint32_t i = node + 1; i < shape->count; i++)
        if (shape->nodes[i].parent == node)
            return true;
    return false;
}

static void
add_nodes(word_meanings *list, const char *word)
{
    for (uint32_t t = 0; t < TREES; t++)
        for (uint32_t i = 1; i < trees[t].shape->count; i++) {
            const struct topdown_node *node = &trees[t].shape->nodes[i];
            char kind[96];
            if (strcasecmp(word, node->name) != 0)
                continue;
            const char *what = has_children(trees[t].shape, i) ? trees[t].branch : trees[t].leaf;
            snprintf(kind, sizeof kind, "%s, below %s", what,
                     trees[t].shape->nodes[node->parent].name);
            struct word_meaning *meaning = add(list, node->parent ? kind : what, node->doc);
            meaning->advice = node->advice;
            meaning->parameter = node->parameter;
        }
}

/* Adds states of units and kinds of work: STATE_cycles and WORK_cycles are their statistics. */
static void
add_cycles(word_meanings *list, const struct machine *machine, const char *word)
{
    char name[96];
    for (uint32_t i = 0; i < UNIT_STATES; i++)
        if (!strcasecmp(word, unit_state_names[i]))
            add(list, "state of a unit", module_stat_group.infos[i].doc);
    for (uint32_t i = 0; i < WORK_KINDS; i++) {
        if (strcasecmp(word, work_kind_names[i]) != 0)
            continue;
        snprintf(name, sizeof name, "work.%s_cycles", work_kind_names[i]);
        add(list, "kind of work", stat_set_find(&machine->stats, name)->doc);
    }
}

/* Adds statistics without the name of their unit, such as level5_tested. Identical statistics from
 * several units are added once. */
static void
add_statistics(word_meanings *list, const struct machine *machine, const char *word)
{
    const char *last = "";
    for (uint32_t i = 0; i < machine->stats.count; i++) {
        const struct stat_entry *entry = &machine->stats.entries[i];
        const char *tail = strchr(entry->name, '.');
        char kind[96];
        if (!tail || strcasecmp(tail + 1, word) != 0 || !strncmp(entry->name, "lost.", 5) ||
            !strcmp(entry->doc, last))
            continue;
        last = entry->doc;
        snprintf(kind, sizeof kind, "statistic %s%s, %s", entry->name,
                 strchr(entry->name, '[') ? " etc." : "", entry->measure);
        add(list, kind, entry->doc);
    }
}

/* Whether the word is one of the choices "timed|instant". */
static bool
is_choice(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && !strncasecmp(at, word, length))
            return true;
    }
    return false;
}

static void
add_values(word_meanings *list, const char *word)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++) {
        char kind[96];
        if (!infos[i].choices || !*word || !is_choice(infos[i].choices, word))
            continue;
        snprintf(kind, sizeof kind, "value of %s.%s", infos[i].section, infos[i].name);
        add(list, kind, infos[i].doc);
    }
}

static void
add_others(word_meanings *list, const char *word)
{
    const char *section = param_section_doc(word);
    for (uint32_t i = 0; i < TERMS; i++)
        if (!strcasecmp(word, terms[i].word))
            add(list, terms[i].kind, terms[i].doc);
    for (uint32_t i = 0; i < CLIENTS; i++)
        if (!strcasecmp(word, memory_clients[i].name))
            add(list, "client of the memory", memory_clients[i].who);
    if (section)
        add(list, "section of parameters", section);
}

void
word_meanings_find(word_meanings *list, const struct machine *machine, const char *word)
{
    add_verdict(list, word);
    add_finding(list, word);
    add_nodes(list, word);
    add_cycles(list, machine, word);
    add_statistics(list, machine, word);
    add_values(list, word);
    add_others(list, word);
}

void
words_offer(struct nearest *nearest)
{
    for (uint32_t i = 0; i < IDEALS; i++)
        nearest_offer(nearest, ideals[i].name);
    for (uint32_t i = 0; i < FINDINGS; i++)
        nearest_offer(nearest, finding_infos[i].name);
    for (uint32_t t = 0; t < TREES; t++)
        for (uint32_t i = 1; i < trees[t].shape->count; i++)
            nearest_offer(nearest, trees[t].shape->nodes[i].name);
    for (uint32_t i = 0; i < UNIT_STATES; i++)
        nearest_offer(nearest, unit_state_names[i]);
    for (uint32_t i = 0; i < WORK_KINDS; i++)
        nearest_offer(nearest, work_kind_names[i]);
    for (uint32_t i = 0; i < TERMS; i++)
        nearest_offer(nearest, terms[i].word);
}
