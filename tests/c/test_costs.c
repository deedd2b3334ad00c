// tests/c/test_costs.c - calls whose cost once grew with the square of what is there, counted and not timed.
//
// What is counted are the basic blocks that the core runs (blocks.h): the same number in every run. Prints one line for
// each call, `name few many`: the counts for FEW things and for MORE times as many. tests/unit/test_c_costs.py has the
// bound.
#include "blocks.h"
#include "box2dpy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 250, MORE = 8, MOST = FEW * MORE };

#define OK(call) must((call), #call)
static void must(b2d_status status, const char* call) {
    if (status == B2D_OK) return;
    fprintf(stderr, "test_costs: %s answered %d\n", call, (int)status);
    exit(2);
}

// ---- a world and what stands in it

static b2d_world* world;
static b2d_handle bodies[MOST + 1], things[MOST + 1], gone[4 * MOST];

static b2d_handle body(double x, int32_t type) {
    b2d_handle out;
    OK(b2d_body_create_at(world, type, x, 0.0, 0.0, &out));
    return out;
}

static void destroy(b2d_handle each) {
    int32_t count;
    OK(b2d_body_destroy(world, each.index, each.generation, gone, 4 * MOST, &count));
}

static void add_shape(int32_t k, bool update_mass) {
    b2d_shape_def def;
    b2d_shape_def_init(&def);
    def.update_mass = update_mass;
    const b2d_geometry circle = {.type = B2D_CIRCLE, .count = 1, .radius = 0.1f, .x = {0.3f * (float)k}};
    OK(b2d_shape_create(world, bodies[0].index, bodies[0].generation, &circle, &def, &things[k]));
}
static void add_shapes(int32_t n) {
    for (int32_t k = 0; k < n; k++) add_shape(k, false);
}
static void add_with_mass(int32_t n) {
    for (int32_t k = 0; k < n; k++) add_shape(k, true);
}
static double mass(void) {
    double out;
    OK(b2d_body_get(world, bodies[0].index, bodies[0].generation, B2D_BODY_MASS, &out));
    return out;
}
static void add_and_read_mass(int32_t n) { // computes the mass of all shapes each time: this one does grow faster
    for (int32_t k = 0; k < n; k++) add_shape(k, true), (void)mass();
}

// Static tiles, each with a ball on it.
static void tiles(int32_t n) {
    bodies[0] = body(0.0, B2D_STATIC);
    b2d_shape_def def;
    b2d_shape_def_init(&def);
    const b2d_geometry ball = {.type = B2D_CIRCLE, .count = 1, .radius = 0.3f};
    for (int32_t k = 0; k < n; k++) {
        const b2d_geometry tile = {.type = B2D_CIRCLE, .count = 1, .radius = 0.3f, .x = {(float)k}};
        OK(b2d_shape_create(world, bodies[0].index, bodies[0].generation, &tile, &def, &things[k]));
        b2d_handle made;
        bodies[k + 1] = body(k, B2D_DYNAMIC);
        OK(b2d_shape_create(world, bodies[k + 1].index, bodies[k + 1].generation, &ball, &def, &made));
    }
    OK(b2d_world_step(world, 1.0e-6, 1));
}

// ---- the calls: what is there before, and what is counted

static void one_body(int32_t n) {
    (void)n;
    bodies[0] = body(0.0, B2D_DYNAMIC);
}
static void body_of_shapes(int32_t n) {
    one_body(n);
    add_shapes(n);
}
static void spin(void) {
    const double speed = 2.0;
    OK(b2d_body_set(world, bodies[0].index, bodies[0].generation, B2D_BODY_ANGULAR_VELOCITY, &speed));
}
static void spinning_body(int32_t n) {
    one_body(n);
    spin();
}
static void spinning_body_of_shapes(int32_t n) {
    body_of_shapes(n);
    spin();
}
static void remove_shape(int32_t k, bool update_mass) {
    OK(b2d_shape_destroy(world, things[k].index, things[k].generation, update_mass));
}
static void remove_first_to_last(int32_t n) {
    for (int32_t k = 0; k < n; k++) remove_shape(k, false);
}
static void remove_last_to_first(int32_t n) {
    for (int32_t k = n - 1; k >= 0; k--) remove_shape(k, false);
}
static void remove_with_mass(int32_t n) {
    for (int32_t k = 0; k < n; k++) remove_shape(k, true);
}
static void remove_backwards_with_mass(int32_t n) {
    for (int32_t k = n - 1; k >= 0; k--) remove_shape(k, true);
}
static void set_densities(int32_t n) {
    const double heavy = 3.0;
    for (int32_t k = 0; k < n; k++)
        OK(b2d_shape_set(world, things[k].index, things[k].generation, B2D_SHAPE_DENSITY, &heavy));
}
static void set_frictions(int32_t n) {
    const double smooth = 0.1;
    for (int32_t k = 0; k < n; k++)
        OK(b2d_shape_set(world, things[k].index, things[k].generation, B2D_SHAPE_FRICTION, &smooth));
}
static void set_filters(int32_t n) {
    for (int32_t k = 0; k < n; k++) OK(b2d_shape_set_filter(world, things[k].index, things[k].generation, 1, 2, 0));
}
static void set_geometries(int32_t n) {
    const b2d_geometry circle = {.type = B2D_CIRCLE, .count = 1, .radius = 0.05f};
    for (int32_t k = 0; k < n; k++)
        OK(b2d_shape_set_geometry(world, things[k].index, things[k].generation, &circle, true));
}
static void destroy_body(int32_t n) {
    (void)n;
    destroy(bodies[0]);
}

