// A motion, or the solutions at a state, as one HTML file that shows itself: bodies and drawings in
// a browser, forces of contacts, curves, events, verdicts. It needs nothing but itself, loads
// nothing, and runs no script but its own; names are shown as texts.
//
// Everything is plain data of the caller. In delassus-io.
#ifndef DELASSUS_VIEW_H
#define DELASSUS_VIEW_H

#include <delassus/contact.h>
#include <delassus/drawing.h>
#include <delassus/mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

// A contact in one frame. Multipliers are normal first; with them the force on the first body is
//   normal value[0] + tangent[0] value[1] + tangent[1] value[2].                       eq (dra.1)
typedef struct dls_view_contact {
  int name;  // of dls_view.contact_name
  dls_contact_status status;
  bool percussion;  // value is an impulse, not a force
  double point[3], normal[3], tangent[2][3];
  double value[3];
  double low[3], high[3];  // +-INFINITY where there is no bound; NaN, both: as the value
  double friction;         // of the cone; 0: none is drawn
} dls_view_contact;

typedef struct dls_view_curve {
  const char *name, *group;  // such as "energy"; curves of a group stand together
  const double *value;       // one per frame; a gap where it is not finite
} dls_view_curve;

typedef struct dls_view_event {
  double t;
  const char *kind;  // "impact", "stick" ...; one of dls_event_name gets its own mark
  const char *name;  // of what; NULL: nothing
} dls_view_event;

typedef struct dls_view {
  const char *title, *subtitle;  // NULL: none
  int space;                     // 2 or 3
  int frames;                    // at least 1
  int bodies, solids, shapes, contact_names, curves, events, notes;
  double look[3];   // in space: from where one looks, z up
  const double *t;  // of each frame, never decreasing
  // Where it is not NULL, frames are not instants but solutions of one state, with these names.
  const char *const *solution;
  const char *const *body;  // their names
  const dls_pose *pose;     // frames x bodies
  const dls_solid *solid;
  const dls_shape *shape;  // frames x shapes, as dls_drawing_shapes has them
  const char *const *contact_name;
  const long *first;  // frames + 1: contacts first[k] ... first[k + 1] - 1 are those of frame k;
                      // NULL: there are none
  const dls_view_contact *contact;
  const dls_view_curve *curve;
  const dls_view_event *event;  // in the order of time
  const char *report;           // JSON of dls_report_json; NULL: none
  const char *const *note;      // what the page does not show, each a sentence
} dls_view;

// Was the library built with the page? Where node or npm was missing it was not.
DLS_API bool dls_view_available(void);

// The file: *html has *size bytes and one more, zero; free it with dls_view_html_free. Numbers are
// rounded: those of poses and shapes to 2^-26 of their range in the motion, of very long ones to
// 2^-15, all others to single precision. DLS_ERR_ARGUMENT, with a message, when the view is not
// valid, or the library was built without the page; DLS_ERR_NUMBER when a pose or a time is not
// finite; DLS_ERR_LIMIT when it would be too large.
DLS_API dls_status dls_view_html(const dls_view *view, char **html, size_t *size,
                                 dls_message *message);
DLS_API void dls_view_html_free(char *html);  // NULL is fine

#ifdef __cplusplus
}
#endif
#endif
