/* Warns of commands that the simulation of a live program would refuse, while another renderer runs
 * the program. The checker is a message sink in front of a capture's sink. The checker keeps a
 * device's state and checks every command like the functional renderer and the machine, but renders
 * nothing.
 *
 * Each kind of refusal causes one warning. A refused draw, clear, blit or copy leaves the state
 * unchanged. Any other refused command ends the checking. */
#ifndef AETIUS_SIM_COMMAND_CHECKER_H
#define AETIUS_SIM_COMMAND_CHECKER_H

#include "sim/executor.h"

enum { CHECKER_REFUSALS = 16, CHECKER_TEXT_BYTES = 200 };

struct command_checker {
    struct message_sink sink;
    struct message_sink *inner;
    struct gpu_device device;
    struct executor_sink executor;
    struct arena draws;
    uint32_t frame;
    bool ended;                                          /* checking has ended */
    char refusals[CHECKER_REFUSALS][CHECKER_TEXT_BYTES]; /* kinds of refused work */
    uint32_t refusal_count, warnings;
};

bool command_checker_init(struct command_checker *checker, struct message_sink *inner,
                          struct error *err);
void command_checker_fini(struct command_checker *checker);

#endif
