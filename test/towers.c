#include "towers.h"

#include <stdio.h>

void towers_text(int towers, bool pairs, char *text, size_t size)
{
  const int discs = 2 * towers;
  size_t used = 0;
  for (int k = 0; k < discs && used < size; k++) {
    const double x = 1.5 * (double)(k / 2), y = 0.55 + 0.01 * (double)(k / 2) + 1.02 * (k % 2);
    used += (size_t)snprintf(text + used, size - used,
                             "coordinate x%d = %g, y%d = %g\nvelocity x%d = %g\n"
                             "kinetic (x%d'^2 + y%d'^2)/2\npotential 10*y%d\n"
                             "unilateral f%d: y%d >= 0.5 { slip x%d'; friction 0.3; restitution "
                             "0.4 }\n",
                             k, x, k, y, k, 0.2, k, k, k, k, k, k);
  }
  for (int a = 0; a < discs; a++)
    for (int b = a + 1; b < discs && used < size; b++)
      if (pairs || a / 2 == b / 2)
        used += (size_t)snprintf(text + used, size - used,
                                 "unilateral p%d_%d: sqrt((x%d - x%d)^2 + (y%d - y%d)^2) >= 1\n", a,
                                 b, b, a, b, a);
}
