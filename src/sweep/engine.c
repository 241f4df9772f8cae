#include "sweep/engine.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

pid_t
engine_spawn(const char *folder, char *const *words, int *output, struct error *err)
{
    int ends[2];
    const pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC)) {
        fail(err, "no pipe: %s", strerror(errno));
        return -1;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDONLY);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        setpgid(0, 0);
        dup2(nothing, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        signal(SIGPIPE, SIG_DFL);
        if (getppid() != parent || chdir(folder))
            _exit(126);
        execvp(words[0], words);
        _exit(errno == ENOENT ? 127 : 126);
    }
    close(ends[1]);
    *output = ends[0];
    if (child < 0) {
        fail(err, "no process: %s", strerror(errno));
        close(ends[0]);
    }
    return child;
}
