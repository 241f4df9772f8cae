/* Execution in isa/exec.h: an example for every opcode, divergence, and texture requests. */
#include "rigs/exec_rig.h"

#include <math.h>
#include <stdio.h>

union value {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

/* OUT[0] is the opcode applied to IN[0], IN[1], IN[2]. For DDX, lane 1 of the quad has twice the
 * floats. */
struct example {
    const char *opcode;
    union value a, b, c, wanted;
};

#define F(x, y, z, w)                                                                              \
    {                                                                                              \
        .f = { x, y, z, w }                                                                        \
    }
#define U(x, y, z, w)                                                                              \
    {                                                                                              \
        .u = { x, y, z, w }                                                                        \
    }
#define S(x, y, z, w)                                                                              \
    {                                                                                              \
        .i = { x, y, z, w }                                                                        \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        .u = { 0, 0, 0, 0 }                                                                        \
    }
#define ALL UINT32_MAX

static const struct example examples[] = {
    {"MOV", F(1, -2, 0.5f, 4), NOTHING, NOTHING, F(1, -2, 0.5f, 4)},
    {"MOV_SAT", F(1.5f, -2, 0.5f, NAN), NOTHING, NOTHING, F(1, 0, 0.5f, 0)},
    {"ADD", F(1, -2, 0.5f, 4), F(2, 2, 2, -4), NOTHING, F(3, 0, 2.5f, 0)},
    {"MUL", F(1, -2, 0.5f, 4), F(2, 2, 2, -4), NOTHING, F(2, -4, 1, -16)},
    {"MAD", F(1, -2, 0.5f, 4), F(2, 2, 2, -4), F(1, 1, 1, 1), F(3, -3, 2, -15)},
    {"DP2", F(1, 2, 3, 4), F(5, 6, 7, 8), NOTHING, F(17, 17, 17, 17)},
    {"DP3", F(1, 2, 3, 4), F(5, 6, 7, 8), NOTHING, F(38, 38, 38, 38)},
    {"DP4", F(1, 2, 3, 4), F(5, 6, 7, 8), NOTHING, F(70, 70, 70, 70)},
    {"DST", F(9, 2, 3, 4), F(9, 6, 7, 8), NOTHING, F(1, 12, 3, 8)},
    {"LRP", F(0, 1, 0.5f, 0.25f), F(8, 8, 8, 8), F(4, 4, 4, 4), F(4, 8, 6, 5)},
    {"DIV", F(1, -2, 3, 4), F(2, 2, 4, 0), NOTHING, F(0.5f, -1, 0.75f, INFINITY)},
    {"MIN", F(1, 5, NAN, 2), F(2, 3, 7, NAN), NOTHING, F(1, 3, 7, 2)},
    {"MAX", F(1, 5, NAN, 2), F(2, 3, 7, NAN), NOTHING, F(2, 5, 7, 2)},
    /* IEEE 754-2019, minimumNumber and maximumNumber: -0 is below +0. */
    {"MIN", F(-0.0f, 0, -0.0f, 0), F(0, -0.0f, -0.0f, 0), NOTHING, F(-0.0f, -0.0f, -0.0f, 0)},
    {"MAX", F(-0.0f, 0, -0.0f, 0), F(0, -0.0f, -0.0f, 0), NOTHING, F(0, 0, -0.0f, 0)},
    /* Arithmetic flushes denormals; a move preserves them. */
    {"MUL", F(0x1p-100f, -0x1p-100f, 0x1p-126f, 0x1p-127f), F(0x1p-49f, 0x1p-49f, 1, 4), NOTHING,
     F(0, -0.0f, 0x1p-126f, 0x1p-125f)},
    {"POW", F(0x1p-61f, 0, 0, 0), F(2.4f, 0, 0, 0), NOTHING, F(0, 0, 0, 0)},
    {"MOV", F(0x1p-149f, -0x1p-149f, 0x1p-127f, 0), NOTHING, NOTHING,
     F(0x1p-149f, -0x1p-149f, 0x1p-127f, 0)},
    {"FRC", F(1.25f, -1.25f, 4, -0.5f), NOTHING, NOTHING, F(0.25f, 0.75f, 0, 0.5f)},
    {"FLR", F(1.25f, -1.25f, -0.0f, 3e9f), NOTHING, NOTHING, F(1, -2, -0.0f, 3e9f)},
    {"CEIL", F(1.25f, -1.25f, -0.5f, -3e9f), NOTHING, NOTHING, F(2, -1, -0.0f, -3e9f)},
    {"TRUNC", F(1.75f, -1.75f, -0.5f, INFINITY), NOTHING, NOTHING, F(1, -1, -0.0f, INFINITY)},
    {"ROUND", F(0.5f, 1.5f, -2.5f, 8388607.5f), NOTHING, NOTHING, F(0, 2, -2, 8388608)},
    {"SSG", F(7, -7, 0, 0.1f), NOTHING, NOTHING, F(1, -1, 0, 1)},
    {"SLT", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, F(1, 0, 0, 0)},
    {"SGE", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, F(0, 1, 1, 0)},
    {"SEQ", F(1, 2, 3, NAN), F(2, 2, 2, NAN), NOTHING, F(0, 1, 0, 0)},
    {"SNE", F(1, 2, 3, NAN), F(2, 2, 2, NAN), NOTHING, F(1, 0, 1, 1)},
    {"SGT", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, F(0, 0, 1, 0)},
    {"SLE", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, F(1, 1, 0, 0)},
    {"CMP", F(-1, 0, 1, -0.0f), F(5, 5, 5, 5), F(6, 6, 6, 6), F(5, 6, 6, 6)},
    {"RCP", F(4, 9, 9, 9), NOTHING, NOTHING, F(0.25f, 0.25f, 0.25f, 0.25f)},
    {"RSQ", F(16, 9, 9, 9), NOTHING, NOTHING, F(0.25f, 0.25f, 0.25f, 0.25f)},
    {"SQRT", F(16, 9, 9, 9), NOTHING, NOTHING, F(4, 4, 4, 4)},
    {"EX2", F(3, 9, 9, 9), NOTHING, NOTHING, F(8, 8, 8, 8)},
    {"LG2", F(0.25f, 9, 9, 9), NOTHING, NOTHING, F(-2, -2, -2, -2)},
    {"POW", F(3, 9, 9, 9), F(4, 0, 0, 0), NOTHING, F(81, 81, 81, 81)},
    {"SIN", F(0, 9, 9, 9), NOTHING, NOTHING, F(0, 0, 0, 0)},
    {"COS", F(0, 9, 9, 9), NOTHING, NOTHING, F(1, 1, 1, 1)},
    {"EXP", F(-1.5f, 9, 9, 9), NOTHING, NOTHING, F(0.25f, 0.5f, 0.35355339f, 1)},
    {"LOG", F(-12, 9, 9, 9), NOTHING, NOTHING, F(3, 1.5f, 3.5849625f, 1)},
    {"LIT", F(2, 3, 9, 2), NOTHING, NOTHING, F(1, 2, 9, 1)},
    {"LIT", F(-2, 3, 9, 2), NOTHING, NOTHING, F(1, 0, 0, 1)},
    {"LIT", F(2, -3, 9, 0), NOTHING, NOTHING, F(1, 2, 1, 1)},
    {"I2F", S(1, -2, INT32_MIN, 16777217), NOTHING, NOTHING, F(1, -2, -2147483648.0f, 16777216)},
    {"U2F", U(1, 0x80000000u, 16777219, ALL), NOTHING, NOTHING,
     F(1, 2147483648.0f, 16777220, 4294967296.0f)},
    {"F2I", F(1.75f, -1.75f, NAN, 1e20f), NOTHING, NOTHING, S(1, -1, 0, INT32_MAX)},
    {"F2I", F(-1e20f, INFINITY, 0, -2147483648.0f), NOTHING, NOTHING,
     S(INT32_MIN, INT32_MAX, 0, INT32_MIN)},
    {"F2U", F(1.75f, -1.75f, 3000000000.0f, 1e20f), NOTHING, NOTHING, U(1, 0, 3000000000u, ALL)},
    {"UADD", S(1, -2, INT32_MAX, 4), S(2, 2, 1, -4), NOTHING, S(3, 0, INT32_MIN, 0)},
    {"UMUL", U(3, 0x10000, ALL, 7), U(5, 0x10000, 2, 0), NOTHING, U(15, 0, 0xfffffffeu, 0)},
    {"UMUL_HI", U(3, 0x10000, ALL, 7), U(5, 0x10000, 2, 0), NOTHING, U(0, 1, 1, 0)},
    {"IMUL_HI", S(3, 0x10000, -1, INT32_MIN), S(5, 0x10000, 2, INT32_MIN), NOTHING,
     S(0, 1, -1, 0x40000000)},
    {"UMAD", U(3, 0x10000, ALL, 7), U(5, 0x10000, 2, 0), U(1, 2, 3, 4), U(16, 2, 1, 4)},
    {"UDIV", U(7, ALL, 5, 0), U(2, 16, 0, 3), NOTHING, U(3, 0x0fffffffu, ALL, 0)},
    {"UMOD", U(7, ALL, 5, 0), U(2, 16, 0, 3), NOTHING, U(1, 15, ALL, 0)},
    {"IDIV", S(-7, 7, 5, INT32_MIN), S(2, -2, 0, -1), NOTHING, S(-3, -3, 0, INT32_MIN)},
    {"MOD", S(-7, 7, 5, INT32_MIN), S(2, -2, 0, -1), NOTHING, S(-1, 1, -1, 0)},
    {"IMAX", S(-1, 1, 3, 4), S(0, 0, 5, -5), NOTHING, S(0, 1, 5, 4)},
    {"IMIN", S(-1, 1, 3, 4), S(0, 0, 5, -5), NOTHING, S(-1, 0, 3, -5)},
    {"UMAX", S(-1, 1, 3, 4), S(0, 0, 5, -5), NOTHING, S(-1, 1, 5, -5)},
    {"UMIN", S(-1, 1, 3, 4), S(0, 0, 5, -5), NOTHING, S(0, 0, 3, 4)},
    {"INEG", S(-1, 1, INT32_MIN, 0), NOTHING, NOTHING, S(1, -1, INT32_MIN, 0)},
    {"IABS", S(-1, 1, INT32_MIN, 0), NOTHING, NOTHING, S(1, 1, INT32_MIN, 0)},
    {"ISSG", S(-9, 9, INT32_MIN, 0), NOTHING, NOTHING, S(-1, 1, -1, 0)},
    {"AND", U(12, 0, ALL, 5), U(10, 7, 6, 2), NOTHING, U(8, 0, 6, 0)},
    {"OR", U(12, 0, ALL, 5), U(10, 7, 6, 2), NOTHING, U(14, 7, ALL, 7)},
    {"XOR", U(12, 0, ALL, 5), U(10, 7, 6, 2), NOTHING, U(6, 7, 0xfffffff9u, 7)},
    {"NOT", U(12, 0, ALL, 5), NOTHING, NOTHING, U(0xfffffff3u, ALL, 0, 0xfffffffau)},
    {"SHL", U(1, 3, 1, ALL), U(4, 31, 32, 33), NOTHING, U(16, 0x80000000u, 1, 0xfffffffeu)},
    {"ISHR", S(-16, 16, -1, -8), U(2, 2, 31, 33), NOTHING, S(-4, 4, -1, -4)},
    {"USHR", S(-16, 16, -1, -8), U(2, 2, 31, 33), NOTHING, U(0x3ffffffcu, 4, 1, 0x7ffffffcu)},
    {"FSEQ", F(1, 2, 3, NAN), F(2, 2, 2, NAN), NOTHING, U(0, ALL, 0, 0)},
    {"FSNE", F(1, 2, 3, NAN), F(2, 2, 2, NAN), NOTHING, U(ALL, 0, ALL, ALL)},
    {"FSLT", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, U(ALL, 0, 0, 0)},
    {"FSGE", F(1, 2, 3, NAN), F(2, 2, 2, 2), NOTHING, U(0, ALL, ALL, 0)},
    {"USEQ", S(1, 2, 3, -1), S(1, 1, 4, -1), NOTHING, U(ALL, 0, 0, ALL)},
    {"USNE", S(1, 2, 3, -1), S(1, 1, 4, -1), NOTHING, U(0, ALL, ALL, 0)},
    {"USLT", S(1, 2, 3, -1), S(1, 1, 4, 0), NOTHING, U(0, 0, ALL, 0)},
    {"USGE", S(1, 2, 3, -1), S(1, 1, 4, 0), NOTHING, U(ALL, ALL, 0, ALL)},
    {"ISLT", S(1, 2, 3, -1), S(1, 1, 4, 0), NOTHING, U(0, 0, ALL, ALL)},
    {"ISGE", S(1, 2, 3, -1), S(1, 1, 4, 0), NOTHING, U(ALL, ALL, 0, 0)},
    {"UCMP", U(0, 1, ALL, 0), F(5, 5, 5, 5), F(6, 6, 6, 6), F(6, 5, 5, 6)},
    /* The inputs of the quad are a, 2a, 3a, 5a in reading order. Along x the difference is a in the
     * upper row and 2a in the lower one. */
    {"DDX", F(1, -2, 0.5f, 4), NOTHING, NOTHING, F(1, -2, 0.5f, 4)},
    {"DDX_FINE", F(1, -2, 0.5f, 4), NOTHING, NOTHING, F(1, -2, 0.5f, 4)},
    {"DDY", F(1, -2, 0.5f, 4), NOTHING, NOTHING, F(2, -4, 1, 8)},
    {"DDY_FINE", F(1, -2, 0.5f, 4), NOTHING, NOTHING, F(2, -4, 1, 8)},
};

static const struct opcode_info *
info_of(const char *opcode)
{
    char name[32];
    snprintf(name, sizeof name, "%s", opcode);
    char *suffix = strstr(name, "_SAT");
    if (suffix)
        *suffix = '\0';
    for (uint32_t i = 0; i < OPCODE_COUNT; i++)
        if (!strcmp(opcode_infos[i].name, name))
            return &opcode_infos[i];
    fail_msg("no opcode %s", opcode);
    return NULL;
}

enum example_form {
    FORM_PLAIN,      /* operands are inputs */
    FORM_IMMEDIATES, /* operands are immediates */
    /* only in lanes 4 to 7; the destination is the first operand, with reversed swizzles */
    FORM_MASKED,
    FORM_COUNT,
};

static void
example_text(char *text, size_t size, const struct example *example, enum example_form form)
{
    bool immediates = form == FORM_IMMEDIATES;
    const struct opcode_info *info = info_of(example->opcode);
    const union value *values[3] = {&example->a, &example->b, &example->c};
    char sources[96] = "";
    size_t n = (size_t)snprintf(text, size,
                                "FRAG\nDCL IN[0..2], GENERIC[0], PERSPECTIVE\n"
                                "DCL OUT[0], COLOR\n");
    for (uint32_t s = 0; s < info->sources; s++) {
        size_t k = strlen(sources);
        snprintf(sources + k, sizeof sources - k, ", %s[%u]", immediates ? "IMM" : "IN", s);
        if (immediates)
            n += (size_t)snprintf(text + n, size - n, "IMM[%u] UINT32 {%u, 0x%08x, %u, 0x%08x}\n",
                                  s, values[s]->u[0], values[s]->u[1], values[s]->u[2],
                                  values[s]->u[3]);
    }
    if (form != FORM_MASKED) {
        snprintf(text + n, size - n, "  0: %s OUT[0]%s\n  1: END\n", example->opcode, sources);
        return;
    }
    snprintf(text + n, size - n,
             "DCL IN[3], GENERIC[3], PERSPECTIVE\nDCL TEMP[0]\n"
             "  0: MOV TEMP[0], IN[0].wzyx\n"
             "  1: IF IN[3].xxxx\n"
             "  2:   %s TEMP[0], TEMP[0].wzyx%s\n"
             "  3: ENDIF\n"
             "  4: MOV OUT[0], TEMP[0]\n"
             "  5: END\n",
             example->opcode, sources + strlen(", IN[0]"));
}

static bool
same_value(uint32_t got, uint32_t wanted)
{
    float g, w;
    memcpy(&g, &got, 4);
    memcpy(&w, &wanted, 4);
    return got == wanted || (isnan(g) && isnan(w));
}

static void
check_example(const struct example *example, enum example_form form)
{
    static const float scale[4] = {1, 2, 3, 5};
    char text[1024];
    struct exec_rig m;
    bool derivative = info_of(example->opcode)->shape == SHAPE_DERIVATIVE;
    if (derivative && form != FORM_PLAIN)
        return;
    example_text(text, sizeof text, example, form);
    exec_rig_start(&m, STAGE_FRAGMENT, text, 8);
    const union value *values[3] = {&example->a, &example->b, &example->c};
    for (uint32_t k = 0; k < 3 * 4 * 8; k++) {
        uint32_t s = k / 32, c = k / 8 % 4, lane = k % 8;
        memcpy(&input(&m, s, c)[lane], &values[s]->u[c], 4);
        if (derivative)
            input(&m, s, c)[lane] *= scale[lane % 4];
    }
    for (uint32_t lane = 0; lane < 8 && form == FORM_MASKED; lane++)
        input(&m, 3, 0)[lane] = lane < 4 ? 0.0f : 1.0f;
    exec_rig_run(&m);
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t c = k / 2, lane = k % 2 * 4, got;
        uint32_t wanted =
            form == FORM_MASKED && lane < 4 ? example->a.u[3 - c] : example->wanted.u[c];
        memcpy(&got, &m.exec->outputs[c * 8 + lane], 4);
        if (!same_value(got, wanted))
            fail_msg("%s, form %d: channel %u of lane %u is %08x, not %08x", example->opcode,
                     (int)form, c, lane, got, wanted);
    }
    exec_rig_end(&m);
}

