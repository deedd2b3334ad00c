// csrc/objects/call_log.h - the log of the calls that change a world, for recordings.
//
// Idea: while a log is on, each call that has changed the world adds its arguments, each step its hash, and each
// callback its answer. api/replay.c makes the same calls again. Only calls that succeed are logged, because the others
// change nothing. A call that changes the world without adding to the log makes it incomplete: a recording then needs
// the whole state. So a new call of the API that is not logged costs memory and never a wrong replay.
// Cost: one test of a flag in a call while no log is on. Threads: as the call that is logged.
// Proof: tests/api/test_recording.py.
#pragma once
#include "box2dpy.h"

#include <stddef.h>

typedef struct b2d_world b2d_world;

typedef struct b2d_call_log {
    uint8_t* bytes;
    int32_t capacity, count;
    bool on;
    bool logged;   // the call that is running has added itself, or changes nothing
    b2d_log found; // what the log has; the size is `count`
} b2d_call_log;

enum {
#define B2D_LOGGED(NAME, arguments) B2D_LOGGED_##NAME,
#include "lists/logged_calls.def"
#undef B2D_LOGGED
    B2D_LOGGED_COUNT
};

// A record is the number of the call and the size of its arguments in bytes, then the arguments, each padded to 8
// bytes. Numbers and switches have 8 bytes. An array begins with its size in bytes, or with UINT64_MAX for NULL.
typedef struct b2d_logged_record {
    uint32_t call, size;
} b2d_logged_record;

void b2d_log_begin(b2d_world* world); // an empty log, with the callbacks that there are now
// Adds a call with its arguments, as listed in lists/logged_calls.def; does nothing after an error.
void b2d_log_call(b2d_world* world, b2d_status status, int32_t call, ...);
#define B2D_LOG(world, status, ...)                                    \
    do {                                                               \
        if ((world)->log.on) b2d_log_call(world, status, __VA_ARGS__); \
    } while (0)
// Says that the call that is running changes nothing that a replay needs.
#define B2D_LOG_NOTHING(world) ((void)((world)->log.logged = true))
// The end of each call that may write. One that has left something undone for want of memory is not repeated by the
// log.
static inline void b2d_log_end_call(b2d_call_log* log, b2d_status status, bool undone) {
    const bool changed = (status & 0xFF) == B2D_OK || (status & 0xFF) == B2D_NO_MEMORY;
    if (log->on && changed && (undone || !log->logged)) log->found.incomplete = true;
    log->logged = false;
}

// One argument that was read from a log.
typedef union b2d_logged_argument {
    int64_t whole;
    uint64_t bits;
    double number;
    const void* rows;
} b2d_logged_argument;
enum { B2D_LOGGED_ARGUMENTS = 12 };
// Reads the arguments of the record at `data`, which has `size` bytes with what follows it. The arrays stay where they
// are. Returns the size of the record, or 0 if it is cut off or damaged.
int64_t b2d_log_read(const uint8_t* data, int64_t size, int32_t* call, b2d_logged_argument* out);
