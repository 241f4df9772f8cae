/* Inserts the names that a program gives its draws into the command stream. Mesa forwards only
 * messages of type marker (glDebugMessageInsert) to the driver. It does not forward the groups and
 * labels of KHR_debug, and it lacks EXT_debug_marker. libGL, libEGL and glvnd look up every OpenGL
 * function with _glapi_get_proc_address() of Mesa's libglapi. This library overrides that function
 * and returns wrappers for the naming functions.
 *
 * Each wrapper calls the original function, then sends all current names in one marker. Therefore
 * the names of a draw are those in the last marker before it in the trace:
 *
 *     GROUP/GROUP/MARKER \n program NAME \n target NAME \n
 *
 * NAME is the label of the current program, or of the bound draw framebuffer. An object without a
 * label has no line. Groups and markers are kept per thread, as OpenGL's current context is. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GL_TYPE_MARKER = 0x8268,
    GL_SOURCE_THIRD_PARTY = 0x8249,
    GL_SEVERITY_NOTIFICATION = 0x826b,
    GL_DEBUG_OUTPUT = 0x92e0,
    GL_VERSION = 0x1f02,
    GL_EXTENSIONS = 0x1f03,
    GL_PROGRAM = 0x82e2,
    GL_PROGRAM_OBJECT_EXT = 0x8b40,
    GL_FRAMEBUFFER = 0x8d40,
    GL_DRAW_FRAMEBUFFER = 0x8ca9,
    GL_PRIMITIVE_RESTART = 0x8f9d,
    MOST_NAME = 63, /* longest stored name, in bytes */
    MOST_LABELS = 4096,
    MOST_GROUPS = 768, /* bytes of a marker that groups may use; labels use the rest */
    MOST_DEPTH = 64,   /* minimum GL_MAX_DEBUG_GROUP_STACK_DEPTH that KHR_debug requires */
};

typedef void proc(void);

struct label { /* label of an object; an empty name marks a free entry */
    uint32_t kind, object;
    char name[MOST_NAME + 1];
};

/* Labels of all contexts, which threads access under `lock`. The count is also read without the
 * lock, to check whether there are any labels. */
static struct label *labels;
static _Atomic uint32_t label_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __thread struct {
    char groups[MOST_DEPTH][MOST_NAME + 1], marker[MOST_NAME + 1];
    uint32_t depth; /* may exceed MOST_DEPTH */
    uint32_t program, target;
    char sent[1024]; /* last marker that was sent */
} now;

static proc *
real(const char *name)
{
    static void *_Atomic ask;
    void *symbol = ask;
    if (!symbol) {
        void *glapi = dlopen("libglapi.so.0", RTLD_LAZY | RTLD_NOLOAD);
        symbol = glapi ? dlsym(glapi, "_glapi_get_proc_address") : NULL;
        ask = symbol;
    }
    proc *(*call)(const char *name);
    memcpy(&call, &symbol, sizeof call);
    return call ? call(name) : NULL;
}

/* Calls Mesa's implementation if it exists. */
#define CALL(name, types, ...)                                                                     \
    do {                                                                                           \
        static proc *_Atomic next;                                                                 \
        if (!next)                                                                                 \
            next = real(name);                                                                     \
        if (next)                                                                                  \
            ((void(*) types)next)(__VA_ARGS__);                                                    \
    } while (0)

static const char *
real_string(uint32_t name)
{
    proc *get = real("glGetString");
    return get ? ((const char *(*)(uint32_t))get)(name) : NULL;
}

/* Makes Mesa issue buffered immediate-mode vertices. glIsList() has this side effect and no other.
 * OpenGL ES has neither immediate mode nor glIsList(). */
static void
flush_immediate_mode(void)
{
    const char *version = real_string(GL_VERSION);
    if (version && strncmp(version, "OpenGL ES", 9) != 0)
        CALL("glIsList", (uint32_t), 0);
}

