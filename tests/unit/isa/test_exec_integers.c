/* Integer opcodes of isa/exec.h with every pair (and triple) of critical values, compared with
 * models in 64-bit integers and doubles. Where GLSL and TGSI leave the result undefined, the models
 * follow Direct3D 10. A division by zero gives all ones (0 for IDIV, as in TGSI). A shift uses the
 * lowest five bits. A conversion saturates, and NaN gives 0. INT_MIN / -1 wraps. */
#include "rigs/exec_rig.h"

#include <math.h>
#include <stdio.h>

enum { LANES = 64 };

typedef uint32_t model_fn(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c);

struct integer_case {
    enum opcode opcode;
    int sources;
    model_fn *model;
};

static float
float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t
bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static int64_t
wide(uint32_t a)
{
    return a >= 0x80000000u ? (int64_t)a - 0x100000000 : (int64_t)a;
}

static uint32_t
truth(bool yes)
{
    return yes ? UINT32_MAX : 0;
}

static uint32_t
model_arithmetic(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c)
{
    switch (opcode) {
    case OP_UADD: return (uint32_t)(((uint64_t)a + b) % 0x100000000u);
    case OP_UMUL: return (uint32_t)((unsigned __int128)a * b % 0x100000000u);
    case OP_UMUL_HI: return (uint32_t)((unsigned __int128)a * b / 0x100000000u);
    case OP_IMUL_HI:
        return (uint32_t)(wide(a) * wide(b) < 0
                              ? -((-(wide(a) * wide(b)) + 4294967295) / 4294967296)
                              : wide(a) * wide(b) / 4294967296);
    case OP_UMAD: return (uint32_t)(((unsigned __int128)a * b + c) % 0x100000000u);
    case OP_UDIV: return (uint32_t)(b == 0 ? UINT32_MAX : (uint64_t)a / b);
    case OP_UMOD: return (uint32_t)(b == 0 ? UINT32_MAX : a - (uint64_t)a / b * b);
    case OP_IDIV: return (uint32_t)(b == 0 ? 0 : wide(a) / wide(b));
    case OP_MOD: return (uint32_t)(b == 0 ? UINT32_MAX : wide(a) - wide(a) / wide(b) * wide(b));
    case OP_INEG: return (uint32_t)((0x100000000u - (uint64_t)a) % 0x100000000u);
    case OP_IABS: return (uint32_t)(wide(a) < 0 ? -wide(a) : wide(a));
    case OP_ISSG: return (uint32_t)(wide(a) < 0 ? UINT32_MAX : a != 0);
    default: fail_msg("opcode %u has no model", opcode); return 0;
    }
}

static uint32_t
model_bits(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c)
{
    switch (opcode) {
    case OP_AND: return a & b;
    case OP_OR: return (uint32_t)((uint64_t)a + b - (a & b));
    case OP_XOR: return (uint32_t)((uint64_t)a + b - 2ull * (a & b));
    case OP_NOT: return UINT32_MAX - a;
    case OP_SHL: return (uint32_t)((uint64_t)a * (1ull << b % 32) % 0x100000000u);
    case OP_USHR: return (uint32_t)((uint64_t)a / (1ull << b % 32));
    case OP_ISHR: return (uint32_t)((int64_t)floor((double)wide(a) / (double)(1ull << b % 32)));
    case OP_I2F: return bits_of((float)wide(a));
    case OP_U2F: return bits_of((float)(uint64_t)a);
    default: fail_msg("opcode %u has no model", opcode); return 0;
    }
}

static uint32_t
model_comparison(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c)
{
    switch (opcode) {
    case OP_IMAX: return wide(a) > wide(b) ? a : b;
    case OP_IMIN: return wide(a) > wide(b) ? b : a;
    case OP_UMAX: return a > b ? a : b;
    case OP_UMIN: return a > b ? b : a;
    case OP_USEQ: return truth(a - b == 0);
    case OP_USNE: return truth(a - b != 0);
    case OP_USLT: return truth((int64_t)a - (int64_t)b < 0);
    case OP_USGE: return truth((int64_t)a - (int64_t)b >= 0);
    case OP_ISLT: return truth(wide(a) - wide(b) < 0);
    case OP_ISGE: return truth(wide(a) - wide(b) >= 0);
    case OP_UCMP: return a ? b : c;
    default: fail_msg("opcode %u has no model", opcode); return 0;
    }
}