static void
test_examples(void **state)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (enum example_form form = 0; form < FORM_COUNT; form++)
            check_example(&examples[i], form);
}

/* The operands are NaNs of different signs and payloads. Arithmetic returns the canonical NaN. */
static void
test_one_nan(void **state)
{
    static const char *const opcodes[] = {"ADD", "MUL", "DIV", "DP2", "DP3", "DP4", "MAD", "LRP"};
    static const union value a = U(0xffc00001u, 0x7fc12345u, 0x7f800000u, 0xffc00000u);
    static const union value b = U(0x7fc00002u, 0xffc00000u, 0x7fc54321u, 0x7fffffffu);
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++) {
        struct example example = {opcodes[k], a, b, a, U(0, 0, 0, 0)};
        char text[1024];
        struct exec_rig m;
        example_text(text, sizeof text, &example, FORM_IMMEDIATES);
        exec_rig_start(&m, STAGE_FRAGMENT, text, 4);
        exec_rig_run(&m);
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t got;
            memcpy(&got, &m.exec->outputs[c * 4], 4);
            assert_int_equal(got, 0x7fc00000);
        }
        exec_rig_end(&m);
    }
}

/* Programs whose IN[0].x is the lane number, and their expected OUT[0].x. */
typedef float lane_fn(int lane);

