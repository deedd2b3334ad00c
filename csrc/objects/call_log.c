// csrc/objects/call_log.c - writes and reads the records of the log of calls.
//
// Idea: a list says which arguments a call has, and one interpreter of that list writes them and another reads them.
// Reading trusts nothing: an array that is shorter than its number of rows needs is damage.
#include "objects/call_log.h"
#include "objects/world.h"

#include <stdarg.h>
#include <string.h>

static const char* const arguments_of[B2D_LOGGED_COUNT] = {
#define B2D_LOGGED(NAME, arguments) arguments,
#include "lists/logged_calls.def"
#undef B2D_LOGGED
};
static const int32_t body_widths[B2D_BODY_PROPERTY_COUNT] = {
#define B2D_BODY_PROPERTY(NAME, name, type, components, ...) components,
#include "lists/body_properties.def"
#undef B2D_BODY_PROPERTY
};
static const int32_t shape_widths[B2D_SHAPE_PROPERTY_COUNT] = {
#define B2D_SHAPE_PROPERTY(NAME, name, type, components, ...) components,
#include "lists/shape_properties.def"
#undef B2D_SHAPE_PROPERTY
};
static const int32_t joint_widths[B2D_JOINT_PROPERTY_COUNT] = {
#define B2D_JOINT_PROPERTY(NAME, name, components, ...) components,
#include "lists/joint_properties.def"
#undef B2D_JOINT_PROPERTY
};

static int32_t width_in(const int32_t* widths, int64_t count, int64_t property) {
    return property >= 0 && property < count ? widths[property] : 0;
}

// How many doubles a row has after an argument of the kind `code`; `width` if it says nothing about that.
static int32_t width_after(char code, int64_t value, int32_t width) {
    switch (code) {
    case 'p': return width_in(body_widths, B2D_BODY_PROPERTY_COUNT, value);
    case 's': return width_in(shape_widths, B2D_SHAPE_PROPERTY_COUNT, value);
    case 'j': return width_in(joint_widths, B2D_JOINT_PROPERTY_COUNT, value);
    case 'w': return value == 1 || value == 2 ? (int32_t)value : 0;
    default: return width;
    }
}

static bool is_whole(char code) { return strchr("inpsjwb", code) != NULL; }

// The bytes of an array or a struct.
static uint64_t size_of(char code, uint64_t rows, int32_t width) {
    switch (code) {
    case 'I': return rows * sizeof(int32_t);
    case 'Q': return rows * sizeof(uint64_t);
    case 'D': return rows * (uint64_t)width * sizeof(double);
    case 'P': return rows * 2 * sizeof(double);
    case 'S': return rows * sizeof(double);
    case 'B': return sizeof(b2d_body_def);
    case 'G': return sizeof(b2d_geometry);
    case 'H': return sizeof(b2d_shape_def);
    case 'J': return sizeof(b2d_joint_def);
    default: return sizeof(b2d_material_pair);
    }
}

static uint64_t padded(uint64_t size) { return (size + 7) & ~(uint64_t)7; }

// ---- writing

static bool put(b2d_world* world, const void* data, uint64_t size) {
    b2d_call_log* log = &world->log;
    const uint64_t needed = (uint64_t)log->count + padded(size);
    if (needed > INT32_MAX / 2 || !B2D_GROW(&world->memory, log->bytes, log->capacity, (int32_t)needed)) return false;
    if (size > 0) memcpy(log->bytes + log->count, data, size);
    memset(log->bytes + log->count + size, 0, padded(size) - size);
    log->count = (int32_t)needed;
    return true;
}

static bool put_arguments(b2d_world* world, const char* codes, va_list values) {
    uint64_t rows = 1;
    int32_t width = 0;
    for (const char* code = codes; *code != '\0'; code++) {
        if (is_whole(*code)) {
            const int64_t whole = va_arg(values, int);
            if (*code == 'n') rows = (uint64_t)whole;
            width = width_after(*code, whole, width);
            if (!put(world, &whole, sizeof whole)) return false;
        } else if (*code == 'q') {
            const uint64_t bits = va_arg(values, uint64_t);
            if (!put(world, &bits, sizeof bits)) return false;
        } else if (*code == 'd') {
            const double number = va_arg(values, double);
            if (!put(world, &number, sizeof number)) return false;
        } else {
            const void* data = va_arg(values, const void*);
            const uint64_t size = data == NULL ? UINT64_MAX : size_of(*code, rows, width);
            if (!put(world, &size, sizeof size) || (data != NULL && !put(world, data, size))) return false;
        }
    }
    return true;
}

void b2d_log_begin(b2d_world* world) {
    world->log.on = true;
    world->log.found = (b2d_log){0};
    world->log.count = 0;
    b2d_log_call(world, B2D_OK, B2D_LOGGED_CALLBACKS, (uint64_t)world->calls, B2D_NONE);
}

void b2d_log_call(b2d_world* world, b2d_status status, int32_t call, ...) {
    b2d_call_log* log = &world->log;
    log->logged = (status & 0xFF) != B2D_NO_MEMORY;
    if (status != B2D_OK) return;
    const int32_t start = log->count;
    b2d_logged_record record = {(uint32_t)call, 0};
    va_list values;
    va_start(values, call);
    const bool done = put(world, &record, sizeof record) && put_arguments(world, arguments_of[call], values);
    va_end(values);
    if (done) {
        record.size = (uint32_t)(log->count - start) - (uint32_t)sizeof record;
        memcpy(log->bytes + start, &record, sizeof record);
    } else {
        log->count = start;
        log->found.incomplete = true;
    }
}

// ---- reading

// An array or a struct at `at`; returns the bytes that it occupies, or 0.
static uint64_t read_rows(const uint8_t* at, uint64_t left, char code, uint64_t needed, b2d_logged_argument* out) {
    uint64_t size;
    if (left < sizeof size) return 0;
    memcpy(&size, at, sizeof size);
    out->rows = NULL;
    if (size == UINT64_MAX) return code == 'Q' || code == 'P' || code == 'S' ? sizeof size : 0;
    if (size != needed || padded(size) > left - sizeof size) return 0;
    out->rows = at + sizeof size;
    return sizeof size + padded(size);
}

int64_t b2d_log_read(const uint8_t* data, int64_t size, int32_t* call, b2d_logged_argument* out) {
    b2d_logged_record record;
    if (size < (int64_t)sizeof record) return 0;
    memcpy(&record, data, sizeof record);
    if (record.call >= B2D_LOGGED_COUNT || (int64_t)record.size > size - (int64_t)sizeof record) return 0;
    uint64_t left = record.size, rows = 1;
    int32_t width = 0;
    const uint8_t* at = data + sizeof record;
    for (const char* code = arguments_of[record.call]; *code != '\0'; code++, out++) {
        uint64_t used = sizeof *out;
        if (is_whole(*code) || *code == 'q' || *code == 'd') {
            if (left < used) return 0;
            memcpy(out, at, sizeof *out);
            if (is_whole(*code) && (out->whole < INT32_MIN || out->whole > INT32_MAX)) return 0;
            if (*code == 'n' && (out->whole < 0 || out->whole > (1 << 26))) return 0;
            if (*code == 'n') rows = (uint64_t)out->whole;
            if (is_whole(*code)) width = width_after(*code, out->whole, width);
            if (strchr("psjw", *code) != NULL && width == 0) return 0;
        } else {
            used = read_rows(at, left, *code, size_of(*code, rows, width), out);
            if (used == 0) return 0;
        }
        at += used;
        left -= used;
    }
    *call = (int32_t)record.call;
    return left == 0 ? (int64_t)sizeof record + record.size : 0;
}
