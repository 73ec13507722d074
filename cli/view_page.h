// What a page shows, as it is filled from a model: bodies, drawings, contacts of each frame,
// curves.
#ifndef CLI_VIEW_PAGE_H
#define CLI_VIEW_PAGE_H

#include "model_file.h"
#include "view_rows.h"

#include <delassus/check.h>
#include <delassus/report.h>
#include <delassus/view.h>

typedef struct view_name {
  const char *text;
  uint64_t id;
  bool solid;  // a contact of solids
  double friction;
} view_name;

typedef struct view_page {
  const model_file *file;
  dls_system *system;  // of its own: nobody else's contacts change
  const dls_system *bodies;
  const dls_mechanism *mechanism;
  dls_drawing *drawing;  // NULL: none
  bool forces;           // it has places of forces
  int frames;            // there is room for
  int frame;             // that are filled
  bool failed, full;     // out of memory; no room for more contacts
  dls_view view;

  double *t;
  dls_pose *pose;
  dls_shape *shape;
  long *first, contacts, contact_room;
  dls_view_contact *contact;
  int names, name_room;
  view_name *name;     // of contacts, in the order of first sight
  int *by_id;          // names of contacts that come and go, by their identities
  int found;           // how many of these there are
  int *by_contact;     // m: the name of a contact of the system, or -1
  dls_values *values;  // of contacts that are always the same,
  bool known;          // at the last state
  double *local;       // n + n: local coordinates of a chart
  int curves;
  dls_view_curve *curve;
  double *curve_value;
  buffer curve_names;
  int notes;
  char note_text[6][200];
  const char *note[6];
} view_page;

// Each returns 0, or says what is wrong on standard error and returns an exit status.
int view_page_begin(view_page *page, const model_file *file, int frames);
void view_page_free(view_page *page);
void view_page_note(view_page *page, const char *format, ...) DLS_PRINTF(2, 3);
// A file without its folders: who gets the page need not know them.
const char *view_name_of(const char *path);
bool view_available(void);  // or says that it is not

// Puts the bodies and shapes where they are at a state, as the next frame, without contacts.
int view_page_frame(view_page *page, const dls_state *state);
// Adds contacts to the last frame: those that have a place, that of a `draw force` or between two
// solids.
typedef struct view_touch {
  int contact;  // of the system
  uint64_t id;  // 0: none
  dls_contact_status status;
  bool percussion;
  double value[3], low[3], high[3];
} view_touch;
void view_page_touches(view_page *page, int count, const view_touch *touch, const dls_state *state);
// Interval that is not known, or not asked for.
void view_touch_no_interval(view_touch *touch);

// The page of a motion, and of a check: text of the file.
typedef struct view_about {
  const char *title, *subtitle;
  int events;  // of the model, and others
  const dls_view_event *event;
} view_about;
int view_motion(const model_file *file, const view_rows *rows, const view_about *about, char **html,
                size_t *size);
int view_check(const model_file *file, const dls_report *report, char **html, size_t *size);

// Of the model that the one word of the call names, checked at its state.
int check_page(const options *given, char **html, size_t *size);

int view_page_write(view_page *page, char **html, size_t *size);

#endif
