// Contacts of the same two bodies, taken together: a list of them says what happens where a list of
// corners and edges would fill the screen.
#ifndef DLS_IO_REPORT_GROUPS_H
#define DLS_IO_REPORT_GROUPS_H

#include <delassus/report.h>

#include "base/text.h"

// Of one contact alone, or of those between two bodies.
typedef struct dls_report_group {
  int body[2];   // of the mechanism, or DLS_WORLD; unused where it is one alone
  int first;     // contact that stands first in the system's order,
  int contacts;  // and how many there are
  int count[5];  // by status
  double gap;    // of the nearest
  double slip;   // the largest
  double friction[2];
  int closed;    // that have a force,
  double force;  // the sum of their normal forces, of the first solution
  bool loose;    // some force is not determined
} dls_report_group;

typedef struct dls_report_groups {
  int count;
  dls_report_group *group;  // what moves first: impacting, sliding, sticking, separating, open
} dls_report_groups;

// DLS_ERR_MEMORY; false in `some` where no group has more than one contact.
dls_status dls_report_groups_make(const dls_report *report, dls_report_groups *groups, bool *some);
void dls_report_groups_free(dls_report_groups *groups);

// "crate[1,1]/ground", or the name of a contact alone.
void dls_report_group_name(const dls_report *report, const dls_report_group *group, dls_text *name);
// "4 contacts: 3 closed, not slipping, 1 open; friction 0.5"
void dls_report_group_words(const dls_report_group *group, dls_text *words);

#endif
