// tests/c/fuzz_snapshot.c - a libFuzzer target: damaged snapshots with repaired checksums are refused or usable.
//
// Idea: a world that is read from the bytes must be valid and go on: it is stepped, changed and written again.
// tests/c/fuzz.h damages the bytes; tests/fuzz/libfuzzer.py builds the target with the sanitizers and starts it.
#include "fuzz.h"

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    state = seed;
    return damage_snapshot(data, size, max_size);
}

// One with rows of a section of two.
size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* two, size_t two_size, uint8_t* out,
                                 size_t max_size, unsigned seed) {
    static section first[MOST], second[MOST];
    state = seed;
    if (one_size > max_size) return 0;
    memcpy(out, one, one_size);
    const int count = one_size < HEAD ? 0 : find_sections(one, one_size, first);
    const int other = two_size < HEAD ? 0 : find_sections(two, two_size, second);
    if (count == 0 || other == 0) return one_size;
    const section* chosen = &first[draw((uint32_t)count)];
    for (int k = 0; k < other; k++) {
        if (memcmp(one + chosen->head, two + second[k].head, NAME) != 0) continue;
        const size_t size = one_size - chosen->bytes + second[k].bytes, end = chosen->rows + chosen->bytes;
        if (size > max_size) break;
        memcpy(out + chosen->rows, two + second[k].rows, second[k].bytes);
        memcpy(out + chosen->rows + second[k].bytes, one + end, one_size - end);
        memcpy(out + chosen->head + 40, two + second[k].head + 40, 8);
        return repaired(out, size);
    }
    return one_size;
}

// Every second input is read with the usual options, the others with any, which depend on its bytes.
static b2d_world_def choose_options(const uint8_t* data, size_t size) {
    b2d_world_def def;
    b2d_world_def_init(&def);
    def.simd = B2D_SIMD_SCALAR; // the kernels that are built with the sanitizers
    state = (uint32_t)size;
    for (size_t k = 0; k + 4 <= size; k += 4) state = 31 * state + word(data + k);
    if (draw(2)) return def;
    def.broadphase = (int32_t)draw(B2D_BROADPHASE_COUNT);
    def.islands = (int32_t)draw(B2D_ISLANDS_COUNT);
    def.schedule = (int32_t)draw(B2D_SCHEDULE_COUNT);
    def.warm_start = (int32_t)draw(B2D_WARM_START_COUNT);
    return def;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char message[512] = "";
    b2d_world* world = NULL;
    const b2d_world_def def = choose_options(data, size);
    const b2d_status status = b2d_world_from_snapshot(data, (int64_t)size, &def, &world, message, sizeof message);
    if (status != B2D_OK) {
        MUST((status & 0xFF) == B2D_SNAPSHOT && world == NULL && strstr(message, "section") != NULL);
        return -(size < HEAD); // what is not even a head is of no interest
    }
    must_be_written_again(world, &def);
    must_go_on(world);
    b2d_world_destroy(world);
    return 0;
}
