// Compiled C, kept in files of the user's own.
//
// A file is what the compiler made, then a mark, the key that is also its name, and the digest of
// all that. It is loaded only when it is a regular file of this user that nobody else may write,
// holds what was stored under its key, and lies in a directory of this user that nobody else can
// write or put something else in the place of.
#ifndef DLS_MODEL_NATIVE_CACHE_H
#define DLS_MODEL_NATIVE_CACHE_H

#include <delassus/native.h>
#include <delassus/status.h>

// Constant once made.
typedef struct dls_native_cache dls_native_cache;

// Finds the compiler, asks for its version, and makes the directory when it is not there.
dls_status dls_native_cache_create(const dls_native_options *options, dls_native_cache **out,
                                   dls_message *message);
void dls_native_cache_free(dls_native_cache *cache);  // NULL is fine

// The shared object made of a C text, compiled first when it is not there; dlclose ends it.
dls_status dls_native_cache_load(const dls_native_cache *cache, const char *text, size_t length,
                                 void **library, dls_message *message);

// In native_trust.c. Is it a directory of this user that others cannot change, up to the root?
// *real: its path without links, to be freed; NULL when it is not.
dls_status dls_native_trust_directory(const char *path, char **real, dls_message *message);

// In native_trim.c. Removes the files that were used longest ago, beyond a number and a size, and
// what is left of compilations that began more than so many seconds ago.
void dls_native_trim(const char *path, double seconds, int most_files, long long most_bytes);

// In native_file.c. Loads what was stored under the key; *library is NULL when nothing was.
dls_status dls_native_file_open(const char *path, const unsigned char *key, void **library,
                                dls_message *message);
// Adds mark, key and digest to what the compiler wrote.
bool dls_native_file_seal(const char *path, const unsigned char *key);

#endif
