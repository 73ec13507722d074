// The inside of a form: what a solid is made of, in its own frame. Features have these numbers and
// names, for everybody who speaks about contacts:
//
//   plane       0           ""            the face z = 0, normal +z
//   sphere      0           ""            a point with a radius
//   ellipsoid   0           ""            a smooth surface
//   capsule     0           "side"        a line along z with a radius
//               1, 2        "end-" "end+" points with a radius at z = -l/2, +l/2
//   box         (sx + 1) + 3 (sy + 1) + 9 (sz + 1), each s in -1, 0, 1; 13 is none
//                           "corner+-+"   no s is 0: the vertex (sx lx, sy ly, sz lz)/2
//                           "edge+0-"     one s is 0: the edge along that axis
//                           "face00+"     two are 0: the face with that normal
//   cylinder    0           "side"        a line along z with a radius
//               1, 2        "rim-" "rim+" circles at z = -l/2, +l/2
//               3, 4        "cap-" "cap+" faces with normals -z, +z
//               5 + k       "rim-K"       points fixed on the rim, at the angle 30 K degrees from x
//               17 + k      "rim+K"       to y; K = 0 ... 11
//               29 + k      "chord-K"     lines from the points K to K + 1
//               41 + k      "chord+K"
//   hull        v           "vertexV"     its vertices,
//               V + e       "edgeI-J"     edges from vertex I to J > I, in the order of (I, J),
//               V + E + f   "faceF"       faces
//
// A cylinder that stands flat touches with points and chords of its rim: there the lowest point of
// the rim is no function of the pose.
#ifndef DLS_SHAPE_FORM_H
#define DLS_SHAPE_FORM_H

#include "shape/touch.h"

enum {
  DLS_RIM_POINTS = 12,  // of a cylinder; tilts about their chords begin at 0.97 of its radius
  DLS_CYLINDER_SIDE = 0,
  DLS_CYLINDER_RIM = 1,
  DLS_CYLINDER_CAP = 3,
  DLS_CYLINDER_POINT = 5,
  DLS_CYLINDER_CHORD = DLS_CYLINDER_POINT + 2 * DLS_RIM_POINTS,
  DLS_CYLINDER_FEATURES = DLS_CYLINDER_CHORD + 2 * DLS_RIM_POINTS,
  DLS_BOX_FEATURES = 27
};

// How a feature restricts the common normal, and what it adds to the support.         eq (gap.2)
typedef enum dls_feature_kind {
  DLS_FEATURE_NONE,
  DLS_FEATURE_POINT,   // with a radius, 0 of vertices
  DLS_FEATURE_LINE,    // with a radius; the normal is at right angles to it
  DLS_FEATURE_FACE,    // the normal is that of the face
  DLS_FEATURE_RIM,     // a circle
  DLS_FEATURE_SURFACE  // an ellipsoid's
} dls_feature_kind;

// Numbers in the frame of the solid, with bounds of their rounding errors.
typedef struct dls_feature {
  dls_feature_kind kind;
  double at[3], at_error[3];      // a point of it; the centre
  double axis[3], axis_error[3];  // of length 1: along a line, about a rim; the normal of a face
  double radius;
  double semi[3];      // semi-axes
  bool edged;          // a line between two faces, with these normals
  double side[2][3];   // of an edge
  double half_length;  // of a line, from `at`, which is its middle
} dls_feature;

dls_feature dls_form_feature(const dls_form *form, int feature);

// A convex polyhedron: vertices, edges and faces, and what is next to what. Vertices and corners
// around a face are counterclockwise from outside.
typedef struct dls_convex_mesh {
  int vertices, edges, faces;
  double *vertex;          // 3 each
  int *first, *corner;     // face f: corner[first[f]] ... corner[first[f + 1] - 1]
  int *side;               // as `corner`: the edge from this corner to the next
  double *normal;          // 3 each, of faces
  double *normal_error;    // 3 each
  double *middle;          // 3 each, of faces: mean of its corners
  double *middle_error;    // one each
  int (*edge)[2];          // vertices, the lower first
  int (*edge_face)[2];     // faces beside an edge
  int *next_first, *next;  // vertex v: next[next_first[v]] ... are its edges
} dls_convex_mesh;

struct dls_form {
  dls_solid_kind kind;
  double size[3];  // half lengths of boxes, radius and half length of capsules and cylinders
  double centre[3], radius;
  bool polyhedral;       // a box or a hull
  dls_convex_mesh mesh;  // of these
};

// Features of a polyhedron's vertices, edges, faces, and back; -1 where it is none.
int dls_form_of_vertex(const dls_form *form, int vertex);
int dls_form_of_edge(const dls_form *form, int edge);
int dls_form_of_face(const dls_form *form, int face);

// Fills in all but vertex, first and corner, which it takes over. DLS_ERR_MODEL when these are no
// convex polyhedron. What it has allocated is freed with dls_convex_mesh_clear in any case.
dls_status dls_convex_mesh_complete(dls_convex_mesh *mesh, const char *name, dls_message *message);
void dls_convex_mesh_clear(dls_convex_mesh *mesh);

#endif
