/* Edit distance (insert, delete, replace, swap neighbors), computed with three rolling rows. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_CHARS = 96 };

static bool
same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t
edit_distance(const char *a, const char *b)
{
    size_t n = strnlen(a, NAME_MAX_CHARS), m = strnlen(b, NAME_MAX_CHARS);
    uint32_t rows[3][NAME_MAX_CHARS + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t replaced = above[j - 1] + !same(a[i - 1], b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void
nearest_offer(struct nearest *nearest, const char *name)
{
    uint32_t distance = edit_distance(nearest->wanted, name);
    if (nearest->best && distance >= nearest->distance)
        return;
    nearest->best = name;
    nearest->distance = distance;
}

bool
nearest_found(const struct nearest *nearest)
{
    const size_t length = strlen(nearest->wanted);
    return nearest->best && nearest->distance <= 2 + length / 4 && nearest->distance * 2 <= length;
}
