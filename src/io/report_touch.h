// Contacts of bodies in the report: whose they are, and where.
#ifndef DLS_IO_REPORT_TOUCH_H
#define DLS_IO_REPORT_TOUCH_H

#include "io/report_build.h"

// Adds `bodies`, `features`, `point`, `normal` and `tangents` of contact i where two solids touch;
// nothing of any other contact.
void dls_build_touch(dls_build *build, json_t *contact, int i);

#endif
