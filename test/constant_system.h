// A contact problem as a system that does not move: from a problem made by hand to a report, and
// back through the checker of reports.
#ifndef TEST_CONSTANT_SYSTEM_H
#define TEST_CONSTANT_SYSTEM_H

#include <delassus/contact.h>

// Names and patterns are made; the data stay the problem's. Free it with dls_system_free.
dls_system *constant_system(const dls_problem *problem);

#endif
