/* Arithmetic of the opcodes, for all lanes at once (TGSI semantics: Mesa 22.3,
 * docs/gallium/tgsi.rst).
 *
 * Choices that TGSI leaves open:
 * - MAD rounds twice.
 * - MIN and MAX return the number if one operand is NaN. -0 is below +0, as in IEEE 754-2019,
 *   because Mesa writes |x| as MAX(x, -x).
 * - ROUND rounds to nearest, ties to even.
 * - Derivatives are computed per row and column of the quad.
 * - Conversions to integers truncate and clamp to the range; NaN becomes 0.
 * - Integer division by zero returns all ones (0 for IDIV, as TGSI requires).
 * - Shifts use the lowest five bits of their count.
 * - Arithmetic returns a single NaN, 0x7fc00000, because the NaN that a host propagates depends on
 * the host and its compiler.
 * - Arithmetic returns 0 instead of denormals, like hardware of 2005. Opcodes that only move
 *   numbers keep them. */
#include "isa/exec_operand.h"
#include "isa/math.h"

#include <math.h>
#include <string.h>

typedef void vector_fn(vec4f *d, const struct operand *s, size_t quads);

/* a, b and c are the operands of one quad; `expression` computes the result. */
#define VECTOR1(name, expression)                                                                  \
    static void vector_##name(vec4f *d, const struct operand *s, size_t quads)                     \
    {                                                                                              \
        for (size_t q = 0; q < quads; q++) {                                                       \
            const vec4f a = operand_quad(&s[0], q);                                                \
            d[q] = (vec4f)(expression);                                                            \
        }                                                                                          \
    }
#define VECTOR2(name, expression)                                                                  \
    static void vector_##name(vec4f *d, const struct operand *s, size_t quads)                     \
    {                                                                                              \
        for (size_t q = 0; q < quads; q++) {                                                       \
            const vec4f a = operand_quad(&s[0], q), b = operand_quad(&s[1], q);                    \
            d[q] = (vec4f)(expression);                                                            \
        }                                                                                          \
    }
#define VECTOR3(name, expression)                                                                  \
    static void vector_##name(vec4f *d, const struct operand *s, size_t quads)                     \
    {                                                                                              \
        for (size_t q = 0; q < quads; q++) {                                                       \
            const vec4f a = operand_quad(&s[0], q), b = operand_quad(&s[1], q);                    \
            const vec4f c = operand_quad(&s[2], q);                                                \
            d[q] = (vec4f)(expression);                                                            \
        }                                                                                          \
    }

#define I(v)      ((vec4i)(v))
#define U(v)      ((vec4u)(v))
#define TRUTH(m)  ((vec4i)(m) & (vec4i)splat(1.0f))
#define SIGN_BITS ((vec4u){0x80000000, 0x80000000, 0x80000000, 0x80000000})

/* Replaces any NaN with the one NaN pattern, and a denormal with a zero of the same sign. */
static inline vec4f
plain(vec4f v)
{
    vec4i denormal = I((U(v) & ~SIGN_BITS)) < 0x00800000;
    vec4f flushed = (vec4f)(U(v) & ~(U(denormal) & ~SIGN_BITS));
    return select_lanes(v == v, flushed, splat(NAN));
}

/* Returns the integer part if |v| < 2^23. Larger numbers are already integers, and NaN is kept. The
 * mask limits the conversion to numbers in range. */
static inline vec4f
truncate(vec4f v)
{
    vec4f magnitude = (vec4f)(U(v) & ~SIGN_BITS);
    vec4i small = magnitude < splat(8388608.0f);
    vec4f whole = __builtin_convertvector(
        __builtin_convertvector((vec4f)(I(magnitude) & small), vec4i), vec4f);
    return select_lanes(small, (vec4f)(U(whole) | (U(v) & SIGN_BITS)), v);
}

static inline vec4f
floor_of(vec4f v)
{
    vec4f t = truncate(v);
    vec4f less = t - (vec4f)TRUTH(t > v);
    return (vec4f)(U(less) | (U(v) & SIGN_BITS)); /* floor(-0) = -0 */
}

static inline vec4f
ceil_of(vec4f v)
{
    vec4f down = floor_of((vec4f)(U(v) ^ SIGN_BITS));
    return (vec4f)(U(down) ^ SIGN_BITS);
}

