#include "step/runge_kutta.h"

#include <stddef.h>
#include <string.h>

#define ROOT5 2.236067977499789696409173668731276235
#define ROOT6 2.449489742783178098197284074705891392

// Implicit methods have no e here: their estimate follows from the nodes, eq (rkm.2).
static const dls_tableau TABLE[] = {
    {.name = "radau3",
     .stages = 2,
     .order = 3,
     .implicit = true,
     .ends = true,
     .c = {1. / 3, 1},
     .A = {{5. / 12, -1. / 12}, {3. / 4, 1. / 4}},
     .b = {3. / 4, 1. / 4}},
    {.name = "radau5",
     .stages = 3,
     .order = 5,
     .implicit = true,
     .ends = true,
     .c = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1},
     .A = {{(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225},
           {(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225},
           {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1. / 9}},
     .b = {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1. / 9}},
    {.name = "lobatto2",
     .stages = 2,
     .order = 2,
     .implicit = true,
     .starts = true,
     .ends = true,
     .c = {0, 1},
     .A = {{0}, {1. / 2, 1. / 2}},
     .b = {1. / 2, 1. / 2}},
    {.name = "lobatto4",
     .stages = 3,
     .order = 4,
     .implicit = true,
     .starts = true,
     .ends = true,
     .c = {0, 1. / 2, 1},
     .A = {{0}, {5. / 24, 1. / 3, -1. / 24}, {1. / 6, 2. / 3, 1. / 6}},
     .b = {1. / 6, 2. / 3, 1. / 6}},
    {.name = "lobatto6",
     .stages = 4,
     .order = 6,
     .implicit = true,
     .starts = true,
     .ends = true,
     .c = {0, (5 - ROOT5) / 10, (5 + ROOT5) / 10, 1},
     .A = {{0},
           {(11 + ROOT5) / 120, (25 - ROOT5) / 120, (25 - 13 * ROOT5) / 120, (-1 + ROOT5) / 120},
           {(11 - ROOT5) / 120, (25 + 13 * ROOT5) / 120, (25 + ROOT5) / 120, (-1 - ROOT5) / 120},
           {1. / 12, 5. / 12, 5. / 12, 1. / 12}},
     .b = {1. / 12, 5. / 12, 5. / 12, 1. / 12}},
    // Heun, with Euler inside
    {.name = "herk2",
     .stages = 2,
     .order = 2,
     .estimate = 1,
     .starts = true,
     .c = {0, 1},
     .A = {{0}, {1}},
     .b = {1. / 2, 1. / 2},
     .e = {-1. / 2, 1. / 2}},
    // Bogacki and Shampine
    {.name = "herk3",
     .stages = 4,
     .order = 3,
     .estimate = 2,
     .starts = true,
     .ends = true,
     .c = {0, 1. / 2, 3. / 4, 1},
     .A = {{0}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}},
     .b = {2. / 9, 1. / 3, 4. / 9},
     .e = {2. / 9 - 7. / 24, 1. / 3 - 1. / 4, 4. / 9 - 1. / 3, -1. / 8}},
    // Kutta, with Zonneveld's estimate
    {.name = "herk4",
     .stages = 5,
     .order = 4,
     .estimate = 3,
     .starts = true,
     .c = {0, 1. / 2, 1. / 2, 1, 3. / 4},
     .A = {{0}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}, {5. / 32, 7. / 32, 13. / 32, -1. / 32}},
     .b = {1. / 6, 1. / 3, 1. / 3, 1. / 6},
     .e = {2. / 3, -2, -2, -2, 16. / 3}},
    // Dormand and Prince
    {.name = "herk5",
     .stages = 7,
     .order = 5,
     .estimate = 4,
     .starts = true,
     .ends = true,
     .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
     .A = {{0},
           {1. / 5},
           {3. / 40, 9. / 40},
           {44. / 45, -56. / 15, 32. / 9},
           {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
           {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
           {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
     .b = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
     .e = {35. / 384 - 5179. / 57600, 0, 500. / 1113 - 7571. / 16695, 125. / 192 - 393. / 640,
           -2187. / 6784 + 92097. / 339200, 11. / 84 - 187. / 2100, -1. / 40}},
};

// The divided difference of the derivatives over the nodes 0, c_1, ..., c_s, so scaled that the
// last one has its own weight: what the formula changes by when that derivative is extrapolated
// from the others.                                                                eq (rkm.2)
static void estimate_by_nodes(dls_tableau *t)
{
  const int s = t->stages, first = t->starts ? 0 : -1;  // -1: the begin of the step, no stage
  double weight[DLS_RK_STAGES + 1];
  for (int i = first; i < s; i++) {
    const double x = i < 0 ? 0 : t->c[i];
    double product = 1;
    for (int j = first; j < s; j++)
      if (j != i) product *= x - (j < 0 ? 0 : t->c[j]);
    weight[i + 1] = 1 / product;
  }
  const double scale = t->b[s - 1] / weight[s];
  t->e_0 = first < 0 ? scale * weight[0] : 0;
  for (int i = 0; i < s; i++) t->e[i] = scale * weight[i + 1];
  t->estimate = s - 1 - first;
}

int dls_tableau_count(void)
{
  return (int)(sizeof TABLE / sizeof *TABLE);
}

bool dls_tableau_at(int index, dls_tableau *tableau)
{
  if (index < 0 || index >= dls_tableau_count()) return false;
  *tableau = TABLE[index];
  if (tableau->implicit) estimate_by_nodes(tableau);
  return true;
}

bool dls_tableau_find(const char *name, dls_tableau *tableau)
{
  for (int k = 0; k < dls_tableau_count(); k++)
    if (name && strcmp(name, TABLE[k].name) == 0) return dls_tableau_at(k, tableau);
  return false;
}
