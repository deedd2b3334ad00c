// csrc/state/snapshot.h - the state of a world as portable bytes, and back.
#pragma once
#include "state/layout.h"

// The head of the bytes: "b2dstate", version, number of sections, bytes in all, checksum of what precedes it. Each
// section: name, rows, bytes of a row, checksum of its rows, checksum of this head; then the rows.
enum { B2D_SNAPSHOT_VERSION = 1, B2D_SNAPSHOT_HEAD = 32, B2D_SECTION_NAME = 40, B2D_SECTION_HEAD = 64 };

// List k of colours: those of all clusters, then two of the overflow contacts and two of the overflow joints.
static inline b2d_color_list* b2d_snapshot_list(const b2d_graph* graph, int32_t k) {
    const int32_t of_clusters = graph->cluster_count * B2D_CLUSTER_LISTS;
    if (k < of_clusters) return &graph->clusters[k / B2D_CLUSTER_LISTS].joints[0][0] + k % B2D_CLUSTER_LISTS;
    k -= of_clusters;
    return (b2d_color_list*)(k < 2 ? &graph->overflow_contact_list[k] : &graph->overflow_joint_list[k - 2]);
}

// Writes the bytes if they fit in `room`; returns how many there are. The world needs no repair.
int64_t b2d_snapshot_write(const b2d_world* world, uint8_t* out, int64_t room);

typedef enum b2d_read_result { B2D_READ_OK, B2D_READ_WRONG, B2D_READ_NO_MEMORY } b2d_read_result;
// Fills a world without objects. WRONG: `message` says which section is wrong and why; the world is to be freed. The
// caller then calls b2d_world_validate, which checks what is not about memory.
b2d_read_result b2d_snapshot_read(b2d_world* world, const uint8_t* data, int64_t size, char* message, size_t room);
// What must hold before b2d_world_validate may look at the world (check.c).
b2d_read_result b2d_snapshot_check(b2d_world* world, char* message, size_t room);
// For fuzz tests: repairs the checksums of bytes whose rows were changed. False: the heads do not lead to the end.
bool b2d_snapshot_repair(uint8_t* data, int64_t size);