/* Adding 2^23 shifts out the fraction and rounds to nearest even. */
static inline vec4f
round_of(vec4f v)
{
    const vec4f big = splat(8388608.0f);
    vec4f magnitude = (vec4f)(U(v) & ~SIGN_BITS);
    vec4f whole = magnitude + big;
    whole = whole - big;
    return select_lanes(magnitude < big, (vec4f)(U(whole) | (U(v) & SIGN_BITS)), v);
}

static inline vec4i
to_signed(vec4f v)
{
    vec4i high = v >= splat(2147483648.0f), low = v < splat(-2147483648.0f);
    vec4i inside = (v == v) & ~high & ~low;
    vec4i whole = __builtin_convertvector((vec4f)(I(v) & inside), vec4i);
    return whole | (high & 0x7fffffff) | (vec4i)(U(low) & SIGN_BITS);
}

static inline vec4i
to_unsigned(vec4f v)
{
    vec4i all = v >= splat(4294967296.0f), half = (v >= splat(2147483648.0f)) & ~all;
    vec4f rest = v - (vec4f)(half & I(splat(2147483648.0f)));
    vec4i positive = (v > splat(0.0f)) & ~all;
    vec4i whole = __builtin_convertvector((vec4f)(I(rest) & positive), vec4i);
    return (vec4i)(U(whole) ^ (U(half) & SIGN_BITS)) | all;
}

/* Both halves convert exactly, so only their sum is rounded. */
static inline vec4f
from_unsigned(vec4u v)
{
    vec4f high = __builtin_convertvector((vec4i)(v >> 16), vec4f) * splat(65536.0f);
    return high + __builtin_convertvector((vec4i)(v & 0xffff), vec4f);
}

VECTOR1(mov, a)
VECTOR2(add, plain(a + b))
VECTOR2(mul, plain(a *b))
VECTOR3(mad, plain(a *b + c))
VECTOR3(lrp, plain(a *(b - c) + c))
VECTOR2(div, plain(a / b))
VECTOR2(min, select_lanes((a < b) | (b != b) | ((a == b) & (I(a) < 0)), a, b))
VECTOR2(max, select_lanes((a > b) | (b != b) | ((a == b) & (I(b) < 0)), a, b))
VECTOR1(frc, plain(a - floor_of(a)))
VECTOR1(flr, floor_of(a))
VECTOR1(ceil, ceil_of(a))
VECTOR1(trunc, truncate(a))
VECTOR1(round, round_of(a))
VECTOR1(ssg, (vec4f)TRUTH(a > 0.0f) - (vec4f)TRUTH(a < 0.0f))
VECTOR2(slt, TRUTH(a < b))
VECTOR2(sge, TRUTH(a >= b))
VECTOR2(seq, TRUTH(a == b))
VECTOR2(sne, TRUTH(a != b))
VECTOR2(sgt, TRUTH(a > b))
VECTOR2(sle, TRUTH(a <= b))
VECTOR3(cmp, select_lanes(a < 0.0f, b, c))
VECTOR1(arl, to_signed(floor_of(a)))
VECTOR1(arr, to_signed(floor_of(a + 0.5f)))
VECTOR1(i2f, __builtin_convertvector(I(a), vec4f))
VECTOR1(u2f, from_unsigned(U(a)))
VECTOR1(f2i, to_signed(a))
VECTOR1(f2u, to_unsigned(a))
VECTOR2(uadd, U(a) + U(b))
VECTOR2(umul, U(a) * U(b))
VECTOR3(umad, U(a) * U(b) + U(c))
VECTOR2(imax, select_lanes(I(a) > I(b), a, b))
VECTOR2(imin, select_lanes(I(a) < I(b), a, b))
VECTOR2(umax, select_lanes(U(a) > U(b), a, b))
VECTOR2(umin, select_lanes(U(a) < U(b), a, b))
VECTOR1(ineg, -U(a))
VECTOR1(iabs, (U(a) ^ U(I(a) < 0)) - U(I(a) < 0))
VECTOR1(issg, (I(a) < 0) - (I(a) > 0))
VECTOR2(and, U(a) & U(b))
VECTOR2(or, U(a) | U(b))
VECTOR2(xor, U(a) ^ U(b))
VECTOR1(not, ~U(a))
VECTOR2(shl, U(a) << (U(b) & 31))
VECTOR2(ishr, I(a) >> (I(b) & 31))
VECTOR2(ushr, U(a) >> (U(b) & 31))
VECTOR2(fseq, a == b)
VECTOR2(fsne, a != b)
VECTOR2(fslt, a < b)
VECTOR2(fsge, a >= b)
VECTOR2(useq, U(a) == U(b))
VECTOR2(usne, U(a) != U(b))
VECTOR2(uslt, U(a) < U(b))
VECTOR2(usge, U(a) >= U(b))
VECTOR2(islt, I(a) < I(b))
VECTOR2(isge, I(a) >= I(b))
VECTOR3(ucmp, select_lanes(U(a) != 0, b, c))