static bool loop;
static void static_body(int32_t n) {
    (void)n;
    bodies[0] = body(0.0, B2D_STATIC);
}
static void make_chain(int32_t n) {
    static double points[2 * (MOST + 2)];
    for (int32_t k = 0; k <= n; k++) points[2 * k] = n - k, points[2 * k + 1] = 0.0;
    points[2 * (n + 1)] = 0.5 * n, points[2 * (n + 1) + 1] = -9.0;
    b2d_shape_def def;
    b2d_shape_def_init(&def);
    OK(b2d_chain_create(world, bodies[0].index, bodies[0].generation, points, n + 2, loop, &def, &things[0]));
}
static void chain_that_was_stepped(int32_t n) {
    static_body(n);
    make_chain(n);
    OK(b2d_world_step(world, 1.0 / 60.0, 4));
}
static void destroy_chain(int32_t n) {
    (void)n;
    OK(b2d_chain_destroy(world, things[0].index, things[0].generation));
}

static void body_of_joints(int32_t n, int32_t others) {
    one_body(n);
    for (int32_t k = 1; k <= others; k++) bodies[k] = body(k, B2D_DYNAMIC);
    b2d_joint_def def;
    b2d_joint_def_init(&def, B2D_REVOLUTE);
    for (int32_t k = 0; k < n; k++) {
        const b2d_handle a = bodies[0], b = bodies[1 + k % others];
        OK(b2d_joint_create(world, a.index, a.generation, b.index, b.generation, &def, &things[k]));
    }
}
static void hub(int32_t n) { body_of_joints(n, n); }
static void pair_of_bodies(int32_t n) { body_of_joints(n, 1); } // all joints join the same two

static void destroy_joint(b2d_handle each) {
    int32_t count;
    OK(b2d_joint_destroy(world, each.index, each.generation, gone, 4 * MOST, &count));
}
static void gear(b2d_handle a, b2d_handle b) {
    b2d_handle out;
    b2d_joint_def def;
    b2d_joint_def_init(&def, B2D_GEAR);
    def.joint[0] = a, def.joint[1] = b;
    OK(b2d_joint_create(world, 0, 0, 0, 0, &def, &out));
}
// Of the joints of a hub, each and the next are coupled.
static void hub_of_gears(int32_t n) {
    hub(n);
    for (int32_t k = 1; k < n; k++) gear(things[k - 1], things[k]);
}
// The first joint of a hub is coupled to all others.
static void joint_of_gears(int32_t n) {
    hub(n);
    for (int32_t k = 1; k < n; k++) gear(things[0], things[k]);
}
static void destroy_joints(int32_t n) {
    for (int32_t k = 0; k < n; k++) destroy_joint(things[k]);
}
static void destroy_joints_backwards(int32_t n) {
    for (int32_t k = n - 1; k >= 0; k--) destroy_joint(things[k]);
}