struct flow_case {
    const char *body; /* lines after the declarations */
    lane_fn *wanted;
};

static const char flow_head[] = "FRAG\n"
                                "DCL IN[0], GENERIC[0], PERSPECTIVE\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL CONST[0..7]\n"
                                "DCL TEMP[0..7], ARRAY(1), LOCAL\n"
                                "DCL ADDR[0]\n"
                                "IMM[0] FLT32 {0x00000000, 0x3f800000, 0x40000000, 0x40a00000}\n"
                                "IMM[1] UINT32 {0, 1, 2, 4294967295}\n";

static float
wanted_if(int lane)
{
    return lane < 5 ? 2.0f : 1.0f;
}

static float
wanted_swizzle(int lane)
{
    return (float)(3 * 1000 + lane * 10) + 5.0f;
}

/* Each lane adds the odd numbers up to its number, at most five. */
static float
wanted_loop(int lane)
{
    int sum = 0;
    for (int i = 1;; i++) {
        if (i > lane || i > 5)
            break;
        if (i % 2 == 0)
            continue;
        sum += i;
    }
    return (float)sum;
}

static float
wanted_nested(int lane)
{
    int count = 0;
    for (int i = 0; i < lane % 5; i++) {
        for (int j = 0;; j++) {
            if (j >= i)
                break;
            count++;
            if (count > 5)
                break;
        }
    }
    return (float)count;
}

