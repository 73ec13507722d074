// Meshes that models name.
#ifndef DLS_FORMAT_MESH_LOAD_H
#define DLS_FORMAT_MESH_LOAD_H

#include "format/mesh.h"
#include "format/reading.h"

// Reads the mesh that an attribute of an element names: relative to a folder (NULL: the model's) or
// package://..., file://... . Fails the reader when there is none, or all meshes together are too
// large. The mesh is to be freed in any case.
void dls_mesh_load(dls_file_reading *reading, const dls_xml_element *element, const char *attribute,
                   const char *folder, const char *path, dls_mesh *mesh);

// The convex hull of a mesh, as vertices and faces of a solid.
void dls_mesh_hull(dls_file_reading *reading, const dls_xml_element *element, const char *attribute,
                   const dls_mesh *mesh, dls_solid *solid);

#endif
