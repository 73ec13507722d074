// Points and triangles of mesh files, and the inertia of what they enclose.
#ifndef DLS_FORMAT_MESH_H
#define DLS_FORMAT_MESH_H

#include "format/weight.h"

typedef struct dls_mesh {
  int points, triangles;
  double *point;  // 3 numbers each
  int *corner;    // 3 points each
} dls_mesh;

void dls_mesh_free(dls_mesh *mesh);  // what is in it

enum { DLS_MESH_BYTES = 1 << 28 };  // of a file, at most

// Reads an STL (binary or ASCII) or OBJ file, by its name and content. size: bytes of the file, or
// NULL. DLS_ERR_MODEL, DLS_ERR_FILE, DLS_ERR_LIMIT or DLS_ERR_MEMORY with a message that names it.
dls_status dls_mesh_read(const char *path, const char *name, size_t most, dls_mesh *mesh,
                         size_t *size, dls_message *message);

// The two kinds of file, from bytes that end in a zero byte. The mesh starts empty and is to be
// freed in any case. `name` is for messages.
dls_status dls_stl_parse(const char *name, const char *text, size_t length, dls_mesh *mesh,
                         dls_message *message);
dls_status dls_obj_parse(const char *name, const char *text, size_t length, dls_mesh *mesh,
                         dls_message *message);

// Equal points become one: triangles then share them. DLS_ERR_MEMORY.
dls_status dls_mesh_unite(dls_mesh *mesh);

// How a mesh weighs. Legacy: cones from its middle to every triangle, all of them positive,
// whichever way the triangle faces. Exact: with signs.
typedef enum dls_mesh_weight { DLS_MESH_LEGACY, DLS_MESH_EXACT, DLS_MESH_SHELL } dls_mesh_weight;

// With a density of 1: mass is the volume, or the area.
dls_mass dls_mesh_mass(const dls_mesh *mesh, dls_mesh_weight weight);

#endif