static float
wanted_call(int lane)
{
    return lane < 5 ? (float)lane + 10.0f : (float)lane + 110.0f;
}

static float
wanted_return(int lane)
{
    return lane < 2 ? 1.0f : lane < 5 ? 2.0f : 3.0f;
}

static float
wanted_gather(int lane)
{
    static const float x[4] = {1, 5, 9, 13};
    return lane - 2 >= 0 && lane - 2 < 4 ? x[lane - 2] : 0.0f;
}

static float
wanted_scatter(int lane)
{
    return lane < 8 ? (float)lane : 0.0f;
}

static float
wanted_arr(int lane)
{
    return lane / 2.0f + 0.5f < 8.0f ? floorf((float)lane * 0.5f + 0.5f) * 2.0f : 0.0f;
}

static const struct flow_case flow_cases[] = {
    {"0: SLT TEMP[0].x, IN[0].xxxx, IMM[0].wwww\n"
     "1: IF TEMP[0].xxxx :4\n"
     "2:   MOV OUT[0], IMM[0].zzzz\n"
     "3: ELSE :5\n"
     "4:   MOV OUT[0], IMM[0].yyyy\n"
     "5: ENDIF\n"
     "6: END\n",
     wanted_if},
    {"0: FSLT TEMP[0].x, IN[0].xxxx, IMM[0].wwww\n"
     "1: MOV OUT[0].x, IMM[0].yyyy\n"
     "2: UIF TEMP[0].xxxx :4\n"
     "3:   MOV OUT[0].x, IMM[0].zzzz\n"
     "4: ENDIF\n"
     "5: END\n",
     wanted_if},
    /* exchanges x, y and z in place; the result with modifiers is 3 * 1000 - -(lane * 10) + |-5| */
    {"0: MOV TEMP[0].x, IN[0].xxxx\n"
     "1: MOV TEMP[0].y, CONST[0].zzzz\n"
     "2: MOV TEMP[0].xy, TEMP[0].yxxx\n"
     "3: MUL TEMP[1].x, TEMP[0].xxxx, CONST[2].yyyy\n"
     "4: MUL TEMP[1].x, TEMP[1].xxxx, CONST[2].yyyy\n"
     "5: MUL TEMP[1].x, TEMP[1].xxxx, CONST[2].yyyy\n"
     "6: MUL TEMP[1].y, TEMP[0].yyyy, -CONST[2].yyyy\n"
     "7: ADD TEMP[1].x, TEMP[1].xxxx, -TEMP[1].yyyy\n"
     "8: MOV TEMP[2].x, -IMM[0].wwww\n"
     "9: ADD_SAT TEMP[3].x, -|IMM[0].wwww|, IMM[0].xxxx\n"
     "10: ADD TEMP[1].x, TEMP[1].xxxx, TEMP[3].xxxx\n"
     "11: ADD OUT[0].x, TEMP[1].xxxx, |TEMP[2].xxxx|\n"
     "12: END\n",
     wanted_swizzle},
    {"0: MOV TEMP[0], IMM[0].xxxx\n"
     "1: BGNLOOP :14\n"
     "2:   ADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\n"
     "3:   MIN TEMP[1].x, IN[0].xxxx, IMM[0].wwww\n"
     "4:   SLT TEMP[1].x, TEMP[1].xxxx, TEMP[0].yyyy\n"
     "5:   IF TEMP[1].xxxx :7\n"
     "6:     BRK\n"
     "7:   ENDIF\n"
     "8:   MUL TEMP[1].x, TEMP[0].yyyy, CONST[3].wwww\n"
     "9:   DIV TEMP[1].x, TEMP[0].yyyy, IMM[0].zzzz\n"
     "10:   FRC TEMP[1].x, TEMP[1].xxxx\n"
     "11:   IF TEMP[1].xxxx :14\n"
     "12:     ADD TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy\n"
     "13:     CONT\n"
     "14:   ENDIF\n"
     "15: ENDLOOP :1\n"
     "16: MOV OUT[0], TEMP[0]\n"
     "17: END\n",
     wanted_loop},
    /* i in TEMP[0].x, j in TEMP[0].y, count in TEMP[0].z, lane % 5 in TEMP[0].w */
    {"0: MOV TEMP[0].xyz, IMM[0].xxxx\n"
     "1: DIV TEMP[1].x, IN[0].xxxx, IMM[0].wwww\n"
     "2: FLR TEMP[1].x, TEMP[1].xxxx\n"
     "3: MAD TEMP[0].w, TEMP[1].xxxx, -IMM[0].wwww, IN[0].xxxx\n"
     "4: BGNLOOP\n"
     "5:   SGE TEMP[1].x, TEMP[0].xxxx, TEMP[0].wwww\n"
     "6:   IF TEMP[1].xxxx\n"
     "7:     BRK\n"
     "8:   ENDIF\n"
     "9:   MOV TEMP[0].y, IMM[0].xxxx\n"
     "10:   BGNLOOP\n"
     "11:     SGE TEMP[1].x, TEMP[0].yyyy, TEMP[0].xxxx\n"
     "12:     IF TEMP[1].xxxx\n"
     "13:       BRK\n"
     "14:     ENDIF\n"
     "15:     ADD TEMP[0].z, TEMP[0].zzzz, IMM[0].yyyy\n"
     "16:     SGT TEMP[1].x, TEMP[0].zzzz, IMM[0].wwww\n"
     "17:     IF TEMP[1].xxxx\n"
     "18:       BRK\n"
     "19:     ELSE\n"
     "20:       NOP\n"
     "21:     ENDIF\n"
     "22:     ADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy\n"
     "23:   ENDLOOP\n"
     "24:   ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
     "25: ENDLOOP\n"
     "26: MOV OUT[0].x, TEMP[0].zzzz\n"
     "27: END\n",
     wanted_nested},
    {"0: MOV TEMP[0].x, IN[0].xxxx\n"
     "1: CAL :4\n"
     "2: MOV OUT[0].x, TEMP[0].xxxx\n"
     "3: END\n"
     "4: BGNSUB\n"
     "5:   ADD TEMP[0].x, TEMP[0].xxxx, CONST[2].yyyy\n"
     "6:   SLT TEMP[1].x, IN[0].xxxx, IMM[0].wwww\n"
     "7:   IF TEMP[1].xxxx :9\n"
     "8:     RET\n"
     "9:   ENDIF\n"
     "10:   MUL TEMP[2].x, CONST[2].yyyy, CONST[2].yyyy\n"
     "11:   ADD TEMP[0].x, TEMP[0].xxxx, TEMP[2].xxxx\n"
     "12:   RET\n"
     "13: ENDSUB\n",
     wanted_call},
    {"0: MOV OUT[0].x, IMM[0].yyyy\n"
     "1: BGNLOOP\n"
     "2:   SLT TEMP[0].x, IN[0].xxxx, IMM[0].zzzz\n"
     "3:   IF TEMP[0].xxxx\n"
     "4:     RET\n"
     "5:   ENDIF\n"
     "6:   BRK\n"
     "7: ENDLOOP\n"
     "8: MOV OUT[0].x, IMM[0].zzzz\n"
     "9: SLT TEMP[0].x, IN[0].xxxx, IMM[0].wwww\n"
     "10: IF TEMP[0].xxxx\n"
     "11:   RET\n"
     "12: ENDIF\n"
     "13: MOV OUT[0].x, CONST[0].zzzz\n"
     "14: END\n",
     wanted_return},
    {"0: ARL ADDR[0].x, IN[0].xxxx\n"
     "1: MOV OUT[0], CONST[ADDR[0].x-2]\n"
     "2: END\n",
     wanted_gather},
    {"0: F2I TEMP[0].x, IN[0].xxxx\n"
     "1: UARL ADDR[0].x, TEMP[0].xxxx\n"
     "2: MOV TEMP[0], IMM[0].xxxx\n"
     "3: MOV TEMP[ADDR[0].x](1), IN[0].xxxx\n"
     "4: MOV OUT[0], TEMP[ADDR[0].x](1)\n"
     "5: END\n",
     wanted_scatter},
    {"0: MUL TEMP[0].x, IN[0].xxxx, CONST[0].xxxx\n"
     "1: DIV TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz\n"
     "2: ARR ADDR[0].y, TEMP[0].xxxx\n"
     "3: I2F TEMP[1].x, ADDR[0].yyyy\n"
     "4: MUL TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz\n"
     "5: MOV TEMP[ADDR[0].y], TEMP[1].xxxx\n"
     "6: MOV OUT[0].x, TEMP[ADDR[0].y].wwww\n"
     "7: END\n",
     wanted_arr},
};