static const struct integer_case cases[] = {
    {OP_UADD, 2, model_arithmetic},    {OP_UMUL, 2, model_arithmetic},
    {OP_UMUL_HI, 2, model_arithmetic}, {OP_IMUL_HI, 2, model_arithmetic},
    {OP_UMAD, 3, model_arithmetic},    {OP_UDIV, 2, model_arithmetic},
    {OP_UMOD, 2, model_arithmetic},    {OP_IDIV, 2, model_arithmetic},
    {OP_MOD, 2, model_arithmetic},     {OP_IMAX, 2, model_comparison},
    {OP_IMIN, 2, model_comparison},    {OP_UMAX, 2, model_comparison},
    {OP_UMIN, 2, model_comparison},    {OP_INEG, 1, model_arithmetic},
    {OP_IABS, 1, model_arithmetic},    {OP_ISSG, 1, model_arithmetic},
    {OP_AND, 2, model_bits},           {OP_OR, 2, model_bits},
    {OP_XOR, 2, model_bits},           {OP_NOT, 1, model_bits},
    {OP_SHL, 2, model_bits},           {OP_USHR, 2, model_bits},
    {OP_ISHR, 2, model_bits},          {OP_USEQ, 2, model_comparison},
    {OP_USNE, 2, model_comparison},    {OP_USLT, 2, model_comparison},
    {OP_USGE, 2, model_comparison},    {OP_ISLT, 2, model_comparison},
    {OP_ISGE, 2, model_comparison},    {OP_UCMP, 3, model_comparison},
    {OP_I2F, 1, model_bits},           {OP_U2F, 1, model_bits},
};

static const uint32_t edges[] = {
    0,          1,          2,          3,          7,          31,         32,         33,
    63,         64,         0x7fff,     0x8000,     0xffff,     0x10000,    0xffffff,   0x1000000,
    0x1000001,  0x1000003,  0x3fffffff, 0x40000000, 0x7fffff80, 0x7fffffff, 0x80000000, 0x80000001,
    0x80000081, 0xfffeffff, 0xffffff7f, 0xffffffe0, 0xffffffe1, 0xfffffffe, 0xffffffff,
};
enum { EDGES = sizeof edges / sizeof *edges };

/* Operands of one run: one per lane, the same in all four channels. */
struct batch {
    uint32_t operands[3][LANES];
    uint32_t count;
};

static void
run_batch(const struct integer_case *test, struct batch *batch)
{
    char text[512];
    struct exec_rig m;
    if (!batch->count)
        return;
    snprintf(text, sizeof text,
             "FRAG\nDCL IN[0..2], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
             "  0: %s OUT[0], IN[0]%s%s\n  1: END\n",
             opcode_infos[test->opcode].name, test->sources > 1 ? ", IN[1]" : "",
             test->sources > 2 ? ", IN[2]" : "");
    exec_rig_start(&m, STAGE_FRAGMENT, text, LANES);
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t c = 0; c < 4; c++)
            memcpy(input(&m, s, c), batch->operands[s], sizeof batch->operands[s]);
    exec_rig_run(&m);
    for (uint32_t lane = 0; lane < batch->count; lane++) {
        const uint32_t a = batch->operands[0][lane], b = batch->operands[1][lane];
        const uint32_t c = batch->operands[2][lane], wanted = test->model(test->opcode, a, b, c);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t got;
            memcpy(&got, &m.exec->outputs[k * LANES + lane], 4);
            if (got != wanted)
                fail_msg("%s of %08x, %08x, %08x is %08x, not %08x",
                         opcode_infos[test->opcode].name, a, b, c, got, wanted);
        }
    }
    exec_rig_end(&m);
    batch->count = 0;
}

