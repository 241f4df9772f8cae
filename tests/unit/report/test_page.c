/* The file of the report page. Packed data unpacks to its input, data cannot become code, and maps
 * become their levels. tests/browser tests the display in a browser. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "report/draw/maps.h"
#include "report/page/page.h"
#include "rigs/folder.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <string.h>
#include <zlib.h>

static char dir[] = "/tmp/aetius-page-XXXXXX";

static void
base64(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        /* RFC 4648, section 10 */
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = page_base64(cases[i][0], strlen(cases[i][0]));
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

/* Returns the decompressed bytes of a Base64 text; the caller frees them. */
static uint8_t *
unpack(const char *text, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t length = strlen(text);
    uint8_t *packed = mem_alloc(length), *bytes = mem_alloc(1 << 20);
    size_t count = 0;
    uint32_t word = 0, bits = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        word = word << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            packed[count++] = (uint8_t)(word >> bits);
        }
    }
    uLongf out = 1 << 20;
    assert_int_equal(uncompress(bytes, &out, packed, count), Z_OK);
    free(packed);
    *size = out;
    return bytes;
}

static const cJSON *
member(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(item);
    return item;
}

/* Reads the numbers of a column as the format defines them: LEB128 from offset "at" of the column's
 * pack. */
static void
read_column(const cJSON *table, const char *name, uint64_t *values, uint32_t rows)
{
    const cJSON *column = member(member(table, "columns"), name);
    const cJSON *pack =
        cJSON_GetArrayItem(member(table, "packs"), (int)member(column, "pack")->valuedouble);
    size_t size, at = (size_t)member(column, "at")->valuedouble;
    uint8_t *bytes = unpack(pack->valuestring, &size);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t shift = 0;
        values[i] = 0;
        do {
            assert_true(at < size);
            values[i] |= (uint64_t)(bytes[at] & 127) << shift;
            shift += 7;
        } while (bytes[at++] & 128);
    }
    free(bytes);
}

static void
columns(void **state)
{
    (void)state;
    static const uint64_t whole[] = {0, 1, 127, 128, 300, 1ull << 32, (1ull << 53) - 1, 5};
    static const uint64_t none[8] = {0};
    static const double real[] = {0, 1, -1, NAN, 0.01597, 97.4, -2.5, 123456};
    static const char *const texts[] = {"b", "a", "b", "", "c", "a", "a", "<"};
    uint64_t values[8];
    cJSON *root = cJSON_CreateObject();
    struct page_columns c;
    page_columns_begin(&c, root, "t", 8);
    page_add_whole(&c, "cycles", whole);
    page_add_whole(&c, "unit.other", whole);
    page_add_whole(&c, "draw", none);
    page_add_real(&c, "time", real);
    page_add_texts(&c, "label", texts);
    page_columns_end(&c);
    const cJSON *table = member(root, "t");
    read_column(table, "cycles", values, 8);
    assert_memory_equal(values, whole, sizeof values);
    read_column(table, "unit.other", values, 8);
    assert_memory_equal(values, whole, sizeof values);
    assert_string_equal(cJSON_GetArrayItem(member(table, "zero"), 0)->valuestring, "draw");
    read_column(table, "time", values, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const double size = (double)((values[i] - 1) / 2) * 1e-8;
        if (isnan(real[i]))
            assert_int_equal(values[i], 0);
        else
            assert_true(fabs(((values[i] - 1) % 2 ? -size : size) - real[i]) < 1e-8);
    }
    read_column(table, "label", values, 8);
    const cJSON *words = member(member(member(table, "columns"), "label"), "words");
    assert_int_equal(cJSON_GetArraySize(words), 5);
    for (uint32_t i = 0; i < 8; i++)
        assert_string_equal(cJSON_GetArrayItem(words, (int)values[i])->valuestring, texts[i]);
    cJSON_Delete(root);
}

