#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* The examples of FIPS 180-4, and the hash of an empty text. The text of a million 'a' is hashed in
 * pieces of several sizes. */
static void
hashes_are_those_of_the_standard(void **state)
{
    static const struct {
        const char *text, *hash;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    struct sha256 sha;
    char text[SHA256_TEXT], piece[997];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sha256_begin(&sha);
        sha256_add(&sha, cases[i].text, strlen(cases[i].text));
        sha256_end(&sha, text);
        assert_string_equal(text, cases[i].hash);
    }
    memset(piece, 'a', sizeof piece);
    sha256_begin(&sha);
    for (size_t left = 1000000, size = 1; left; left -= size) {
        size = size * 7 % sizeof piece + 1;
        size = size < left ? size : left;
        sha256_add(&sha, piece, size);
    }
    sha256_end(&sha, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_are_those_of_the_standard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
