/* Records the context that a program requests but does not get. The wrappers of
 * glXCreateContextAttribsARB() and eglCreateContext() write its description into the file that
 * AETIUS_REFUSED names, which trace/virgl/vtest/launch.c reads. The first context that the program
 * gets removes the file.
 *
 * glvnd's libGL.so.1 calls GLX through a table in libGLX.so.0, and obtains functions that are not
 * in the table with __glXGLLoadGLXFunction(). This library changes the table and overrides that
 * function. Both also take effect if the program opened libGL.so.1 with dlopen(). The EGL wrapper
 * intercepts only programs that are linked against libEGL. */
#include "shim/context.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

enum {
    /* The attributes of GLX_ARB_create_context and of EGL 1.5 have different numbers. */
    GLX_MAJOR = 0x2091,
    GLX_MINOR = 0x2092,
    GLX_PROFILE = 0x9126,
    EGL_MAJOR = 0x3098,
    EGL_MINOR = 0x30fb,
    EGL_PROFILE = 0x30fd,
    EGL_END = 0x3038,
    EGL_API_GL = 0x30a2,
    CORE_BIT = 1, /* in both profile masks */
    ES_BIT = 4,   /* in GLX_PROFILE */
};

typedef void proc(void);
typedef void *create_old_fn(void *display, void *config, void *share, int direct);
typedef void *create_new_fn(void *display, void *config, int type, void *share, int direct);
typedef void *create_attribs_fn(void *display, void *config, void *share, int direct,
                                const int *list);
typedef proc *get_proc_fn(const unsigned char *name);
typedef proc *load_fn(const char *name, proc **stored, void *mutex);
typedef void *create_egl_fn(void *display, void *config, void *share, const int32_t *list);

static atomic_bool has_context; /* the program has had a context */

/* Returns the value of an attribute in a list of pairs. */
static int
find(const int *list, int end, int name, int otherwise)
{
    for (; list && *list != end; list += 2)
        if (*list == name)
            return list[1];
    return otherwise;
}

/* Profiles exist from OpenGL 3.2 upward. */
static bool
has_profiles(int major, int minor)
{
    return major > 3 || (major == 3 && minor >= 2);
}

/* Records that the program has a context, unless `context` is NULL. Returns the context. */
static void *
made(void *context)
{
    const char *path = getenv("AETIUS_REFUSED");
    if (context && !has_context && path)
        unlink(path);
    has_context = has_context || context;
    return context;
}

/* Called before the context is requested, because the default X error handler ends the program. */
static void
record(bool is_es, int major, int minor, bool is_core)
{
    const char *path = getenv("AETIUS_REFUSED");
    char text[64];
    if (!path || has_context)
        return;
    unlink(path);
    const int length = snprintf(text, sizeof text, "OpenGL%s %d.%d%s", is_es ? " ES" : "", major,
                                minor, is_core ? " core" : "");
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (write(fd, text, (size_t)length) != length)
        unlink(path);
    close(fd);
}

/* The wrapped functions of GLX. */
enum wrapped { CREATE_ATTRIBS, CREATE_OLD, CREATE_NEW, GET_PROC, WRAPPED };
static proc *_Atomic real[WRAPPED];

static proc *replace(const char *name, proc *next);

static void *
create_attribs(void *display, void *config, void *share, int direct, const int *list)
{
    const int major = find(list, 0, GLX_MAJOR, 1), minor = find(list, 0, GLX_MINOR, 0);
    const int profile = find(list, 0, GLX_PROFILE, CORE_BIT); /* the default */
    record(profile & ES_BIT, major, minor, profile & CORE_BIT && has_profiles(major, minor));
    return made(((create_attribs_fn *)real[CREATE_ATTRIBS])(display, config, share, direct, list));
}

static void *
create_old(void *display, void *visual, void *share, int direct)
{
    return made(((create_old_fn *)real[CREATE_OLD])(display, visual, share, direct));
}

static void *
create_new(void *display, void *config, int type, void *share, int direct)
{
    return made(((create_new_fn *)real[CREATE_NEW])(display, config, type, share, direct));
}

