/* The cache of shaded vertices for which `aetius whatif --index-order` orders triangles. Programs
 * do not know the GPU, so they order for a small cache. */
#ifndef AETIUS_STATE_VERTEX_ORDER_H
#define AETIUS_STATE_VERTEX_ORDER_H

enum { VERTEX_ORDER_CACHE = 32 };

#endif