static void
check_flow(const struct flow_case *flow, uint32_t lanes)
{
    char text[4096];
    struct exec_rig m;
    snprintf(text, sizeof text, "%s%s", flow_head, flow->body);
    exec_rig_start(&m, STAGE_FRAGMENT, text, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t c = 0; c < 4; c++)
            input(&m, 0, c)[lane] = (float)lane;
    exec_rig_run(&m);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (output(&m, 0, 0, lane) != flow->wanted((int)lane))
            fail_msg("lane %u of %u: %g, not %g in\n%s", lane, lanes,
                     (double)output(&m, 0, 0, lane), (double)flow->wanted((int)lane), flow->body);
    exec_rig_end(&m);
}

static void
test_flow(void **state)
{
    for (size_t i = 0; i < sizeof flow_cases / sizeof *flow_cases; i++)
        for (uint32_t lanes = 4; lanes <= 64; lanes += lanes < 16 ? 4 : 16)
            check_flow(&flow_cases[i], lanes);
}

static const char kill_text[] = "FRAG\n"
                                "DCL IN[0], GENERIC[0], PERSPECTIVE\n"
                                "DCL OUT[0], COLOR\n"
                                "DCL TEMP[0]\n"
                                "IMM[0] FLT32 {0x40000000, 0x40c00000, 0x00000000, 0x00000000}\n"
                                "0: ADD TEMP[0], IN[0].xxxx, -IMM[0].xxxx\n"
                                "1: KILL_IF TEMP[0].xxxx\n"
                                "2: DDX OUT[0], IN[0]\n"
                                "3: SGE TEMP[0].x, IN[0].xxxx, IMM[0].yyyy\n"
                                "4: IF TEMP[0].xxxx\n"
                                "5:   KILL\n"
                                "6: ENDIF\n"
                                "7: END\n";

