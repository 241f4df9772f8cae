/* Output of `aetius topdown --json` in tests. */
#ifndef AETIUS_TESTS_TOPDOWN_JSON_H
#define AETIUS_TESTS_TOPDOWN_JSON_H

#include <cjson/cJSON.h>

/* The node with this name below `node`, or NULL. */
const cJSON *topdown_child(const cJSON *node, const char *name);
/* Value of the node with this name below `tree`; NAN if there is none. */
double topdown_value(const cJSON *tree, const char *name);
/* Checks that the values of the children of every node add up to its value, and that shares are
 * relative to the root. */
void topdown_check_sums(const cJSON *node, double whole);
/* Runs `aetius topdown --json` and returns its output; the caller deletes it. */
cJSON *topdown_json_of(const char *const *words);
#define TOPDOWN_JSON(...) topdown_json_of((const char *const[]){__VA_ARGS__, NULL})

#endif
