// Failing with a message, in one line.
#ifndef DLS_BASE_MESSAGE_H
#define DLS_BASE_MESSAGE_H

#include <delassus/status.h>

// Formats the message (when there is one to fill) and returns the status.
dls_status dls_fail(dls_message *message, dls_status status, const char *format, ...)
    DLS_PRINTF(3, 4);

#endif