static proc *
get_proc(const unsigned char *name)
{
    return replace((const char *)name, ((get_proc_fn *)real[GET_PROC])(name));
}

static const struct {
    const char *name;
    enum wrapped index;
    proc *wrapper;
} wrappers[] = {
    {"glXCreateContextAttribsARB", CREATE_ATTRIBS, (proc *)create_attribs},
    {"glXCreateContext", CREATE_OLD, (proc *)create_old},
    {"glXCreateNewContext", CREATE_NEW, (proc *)create_new},
    {"glXGetProcAddress", GET_PROC, (proc *)get_proc},
    {"glXGetProcAddressARB", GET_PROC, (proc *)get_proc},
};

/* Returns the wrapper of a function, or the function itself. `next` may be the wrapper. */
static proc *
replace(const char *name, proc *next)
{
    for (size_t i = 0; next && i < sizeof wrappers / sizeof *wrappers; i++) {
        if (strcmp(name, wrappers[i].name) != 0)
            continue;
        if (next != wrappers[i].wrapper)
            real[wrappers[i].index] = next;
        return wrappers[i].wrapper;
    }
    return next;
}

/* Replaces the functions above with their wrappers in libGLX's table. The table is read-only after
 * relocation. */
static void
patch(void **table, size_t count, void *library)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)table & ~(page - 1);
    const size_t size = (uintptr_t)(table + count) - begin;
    if (mprotect((void *)begin, size, PROT_READ | PROT_WRITE))
        return;
    for (size_t w = 0; w < sizeof wrappers / sizeof *wrappers; w++) {
        void *symbol = dlsym(library, wrappers[w].name);
        for (size_t i = 0; symbol && i < count; i++) {
            proc *next;
            if (table[i] != symbol)
                continue;
            memcpy(&next, &symbol, sizeof next);
            next = replace(wrappers[w].name, next);
            memcpy(&table[i], &next, sizeof next);
        }
    }
    mprotect((void *)begin, size, PROT_READ);
}

void
context_watch(void)
{
    void *library = dlopen("libGLX.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void **table = library ? dlsym(library, "__GLXGL_CORE_FUNCTIONS") : NULL;
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    if (table && dladdr1(table, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
        patch(table, symbol->st_size / sizeof *table, library);
    if (library)
        dlclose(library);
}

SHOWN load_fn __glXGLLoadGLXFunction;

proc *
__glXGLLoadGLXFunction(const char *name, proc **stored, void *mutex)
{
    void *library = dlopen("libGLX.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "__glXGLLoadGLXFunction") : NULL;
    load_fn *next;
    memcpy(&next, &symbol, sizeof next);
    proc *found = replace(name, next ? next(name, stored, mutex) : NULL);
    if (library)
        dlclose(library);
    if (stored)
        *stored = found;
    return found;
}

/* Whether the program's contexts are those of OpenGL, not of OpenGL ES. */
static bool
wants_gl(void)
{
    void *symbol = dlsym(RTLD_NEXT, "eglQueryAPI");
    unsigned (*query)(void);
    memcpy(&query, &symbol, sizeof query);
    return query && query() == EGL_API_GL;
}

SHOWN create_egl_fn eglCreateContext;

void *
eglCreateContext(void *display, void *config, void *share, const int32_t *list)
{
    void *symbol = dlsym(RTLD_NEXT, "eglCreateContext");
    create_egl_fn *next;
    memcpy(&next, &symbol, sizeof next);
    if (!next)
        return NULL;
    const bool is_gl = wants_gl(); /* asked first, because each EGL call resets its error */
    const int major = find(list, EGL_END, EGL_MAJOR, 1), minor = find(list, EGL_END, EGL_MINOR, 0);
    const bool is_core = find(list, EGL_END, EGL_PROFILE, CORE_BIT) & CORE_BIT;
    record(!is_gl, major, minor, is_gl && is_core && has_profiles(major, minor));
    return made(next(display, config, share, list));
}
