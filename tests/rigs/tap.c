/* What cmocka prints, by its own function's name: linked into each test program, this one is
 * called. Of a test that is skipped cmocka 1.1.5 says "not ok", which is a failure to who reads
 * TAP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

void
print_message(const char *const format, ...)
{
    static const char skipped[] = "not ok %u # SKIP";
    va_list args;
    va_start(args, format);
    vprint_message(strncmp(format, skipped, strlen(skipped)) ? format : format + strlen("not "),
                   args);
    va_end(args);
}