/* Sends the marker to the driver but not to the program's debug log. */
static void
send_marker(const char *text, int32_t length)
{
    proc *get = real("glIsEnabled");
    const bool logs = get && ((uint8_t(*)(uint32_t))get)(GL_DEBUG_OUTPUT);
    if (logs)
        CALL("glDisable", (uint32_t), GL_DEBUG_OUTPUT);
    CALL("glDebugMessageInsert", (uint32_t, uint32_t, uint32_t, uint32_t, int32_t, const char *),
         GL_SOURCE_THIRD_PARTY, GL_TYPE_MARKER, 0, GL_SEVERITY_NOTIFICATION, length, text);
    if (logs)
        CALL("glEnable", (uint32_t), GL_DEBUG_OUTPUT);
}

/* Copies a name. The text ends at its NUL if `length` is negative, or 0 with nul_at_0 (extensions).
 * A newline also ends the name. A name longer than MOST_NAME bytes is cut at a UTF-8 character
 * boundary. */
static void
keep(char *out, const char *text, int32_t length, bool nul_at_0)
{
    size_t n = 0;
    const bool whole = length < 0 || (nul_at_0 && !length);
    while (text && n < MOST_NAME && (whole || n < (size_t)length) && text[n] && text[n] != '\n') {
        out[n] = text[n];
        n++;
    }
    const bool more = n == MOST_NAME && (whole || n < (size_t)length);
    while (more && n && (text[n] & 0xc0) == 0x80)
        n--;
    out[n] = '\0';
}

static struct label *
find_label(uint32_t kind, uint32_t object)
{
    for (uint32_t i = 0; i < label_count; i++)
        if (labels[i].kind == kind && labels[i].object == object)
            return &labels[i];
    return NULL;
}

/* Returns an entry for a new label: a free one or the next at the end. Returns NULL if the table is
 * full. */
static struct label *
free_label(void)
{
    for (uint32_t i = 0; i < label_count; i++)
        if (!labels[i].name[0])
            return &labels[i];
    return labels && label_count < MOST_LABELS ? &labels[label_count] : NULL;
}

/* Stores the label of a program or framebuffer. Labels of other objects are ignored. An empty name
 * removes the label. */
static void
set_label(uint32_t kind, uint32_t object, const char *text, int32_t length, bool nul_at_0)
{
    char name[MOST_NAME + 1];
    keep(name, text, length, nul_at_0);
    if (kind != GL_PROGRAM && kind != GL_FRAMEBUFFER)
        return;
    pthread_mutex_lock(&lock);
    if (!labels)
        labels = calloc(MOST_LABELS, sizeof *labels);
    struct label *label = find_label(kind, object);
    if (!label && name[0])
        label = free_label();
    if (label) {
        label->kind = kind;
        label->object = object;
        memcpy(label->name, name, sizeof name);
        label_count += label == &labels[label_count];
    }
    pthread_mutex_unlock(&lock);
}

static size_t
add(char *text, size_t at, size_t size, const char *before, const char *name, const char *after)
{
    const int n = snprintf(text + at, size - at, "%s%s%s", before, name, after);
    return at + (size_t)n < size ? at + (size_t)n : size - 1;
}

static size_t
add_object(char *text, size_t at, size_t size, const char *what, uint32_t kind, uint32_t object)
{
    char name[MOST_NAME + 1] = "";
    if (label_count) {
        pthread_mutex_lock(&lock);
        const struct label *label = find_label(kind, object);
        if (label)
            memcpy(name, label->name, sizeof name);
        pthread_mutex_unlock(&lock);
    }
    return name[0] ? add(text, at, size, what, name, "\n") : at;
}

