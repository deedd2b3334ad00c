// csrc/api/material.c - the API of the table of material pairs.
#include "api/entry.h"
#include "objects/material.h"

b2d_status b2d_check_material_pair(const b2d_material_pair* pair) {
    const struct {
        double lower, upper;
        int32_t argument;
    } bounds[B2D_MATERIAL_COUNT] = {{0.0, b2d_limit_number, B2D_ARG_FRICTION},
                                    {0.0, 1.0e6, B2D_ARG_RESTITUTION},
                                    {0.0, b2d_limit_number, B2D_ARG_ROLLING_RESISTANCE},
                                    {-b2d_limit_speed, b2d_limit_speed, B2D_ARG_TANGENT_SPEED}};
    for (int32_t k = 0; k < B2D_MATERIAL_COUNT; k++)
        if (pair->given & 1 << k)
            B2D_TRY(b2d_check_range(pair->value[k], bounds[k].lower, bounds[k].upper, bounds[k].argument));
    return B2D_OK;
}

static bool has_row(const b2d_material_rules* rules, int32_t at, uint64_t key) {
    return at < rules->count && rules->rows[at].key == key;
}

static void drop_row(b2d_material_rules* rules, int32_t at) {
    rules->count--;
    for (int32_t k = at; k < rules->count; k++) rules->rows[k] = rules->rows[k + 1];
}

// Without memory the table is restored; the repair then mixes the contacts again that were already mixed with the new
// row.
static b2d_status set_pair(b2d_world* world, const b2d_material_pair* pair) {
    b2d_material_rules* rules = &world->material_rules;
    uint64_t key = b2d_material_key(pair->a, pair->b);
    int32_t at = b2d_material_find(rules, key);
    bool existed = has_row(rules, at, key);
    if (!existed && !B2D_GROW(&world->memory, rules->rows, rules->capacity, rules->count + 1))
        return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
    b2d_material_rule before = existed ? rules->rows[at] : (b2d_material_rule){0};
    if (!existed)
        for (int32_t k = rules->count++; k > at; k--) rules->rows[k] = rules->rows[k - 1];
    rules->rows[at] = (b2d_material_rule){key, *pair};
    rules->rows[at].row.a = b2d_min_int(pair->a, pair->b);
    rules->rows[at].row.b = b2d_max_int(pair->a, pair->b);
    if (b2d_world_remix(world, B2D_NONE)) return B2D_OK;
    if (existed) rules->rows[at] = before;
    else drop_row(rules, at);
    return b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_world_set_material_pair(b2d_world* world, const b2d_material_pair* pair) {
    B2D_TRY(b2d_check_material_pair(pair));
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = set_pair(world, pair);
    B2D_LOG(world, status, B2D_LOGGED_MATERIAL_PAIR, pair);
    return b2d_close_write(world, status);
}

static b2d_status remove_pair(b2d_world* world, int32_t a, int32_t b, bool* found) {
    b2d_material_rules* rules = &world->material_rules;
    uint64_t key = b2d_material_key(a, b);
    int32_t at = b2d_material_find(rules, key);
    *found = has_row(rules, at, key);
    if (!*found) return B2D_OK;
    drop_row(rules, at);
    return b2d_world_remix(world, B2D_NONE) ? B2D_OK : b2d_error(B2D_NO_MEMORY, B2D_ARG_NONE);
}

b2d_status b2d_world_remove_material_pair(b2d_world* world, int32_t a, int32_t b, bool* found) {
    B2D_TRY(b2d_open_write(world));
    const b2d_status status = remove_pair(world, a, b, found);
    B2D_LOG(world, status, B2D_LOGGED_MATERIAL_REMOVE, a, b);
    return b2d_close_write(world, status);
}

b2d_status b2d_world_material_pairs(b2d_world* world, b2d_material_pair* out, int32_t room, int32_t* count) {
    B2D_TRY(b2d_open_read(world));
    const b2d_material_rules* rules = &world->material_rules;
    for (int32_t k = 0; k < rules->count && k < room; k++) out[k] = rules->rows[k].row;
    *count = rules->count;
    return b2d_close_read(world, B2D_OK);
}
