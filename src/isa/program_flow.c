/* Flow control of a parsed program. Checks that constructs nest correctly and that the executor's
 * stack is deep enough. Replaces labels with instruction indices:
 *
 *    IF, UIF          label: its ELSE, or its ENDIF
 *    ELSE             label: its ENDIF
 *    BGNLOOP          label: its ENDLOOP
 *    ENDLOOP          label: its BGNLOOP
 *    BRK, CONT        label: the ENDLOOP
 *    CAL              label: the BGNSUB
 *    RET              label: the ENDSUB, or the END of the main program */
#include "isa/exec.h"
#include "isa/program_parser.h"

#include <stdlib.h>

struct flow {
    struct parser *parser;
    uint32_t open[EXEC_MAX_NESTING]; /* instructions of open constructs */
    uint32_t depth;
    uint32_t begin;       /* BGNSUB of this subroutine; 0 in the main program */
    bool inside;          /* within the main program or a subroutine */
    bool main;            /* in the main program, before END */
    uint8_t *nesting;     /* per instruction: number of open constructs */
    uint32_t *subroutine; /* per instruction: BGNSUB of its subroutine, or UINT32_MAX */
};

static struct instruction *
at(struct flow *flow, uint32_t i)
{
    return &flow->parser->instructions.items[i];
}

static bool
flow_fail(struct flow *flow, uint32_t i, const char *what)
{
    return fail(flow->parser->err, "shader line %u: %s %s", at(flow, i)->line,
                opcode_infos[at(flow, i)->opcode].name, what);
}

static bool
flow_open(struct flow *flow, uint32_t i)
{
    if (flow->depth == EXEC_MAX_NESTING)
        return flow_fail(flow, i, "is nested too deeply");
    flow->open[flow->depth++] = i;
    return true;
}

static bool
flow_else(struct flow *flow, uint32_t i)
{
    uint32_t open = flow->depth ? flow->open[flow->depth - 1] : 0;
    if (!flow->depth || (at(flow, open)->opcode != OP_IF && at(flow, open)->opcode != OP_UIF))
        return flow_fail(flow, i, "has no matching IF");
    at(flow, open)->label = (uint16_t)i;
    flow->open[flow->depth - 1] = i;
    return true;
}

static bool
flow_endif(struct flow *flow, uint32_t i)
{
    uint32_t open = flow->depth ? flow->open[flow->depth - 1] : 0;
    if (!flow->depth || at(flow, open)->opcode == OP_BGNLOOP)
        return flow_fail(flow, i, "has no matching IF");
    at(flow, open)->label = (uint16_t)i;
    flow->depth--;
    return true;
}

static bool
flow_endloop(struct flow *flow, uint32_t i)
{
    uint32_t open = flow->depth ? flow->open[flow->depth - 1] : 0;
    if (!flow->depth || at(flow, open)->opcode != OP_BGNLOOP)
        return flow_fail(flow, i, "has no matching BGNLOOP");
    at(flow, open)->label = (uint16_t)i;
    at(flow, i)->label = (uint16_t)open;
    flow->depth--;
    return true;
}

static bool
flow_in_loop(struct flow *flow, uint32_t i)
{
    for (uint32_t d = flow->depth; d-- > 0;) {
        if (at(flow, flow->open[d])->opcode == OP_BGNLOOP) {
            /* The index of BGNLOOP, which is replaced once the ENDLOOP is known. */
            at(flow, i)->label = (uint16_t)flow->open[d];
            return true;
        }
    }
    return flow_fail(flow, i, "is outside of a loop");
}

/* Ends the main program or a subroutine. */
static bool
flow_end(struct flow *flow, uint32_t i)
{
    if (at(flow, i)->opcode == OP_ENDSUB ? flow->main : !flow->main)
        return flow_fail(flow, i, "is misplaced");
    if (flow->depth)
        return flow_fail(flow, flow->open[flow->depth - 1], "has no end");
    for (uint32_t k = flow->begin; k < i; k++)
        if (at(flow, k)->opcode == OP_RET)
            at(flow, k)->label = (uint16_t)i;
    flow->inside = flow->main = false;
    return true;
}

