// States that files give: --at FILE@TIME, --state FILE.json.
#ifndef CLI_STATE_FILE_H
#define CLI_STATE_FILE_H

#include "buffer.h"
#include "options.h"

#include <delassus/system.h>

// What can be wrong about both options before a file is opened. Returns 0, or says what is wrong on
// standard error and returns an exit status.
int state_file_call(const options *given);

// The state of the file that --at or --state names, as assignments of t, all coordinates and all
// velocities, so that it is used like any other; nothing is added when neither names one. Says when
// the recording has no row of that time, or is one of another model than this source, or with other
// values of --set. Returns 0 or an exit status, as above.
int state_file_read(const options *given, const char *source, size_t length,
                    const dls_system *system, buffer *assignments, dls_state *told);

#endif