static void
test_kill(void **state)
{
    struct exec_rig m;
    exec_rig_start(&m, STAGE_FRAGMENT, kill_text, 8);
    assert_true(m.program->uses_kill && m.program->uses_derivatives);
    for (uint32_t lane = 0; lane < 8; lane++)
        input(&m, 0, 0)[lane] = input(&m, 0, 3)[lane] = (float)lane;
    exec_rig_run(&m);
    assert_int_equal(m.exec->killed, 0xc3); /* 0 and 1 are below 2; 6 and 7 are at least 6 */
    for (uint32_t lane = 0; lane < 8; lane++)
        assert_true(output(&m, 0, 0, lane) == 1.0f); /* killed lanes still run as helpers */
    exec_rig_end(&m);

    /* If all lanes are killed, no further instruction runs. */
    exec_rig_start(&m, STAGE_FRAGMENT, kill_text, 4);
    for (uint32_t lane = 0; lane < 4; lane++)
        input(&m, 0, 0)[lane] = -1.0f;
    assert_int_equal(exec_step(m.exec), EXEC_NEXT);
    assert_int_equal(exec_step(m.exec), EXEC_END);
    assert_int_equal(exec_step(m.exec), EXEC_END);
    exec_rig_end(&m);
}

/* The texture request of lane 2. Its inputs are IN[0] = (8, 12, 20, 4), IN[1] = (1, 2, 3, 5), IN[2]
 * = (6, 7, 9, 11). */