/* Operations without a vector form: upper halves of products, and divisions. Division by zero and
 * INT_MIN / -1 need special cases, because C leaves them undefined. */
static uint32_t
integer_lane(uint32_t a, uint32_t b, uint8_t opcode)
{
    switch (opcode) {
    case OP_UMUL_HI: return (uint32_t)((uint64_t)a * b >> 32);
    case OP_IMUL_HI: return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
    case OP_UDIV: return b ? a / b : UINT32_MAX;
    case OP_UMOD: return b ? a % b : UINT32_MAX;
    case OP_IDIV: return b == 0 ? 0 : (uint32_t)((int64_t)(int32_t)a / (int32_t)b);
    default: return b == 0 ? UINT32_MAX : (uint32_t)((int64_t)(int32_t)a % (int32_t)b);
    }
}

#define LANEWISE(name, opcode)                                                                     \
    static void vector_##name(vec4f *d, const struct operand *s, size_t quads)                     \
    {                                                                                              \
        for (size_t q = 0; q < quads; q++) {                                                       \
            vec4u a = U(operand_quad(&s[0], q)), b = U(operand_quad(&s[1], q)), r;                 \
            for (uint32_t i = 0; i < 4; i++)                                                       \
                r[i] = integer_lane(a[i], b[i], opcode);                                           \
            d[q] = (vec4f)r;                                                                       \
        }                                                                                          \
    }
LANEWISE(umul_hi, OP_UMUL_HI)
LANEWISE(imul_hi, OP_IMUL_HI)
LANEWISE(udiv, OP_UDIV)
LANEWISE(umod, OP_UMOD)
LANEWISE(idiv, OP_IDIV)
LANEWISE(mod, OP_MOD)

/* Functions that are evaluated separately for each lane. */
#define SCALAR(name, call)                                                                         \
    static void vector_##name(vec4f *d, const struct operand *s, size_t quads)                     \
    {                                                                                              \
        for (size_t q = 0; q < quads; q++) {                                                       \
            vec4f a = operand_quad(&s[0], q), r;                                                   \
            for (uint32_t i = 0; i < 4; i++)                                                       \
                r[i] = call(a[i]);                                                                 \
            d[q] = plain(r);                                                                       \
        }                                                                                          \
    }
SCALAR(ex2, math_ex2)
SCALAR(lg2, math_lg2)
SCALAR(sin, math_sin)
SCALAR(cos, math_cos)
VECTOR1(rcp, plain(splat(1.0f) / a))

static inline vec4f
sqrt_of(vec4f v)
{
    return (vec4f){sqrtf(v[0]), sqrtf(v[1]), sqrtf(v[2]), sqrtf(v[3])};
}

VECTOR1(sqrt, plain(sqrt_of(a)))
VECTOR1(rsq, plain(splat(1.0f) / sqrt_of(a)))

static void
vector_pow(vec4f *d, const struct operand *s, size_t quads)
{
    for (size_t q = 0; q < quads; q++) {
        vec4f a = operand_quad(&s[0], q), b = operand_quad(&s[1], q), r;
        for (uint32_t i = 0; i < 4; i++)
            r[i] = math_pow(a[i], b[i]);
        d[q] = plain(r);
    }
}