static void
test_edges(void **state)
{
    static const uint32_t third[] = {0, 1, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct batch batch = {.count = 0};
        const uint32_t seconds = cases[i].sources > 1 ? EDGES : 1;
        const uint32_t thirds = cases[i].sources > 2 ? 4 : 1;
        for (uint32_t k = 0; k < EDGES * seconds * thirds; k++) {
            batch.operands[0][batch.count] = edges[k % EDGES];
            batch.operands[1][batch.count] = edges[k / EDGES % seconds];
            batch.operands[2][batch.count] = third[k / EDGES / seconds];
            if (++batch.count == LANES)
                run_batch(&cases[i], &batch);
        }
        run_batch(&cases[i], &batch);
    }
}

static uint32_t
model_f2i(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c)
{
    const double x = (double)float_of(a);
    (void)opcode;
    (void)b;
    (void)c;
    return isnan(x)             ? 0
           : x >= 2147483647.0  ? 0x7fffffff
           : x <= -2147483648.0 ? 0x80000000
                                : (uint32_t)(int64_t)trunc(x);
}

static uint32_t
model_f2u(enum opcode opcode, uint32_t a, uint32_t b, uint32_t c)
{
    const double x = (double)float_of(a);
    (void)opcode;
    (void)b;
    (void)c;
    return isnan(x) || x <= 0.0 ? 0 : x >= 4294967295.0 ? 0xffffffff : (uint32_t)trunc(x);
}

static void
test_conversions(void **state)
{
    static const struct integer_case conversions[] = {{OP_F2I, 1, model_f2i},
                                                      {OP_F2U, 1, model_f2u}};
    static const float values[] = {
        0.0f,           -0.0f,         0.5f,          -0.5f,         0.99999994f,    -0.99999994f,
        1.0f,           -1.0f,         1.5f,          -1.5f,         16777215.5f,    8388607.5f,
        -8388607.5f,    2147483520.0f, 2147483648.0f, 2147483904.0f, -2147483520.0f, -2147483648.0f,
        -2147483904.0f, 4294967040.0f, 4294967296.0f, 4294967808.0f, 3e38f,          -3e38f,
        0x1p-149f,      -0x1p-149f,    0x1p-126f,     INFINITY,      -INFINITY,      NAN,
    };
    for (int i = 0; i < 2; i++) {
        struct batch batch = {.count = 0};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            batch.operands[0][batch.count++] = bits_of(values[k]);
        batch.operands[0][batch.count++] = 0xffc12345u; /* other NaNs */
        batch.operands[0][batch.count++] = 0x7f800001u;
        run_batch(&conversions[i], &batch);
    }
}

/* An index never accesses data outside the registers. Outside, reads give 0 and writes are
 * discarded. */
static void
test_addresses(void **state)
{
    static const char text[] = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n"
                               "DCL CONST[0..3]\nDCL TEMP[0], LOCAL\n"
                               "DCL TEMP[1..4], ARRAY(1), LOCAL\nDCL ADDR[0]\n"
                               "IMM[0] UINT32 {5, 6, 7, 8}\n"
                               "0: MOV TEMP[1], IMM[0].xxxx\n1: MOV TEMP[2], IMM[0].yyyy\n"
                               "2: MOV TEMP[3], IMM[0].zzzz\n3: MOV TEMP[4], IMM[0].wwww\n"
                               "4: UARL ADDR[0].x, IN[0].xxxx\n"
                               "5: MOV TEMP[ADDR[0].x+1](1).y, IMM[0].xxxx\n"
                               "6: MOV OUT[0].x, TEMP[ADDR[0].x+1](1).zzzz\n"
                               "7: MOV OUT[0].y, CONST[ADDR[0].x].xxxx\n8: END\n";
    struct exec_rig m;
    exec_rig_start(&m, STAGE_FRAGMENT, text, LANES);
    for (uint32_t lane = 0; lane < LANES; lane++)
        memcpy(&input(&m, 0, 0)[lane], &edges[lane % EDGES], 4);
    exec_rig_run(&m);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t index = edges[lane % EDGES];
        uint32_t element;
        memcpy(&element, &m.exec->outputs[lane], 4);
        assert_int_equal(element, index < 4 ? 5 + index : 0);
        assert_true(output(&m, 0, 1, lane) == (index < 4 ? (float)(4 * index + 1) : 0.0f));
    }
    exec_rig_end(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests_name("exec integers", tests, NULL, NULL);
}