struct texture_case {
    const char *instruction;
    enum opcode opcode;
    float coord[5], ddx[3], ddy[3];
    bool vertex;
};

static const struct texture_case texture_cases[] = {
    {"TEX OUT[0], IN[0], SAMP[3], 2D", OP_TEX, {8, 12}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], 1D", OP_TEX, {8}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], CUBE", OP_TEX, {8, 12, 20}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], RECT", OP_TEX, {8, 12}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], SHADOW1D", OP_TEX, {8, 0, 0, 20}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], SHADOW2D", OP_TEX, {8, 12, 0, 20}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], SHADOWCUBE", OP_TEX, {8, 12, 20, 4}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], 1D_ARRAY", OP_TEX, {8, 12}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], SHADOW1D_ARRAY", OP_TEX, {8, 12, 0, 20}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], SHADOW2D_ARRAY", OP_TEX, {8, 12, 20, 4}, {0}, {0}, false},
    {"TEX2 OUT[0], IN[0], IN[1], SAMP[3], SHADOWCUBE", OP_TEX, {8, 12, 20, 1}, {0}, {0}, false},
    {"TXP OUT[0], IN[0], SAMP[3], 2D", OP_TEX, {2, 3}, {0}, {0}, false},
    {"TXP OUT[0], IN[0], SAMP[3], SHADOW2D", OP_TEX, {2, 3, 0, 5}, {0}, {0}, false},
    {"TXB OUT[0], IN[0], SAMP[3], 2D", OP_TXB, {8, 12, 0, 0, 4}, {0}, {0}, false},
    {"TXB2 OUT[0], IN[0], IN[1], SAMP[3], SHADOWCUBE", OP_TXB, {8, 12, 20, 4, 1}, {0}, {0}, false},
    {"TXL OUT[0], IN[0], SAMP[3], 3D", OP_TXL, {8, 12, 20, 0, 4}, {0}, {0}, false},
    {"TXL2 OUT[0], IN[0], IN[1], SAMP[3], 2D", OP_TXL, {8, 12, 0, 0, 1}, {0}, {0}, false},
    {"TEX_LZ OUT[0], IN[0], SAMP[3], 2D", OP_TXL, {8, 12}, {0}, {0}, false},
    {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[3], 2D", OP_TXD, {8, 12}, {1, 2}, {6, 7}, false},
    {"TXF OUT[0], IN[0], SAMP[3], 2D", OP_TXF, {8, 12, 0, 0, 4}, {0}, {0}, false},
    {"TXF_LZ OUT[0], IN[0], SAMP[3], 2D", OP_TXF, {8, 12}, {0}, {0}, false},
    {"TXQ OUT[0], IN[0], SAMP[3], 2D", OP_TXQ, {0, 0, 0, 0, 8}, {0}, {0}, false},
    {"TEX OUT[0], IN[0], SAMP[3], 2D", OP_TXL, {8, 12}, {0}, {0}, true},
    {"TXL OUT[0], IN[0], SAMP[3], 2D", OP_TXL, {8, 12, 0, 0, 4}, {0}, {0}, true},
};

