// tests/c/golden_driver.c - one fixed scene through the public C API: equal bits from all compilers and processors.
//
// Prints one line for each SIMD width of the processor, `name hash chain`: the state hash after the last step, and a
// fold of the hashes of all steps (so that two runs that differ only for a while still differ). The first line is `auto
// NAME`, the width that is chosen by default. `golden_driver STEPS WIDTH` prints the hash of every step at one width,
// to find the first that differs; with a third argument it writes a snapshot of the last step to that file. No libm
// here: the compiler's or the platform's sine must not reach the scene.
#include "box2dpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const widths[] = {
#define B2D_SIMD(NAME, name) #name,
#include "lists/simd.def"
#undef B2D_SIMD
};

#define OK(call) must((call), #call)
static void must(b2d_status status, const char* call) {
    if (status == B2D_OK) return;
    fprintf(stderr, "golden_driver: %s answered %d\n", call, (int)status);
    exit(2);
}

static uint64_t seed;
// Exact arithmetic but for one rounding each in the scaling and the sum
static double draw(double lower, double upper) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    double part = (upper - lower) * (double)(seed >> 40);
    return lower + part / 16777216.0;
}

static b2d_handle body(b2d_world* world, int32_t type, double x, double y, double angle) {
    b2d_body_def def;
    b2d_body_def_init(&def);
    def.type = type, def.x = x, def.y = y, def.angle = angle;
    b2d_handle out;
    OK(b2d_body_create(world, &def, &out));
    return out;
}
static b2d_shape_def material(double friction) {
    b2d_shape_def def;
    b2d_shape_def_init(&def);
    def.friction = friction;
    return def;
}
static void attach(b2d_world* world, b2d_handle to, b2d_geometry geometry, const b2d_shape_def* def) {
    b2d_handle out;
    OK(b2d_shape_create(world, to.index, to.generation, &geometry, def, &out));
}
static b2d_geometry box(double hx, double hy, double cx, double cy, double radius) {
    b2d_geometry out;
    OK(b2d_make_box(hx, hy, cx, cy, 0.0, radius, &out));
    return out;
}
static b2d_geometry line(int32_t type, float x, float y, float x2, float y2, float radius) {
    return (b2d_geometry){type, 2, radius, {x, x2}, {y, y2}};
}

static void pyramid(b2d_world* world, int base) {
    b2d_shape_def def = material(0.6);
    attach(world, body(world, B2D_STATIC, 0.0, -1.0, 0.0), box(40.0, 1.0, 0.0, 0.0, 0.0), &def);
    for (int row = 0; row < base; row++)
        for (int i = 0; i < base - row; i++)
            attach(world, body(world, B2D_DYNAMIC, 1.125 * (i - 0.5 * (base - row - 1)), 0.5 + 1.0 * row, 0.0),
                   box(0.5, 0.5, 0.0, 0.0, 0.0), &def);
}

static void pile(b2d_world* world, double x0, int count) {
    static const float hexagon_x[6] = {1.0f, 0.5f, -0.5f, -1.0f, -0.5f, 0.5f};
    static const float hexagon_y[6] = {0.0f, 0.866f, 0.866f, 0.0f, -0.866f, -0.866f};
    b2d_shape_def def = material(0.5);
    b2d_handle bin = body(world, B2D_STATIC, x0, 0.0, 0.0);
    attach(world, bin, line(B2D_SEGMENT, -5.0f, 0.0f, 5.0f, 0.0f, 0.0f), &def);
    attach(world, bin, box(0.5, 8.0, -5.5, 8.0, 0.0), &def);
    attach(world, bin, line(B2D_CAPSULE, 5.5f, 0.0f, 5.5f, 16.0f, 0.5f), &def);
    for (int n = 0; n < count; n++) {
        double x = x0 + 1.1 * (n % 8 - 3.5) + draw(-0.1, 0.1), y = 0.7 + 0.95 * (n / 8);
        double size = draw(0.25, 0.45), angle = draw(-3.1, 3.1);
        b2d_handle one = body(world, B2D_DYNAMIC, x, y, angle);
        float s = (float)size;
        def = material(draw(0.1, 0.9));
        if (n % 7 == 0) def.restitution = 0.4;
        if (n % 9 == 0) def.tangent_speed = 0.7;
        if (n % 4 == 0) {
            def.rolling_resistance = 0.05;
            attach(world, one, (b2d_geometry){B2D_CIRCLE, 1, s, {0.1f * s}, {0.0f}}, &def);
        } else if (n % 4 == 1) {
            attach(world, one, line(B2D_CAPSULE, -0.6f * s, 0.0f, 0.6f * s, 0.0f, 0.5f * s), &def);
        } else if (n % 4 == 2) {
            b2d_geometry hexagon = {.type = B2D_POLYGON, .count = 6};
            for (int k = 0; k < 6; k++) hexagon.x[k] = s * hexagon_x[k], hexagon.y[k] = s * hexagon_y[k];
            OK(b2d_geometry_check(&hexagon));
            attach(world, one, hexagon, &def);
        } else {
            attach(world, one, box(0.8 * size, 0.5 * size, 0.0, 0.0, 0.2 * size), &def);
        }
    }
}

