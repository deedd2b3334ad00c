// tests/c/test_base.h - what the two parts of the program test_base share.
#pragma once
#include "test.h"

#include <stdatomic.h>

extern atomic_int failures;
extern int32_t scale; // sanitizers and emulators do a part of the work, one of so many

#define CHECK(a, relation, b)                                                                                 \
    do {                                                                                                      \
        __auto_type check_a = (a);                                                                            \
        __auto_type check_b = (b);                                                                            \
        NOTE_BOUND(check_a, relation, check_b, #a " " #relation " " #b);                                      \
        if (!(check_a relation check_b) && atomic_fetch_add(&failures, 1) < 20)                               \
            printf("%s:%d: %s %s %s: %.17g, %.17g\n", __FILE__, __LINE__, #a, #relation, #b, (double)check_a, \
                   (double)check_b);                                                                          \
    } while (0)

// test_scheduler.c
void test_scheduler(void);
void test_scheduler_chaos(void);
void test_side_tasks(void);
void test_scheduler_shared(void);
void test_scheduler_hosted(void);
void test_scheduler_fork(void);
void test_float_word(void);
