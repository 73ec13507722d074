// Why solvers stopped, in words: reports need the words without the solvers.
#include <delassus/lcp.h>
#include <delassus/solve.h>

const char *dls_stop_text(dls_stop stop)
{
  switch (stop) {
#define TEXT(code, text) \
  case code: return text;
    DLS_STOP_LIST(TEXT)
#undef TEXT
  }
  return "";
}

const char *dls_lcp_stop_text(dls_lcp_stop stop)
{
  switch (stop) {
#define TEXT(code, text) \
  case code: return text;
    DLS_LCP_STOP_LIST(TEXT)
#undef TEXT
  }
  return "";
}
