// csrc/solver/loads.c - keeps the impulses of all lanes before a step, and takes them into the mean after it.
#include "solver/loads.h"

#include <string.h>

enum { CONTACT_ROWS = 5, ROWS = B2D_JOINT_IMPULSES };
_Static_assert((int)CONTACT_ROWS <= (int)ROWS, "a visitor has room for the rows of both");

// The rows of impulses of a block, and the body that tells the cell of each lane.
typedef void visit_fn(void* context, float* const* rows, int32_t count, const int32_t* bodies);

static void visit_blocks(const b2d_graph* graph, visit_fn* visit, void* context) {
    float* rows[ROWS];
    for (int32_t id = b2d_id_pool_next(&graph->block_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->block_ids, id + 1)) {
        b2d_contact_point* p = graph->blocks[id].point;
        rows[0] = p[0].normal_impulse, rows[1] = p[0].tangent_impulse;
        rows[2] = p[1].normal_impulse, rows[3] = p[1].tangent_impulse;
        const bool extra = graph->extras[id] != NULL;
        if (extra) rows[4] = graph->extras[id]->rolling_impulse;
        visit(context, rows, extra ? CONTACT_ROWS : CONTACT_ROWS - 1, graph->blocks[id].body_a);
    }
    for (int32_t id = b2d_id_pool_next(&graph->joint_block_ids, 0); id != B2D_NONE;
         id = b2d_id_pool_next(&graph->joint_block_ids, id + 1)) {
        b2d_joint_block_impulses(graph, id, rows);
        visit(context, rows, B2D_JOINT_IMPULSES, graph->joint_blocks[id].body_a);
    }
}

static void keep(void* context, float* const* rows, int32_t count, const int32_t* bodies) {
    float** to = context;
    (void)bodies;
    for (int32_t k = 0; k < count; k++, *to += B2D_LANES) memcpy(*to, rows[k], B2D_LANES * sizeof(float));
}

float* b2d_loads_keep(const b2d_solver* solver) {
    const b2d_graph* graph = solver->graph;
    const size_t most = (size_t)graph->block_ids.count * CONTACT_ROWS + (size_t)graph->joint_block_ids.count * ROWS;
    float *retained = b2d_arena_take(solver->arena, (most * B2D_LANES + 1) * sizeof *retained), *end = retained;
    if (retained != NULL) visit_blocks(graph, keep, &end);
    return retained;
}

typedef struct mixture {
    const b2d_cells* cells;
    const float *retained, *shares;
} mixture;

static void mix(void* context, float* const* rows, int32_t count, const int32_t* bodies) {
    mixture* m = context;
    float share[B2D_LANES];
    for (int32_t lane = 0; lane < B2D_LANES; lane++)
        share[lane] = m->shares[b2d_cell_of_body(m->cells, b2d_max_int(bodies[lane], 0))];
    for (int32_t k = 0; k < count; k++, m->retained += B2D_LANES)
        for (int32_t lane = 0; lane < B2D_LANES; lane++) {
            const float old = m->retained[lane];
            if (share[lane] < 1.0f) rows[k][lane] = old + share[lane] * (rows[k][lane] - old);
        }
}

void b2d_loads_mix(const b2d_solver* solver, const float* retained, const float* shares) {
    mixture m = {&solver->graph->cells, retained, shares};
    visit_blocks(solver->graph, mix, &m);
}

#define FOR_SOLVED_JOINTS(graph, id)                                            \
    for (int32_t id = b2d_id_pool_next(&(graph)->joint_ids, 0); id != B2D_NONE; \
         id = b2d_id_pool_next(&(graph)->joint_ids, id + 1))                    \
        if ((graph)->joints[id].lane_index != B2D_NONE)

b2d_joint_load* b2d_loads_keep_forces(const b2d_solver* solver) {
    const b2d_graph* graph = solver->graph;
    b2d_joint_load* retained = b2d_arena_take(solver->arena, (size_t)(graph->joint_ids.limit + 1) * sizeof *retained);
    if (retained == NULL) return NULL;
    FOR_SOLVED_JOINTS (graph, id) retained[id] = b2d_joint_read_load(graph, id);
    return retained;
}

void b2d_loads_mix_forces(const b2d_solver* solver, const b2d_joint_load* retained, const float* shares) {
    b2d_graph* graph = solver->graph;
    FOR_SOLVED_JOINTS (graph, id) {
        const b2d_joint* joint = &graph->joints[id];
        const float share = shares[b2d_cell_of_body(&graph->cells, joint->body[0])];
        const b2d_joint_load old = retained[id], now = b2d_joint_read_load(graph, id);
        if (!(share < 1.0f)) continue;
        b2d_joint_write_load(graph, joint,
                             (b2d_joint_load){old.x + share * (now.x - old.x), old.y + share * (now.y - old.y),
                                              old.torque + share * (now.torque - old.torque)});
    }
}