// Circles at one point, so many that they have about 8 n contacts; most of these find no colour.
static int32_t crowd_size(int32_t n) { return (int32_t)lround(sqrt(16.0 * n)); }
static void crowd(int32_t n) {
    b2d_shape_def def;
    b2d_shape_def_init(&def);
    const b2d_geometry circle = {.type = B2D_CIRCLE, .count = 1, .radius = 0.5f};
    for (int32_t k = 0; k < crowd_size(n); k++) {
        bodies[k] = body(0.0, B2D_DYNAMIC);
        OK(b2d_shape_create(world, bodies[k].index, bodies[k].generation, &circle, &def, &things[k]));
    }
}
static void step(int32_t n) {
    (void)n;
    OK(b2d_world_step(world, 1.0e-6, 1));
}
static void crowd_that_touches(int32_t n) {
    crowd(n);
    step(n);
    b2d_counters counters;
    OK(b2d_world_counters(world, &counters));
    const int64_t size = crowd_size(n);
    if (counters.touching != size * (size - 1) / 2) exit(3);
}
static void destroy_crowd(int32_t n) {
    for (int32_t k = 0; k < crowd_size(n); k++) destroy(bodies[k]);
}

static int64_t count(void (*prepare)(int32_t), void (*run)(int32_t), int32_t n) {
    b2d_world_def def;
    b2d_world_def_init(&def);
    def.options[B2D_OPTION_GRAVITY_Y] = 0.0;
    def.simd = B2D_SIMD_SCALAR; // every processor has it
    OK(b2d_world_create(&def, &world));
    prepare(n);
    const int64_t before = blocks_run;
    run(n);
    const int64_t found = blocks_run - before;
    OK(b2d_world_destroy(world));
    return found;
}

int main(void) {
    static const struct {
        const char* name;
        void (*prepare)(int32_t);
        void (*run)(int32_t);
        bool loop;
    } calls[] = {
        {"add_shapes", one_body, add_shapes, false},
        {"remove_first_to_last", body_of_shapes, remove_first_to_last, false},
        {"remove_last_to_first", body_of_shapes, remove_last_to_first, false},
        {"add_with_mass", one_body, add_with_mass, false},
        {"add_and_read_mass", one_body, add_and_read_mass, false},
        {"remove_with_mass", body_of_shapes, remove_with_mass, false},
        {"remove_backwards_with_mass", body_of_shapes, remove_backwards_with_mass, false},
        {"set_densities", body_of_shapes, set_densities, false},
        {"set_geometries", body_of_shapes, set_geometries, false},
        {"add_with_mass_while_it_spins", spinning_body, add_with_mass, false},
        {"remove_with_mass_while_it_spins", spinning_body_of_shapes, remove_with_mass, false},
        {"set_densities_while_it_spins", spinning_body_of_shapes, set_densities, false},
        {"set_geometries_while_it_spins", spinning_body_of_shapes, set_geometries, false},
        {"remove_tiles", tiles, remove_with_mass, false},
        {"remove_tiles_backwards", tiles, remove_backwards_with_mass, false},
        {"set_frictions_of_tiles", tiles, set_frictions, false},
        {"set_filters_of_tiles", tiles, set_filters, false},
        {"set_geometries_of_tiles", tiles, set_geometries, false},
        {"destroy_a_body_of_shapes", body_of_shapes, destroy_body, false},
        {"make_an_open_chain", static_body, make_chain, false},
        {"make_a_closed_chain", static_body, make_chain, true},
        {"destroy_an_open_chain", chain_that_was_stepped, destroy_chain, false},
        {"destroy_a_closed_chain", chain_that_was_stepped, destroy_chain, true},
        {"destroy_a_hub_of_joints", hub, destroy_body, false},
        {"destroy_one_of_two_bodies_of_all_joints", pair_of_bodies, destroy_body, false},
        {"destroy_joints_of_a_hub_of_gears", hub_of_gears, destroy_joints, false},
        {"destroy_joints_of_a_hub_of_gears_backwards", hub_of_gears, destroy_joints_backwards, false},
        {"destroy_all_gears_with_one_joint", joint_of_gears, destroy_joints, false},
        {"destroy_gears_one_after_another", joint_of_gears, destroy_joints_backwards, false},
        {"destroy_the_body_of_a_hub_of_gears", hub_of_gears, destroy_body, false},
        {"begin_contacts_of_a_crowd", crowd, step, false},
        {"end_contacts_of_a_crowd", crowd_that_touches, destroy_crowd, false},
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        loop = calls[k].loop;
        const int64_t few = count(calls[k].prepare, calls[k].run, FEW);
        const int64_t many = count(calls[k].prepare, calls[k].run, MOST);
        printf("%s %lld %lld\n", calls[k].name, (long long)few, (long long)many);
    }
    return 0;
}
