/* The path of the program under test. */
#include "rigs/aetius.h"

const char *aetius;
