/* Says at once what a simulation of a live program would refuse, while another renderer draws it: a
 * sink in front of a capture's. It keeps the state of a device and checks every command as
 * the functional renderer and the machine do, and draws nothing.
 *
 * Each kind of refusal is one warning. A draw, clear, blit or copy that is refused leaves the state
 * as it is; what follows another refused command cannot be judged, and is not. */
#ifndef AETIUS_SIM_JUDGE_H
#define AETIUS_SIM_JUDGE_H

#include "sim/executor.h"

enum { JUDGE_TOLD = 16, JUDGE_TEXT = 200 };

struct judge {
    struct message_sink sink;
    struct message_sink *inner;
    struct gpu_device device;
    struct executor_sink executor;
    struct arena draws;
    uint32_t frame;
    bool ended;                        /* nothing is judged any more */
    char told[JUDGE_TOLD][JUDGE_TEXT]; /* refusals of work */
    uint32_t told_count, warnings;
};

bool judge_init(struct judge *judge, struct message_sink *inner, struct error *err);
void judge_fini(struct judge *judge);

#endif