static vector_fn *const vector_fns[OPCODE_COUNT] = {
    [OP_MOV] = vector_mov,         [OP_ADD] = vector_add,         [OP_MUL] = vector_mul,
    [OP_MAD] = vector_mad,         [OP_LRP] = vector_lrp,         [OP_DIV] = vector_div,
    [OP_MIN] = vector_min,         [OP_MAX] = vector_max,         [OP_FRC] = vector_frc,
    [OP_FLR] = vector_flr,         [OP_CEIL] = vector_ceil,       [OP_TRUNC] = vector_trunc,
    [OP_SSG] = vector_ssg,         [OP_ROUND] = vector_round,     [OP_SLT] = vector_slt,
    [OP_SGE] = vector_sge,         [OP_SEQ] = vector_seq,         [OP_SNE] = vector_sne,
    [OP_SGT] = vector_sgt,         [OP_SLE] = vector_sle,         [OP_CMP] = vector_cmp,
    [OP_RCP] = vector_rcp,         [OP_RSQ] = vector_rsq,         [OP_SQRT] = vector_sqrt,
    [OP_EX2] = vector_ex2,         [OP_LG2] = vector_lg2,         [OP_POW] = vector_pow,
    [OP_SIN] = vector_sin,         [OP_COS] = vector_cos,         [OP_ARL] = vector_arl,
    [OP_ARR] = vector_arr,         [OP_UARL] = vector_mov,        [OP_I2F] = vector_i2f,
    [OP_U2F] = vector_u2f,         [OP_F2I] = vector_f2i,         [OP_F2U] = vector_f2u,
    [OP_UADD] = vector_uadd,       [OP_UMUL] = vector_umul,       [OP_UMAD] = vector_umad,
    [OP_UMUL_HI] = vector_umul_hi, [OP_IMUL_HI] = vector_imul_hi, [OP_UDIV] = vector_udiv,
    [OP_UMOD] = vector_umod,       [OP_IDIV] = vector_idiv,       [OP_MOD] = vector_mod,
    [OP_IMAX] = vector_imax,       [OP_IMIN] = vector_imin,       [OP_UMAX] = vector_umax,
    [OP_UMIN] = vector_umin,       [OP_INEG] = vector_ineg,       [OP_IABS] = vector_iabs,
    [OP_ISSG] = vector_issg,       [OP_AND] = vector_and,         [OP_OR] = vector_or,
    [OP_XOR] = vector_xor,         [OP_NOT] = vector_not,         [OP_SHL] = vector_shl,
    [OP_ISHR] = vector_ishr,       [OP_USHR] = vector_ushr,       [OP_FSEQ] = vector_fseq,
    [OP_FSNE] = vector_fsne,       [OP_FSLT] = vector_fslt,       [OP_FSGE] = vector_fsge,
    [OP_USEQ] = vector_useq,       [OP_USNE] = vector_usne,       [OP_USLT] = vector_uslt,
    [OP_USGE] = vector_usge,       [OP_ISLT] = vector_islt,       [OP_ISGE] = vector_isge,
    [OP_UCMP] = vector_ucmp,
};

static bool
takes_integer(const struct opcode_info *info, uint32_t source)
{
    return info->type == TYPE_INTEGER || (info->type == TYPE_SELECT && source == 0);
}

/* Processes all channels in one loop, because the channels of a register are contiguous in
 * memory. */
static bool
alu_contiguous(struct exec *exec, const struct instruction *instruction)
{
    if (!instruction->contiguous || exec->active != exec->full)
        return false;
    uint32_t quads = exec->lanes / 4 * instruction->contiguous;
    struct operand operands[3];
    for (uint32_t s = 0; s < opcode_infos[instruction->opcode].sources; s++)
        operands[s] = exec_operand_plain(exec, &instruction->src[s], 0, NULL);
    vec4f *to = exec_direct(exec, instruction, 0);
    vector_fns[instruction->opcode](to, operands, quads);
    if (instruction->dst[0].saturate)
        saturate_quads(to, quads);
    return true;
}

/* Processes each channel separately. A result that cannot be written directly is kept in `results`,
 * because an early write could change the source of a later channel. */
