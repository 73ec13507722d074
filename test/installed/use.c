// A user's program: sees only what is installed.
#include <delassus/status.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
  if (strcmp(dls_status_text(DLS_OK), "done") != 0) return 1;
  printf("delassus %s\n", dls_version());
  return 0;
}