// Links between two posts, or from one to a ball of 400 times their mass (solved directly), every third one sprung,
// limited and driven.
static void links(b2d_world* world, double x0, int count, bool ball) {
    b2d_shape_def def = material(0.6), heavy = material(0.6);
    heavy.density = 100.0;
    b2d_handle last = body(world, B2D_STATIC, x0, 6.0, 0.0);
    for (int i = 0; i <= count; i++) {
        b2d_handle next = body(world, i == count && !ball ? B2D_STATIC : B2D_DYNAMIC, x0 + 0.5 + i, 6.0, 0.0);
        if (i < count) attach(world, next, box(0.45, 0.1, 0.0, 0.0, 0.02), &def);
        else if (ball) attach(world, next, (b2d_geometry){B2D_CIRCLE, 1, 0.5f, {0}, {0}}, &heavy);
        b2d_joint_def joint;
        b2d_joint_def_init(&joint, B2D_REVOLUTE);
        joint.ax = i == 0 ? 0.0 : 0.5, joint.bx = -0.5;
        double (*v)[2] = joint.value;
        v[B2D_JOINT_ENABLE_LIMIT][0] = i % 3 == 0, v[B2D_JOINT_LOWER_ANGLE][0] = -0.5,
        v[B2D_JOINT_UPPER_ANGLE][0] = 0.25;
        v[B2D_JOINT_ENABLE_SPRING][0] = i % 3 == 1, v[B2D_JOINT_HERTZ][0] = 2.0, v[B2D_JOINT_DAMPING_RATIO][0] = 0.5,
        v[B2D_JOINT_TARGET_ANGLE][0] = 0.1;
        v[B2D_JOINT_ENABLE_MOTOR][0] = i % 3 == 2, v[B2D_JOINT_MOTOR_SPEED][0] = 1.5,
        v[B2D_JOINT_MAX_MOTOR_TORQUE][0] = 3.0;
        b2d_handle out;
        OK(b2d_joint_create(world, last.index, last.generation, next.index, next.generation, &joint, &out));
        last = next;
    }
}

// A fast disc falls on a bridge and another on the ground.
static void chain(b2d_world* world, double x0, int count) {
    b2d_shape_def def = material(0.6);
    links(world, x0, count, false);
    const double fast[2] = {30.0, -90.0};
    for (int i = 0; i < 2; i++) {
        b2d_handle disc = body(world, B2D_DYNAMIC, x0 + 4.0 - 20.0 * i, 12.0, 0.3);
        attach(world, disc, (b2d_geometry){B2D_CIRCLE, 1, 0.3f, {0}, {0}}, &def);
        OK(b2d_body_set(world, disc.index, disc.generation, B2D_BODY_LINEAR_VELOCITY, fast));
    }
}

static void write_snapshot(b2d_world* world, const char* path) {
    int64_t size = 0;
    OK(b2d_world_snapshot(world, NULL, 0, &size));
    uint8_t* bytes = malloc((size_t)size);
    if (bytes == NULL) exit(2);
    OK(b2d_world_snapshot(world, bytes, size, &size));
    FILE* file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0) {
        fprintf(stderr, "golden_driver: %s cannot be written\n", path);
        exit(2);
    }
    free(bytes);
}

// Runs the scene; returns the fold of all step hashes, and the last of them. `path` may be NULL.
static uint64_t run(int32_t simd, int32_t workers, int steps, bool each, uint64_t* last, const char* path) {
    b2d_world_def def;
    b2d_world_def_init(&def);
    def.simd = simd, def.workers = workers;
    b2d_world* world;
    OK(b2d_world_create(&def, &world));
    seed = 20251121;
    pyramid(world, 20);
    pile(world, 60.0, 96);
    chain(world, 24.0, 16);
    links(world, -60.0, 12, true);
    uint64_t fold = 14695981039346656037ull;
    for (int step = 0; step < steps; step++) {
        OK(b2d_world_step(world, 1.0 / 60.0, 4));
        OK(b2d_world_hash(world, last));
        fold = (fold ^ *last) * 1099511628211ull;
        fold ^= fold >> 29;
        if (each) printf("%4d %016llx\n", step + 1, (unsigned long long)*last);
    }
    char message[256];
    b2d_status status = b2d_world_validate(world, message, (int32_t)sizeof message);
    if (status != B2D_OK) fprintf(stderr, "golden_driver: %s\n", message);
    OK(status);
    b2d_counters counters;
    OK(b2d_world_counters(world, &counters));
    if (steps >= 60 && (counters.touching < 400 || counters.joints != 30 || counters.direct_joints < 13)) {
        fprintf(stderr,
                "golden_driver: %lld touching contacts, %lld joints of %lld directly: not the scene that was meant\n",
                (long long)counters.touching, (long long)counters.direct_joints, (long long)counters.joints);
        exit(2);
    }
    if (path != NULL) write_snapshot(world, path);
    OK(b2d_world_destroy(world));
    return fold;
}

int main(int count, char** arguments) {
    int steps = count > 1 ? atoi(arguments[1]) : 60;
    printf("auto %s\n", widths[b2d_cpu_best()]);
    bool differ = false;
    uint64_t first = 0, last = 0;
    for (int32_t simd = 0; simd < B2D_SIMD_COUNT; simd++) {
        if (!b2d_cpu_has(simd) || (count > 2 && strcmp(arguments[2], widths[simd]) != 0)) continue;
        uint64_t fold = run(simd, 1, steps, count > 2, &last, count > 3 ? arguments[3] : NULL);
        printf("%s %016llx %016llx\n", widths[simd], (unsigned long long)last, (unsigned long long)fold);
        if (first == 0) first = fold;
        differ |= fold != first;
    }
    if (count <= 2) {
        uint64_t fold = run(-1, 3, steps, false, &last, NULL);
        printf("auto-3 %016llx %016llx\n", (unsigned long long)last, (unsigned long long)fold);
        differ |= fold != first;
    }
    return differ ? 3 : 0;
}
