// tests/c/fuzz_recording.c - a libFuzzer target: damaged keyframes and logs of recordings are refused or replayed.
//
// Idea: an input is what a recording holds between two keyframes, without compression: the size of a snapshot in 8
// bytes, the snapshot, and the log of the calls after it. The mutator damages the state with right checksums, or whole
// calls, their arguments and their order. Two worlds with other broad phases repeat the log: both must take it alike
// and end in the same state, which is valid, has a snapshot, and goes on. tests/fuzz/libfuzzer.py starts the target.
#include "fuzz.h"

enum { BEFORE = 8, RECORD = 8, RECORDS = 4096 };

static size_t state_size(const uint8_t* data, size_t size) {
    return size < BEFORE || word(data) > size - BEFORE ? SIZE_MAX : word(data);
}

// Where the records of a log begin, and where the last one ends. Returns how many there are.
static uint32_t find_records(const uint8_t* log, size_t size, size_t* starts) {
    uint32_t count = 0;
    size_t at = 0;
    while (count < RECORDS && size - at >= RECORD && word(log + at + 4) <= size - at - RECORD) {
        starts[count++] = at;
        at += RECORD + word(log + at + 4);
    }
    starts[count] = at;
    return count;
}

// Changes a number of a call, or which call it is; leaves out, repeats or moves a part of the log; or does anything.
static size_t damage_log(uint8_t* log, size_t size, size_t max_size) {
    static size_t starts[RECORDS + 1];
    const uint32_t count = find_records(log, size, starts);
    if (count == 0 || draw(64) == 0) return max_size == 0 ? 0 : LLVMFuzzerMutate(log, size, max_size);
    const uint32_t k = draw(count), last = k + 1 + draw(draw(4) ? 1 : count - k);
    const size_t from = starts[k], to = starts[last], bytes = to - from;
    const uint32_t what = draw(8), own = word(log + from + 4);
    if (what == 0) {
        memmove(log + from, log + to, size - to);
        return size - bytes;
    }
    if (what == 1 && size + bytes <= max_size) {
        const size_t place = starts[draw(count + 1)];
        uint8_t* part = malloc(bytes);
        if (part == NULL) return size;
        memcpy(part, log + from, bytes);
        memmove(log + place + bytes, log + place, size - place);
        memcpy(log + place, part, bytes);
        free(part);
        return size + bytes;
    }
    if (what == 2) change_number(log + from, 4);
    else if (own >= 8) change_number(log + from + RECORD + 8 * draw(own / 8), draw(4) ? 8 : 4);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    state = seed;
    const size_t bytes = state_size(data, size);
    if (bytes > size) return LLVMFuzzerMutate(data, size, max_size);
    uint8_t *const snapshot = data + BEFORE, *const log = snapshot + bytes;
    if (draw(4) != 0) {
        size_t length = size - BEFORE - bytes;
        for (uint32_t k = 1 + draw(3); k > 0; k--) length = damage_log(log, length, max_size - BEFORE - bytes);
        return BEFORE + bytes + length;
    }
    const size_t rest = size - BEFORE - bytes, room = max_size - BEFORE - rest;
    uint8_t *damaged = malloc(room + 1), *kept = malloc(rest + 1);
    size_t length = bytes;
    if (damaged != NULL && kept != NULL) {
        memcpy(damaged, snapshot, bytes);
        memcpy(kept, log, rest);
        length = damage_snapshot(damaged, bytes, room);
        put(data, length, BEFORE);
        memcpy(snapshot, damaged, length);
        memcpy(snapshot + length, kept, rest);
    }
    free(damaged);
    free(kept);
    return BEFORE + length + rest;
}

// The state of one with the first calls of its log, and then the last of two.
size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* two, size_t two_size, uint8_t* out,
                                 size_t max_size, unsigned seed) {
    static size_t first[RECORDS + 1], second[RECORDS + 1];
    state = seed;
    const size_t bytes = state_size(one, one_size), other = state_size(two, two_size);
    if (bytes > one_size || other > two_size) return 0;
    const uint8_t* log = two + BEFORE + other;
    const uint32_t count = find_records(one + BEFORE + bytes, one_size - BEFORE - bytes, first);
    const uint32_t more = find_records(log, two_size - BEFORE - other, second);
    const size_t head = BEFORE + bytes + first[draw(count + 1)], start = second[draw(more + 1)];
    if (head + second[more] - start > max_size) return 0;
    memcpy(out, one, head);
    memcpy(out + head, log + start, second[more] - start);
    return head + second[more] - start;
}

// Sets `out` to NULL if the state is refused.
static b2d_replay repeated(const uint8_t* data, size_t size, const b2d_world_def* def, b2d_status* status,
                           b2d_world** out) {
    char message[512] = "";
    const size_t bytes = state_size(data, size), rest = size - BEFORE - bytes;
    b2d_replay replay = {0};
    *status = b2d_world_from_snapshot(data + BEFORE, (int64_t)bytes, def, out, message, sizeof message);
    if (*out == NULL) return replay;
    uint8_t* log = malloc(rest); // of its own size, so that the sanitizer sees what is read beyond it
    MUST(log != NULL || rest == 0);
    if (rest > 0) memcpy(log, data + BEFORE + bytes, rest);
    *status = b2d_world_replay(*out, log, (int64_t)rest, &replay);
    free(log);
    return replay;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (state_size(data, size) > size) return -1;
    b2d_world *world = NULL, *other = NULL;
    b2d_status status, other_status;
    b2d_world_def def;
    b2d_world_def_init(&def);
    def.simd = B2D_SIMD_SCALAR; // the kernels that are built with the sanitizers
    const b2d_replay replay = repeated(data, size, &def, &status, &world);
    if (world == NULL) {
        MUST((status & 0xFF) == B2D_SNAPSHOT);
        return 0;
    }
    MUST(status == B2D_OK || (status & 0xFF) == B2D_SNAPSHOT);
    must_be_valid(world);
    def.broadphase = B2D_BROADPHASE_GRID;
    const b2d_replay again = repeated(data, size, &def, &other_status, &other);
    MUST(other != NULL && other_status == status && again.steps == replay.steps && again.hash == replay.hash);
    MUST(again.equal == replay.equal && hash_of(world) == hash_of(other));
    must_be_written_again(other, &def);
    b2d_world_destroy(other);
    must_go_on(world);
    b2d_world_destroy(world);
    return 0;
}
