#include "sweep/engine.h"

#include "base/log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENGINE(name) extern const struct sweep_engine engine_##name;
#include "sweep/engines.def"

static const struct sweep_engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "sweep/engines.def"
};
enum { ENGINES = sizeof engines / sizeof engines[0] };

const struct sweep_engine *
engine_find(const char *name)
{
    for (size_t i = 0; i < ENGINES; i++)
        if (!strcmp(engines[i]->name, name))
            return engines[i];
    return NULL;
}

char *
engine_names(void)
{
    char *names = mem_strdup("");
    for (size_t i = 0; i < ENGINES; i++) {
        char *longer = mem_printf("%s%s%s", names, i ? ", " : "", engines[i]->name);
        free(names);
        names = longer;
    }
    return names;
}

char *
engine_self(void)
{
    char *self = realpath("/proc/self/exe", NULL);
    return self ? self : mem_strdup("aetius");
}

char *
shell_word(const char *text)
{
    char *word = mem_alloc(4 * strlen(text) + 3), *to = word;
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *text;
    }
    strcpy(to, "'");
    return word;
}

bool
engine_start(struct subprocess *child, const char *folder, char *const *words, const char *package,
             struct error *err)
{
    const struct subprocess_setup setup = {.argv = words,
                                           .package = package,
                                           .folder = folder,
                                           .output = SUBPROCESS_PIPE,
                                           .no_input = true,
                                           .own_group = true,
                                           .death_signal = SIGTERM};
    return subprocess_start(child, &setup, err);
}
