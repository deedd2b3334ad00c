// csrc/state/layout.h - how a row of a table is written as bytes: column by column, little-endian, without padding.
//
// A layout is a string of letters, one for each member of the row, each after the number of equal members if there is
// more than one ('*': to the end of the row). Small letters are plain: b, h, w, q have 1, 2, 4, 8 bytes; t is a bool.
// x, y, z have 1, 2, 4 bytes and are not written. Capital letters are references, which a reader checks: int32_t ids
// that may be B2D_NONE of a body (B), shape (S), contact (C), joint (J), island (I), second hull (H), rest row (R);
// half-edges of a contact (K) and of a joint (E); lanes of a contact (L) and of a joint (M); and the uint16_t number of
// a cluster (G).
#pragma once
#include "objects/world.h"

typedef struct b2d_column {
    char letter;
    int32_t count, size, offset; // members; bytes of one of them; of the first in the row
} b2d_column;
enum { B2D_MOST_COLUMNS = 24 };

// Returns the number of columns, without those that are not written. -1: the layout does not fill a row of this size.
int32_t b2d_layout_columns(const char* layout, size_t stride, b2d_column* columns);
int64_t b2d_layout_bytes(const b2d_column* columns, int32_t count); // of a row as it is written

// The ids of the rows of a table whose number of rows is `rows` in tables.def; NULL: all rows exist.
const b2d_id_pool* b2d_layout_pool(const b2d_world* world, const char* rows);

// Columns of `rows` rows to bytes and back. Rows from `have` on are written as zeros. Rows that are not in the pool
// may refer to anything and are written without references.
void b2d_layout_pack(const b2d_column* columns, int32_t count, const void* base, size_t stride, int32_t rows,
                     int32_t have, const b2d_id_pool* pool, uint8_t* out);
void b2d_layout_unpack(const b2d_column* columns, int32_t count, void* base, size_t stride, int32_t rows,
                       const uint8_t* in);
// Whether all references of all rows are in range; `world` has the numbers of rows.
bool b2d_layout_check(const b2d_column* columns, int32_t count, const void* base, size_t stride, int32_t rows,
                      const b2d_world* world);

// Lets a row refer to nothing.
void b2d_layout_forget(const b2d_column* columns, int32_t count, void* base, size_t stride, int32_t row);

// A 64-bit checksum; it finds damage, it is no protection from intent.
uint64_t b2d_checksum(const uint8_t* data, int64_t size);
