// Models at the speed of C: the equations of a system, written as C, compiled by the compiler of
// the machine, kept in a cache, and loaded.
//
// The numbers are the same to the last bit, with and without. Where the machine has no compiler, or
// no cache that can be trusted, everything stays as it is.
#ifndef DELASSUS_NATIVE_H
#define DELASSUS_NATIVE_H

#include <delassus/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_native_options {
  const char *compiler;   // a path, or a name in PATH; NULL: cc
  const char *directory;  // of the cache; NULL: $XDG_CACHE_HOME/delassus, or ~/.cache/delassus
  double seconds;         // that one compilation may take; 0: 60
  int most_files;         // that stay in the cache, those used last; 0: 256
  long long most_bytes;   // likewise; 0: 256 MiB
} dls_native_options;

// Has the equations of a system that was made from a model compiled, and those of its derivatives,
// now or when they come, and of its parts; rounding bounds stay with the model. options: NULL for
// the defaults. Files are named by SHA-256 of the C text, the path and version of the compiler, and
// its options; one that is there is loaded. Each compilation removes the files that
// were used longest ago beyond the limits, and what interrupted ones have left some minutes ago.
// DLS_ERR_FILE, with a message, where that cannot be done: no compiler, a compilation that fails, a
// directory that cannot be written, or one that cannot be trusted because it or the file is a
// symbolic link, belongs to somebody else, can be written by others, or holds something else than
// was stored. The system then goes on, to the same numbers. Reads the environment, starts processes
// and waits for them.
DLS_API dls_status dls_model_compile(dls_system *system, const dls_native_options *options,
                                     dls_message *message);

// Are the equations of the system compiled?
DLS_API bool dls_system_is_native(const dls_system *system);

#ifdef __cplusplus
}
#endif
#endif
