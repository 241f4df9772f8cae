#include "sim/identities.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct identity_doc docs[] = {
#define IDENTITY(what, left, right) {what, left, right},
#include "sim/identities.def"
};

struct term {
    uint32_t entry; /* index in the set */
    uint64_t factor;
};
struct sum {
    VEC(struct term) terms;
};
struct identity {
    char *what;
    struct sum left, right;
};
struct identities {
    VEC(struct identity) items;
};

const struct identity_doc *
identity_docs(size_t *count)
{
    *count = sizeof docs / sizeof docs[0];
    return docs;
}

/* Whether the statistic is an instance of the family. `star` points to the * in `family`, or is
 * NULL. */
static bool
is_one_of(const char *name, const char *family, const char *star)
{
    char bare[96]; /* name without its index */
    /* Most names begin with another letter. */
    if (!star)
        return name[0] == family[0] && stat_is_instance(name, family);
    const char *index = strchr(name, '[');
    const char *rest = index ? strchr(index, ']') + 1 : "";
    const size_t unit = index ? (size_t)(index - name) : strlen(name), n = unit + strlen(rest);
    const size_t head = (size_t)(star - family), tail = strlen(star + 1);
    if (n < head + tail || n >= sizeof bare)
        return false;
    memcpy(bare, name, unit);
    memcpy(bare + unit, rest, n - unit);
    return !memcmp(bare, family, head) && !memcmp(bare + n - tail, star + 1, tail);
}

static void
add_family(struct sum *sum, const struct stat_set *set, const char *name, uint64_t factor)
{
    const size_t before = sum->terms.count;
    const char *star = strchr(name, '*');
    for (uint32_t i = 0; i < set->count; i++)
        if (is_one_of(set->entries[i].name, name, star))
            VEC_PUSH(&sum->terms, ((struct term){i, factor}));
    BUG_ON(sum->terms.count == before, "an identity uses the unknown statistic '%s'", name);
}

/* Parses a sum such as "a + 64 * b". */
static void
parse(struct sum *sum, const struct stat_set *set, const char *text)
{
    while (*text) {
        char name[96];
        unsigned long long factor = 1;
        int used = 0;
        if (sscanf(text, "%llu * %n", &factor, &used) == 1)
            text += used;
        const size_t n = strcspn(text, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        add_family(sum, set, name, factor);
        text += n;
        text += strspn(text, " +");
    }
}

static void
add_cache(struct identities *identities, const struct stat_set *set, uint32_t accesses)
{
    static const char ending[] = "_accesses";
    const char *name = set->entries[accesses].name;
    const size_t n = strlen(name), tail = sizeof ending - 1;
    if (n < tail || strcmp(name + n - tail, ending))
        return;
    char *hits = mem_printf("%.*s_hits", (int)(n - tail), name);
    char *misses = mem_printf("%.*s_misses", (int)(n - tail), name);
    const struct stat_entry *h = stat_set_find(set, hits), *m = stat_set_find(set, misses);
    if (h && m) {
        struct identity identity = {.what = mem_printf("%s, and hits and misses", name)};
        VEC_PUSH(&identity.left.terms, ((struct term){accesses, 1}));
        VEC_PUSH(&identity.right.terms, ((struct term){(uint32_t)(h - set->entries), 1}));
        VEC_PUSH(&identity.right.terms, ((struct term){(uint32_t)(m - set->entries), 1}));
        VEC_PUSH(&identities->items, identity);
    }
    free(hits);
    free(misses);
}

struct identities *
identities_create(const struct stat_set *set)
{
    struct identities *identities = mem_alloc(sizeof *identities);
    for (size_t i = 0; i < sizeof docs / sizeof docs[0]; i++) {
        struct identity identity = {.what = mem_strdup(docs[i].what)};
        parse(&identity.left, set, docs[i].left);
        parse(&identity.right, set, docs[i].right);
        VEC_PUSH(&identities->items, identity);
    }
    for (uint32_t i = 0; i < set->count; i++)
        add_cache(identities, set, i);
    return identities;
}

void
identities_destroy(struct identities *identities)
{
    if (!identities)
        return;
    for (size_t i = 0; i < identities->items.count; i++) {
        free(identities->items.items[i].what);
        VEC_FREE(&identities->items.items[i].left.terms);
        VEC_FREE(&identities->items.items[i].right.terms);
    }
    VEC_FREE(&identities->items);
    free(identities);
}

static uint64_t
value_of(const struct sum *sum, const struct stat_set *set)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sum->terms.count; i++) {
        const struct stat_entry *entry = &set->entries[sum->terms.items[i].entry];
        value += sum->terms.items[i].factor * (*entry->value - entry->base);
    }
    return value;
}

bool
identities_check(const struct identities *identities, const struct stat_set *set, struct error *err)
{
    for (size_t i = 0; i < identities->items.count; i++) {
        const struct identity *identity = &identities->items.items[i];
        const uint64_t left = value_of(&identity->left, set);
        const uint64_t right = value_of(&identity->right, set);
        if (left != right)
            return fail(err, "identity: %s: %" PRIu64 " is not %" PRIu64, identity->what, left,
                        right);
    }
    return true;
}