static uint32_t
count(const char *text, const char *what)
{
    uint32_t n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

/* Data cannot add tags: the page has as many script ends, comments and styles as an empty page. The
 * data reads back unchanged. */
static void
data_stays_data(void **state)
{
    (void)state;
    static const char evil[] = "</script><!--<script>{{style}}\"'&\\";
    struct error err;
    char *path = mem_printf("%s/page.html", dir), *text = NULL, *empty = NULL;
    size_t size;
    cJSON *page = page_create();
    assert_true(page_write(page, path, &err) && file_read(path, 1 << 24, &empty, &size, &err));
    cJSON_AddStringToObject(page, evil, evil);
    assert_true(page_write(page, path, &err) && file_read(path, 1 << 24, &text, &size, &err));
    assert_int_equal(count(text, "</script>"), count(empty, "</script>"));
    assert_int_equal(count(text, "<!--"), count(empty, "<!--"));
    assert_int_equal(count(text, "<style>"), count(empty, "<style>"));
    const char *data = strstr(text, "id=\"data\">");
    assert_non_null(data);
    cJSON *back = cJSON_Parse(data + strlen("id=\"data\">"));
    assert_string_equal(member(back, evil)->valuestring, evil);
    assert_int_equal(
        count(text, "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'"), 1);
    cJSON_Delete(back);
    cJSON_Delete(page);
    free(text);
    free(empty);
    free(path);
}

/* The page describes every unit that has statistics. */
static void
units_are_described(void **state)
{
    (void)state;
    static const char *const units[] = {
#define GROUP(unit, section, doc) #unit,
#include "unit/stats.def"
    };
    cJSON *page = cJSON_CreateObject();
    page_add_names(page);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        assert_true(strlen(member(member(page, "units"), units[u])->valuestring) > 2);
    cJSON_Delete(page);
}

/* The color of each level becomes that level again. The highest level of four pixels counts. */
static void
maps_become_levels(void **state)
{
    (void)state;
    struct error err;
    char *maps = mem_printf("%s/maps", dir), *path = mem_printf("%s/frame-0000-misses.png", maps);
    struct picture picture = {256, 2, false, mem_alloc(256 * 2 * 4)};
    for (uint32_t i = 0; i < 512; i++)
        map_heat(i % 256, picture.rgba + 4 * i);
    assert_true(dir_create(maps, &err) && picture_write_png(&picture, path, &err));
    for (uint32_t reduce = 1; reduce <= 2; reduce++) {
        cJSON *frame = cJSON_CreateObject();
        size_t size;
        assert_true(page_add_maps(frame, dir, 0, reduce, true, &err));
        const cJSON *map = member(member(frame, "maps"), "misses");
        uint8_t *levels = unpack(member(map, "data")->valuestring, &size);
        assert_int_equal(size, 512 / reduce / reduce);
        for (uint32_t i = 0; i < 256 / reduce; i++)
            assert_int_equal(levels[i], (i + 1) * reduce - 1);
        free(levels);
        cJSON_Delete(frame);
    }
    picture.rgba[0] = 77; /* not a color of the scale */
    cJSON *frame = cJSON_CreateObject();
    assert_true(picture_write_png(&picture, path, &err));
    assert_false(page_add_maps(frame, dir, 0, 1, true, &err));
    assert_non_null(strstr(err.text, "scale"));
    cJSON_Delete(frame);
    remove(path);
    picture_fini(&picture);
    free(path);
    free(maps);
}

/* Reads a column. A column of zeros is only in the list of zero columns. */
static void
read_any(const cJSON *table, const char *name, uint64_t *values, uint32_t rows)
{
    const cJSON *zero;
    memset(values, 0, rows * sizeof *values);
    cJSON_ArrayForEach(zero, member(table, "zero")) if (!strcmp(zero->valuestring, name)) return;
    read_column(table, name, values, rows);
}

/* Checks two columns for each row of draws. One is the largest possible gain minus the expected
 * one. The other one identifies the resource that absorbs this difference. */
static void
rows_have_gains(void **state)
{
    (void)state;
    enum { MOST = 256 };
    static struct command_result cmd;
    uint64_t less[MOST], behind[MOST];
    char *run = mem_printf("%s/gains", dir), *table_path = mem_printf("%s/stats.draws.csv.gz", run);
    char *machine = mem_printf("%s/machine.ini", run);
    const char *const dirs[] = {run};
    struct csv_table table;
    struct params params;
    struct error err;
    params_init(&params);
    RUN(&cmd, "sim", AETIUS_SOURCE_DIR "/tests/golden/workloads.trace", "-o", run);
    assert_true(csv_read(&table, table_path, &err) && params_load_file(&params, machine, &err));
    assert_in_range(table.rows, 20, MOST);
    cJSON *page = page_create();
    assert_true(page_add_runs(page, dirs, 1, &err));
    const cJSON *object = cJSON_GetArrayItem(member(page, "runs"), 0);
    const cJSON *gained = member(member(object, "tables"), "gains");
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < IDEALS; i++) {
        char *name = mem_printf("%s_behind", ideals[i].name);
        if (i != IDEAL_drain) {
            read_any(gained, ideals[i].name, less, table.rows);
            read_any(gained, name, behind, table.rows);
        }
        for (uint32_t r = 0; r < table.rows && i != IDEAL_drain; r++) {
            const struct ideal_rows one = {&table, NULL, r};
            struct ideal_gains gains;
            assert_true(ideals_predict(&one, &params, &gains, &err));
            const double missing = gains.most[i] - gains.expected[i];
            assert_float_equal((double)less[r] / 100, missing, 0.0051);
            assert_true(!behind[r] || missing > 0);
            if (missing > 0 && !behind[r]) /* hidden by the DAC */
                assert_true(csv_value(&table, r, csv_column(&table, "dac.transactions")) > 0);
            if (behind[r])
                assert_float_equal(gains.hidden[i][behind[r] - 1], missing, 1e-6);
            hidden += behind[r] > 0;
        }
        free(name);
    }
    assert_true(hidden > 20);
    cJSON_Delete(page);
    csv_table_fini(&table);
    free(machine);
    free(table_path);
    free(run);
}