static void
texture_text(char *text, size_t size, const struct texture_case *texture)
{
    snprintf(text, size,
             "%s\nDCL IN[0]%s\nDCL IN[1]%s\nDCL IN[2]%s\nDCL OUT[0], %s\nDCL SAMP[3]\n"
             "DCL SVIEW[3], 2D, FLOAT\nIMM[0] INT32 {-3, 2, 0, 0}\n"
             "0: %s, IMM[0].xyz\n1: END\n",
             texture->vertex ? "VERT" : "FRAG", texture->vertex ? "" : ", GENERIC[0], PERSPECTIVE",
             texture->vertex ? "" : ", GENERIC[1], PERSPECTIVE",
             texture->vertex ? "" : ", GENERIC[2], PERSPECTIVE",
             texture->vertex ? "POSITION" : "COLOR", texture->instruction);
}

static void
check_texture(const struct texture_case *texture)
{
    static const float inputs[3][4] = {{8, 12, 20, 4}, {1, 2, 3, 5}, {6, 7, 9, 11}};
    char text[1024];
    struct exec_rig m;
    struct texture_request request;
    texture_text(text, sizeof text, texture);
    exec_rig_start(&m, texture->vertex ? STAGE_VERTEX : STAGE_FRAGMENT, text, 4);
    for (uint32_t k = 0; k < 12; k++)
        input(&m, k / 4, k % 4)[2] = inputs[k / 4][k % 4];
    assert_true(exec_run(m.exec, echo_sample, &request));
    assert_int_equal(request.opcode, texture->opcode);
    assert_int_equal(request.sampler, 3);
    assert_int_equal(request.offset[0], -3);
    assert_int_equal(request.offset[1], 2);
    assert_int_equal(request.mask, 0xf);
    for (uint32_t c = 0; c < 5; c++)
        if (request.coord[c][2] != texture->coord[c])
            fail_msg("%s: coordinate %u is %g, not %g", texture->instruction, c,
                     (double)request.coord[c][2], (double)texture->coord[c]);
    for (uint32_t c = 0; c < 3 && texture->opcode == OP_TXD; c++)
        assert_true(request.ddx[c][2] == texture->ddx[c] && request.ddy[c][2] == texture->ddy[c]);
    assert_true(output(&m, 0, 1, 2) == texture->coord[1] * 0.5f);
    assert_int_equal(m.program->samplers_used, 8);
    exec_rig_end(&m);
}

static void
test_texture_requests(void **state)
{
    for (size_t i = 0; i < sizeof texture_cases / sizeof *texture_cases; i++)
        check_texture(&texture_cases[i]);
}

static void
cover(bool covered[OPCODE_COUNT], enum shader_stage stage, const char *text)
{
    struct program *program = program_create(stage, text, NULL, NULL);
    assert_non_null(program);
    for (uint32_t i = 0; i < program->instruction_count; i++)
        covered[program->instructions[i].opcode] = true;
    program_destroy(program);
}

/* Each line of isa.def has an example above and plausible costs. */
static void
test_every_opcode_has_an_example(void **state)
{
    bool covered[OPCODE_COUNT] = {false};
    char text[4096];
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        example_text(text, sizeof text, &examples[i], FORM_PLAIN);
        cover(covered, STAGE_FRAGMENT, text);
    }
    for (size_t i = 0; i < sizeof flow_cases / sizeof *flow_cases; i++) {
        snprintf(text, sizeof text, "%s%s", flow_head, flow_cases[i].body);
        cover(covered, STAGE_FRAGMENT, text);
    }
    for (size_t i = 0; i < sizeof texture_cases / sizeof *texture_cases; i++) {
        texture_text(text, sizeof text, &texture_cases[i]);
        cover(covered, texture_cases[i].vertex ? STAGE_VERTEX : STAGE_FRAGMENT, text);
    }
    cover(covered, STAGE_FRAGMENT, kill_text);
    covered[OP_EMIT] = covered[OP_ENDPRIM] = true; /* test_geometry_program.c */
    for (uint32_t i = 0; i < OPCODE_COUNT; i++) {
        const struct opcode_info *info = &opcode_infos[i];
        if (!covered[i])
            fail_msg("%s has no example", info->name);
        assert_in_range(info->latency, 1, 9);
        assert_in_range(info->throughput, 1, 16);
        assert_true(info->destinations <= 1 && info->sources <= 4);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_one_nan),
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_texture_requests),
        cmocka_unit_test(test_every_opcode_has_an_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
