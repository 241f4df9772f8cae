/* Wrappers of the functions that create contexts. */
#ifndef AETIUS_SHIM_CONTEXT_H
#define AETIUS_SHIM_CONTEXT_H

/* Starts to watch GLX contexts. Called when Mesa connects to the virtual GPU, which it does before
 * the program can create a context. */
void context_watch(void);

#endif
