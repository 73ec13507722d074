// The tolerances of this room; relative, without unit, where nothing else is said.
#ifndef DLS_SHAPE_TOLERANCES_H
#define DLS_SHAPE_TOLERANCES_H

// How far corners of a face may be off its plane, and edges be concave, relative to the size of the
// polyhedron: files have seven digits, coordinates in single precision. Chosen.
static const double flat_face = 1e-5;

// Thickness of a polyhedron, relative to its size, up to which it counts as flat: normals of its
// small faces would have few digits. Chosen.
static const double thinnest = 1e-9;

#endif