static void
alu_components(struct exec *exec, const struct instruction *instruction)
{
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    const struct destination *dst = &instruction->dst[0];
    uint32_t quads = exec->lanes / 4;
    struct scratch scratch[3];
    struct operand operands[3];
    vec4f results[4][MAX_QUADS];
    bool waiting = false;
    if (alu_contiguous(exec, instruction))
        return;
    for (uint32_t c = 0; c < 4; c++) {
        if (!(dst->write_mask >> c & 1))
            continue;
        for (uint32_t s = 0; s < info->sources; s++)
            operands[s] =
                exec_operand(exec, &instruction->src[s], c, takes_integer(info, s), &scratch[s]);
        vec4f *direct = exec_direct(exec, instruction, c);
        vector_fns[instruction->opcode](direct ? direct : results[c], operands, quads);
        if (direct && dst->saturate)
            saturate_quads(direct, quads);
        waiting = !direct;
    }
    for (uint32_t c = 0; c < 4 && waiting; c++)
        if (dst->write_mask >> c & 1)
            exec_store(exec, dst, c, results[c]);
}

static void
store_all(struct exec *exec, const struct destination *dst, const vec4f *values)
{
    for (uint32_t c = 0; c < 4; c++)
        if (dst->write_mask >> c & 1)
            exec_store(exec, dst, c, values);
}

static void
alu_scalar(struct exec *exec, const struct instruction *instruction)
{
    struct scratch scratch[2];
    struct operand operands[2];
    vec4f result[MAX_QUADS];
    for (uint32_t s = 0; s < opcode_infos[instruction->opcode].sources; s++)
        operands[s] = exec_operand(exec, &instruction->src[s], 0, false, &scratch[s]);
    vector_fns[instruction->opcode](result, operands, exec->lanes / 4);
    store_all(exec, &instruction->dst[0], result);
}

/* Sums the products in the order x, y, z, w, rounding after each step. */
static void
alu_dot(struct exec *exec, const struct instruction *instruction)
{
    uint32_t channels = instruction->opcode == OP_DP2 ? 2 : instruction->opcode == OP_DP3 ? 3 : 4;
    struct scratch scratch[8];
    struct operand a[4], b[4];
    vec4f sums[MAX_QUADS];
    for (uint32_t c = 0; c < channels; c++) {
        a[c] = exec_operand(exec, &instruction->src[0], c, false, &scratch[c * 2]);
        b[c] = exec_operand(exec, &instruction->src[1], c, false, &scratch[c * 2 + 1]);
    }
    for (uint32_t q = 0; q < exec->lanes / 4; q++) {
        vec4f sum = operand_quad(&a[0], q) * operand_quad(&b[0], q);
        for (uint32_t c = 1; c < channels; c++)
            sum = sum + operand_quad(&a[c], q) * operand_quad(&b[c], q);
        sums[q] = plain(sum);
    }
    store_all(exec, &instruction->dst[0], sums);
}

/* Copies one channel of a source into an array. */
static void
copy_channel(struct exec *exec, const struct instruction *instruction, uint32_t source,
             uint32_t channel, vec4f *values)
{
    struct scratch scratch;
    struct operand operand =
        exec_operand(exec, &instruction->src[source], channel, false, &scratch);
    vector_mov(values, &operand, exec->lanes / 4);
}

static void
fill(vec4f *values, float value)
{
    for (uint32_t q = 0; q < MAX_QUADS; q++)
        values[q] = splat(value);
}

static float
lit_power(float x, float y, float w)
{
    float base = y > 0.0f ? y : 0.0f;
    float exponent = w > 128.0f ? 128.0f : w > -128.0f ? w : -128.0f;
    return x > 0.0f ? math_pow(base, exponent) : 0.0f;
}

static void
alu_lit(struct exec *exec, const struct instruction *instruction, vec4f results[4][MAX_QUADS])
{
    vec4f x[MAX_QUADS], y[MAX_QUADS], w[MAX_QUADS];
    copy_channel(exec, instruction, 0, 0, x);
    copy_channel(exec, instruction, 0, 1, y);
    copy_channel(exec, instruction, 0, 3, w);
    for (uint32_t q = 0; q < exec->lanes / 4; q++) {
        results[1][q] = select_lanes(x[q] > 0.0f, x[q], splat(0.0f));
        for (uint32_t i = 0; i < 4; i++)
            results[2][q][i] = lit_power(x[q][i], y[q][i], w[q][i]);
        results[2][q] = plain(results[2][q]);
    }
    fill(results[0], 1.0f);
    fill(results[3], 1.0f);
}

