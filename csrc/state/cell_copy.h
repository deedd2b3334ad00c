// csrc/state/cell_copy.h - cells of a packed world: copied between worlds, states and other cells.
#pragma once
#include "state/create.h"

// Grows `cells` so that a cell can hold all objects of the world.
void b2d_cells_fit(b2d_cells* cells, const b2d_world* world);
// Whether the world has the bodies, shapes, joints and chains of the cell, and no others.
bool b2d_cell_matches(const b2d_world* packed, int32_t cell, const b2d_world* world);
bool b2d_cells_hold(const b2d_cells* cells, const b2d_world* world); // whether a cell has room for all of its objects
void b2d_cell_clear(b2d_world* packed, int32_t cell); // destroys all objects; the cell is invalid until it is copied
bool b2d_cells_reserve(b2d_world* packed);            // the rows of all cells; false: no memory
// Gives a cell the state of another one, of the same or another world. An ordinary world is cell 0 of its own. Events
// are not copied, and objects that the target does not have yet get new generations; it has none that the source lacks.
// False: no memory; the target has not changed, or its bodies are disabled, without contacts, until it is copied again.
bool b2d_cell_copy(b2d_world* to, int32_t to_cell, const b2d_world* from, int32_t from_cell);
// Copies what a world has besides its objects: options, material pairs, numbers of the last step.
bool b2d_cell_copy_settings(b2d_world* to, const b2d_world* from);
