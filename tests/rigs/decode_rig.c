#include "rigs/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

int
decode_setup(void **data)
{
    struct decode_rig *f = calloc(1, sizeof *f);
    f->decoder = decoder_create();
    *data = f;
    return 0;
}

int
decode_teardown(void **data)
{
    struct decode_rig *f = *data;
    decoder_destroy(f->decoder);
    free(f);
    return 0;
}

enum decode_result
decode_first(struct decode_rig *f)
{
    struct message message = stream_message(&f->s, 1);
    decoder_begin(f->decoder, &message);
    enum decode_result result = decoder_next(f->decoder, &f->cmd, &f->err);
    f->s.count = 0;
    return result;
}

void
decode_expect(struct decode_rig *f, enum gpu_op op)
{
    enum decode_result result = decode_first(f);
    if (result == DECODE_ERROR)
        print_error("%s\n", f->err.text);
    assert_int_equal(result, DECODE_COMMAND);
    assert_int_equal(f->cmd.op, op);
    assert_int_equal(f->cmd.client, 1);
}

void
decode_expect_error(struct decode_rig *f, const char *text)
{
    assert_int_equal(decode_first(f), DECODE_ERROR);
    assert_string_equal(f->err.text, text);
}

void
decode_expect_nothing(struct decode_rig *f)
{
    assert_int_equal(decode_first(f), DECODE_DONE);
}
