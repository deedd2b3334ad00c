// csrc/step/presolve.c - the presolve function decides whether the points of a contact count in this step.
#include "step/presolve.h"

#include "objects/callback.h"
#include "objects/contact.h"
#include "objects/material.h"
#include "objects/scratch.h"

static bool within(float x, float lower, float upper) { return lower <= x && x <= upper; } // false for a NaN

static void record_override(b2d_world* world, const b2d_contact_data* mixed, const b2d_contact_data* returned) {
    if (returned->friction == mixed->friction && returned->restitution == mixed->restitution &&
        returned->tangent_speed == mixed->tangent_speed)
        return;
    if (!within(returned->friction, 0.0f, 3.0e38f) || !within(returned->restitution, 0.0f, 1.0e6f) ||
        !within(returned->tangent_speed, -1.0e9f, 1.0e9f))
        return;
    b2d_overrides* list = &world->overrides;
    if (B2D_GROW(&world->memory, list->rows, list->capacity, list->count + 1))
        list->rows[list->count++] = (b2d_override){mixed->generation, mixed->contact, returned->friction,
                                                   returned->restitution, returned->tangent_speed};
    else world->step_failed = true;
}

// The next contact that begins or has a lane in a block, in ascending order. Sleeping contacts are neither.
static int32_t next_with_points(const b2d_graph* graph, const b2d_bits* begun, int32_t from) {
    int32_t a = b2d_bits_next(begun, from), b = b2d_bits_next(&graph->in_lanes, from);
    return a == B2D_NONE || (b != B2D_NONE && b < a) ? b : a;
}

void b2d_world_presolve(b2d_world* world) {
    if (!b2d_world_has_call(world, B2D_CALL_PRESOLVE)) return;
    b2d_graph* graph = &world->graph;
    b2d_bits *begun = &world->scratch->collide_workers[0].begun,
             *ended = &world->scratch->collide_workers[0].ended; // already merged
    for (int32_t id = next_with_points(graph, begun, 0); id != B2D_NONE; id = next_with_points(graph, begun, id + 1)) {
        b2d_pair* pair = &graph->pairs[id];
        world->counters.presolve_looks++;
        if (!((world->shapes[pair->shape_a].flags | world->shapes[pair->shape_b].flags) & B2D_SHAPE_FLAG_PRESOLVE))
            continue;
        bool begins = b2d_bits_has(begun, id), persists = pair->lane_index != B2D_NONE && !b2d_bits_has(ended, id);
        if (!begins && !persists) continue;
        b2d_contact_record record;
        if (persists) b2d_contact_record_read(graph, id, &record);
        else record = *b2d_begun_record(&world->scratch->records, world->scratch->collide_workers, pair->record);
        if (begins) {
            b2d_mixture m = b2d_world_mix(world, pair);
            b2d_mixture_write(&m, &record);
        }
        b2d_contact_data data = b2d_world_describe_contact(world, id, &record);
        const b2d_contact_data mixed = data;
        if (b2d_world_call_presolve(world, &data)) {
            record_override(world, &mixed, &data);
            continue;
        }
        if (persists) b2d_bits_set(ended, id);
        else b2d_bits_unset(begun, id), pair->record = B2D_NONE;
    }
}