static bool
flow_instruction(struct flow *flow, uint32_t i)
{
    uint8_t opcode = at(flow, i)->opcode;
    if (opcode == OP_BGNSUB) {
        if (flow->inside)
            return flow_fail(flow, i, "is misplaced");
        flow->inside = true;
        flow->begin = i;
    }
    if (!flow->inside)
        return flow_fail(flow, i, "is outside of the program");
    flow->subroutine[i] = flow->main ? UINT32_MAX : flow->begin;
    flow->nesting[i] = (uint8_t)flow->depth;
    switch (opcode) {
    case OP_IF:
    case OP_UIF:
    case OP_BGNLOOP: return flow_open(flow, i);
    case OP_ELSE: return flow_else(flow, i);
    case OP_ENDIF: return flow_endif(flow, i);
    case OP_ENDLOOP: return flow_endloop(flow, i);
    case OP_BRK:
    case OP_CONT: return flow_in_loop(flow, i);
    case OP_END:
    case OP_ENDSUB: return flow_end(flow, i);
    default: return true;
    }
}

static bool
flow_blocks(struct flow *flow)
{
    uint32_t count = (uint32_t)flow->parser->instructions.count;
    for (uint32_t i = 0; i < count; i++)
        if (!flow_instruction(flow, i))
            return false;
    if (flow->main)
        return fail(flow->parser->err, "shader: END is missing");
    if (flow->inside)
        return flow_fail(flow, flow->begin, "has no end");
    for (uint32_t i = 0; i < count; i++)
        if (at(flow, i)->opcode == OP_BRK || at(flow, i)->opcode == OP_CONT)
            at(flow, i)->label = at(flow, at(flow, i)->label)->label;
    return true;
}

static bool
flow_calls(struct flow *flow)
{
    struct parser *parser = flow->parser;
    for (size_t c = 0; c < parser->calls.count; c += 2) {
        uint32_t i = parser->calls.items[c], label = parser->calls.items[c + 1];
        if (label >= parser->instructions.count || at(flow, label)->opcode != OP_BGNSUB)
            return flow_fail(flow, i, "calls an address that is not a BGNSUB");
        at(flow, i)->label = (uint16_t)label;
    }
    return true;
}

/* Finds the deepest stack inside each subroutine by iteration: a call adds one frame and the
 * callee's depth. The depth of a recursion grows until the limit rejects it. */
static bool
flow_depth(struct flow *flow)
{
    uint32_t count = (uint32_t)flow->parser->instructions.count;
    uint32_t *need = mem_array(count, sizeof *need); /* indexed by BGNSUB */
    bool well = true;
    for (bool changed = true; changed && well;) {
        changed = false;
        for (uint32_t i = 0; i < count && well; i++) {
            uint32_t sub = flow->subroutine[i], depth = flow->nesting[i];
            if (at(flow, i)->opcode == OP_CAL)
                depth += 1 + need[at(flow, i)->label];
            else if (at(flow, i)->opcode == OP_IF || at(flow, i)->opcode == OP_UIF ||
                     at(flow, i)->opcode == OP_BGNLOOP)
                depth++;
            if (depth > EXEC_MAX_NESTING)
                well = flow_fail(flow, i, "is nested too deeply, or calls itself");
            if (sub == UINT32_MAX || depth <= need[sub])
                continue;
            need[sub] = depth;
            changed = true;
        }
    }
    free(need);
    return well;
}

bool
program_resolve_flow(struct parser *parser)
{
    size_t count = parser->instructions.count;
    struct flow flow = {
        .parser = parser,
        .inside = true,
        .main = true,
        .nesting = mem_alloc(count),
        .subroutine = mem_array(count, sizeof(uint32_t)),
    };
    bool well = flow_blocks(&flow) && flow_calls(&flow) && flow_depth(&flow);
    free(flow.nesting);
    free(flow.subroutine);
    return well;
}
