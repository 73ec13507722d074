// Draws performance profiles: how many of the files a solver solves within a factor of the time of
// the fastest on each. Reads what bench/peers/siconos_friction and bench_solve write.
//
// usage: draw_profiles OUT.svg SICONOS.csv [OURS.csv]
//
// A curve of Siconos stands for a family of its solvers (NSGS, NSGS/quartic, NSGS_WR, ...), with
// the fastest of them on each file, picked afterwards; the families that solve most are shown, and
// the fastest of all of them together.
#include <delassus/picture.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOLVED 1e-8
#define TOGETHER "Siconos, the fastest of all"
#define WIDEST 1000.0  // of the factors shown
enum { FILES = 512, SOLVERS = 64, NAME = 96, PEERS = 5, OWN = 1, LINE = 1024 };

// time[s][f]: the least of solver s on file f, infinite when it does not solve it
typedef struct table {
  int files, solvers;
  char file[FILES][NAME], solver[SOLVERS][NAME];
  double time[SOLVERS][FILES];
} table;

static int find(char names[][NAME], int *count, int limit, const char *name)
{
  for (int k = 0; k < *count; k++)
    if (strcmp(names[k], name) == 0) return k;
  if (*count == limit) {
    fprintf(stderr, "draw_profiles: more than %d names\n", limit);
    exit(1);
  }
  snprintf(names[*count], NAME, "%s", name);
  return (*count)++;
}

static int find_solver(table *t, const char *name)
{
  const int before = t->solvers, s = find(t->solver, &t->solvers, SOLVERS, name);
  if (s == before)
    for (int f = 0; f < FILES; f++) t->time[s][f] = INFINITY;
  return s;
}

// Cuts a line at its commas; empty cells stay.
static int cells_of(char *line, char *cell[], int most)
{
  int count = 0;
  line[strcspn(line, "\r\n")] = 0;
  for (char *c = line; c && count < most; count++) {
    cell[count] = c;
    c = strchr(c, ',');
    if (c) *c++ = 0;
  }
  return count;
}

enum { COLUMN_FILE, COLUMN_SOLVER = 2, COLUMN_SECONDS = 5, COLUMN_ERROR = 6, COLUMNS = 7 };

static void note(table *t, int s, int f, const char *seconds, const char *error)
{
  if (!*seconds || !*error || !(strtod(error, NULL) <= SOLVED)) return;
  const double time = strtod(seconds, NULL);
  if (time < t->time[s][f]) t->time[s][f] = time;
}

static void read_table(table *t, const char *path, const char *whose)
{
  FILE *in = fopen(path, "r");
  char line[LINE], *cell[COLUMNS], name[NAME];
  if (!in || !fgets(line, sizeof line, in) || strncmp(line, "file,contacts,solver,", 21) != 0) {
    fprintf(stderr, "draw_profiles: %s is not a table of times\n", path);
    exit(1);
  }
  const bool families = strcmp(whose, "Siconos") == 0;
  while (fgets(line, sizeof line, in)) {
    if (cells_of(line, cell, COLUMNS) < COLUMNS) continue;
    const int f = find(t->file, &t->files, FILES, cell[COLUMN_FILE]);
    char *solver = cell[COLUMN_SOLVER];
    if (families) {
      char *reduced = strstr(solver, "_WR");
      if (reduced) *reduced = 0;
      solver[strcspn(solver, "/-")] = 0;
    }
    snprintf(name, sizeof name, "%s %s", whose, solver);
    note(t, find_solver(t, name), f, cell[COLUMN_SECONDS], cell[COLUMN_ERROR]);
    if (families) note(t, find_solver(t, TOGETHER), f, cell[COLUMN_SECONDS], cell[COLUMN_ERROR]);
  }
  fclose(in);
}

// ---- profiles -----------------------------------------------------------------------------------

typedef struct profile {
  const char *name;
  double area;  // under the curve over the logarithm of the factor: what it is sorted by
  int count;
  double x[2 * FILES + 2], y[2 * FILES + 2];
} profile;

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int by_area(const void *a, const void *b)
{
  const double x = ((const profile *)a)->area, y = ((const profile *)b)->area;
  return (x < y) - (x > y);
}

// Stairs through the sorted factors.
static void make_profile(const table *t, int s, profile *p)
{
  double factor[FILES] = {0};
  int solved = 0;
  for (int f = 0; f < t->files; f++) {
    double best = INFINITY;
    for (int k = 0; k < t->solvers; k++) best = fmin(best, t->time[k][f]);
    if (isfinite(t->time[s][f])) factor[solved++] = t->time[s][f] / best;
  }
  qsort(factor, (size_t)solved, sizeof *factor, by_value);
  *p = (profile){.name = t->solver[s]};
  double height = 0;
  p->x[p->count] = 1, p->y[p->count++] = 0;
  for (int k = 0; k < solved && factor[k] <= WIDEST; k++) {
    p->x[p->count] = factor[k], p->y[p->count++] = height;
    height = (double)(k + 1) / t->files;
    p->x[p->count] = factor[k], p->y[p->count++] = height;
    p->area += log(WIDEST / factor[k]) / t->files;
  }
  p->x[p->count] = WIDEST, p->y[p->count++] = height;
}

// The best of ours and of theirs; profiles are sorted.
static int choose(const profile *profiles, int count, dls_curve *curve)
{
  int curves = 0, peers = 0, own = 0;
  for (int s = 0; s < count; s++) {
    const profile *p = profiles + s;
    const bool together = strcmp(p->name, TOGETHER) == 0;
    const bool ours = strncmp(p->name, "delassus", 8) == 0;
    const bool always = together || strcmp(p->name, "delassus auto") == 0;
    if (!always && (ours ? own++ >= OWN : peers++ >= PEERS)) continue;
    curve[curves++] = (dls_curve){.label = p->name,
                                  .count = p->count,
                                  .x = p->x,
                                  .y = p->y,
                                  .dashed = together,
                                  .colour = together ? 0x202020 : 0};
  }
  return curves;
}

int main(int argc, char **argv)
{
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: draw_profiles OUT.svg SICONOS.csv [OURS.csv]\n");
    return 2;
  }
  table *t = calloc(1, sizeof *t);
  profile *profiles = calloc(SOLVERS, sizeof *profiles);
  if (!t || !profiles) abort();
  if (argc > 3) read_table(t, argv[3], "delassus");
  read_table(t, argv[2], "Siconos");
  for (int s = 0; s < t->solvers; s++) make_profile(t, s, profiles + s);
  qsort(profiles, (size_t)t->solvers, sizeof *profiles, by_area);

  dls_curve curve[SOLVERS];
  const int curves = choose(profiles, t->solvers, curve);
  char subtitle[256];
  snprintf(subtitle, sizeof subtitle,
           "%d files; solved: |F| / |q| at most 1e-8, recomputed from the data", t->files);
  const dls_plot plot = {.x = {"time / time of the fastest", 1, WIDEST, .logarithmic = true},
                         .y = {"fraction of the files solved", 0, 1},
                         .width = 420,
                         .height = 300,
                         .curves = curves,
                         .curve = curve};
  const dls_picture picture = {
      .title = "Contact with friction", .subtitle = subtitle, .plots = 1, .plot = &plot};
  dls_message message = {{0}};
  const dls_status status = dls_picture_save(&picture, argv[1], &message);
  if (status != DLS_OK) fprintf(stderr, "draw_profiles: %s\n", message.text);
  free(profiles), free(t);
  return status != DLS_OK;
}
