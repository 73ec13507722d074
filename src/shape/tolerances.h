// The tolerances of this room; relative, without unit, where nothing else is said.
#ifndef DLS_SHAPE_TOLERANCES_H
#define DLS_SHAPE_TOLERANCES_H

// How far corners of a face may be off its plane, and edges be concave, relative to the size of the
// polyhedron: files have seven digits, coordinates in single precision. Chosen.
static const double flat_face = 1e-5;

// Thickness of a polyhedron, relative to its size, up to which it counts as flat: normals of its
// small faces would have few digits. Chosen.
static const double thinnest = 1e-9;

// The sine of the angle of two lines up to which they count as parallel: their normal would have
// six digits. Chosen.
static const double parallel_lines = 1e-10;

// The distance of two points, relative to where they are, up to which they are one: a few
// roundings.
static const double concentric = 1e-15;

// An axis is no tangent where the normal has more than this along it. Part of eq (gap.6): whoever
// wants the same tangents has the same number.
static const double steep_axis = 0.9;

#endif