static void
csv_reads_back(void **state)
{
    (void)state;
    static const char *const cells[] = {"name", "a,b", "q\"q", "", "line\nend", "1.5"};
    struct text_table made = {0}, read;
    struct error err;
    char *text;
    size_t size;
    for (uint32_t i = 0; i < 6; i++) {
        text_table_cell(&made, "%s", cells[i]);
        if (i % 2)
            text_table_end_row(&made);
    }
    FILE *out = open_memstream(&text, &size);
    text_table_write(&made, TEXT_TABLE_CSV, out);
    fclose(out);
    assert_true(text_table_read_csv(&read, text, "made.csv", &err));
    assert_int_equal(read.columns, 2);
    assert_int_equal(read.cells.count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_string_equal(read.cells.items[i], cells[i]);
    text_table_fini(&read);
    text_table_fini(&made);
    free(text);
    static const char *const bad[] = {"", "a,b\n1\n", "a,b\n1,2,3\n", "a\n\"x\n", "a\n\"x\"y\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_table_read_csv(&read, bad[i], "bad.csv", &err));
    assert_true(text_table_read_csv(&read, "a,b\r\n1,\r\n", "crlf.csv", &err));
    assert_int_equal(read.cells.count, 4);
    assert_string_equal(read.cells.items[3], "");
    text_table_fini(&read);
}

/* Lines of a file may end in CRLF. A damaged file leaves nothing to free. */
static void
csv_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool reads;
    } files[] = {{"a,b\r\n1,2\r\n", true}, {"a,b\n1,2\n3,\"4\n", false}, {"a,b\n1,2\n3\n", false}};
    char path[] = "/tmp/aetius-sheet-XXXXXX";
    const int file = mkstemp(path);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct text_table sheet;
        struct error err;
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, files[i].text, strlen(files[i].text), 0),
                         strlen(files[i].text));
        assert_int_equal(text_table_read(&sheet, path, &err), files[i].reads);
        assert_int_equal(sheet.cells.count, files[i].reads ? 4 : 0);
        if (files[i].reads)
            assert_string_equal(text_table_at(&sheet, 1, 1), "2");
        text_table_fini(&sheet);
    }
    close(file);
    unlink(path);
}

/* Input that cannot be shown gives a message of one line, and no page. */
static void
refusals(void **state)
{
    (void)state;
    static struct command_result cmd;
    char *csv = mem_printf("%s/bad.csv", dir), *html = mem_printf("%s/none.html", dir);
    struct error err;
    assert_true(file_write(csv, "a,b\n1\n", 6, &err));
    RUN(&cmd, "report", "/nowhere", "-o", html);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "/nowhere does not exist"));
    RUN(&cmd, "report", csv, "-o", html);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "row 2 has 1 cell, expected 2"));
    assert_false(file_exists(html));
    assert_true(file_write(csv, "a,b\n1,2\n", 8, &err));
    RUN(&cmd, "report", csv, "-o", html);
    assert_int_equal(cmd.status, 0);
    assert_true(file_exists(html));
    remove(html);
    static const char rows[] = "{\"rows\": [{\"a\": 1.5, \"b\": \"x\"}, {\"b\": true}]}",
                      none[] = "{}";
    assert_true(file_write(csv, rows, strlen(rows), &err));
    RUN(&cmd, "report", csv, "-o", html);
    assert_int_equal(cmd.status, 0);
    char *page;
    size_t size;
    assert_true(file_read(html, 1 << 24, &page, &size, &err));
    assert_non_null(
        strstr(page, "\"columns\":[\"a\",\"b\"],\"values\":[[1.5,null],[\"x\",\"yes\"]]"));
    free(page);
    remove(html);
    assert_true(file_write(csv, none, strlen(none), &err));
    RUN(&cmd, "report", csv, "-o", html);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "rows"));
    remove(csv);
    free(csv);
    free(html);
}

static int
begin(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int
end(void **state)
{
    (void)state;
    return !remove_folder(dir);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64),
        cmocka_unit_test(columns),
        cmocka_unit_test(data_stays_data),
        cmocka_unit_test(units_are_described),
        cmocka_unit_test(maps_become_levels),
        cmocka_unit_test(csv_reads_back),
        cmocka_unit_test(csv_files_are_read),
        cmocka_unit_test(refusals),
        cmocka_unit_test(rows_have_gains),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, begin, end);
}
