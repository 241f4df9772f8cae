/* SANITIZED is defined in builds whose sanitizers use additional memory and stack. The build for
 * `make mutate` defines it itself, because gcc has no macro for the leak sanitizer. */
#ifndef AETIUS_TESTS_SANITIZED_H
#define AETIUS_TESTS_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#endif
