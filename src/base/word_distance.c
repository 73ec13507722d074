#include "base/word_distance.h"

#include <stdbool.h>

int dls_word_distance(const char *a, int a_length, const char *b, int b_length, int limit)
{
  int row[3][DLS_NEAREST_LENGTH + 1];
  for (int j = 0; j <= b_length; j++) row[0][j] = j;
  for (int i = 1; i <= a_length; i++) {
    int *now = row[i % 3];
    const int *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    int least = now[0] = i;
    for (int j = 1; j <= b_length; j++) {
      int d = up[j - 1] + (a[i - 1] != b[j - 1]);
      if (up[j] + 1 < d) d = up[j] + 1;
      if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && up2[j - 2] + 1 < d) d = up2[j - 2] + 1;
      now[j] = d;
      if (d < least) least = d;
    }
    if (least > limit) return limit + 1;
  }
  return row[a_length % 3][b_length];
}

int dls_word_reach(int length)
{
  // a single letter is near every other one
  return length < 2 ? 0 : length < 4 ? 1 : length < 8 ? 2 : 3;
}
