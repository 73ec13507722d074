// What a call can report. The outcome of the mathematics is never a status:
// "no acceleration exists", with its witness, is DLS_OK.
#ifndef DELASSUS_STATUS_H
#define DELASSUS_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DLS_API __attribute__((visibility("default")))
#define DLS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DLS_API
#define DLS_PRINTF(text, first)
#endif

// One list gives the codes and their texts.
#define DLS_STATUS_LIST(X)                                         \
  X(DLS_OK, "done")                                                \
  X(DLS_ERR_ARGUMENT, "an argument of the call is not valid")      \
  X(DLS_ERR_MEMORY, "out of memory")                               \
  X(DLS_ERR_FILE, "a file could not be read or written")           \
  X(DLS_ERR_MODEL, "the model has errors")                         \
  X(DLS_ERR_STATE, "the state is not admissible for the model")    \
  X(DLS_ERR_NUMBER, "a number is not finite")                      \
  X(DLS_ERR_LIMIT, "the input is larger than the library accepts") \
  X(DLS_ERR_SOLVER, "a numerical library failed")                  \
  X(DLS_ERR_STOPPED, "stopped by the caller")

typedef enum dls_status {
#define DLS_STATUS_CODE(code, text) code,
  DLS_STATUS_LIST(DLS_STATUS_CODE)
#undef DLS_STATUS_CODE
} dls_status;

// The text of a status, never NULL.
DLS_API const char *dls_status_text(dls_status status);

// A message that a user can act on; empty when there is nothing to add to the status.
typedef struct dls_message {
  char text[1024];
} dls_message;

#ifdef __cplusplus
}
#endif
#endif