/* Sends a marker with all current names if it differs from the last one. */
static void
update_label(void)
{
    char text[sizeof now.sent];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < now.depth && i < MOST_DEPTH; i++)
        at = add(text, at, MOST_GROUPS, i ? "/" : "", now.groups[i], "");
    if (now.marker[0])
        at = add(text, at, MOST_GROUPS, at ? "/" : "", now.marker, "");
    at = add(text, at, sizeof text, "\n", "", "");
    at = add_object(text, at, sizeof text, "program ", GL_PROGRAM, now.program);
    at = add_object(text, at, sizeof text, "target ", GL_FRAMEBUFFER, now.target);
    const bool nothing_yet = !now.sent[0] && at == 1;
    if (nothing_yet || !strcmp(text, now.sent))
        return;
    memcpy(now.sent, text, at + 1);
    flush_immediate_mode();
    send_marker(text, (int32_t)at);
}

static void
push(const char *text, int32_t length, bool nul_at_0)
{
    if (now.depth < MOST_DEPTH)
        keep(now.groups[now.depth], text, length, nul_at_0);
    now.depth++;
    now.marker[0] = '\0';
    update_label();
}

static void
pop(void)
{
    now.depth -= now.depth > 0;
    now.marker[0] = '\0';
    update_label();
}

static void
mark(const char *text, int32_t length, bool nul_at_0)
{
    keep(now.marker, text, length, nul_at_0);
    /* Mesa may have forwarded the program's marker itself, so a marker with all names must
     * follow. */
    now.sent[0] = '\0';
    update_label();
}

static void
push_debug_group(uint32_t source, uint32_t id, int32_t length, const char *message)
{
    CALL("glPushDebugGroup", (uint32_t, uint32_t, int32_t, const char *), source, id, length,
         message);
    push(message, length, false);
}

static void
pop_debug_group(void)
{
    CALL("glPopDebugGroup", (void), );
    pop();
}

static void
push_group_marker(int32_t length, const char *text)
{
    push(text, length, true);
}

static void
insert_event_marker(int32_t length, const char *text)
{
    mark(text, length, true);
}

static void
debug_message_insert(uint32_t source, uint32_t type, uint32_t id, uint32_t severity, int32_t length,
                     const char *text)
{
    if (type == GL_TYPE_MARKER)
        flush_immediate_mode();
    CALL("glDebugMessageInsert", (uint32_t, uint32_t, uint32_t, uint32_t, int32_t, const char *),
         source, type, id, severity, length, text);
    if (type == GL_TYPE_MARKER)
        mark(text, length, false);
}

static void
string_marker(int32_t length, const void *text)
{
    mark(text, length, true);
}

static void
object_label(uint32_t kind, uint32_t object, int32_t length, const char *text)
{
    CALL("glObjectLabel", (uint32_t, uint32_t, int32_t, const char *), kind, object, length, text);
    set_label(kind, object, text, length, false);
    update_label();
}

static void
label_object(uint32_t kind, uint32_t object, int32_t length, const char *text)
{
    CALL("glLabelObjectEXT", (uint32_t, uint32_t, int32_t, const char *), kind, object, length,
         text);
    set_label(kind == GL_PROGRAM_OBJECT_EXT ? GL_PROGRAM : kind, object, text, length, true);
    update_label();
}

static void
use_program(uint32_t program)
{
    CALL("glUseProgram", (uint32_t), program);
    now.program = program;
    if (label_count)
        update_label();
}

static void
delete_program(uint32_t program)
{
    CALL("glDeleteProgram", (uint32_t), program);
    if (label_count)
        set_label(GL_PROGRAM, program, "", 0, false);
}

static void
bind_framebuffer(uint32_t target, uint32_t framebuffer)
{
    CALL("glBindFramebuffer", (uint32_t, uint32_t), target, framebuffer);
    if (target != GL_FRAMEBUFFER && target != GL_DRAW_FRAMEBUFFER)
        return;
    now.target = framebuffer;
    if (label_count)
        update_label();
}

