#include <delassus/version.h>

#include "base/format.h"
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

const char *dls_status_text(dls_status status)
{
  switch (status) {
#define TEXT(code, text) \
  case code: return text;
    DLS_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "unknown status";
}

#define TEXT_OF(x) #x
#define JOIN(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *dls_version(void)
{
  return JOIN(DLS_VERSION_MAJOR, DLS_VERSION_MINOR, DLS_VERSION_PATCH);
}

dls_status dls_fail(dls_message *message, dls_status status, const char *format, ...)
{
  if (message) {
    va_list arguments;
    va_start(arguments, format);
    dls_format_list(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
  }
  return status;
}
