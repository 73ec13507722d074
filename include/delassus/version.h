// The version of the interface. Before 1.0 a minor version may change it: the shared libraries have
// major and minor number in their names and in the versions of their symbols, so that a program
// never runs with options, or anything else in these headers, of another layout than it was
// compiled with.
#ifndef DELASSUS_VERSION_H
#define DELASSUS_VERSION_H

#include <delassus/status.h>

#define DLS_VERSION_MAJOR 0
#define DLS_VERSION_MINOR 1
#define DLS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

// The library's, "major.minor.patch".
DLS_API const char *dls_version(void);

#ifdef __cplusplus
}
#endif
#endif