static void
delete_framebuffers(int32_t count, const uint32_t *framebuffers)
{
    CALL("glDeleteFramebuffers", (int32_t, const uint32_t *), count, framebuffers);
    for (int32_t i = 0; label_count && framebuffers && i < count; i++)
        set_label(GL_FRAMEBUFFER, framebuffers[i], "", 0, false);
}

/* Returns the extension string with our extension appended. Contexts may have different strings, so
 * each distinct string of Mesa gets a separate copy. */
static const char *
with_ours(const char *theirs)
{
    enum { MOST_LISTS = 16 };
    static const char ours[] = " GL_EXT_debug_marker";
    static char *lists[MOST_LISTS];
    const size_t length = strlen(theirs);
    const char *found = theirs;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_LISTS && found == theirs; i++) {
        if (!lists[i] && (lists[i] = malloc(length + sizeof ours))) {
            memcpy(lists[i], theirs, length);
            memcpy(lists[i] + length, ours, sizeof ours);
        }
        if (lists[i] && !strncmp(lists[i], theirs, length) && !strcmp(lists[i] + length, ours))
            found = lists[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Adds EXT_debug_marker, which this library implements, to the extension string. */
static const char *
get_string(uint32_t name)
{
    const char *theirs = real_string(name);
    return name == GL_EXTENSIONS && theirs ? with_ours(theirs) : theirs;
}

/* apitrace asks for GL_PRIMITIVE_RESTART at indexed draws from client memory. Contexts below OpenGL
 * 3.1, which are the only ones offered, have no such state. Without this wrapper, the program would
 * find an error of OpenGL that it did not cause. */
static uint8_t
is_enabled(uint32_t capability)
{
    static proc *_Atomic next;
    if (!next)
        next = real("glIsEnabled");
    if (!next || (capability == GL_PRIMITIVE_RESTART && getenv("AETIUS_APITRACE")))
        return 0;
    return ((uint8_t(*)(uint32_t))next)(capability);
}

static const struct {
    const char *name;
    proc *wrapper;
} wrapped[] = {
    {"glIsEnabled", (proc *)is_enabled},
    {"glGetString", (proc *)get_string},
    {"glPushDebugGroup", (proc *)push_debug_group},
    {"glPushDebugGroupKHR", (proc *)push_debug_group},
    {"glPopDebugGroup", pop_debug_group},
    {"glPopDebugGroupKHR", pop_debug_group},
    {"glDebugMessageInsert", (proc *)debug_message_insert},
    {"glDebugMessageInsertKHR", (proc *)debug_message_insert},
    {"glDebugMessageInsertARB", (proc *)debug_message_insert},
    {"glPushGroupMarkerEXT", (proc *)push_group_marker},
    {"glPopGroupMarkerEXT", pop},
    {"glInsertEventMarkerEXT", (proc *)insert_event_marker},
    {"glStringMarkerGREMEDY", (proc *)string_marker},
    {"glObjectLabel", (proc *)object_label},
    {"glObjectLabelKHR", (proc *)object_label},
    {"glLabelObjectEXT", (proc *)label_object},
    {"glUseProgram", (proc *)use_program},
    {"glUseProgramObjectARB", (proc *)use_program},
    {"glDeleteProgram", (proc *)delete_program},
    {"glBindFramebuffer", (proc *)bind_framebuffer},
    {"glBindFramebufferEXT", (proc *)bind_framebuffer},
    {"glDeleteFramebuffers", (proc *)delete_framebuffers},
    {"glDeleteFramebuffersEXT", (proc *)delete_framebuffers},
};

__attribute__((visibility("default"))) proc *_glapi_get_proc_address(const char *name);

__attribute__((visibility("default"))) proc *
_glapi_get_proc_address(const char *name)
{
    for (size_t i = 0; name && i < sizeof wrapped / sizeof wrapped[0]; i++)
        if (!strcmp(name, wrapped[i].name))
            return wrapped[i].wrapper;
    return real(name);
}
