// What a mechanism looks like: the `draw` statements of a model, evaluated at a state.
//
// Shapes are plain data, for a picture (scene.h) or for a viewer. A drawing belongs to one thread
// at a time, and its system must outlive it.
#ifndef DELASSUS_DRAWING_H
#define DELASSUS_DRAWING_H

#include <delassus/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dls_shape_kind {
  DLS_SHAPE_SEGMENT,  // point[0] to point[1]
  DLS_SHAPE_DISC,     // middle point[0], radius size[0]; in space a ball
  DLS_SHAPE_BOX,      // middle point[0], sides size[0] and size[1], turned by size[2] radians
  DLS_SHAPE_SPRING,   // point[0] to point[1]
  DLS_SHAPE_PATH,     // where point[0] goes in a motion
  DLS_SHAPE_TEXT,     // text, at point[0]
  DLS_SHAPE_FORCE,    // the force of the contact number `contact`, at point[0]
  DLS_SHAPE_KINDS
} dls_shape_kind;

DLS_API const char *dls_shape_name(dls_shape_kind kind);  // "segment", "disc", ...

typedef struct dls_shape {
  dls_shape_kind kind;
  int colour;    // 0: dark grey; 1 ... : dls_colour_line(colour - 1)
  int contact;   // of a force
  int tangents;  // of a force: how many there are
  bool visible;  // all its numbers are finite, and its sizes not negative
  bool fill, dashed;
  bool ground;         // of a force: the other side is no body that moves, none was given
  const char *text;    // of a text, UTF-8; it lives as long as the model. NULL for other shapes
  double point[2][3];  // in a plane the third part is 0
  double size[3];
  double width;  // of lines, in points
  // Of a force. With the multipliers lambda and tau of the contact the force on the body is
  //   normal lambda + tangent[0] tau_1 + tangent[1] tau_2.                         eq (dra.1)
  double normal[3], tangent[2][3];
} dls_shape;

typedef struct dls_drawing dls_drawing;

// The shapes of the model that the system was made from, with its parameters as they are now. None
// when it has no `draw` statement, or was not made from a model. DLS_ERR_LIMIT when expressions
// become too large.
DLS_API dls_status dls_drawing_create(const dls_system *system, dls_drawing **drawing,
                                      dls_message *message);
DLS_API void dls_drawing_free(dls_drawing *drawing);  // NULL is fine

DLS_API int dls_drawing_space(const dls_drawing *drawing);  // parts of a point: 2 or 3
DLS_API int dls_drawing_count(const dls_drawing *drawing);
DLS_API const dls_shape *dls_drawing_shapes(const dls_drawing *drawing);  // as last evaluated
// From where one looks at a drawing in space: `draw view`, or (1, -1, 1). z is up.
DLS_API const double *dls_drawing_view(const dls_drawing *drawing);

// Puts the shapes where they are at the state. Does not allocate. DLS_ERR_NUMBER when a number of
// the state is not finite; shapes whose own numbers are not are made invisible.
DLS_API dls_status dls_drawing_evaluate(dls_drawing *drawing, const dls_state *state,
                                        dls_message *message);
// The same, and the directions of forces. DLS_ERR_MODEL, with a message that names the contact,
// when a place does not move as the contact does, or moves in too few directions to tell.  eq
// (dra.2)
DLS_API dls_status dls_drawing_evaluate_forces(dls_drawing *drawing, const dls_state *state,
                                               dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