static void
alu_exp(struct exec *exec, const struct instruction *instruction, vec4f results[4][MAX_QUADS])
{
    vec4f x[MAX_QUADS];
    copy_channel(exec, instruction, 0, 0, x);
    for (uint32_t q = 0; q < exec->lanes / 4; q++) {
        vec4f whole = floor_of(x[q]);
        results[1][q] = plain(x[q] - whole);
        for (uint32_t i = 0; i < 4; i++) {
            results[0][q][i] = math_ex2(whole[i]);
            results[2][q][i] = math_ex2(x[q][i]);
        }
        results[0][q] = plain(results[0][q]);
        results[2][q] = plain(results[2][q]);
    }
    fill(results[3], 1.0f);
}

static void
alu_log(struct exec *exec, const struct instruction *instruction, vec4f results[4][MAX_QUADS])
{
    vec4f x[MAX_QUADS];
    copy_channel(exec, instruction, 0, 0, x);
    for (uint32_t q = 0; q < exec->lanes / 4; q++) {
        vec4f magnitude = (vec4f)(U(x[q]) & ~SIGN_BITS);
        for (uint32_t i = 0; i < 4; i++)
            results[2][q][i] = math_lg2(magnitude[i]);
        results[0][q] = floor_of(results[2][q]);
        for (uint32_t i = 0; i < 4; i++)
            results[1][q][i] = math_ex2(results[0][q][i]);
        results[1][q] = plain(magnitude / results[1][q]);
    }
    fill(results[3], 1.0f);
}

static void
alu_dst(struct exec *exec, const struct instruction *instruction, vec4f results[4][MAX_QUADS])
{
    vec4f other[MAX_QUADS];
    fill(results[0], 1.0f);
    copy_channel(exec, instruction, 0, 1, results[1]);
    copy_channel(exec, instruction, 1, 1, other);
    for (uint32_t q = 0; q < exec->lanes / 4; q++)
        results[1][q] = plain(results[1][q] * other[q]);
    copy_channel(exec, instruction, 0, 2, results[2]);
    copy_channel(exec, instruction, 1, 3, results[3]);
}

static void
alu_special(struct exec *exec, const struct instruction *instruction)
{
    vec4f results[4][MAX_QUADS];
    switch (instruction->opcode) {
    case OP_LIT: alu_lit(exec, instruction, results); break;
    case OP_EXP: alu_exp(exec, instruction, results); break;
    case OP_LOG: alu_log(exec, instruction, results); break;
    case OP_DST: alu_dst(exec, instruction, results); break;
    default: BUG("opcode %s has no implementation", opcode_infos[instruction->opcode].name);
    }
    for (uint32_t c = 0; c < 4; c++)
        if (instruction->dst[0].write_mask >> c & 1)
            exec_store(exec, &instruction->dst[0], c, results[c]);
}

/* The lanes of a quad are 0 1 in the top row and 2 3 in the bottom row. */
static void
alu_derivative(struct exec *exec, const struct instruction *instruction)
{
    bool along_x = instruction->opcode == OP_DDX || instruction->opcode == OP_DDX_FINE;
    vec4f results[4][MAX_QUADS];
    for (uint32_t c = 0; c < 4; c++) {
        copy_channel(exec, instruction, 0, c, results[c]);
        for (uint32_t q = 0; q < exec->lanes / 4; q++) {
            vec4f v = results[c][q];
            vec4f near =
                along_x ? (vec4f){v[0], v[0], v[2], v[2]} : (vec4f){v[0], v[1], v[0], v[1]};
            vec4f far = along_x ? (vec4f){v[1], v[1], v[3], v[3]} : (vec4f){v[2], v[3], v[2], v[3]};
            results[c][q] = plain(far - near);
        }
    }
    for (uint32_t c = 0; c < 4; c++)
        if (instruction->dst[0].write_mask >> c & 1)
            exec_store(exec, &instruction->dst[0], c, results[c]);
}

void
exec_alu(struct exec *exec, const struct instruction *instruction)
{
    switch (opcode_infos[instruction->opcode].shape) {
    case SHAPE_COMPONENT: alu_components(exec, instruction); break;
    case SHAPE_SCALAR: alu_scalar(exec, instruction); break;
    case SHAPE_DOT: alu_dot(exec, instruction); break;
    case SHAPE_SPECIAL: alu_special(exec, instruction); break;
    case SHAPE_DERIVATIVE: alu_derivative(exec, instruction); break;
    default: BUG("%s is not an arithmetic instruction", opcode_infos[instruction->opcode].name);
    }
}
