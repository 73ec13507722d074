#include <delassus/status.h>

#include <stdio.h>

int main(void)
{
  printf("delassus %s\n", dls_version());
  return 0;
}
