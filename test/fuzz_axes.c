// libFuzzer entry for the axes of map and the lists of order, the text of an option: what is taken
// has finite values, in their order, from one end to the other. Then they are run, where that is
// little work: the first line is --x, a second one --y. A map has an answer at every point, the
// same as when the point is asked about alone; order has a run for every step, with errors or a
// reason.
#include "commands.h"
#include "map.h"
#include "order.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POINTS = 24, STEPS = 200, WORDS = 24 };

static void hold(bool holds, int line, const char *what)
{
  if (holds) return;
  dprintf(STDERR_FILENO, "%d: %s\n", line, what);  // stderr is turned off
  abort();
}
#define require(what) hold(what, __LINE__, #what)

static const char model[] =
    "parameter mu = 0.3, m = 1\n"
    "coordinate x, y, theta = 0.5\n"
    "kinetic m*(x'^2 + y'^2)/2 + theta'^2/6\n"
    "potential 9.81*m*y + 0.1*theta^2\n"
    "unilateral floor: y + (sin(theta) - sin(0.5))/2 >= 0 { slip x' - sin(theta)*theta'/2; "
    "friction mu; restitution 0.5 }\n";

static char model_path[400], out_path[400];

static void make_files(void)
{
  const char *folder = getenv("TMPDIR");
  snprintf(model_path, sizeof model_path, "%.350s/fuzz-axes-%d.dls", folder ? folder : P_tmpdir,
           (int)getpid());
  snprintf(out_path, sizeof out_path, "%.350s/fuzz-axes-%d.json", folder ? folder : P_tmpdir,
           (int)getpid());
  FILE *f = fopen(model_path, "w");
  require(f != NULL);
  require(fwrite(model, 1, sizeof model - 1, f) == sizeof model - 1);
  require(fclose(f) == 0);
}

// What the command writes; NULL when it failed with a wrong call. Words end with NULL.
static json_t *run(int (*command)(const options *), const option *table, int table_size,
                   const char *const *words, int *status)
{
  char *argv[WORDS + 1];
  options given;
  int argc = 0;
  for (; words[argc]; argc++) require(argc < WORDS && (argv[argc] = strdup(words[argc])) != NULL);
  argv[argc] = NULL;
  unlink(out_path);
  *status = options_parse(&given, table, table_size, argc, argv);
  if (*status == 0) *status = command(&given);
  options_free(&given);
  for (int k = 0; k < argc; k++) free(argv[k]);
  require(*status >= 0 && *status <= 2);
  return *status == 2 ? NULL : json_load_file(out_path, 0, NULL);
}

// ---- maps --------------------------------------------------------------------------------------

static const char *const asks[] = {"acceleration_exists", "acceleration_unique", "solution_count",
                                   "can_all_stick", "mass_definite"};
enum { ASKS = sizeof asks / sizeof *asks };

static json_t *run_axes(const char *x, const char *y, int *status)
{
  const char *words[WORDS] = {model_path, "-o", out_path, "--quiet", "--threads", "1"};
  int count = 6;
  for (int k = 0; k < ASKS; k++) words[count++] = "--ask", words[count++] = asks[k];
  words[count++] = "--x", words[count++] = x;
  if (y) words[count++] = "--y", words[count++] = y;
  return run(run_map, map_options, map_option_count, words, status);
}

static const json_t *value_at(const json_t *map, int ask, int i, int j, bool two)
{
  const json_t *values =
      json_object_get(json_array_get(json_object_get(map, "questions"), (size_t)ask), "values");
  if (two) values = json_array_get(values, (size_t)j);
  const json_t *value = json_array_get(values, (size_t)i);
  require(value != NULL);
  return value;
}

// The same questions at one point of the map.
static void ask_alone(const json_t *map, const map_axis *x, const map_axis *y, int i, int j)
{
  char text[2][2000];
  int status;
  snprintf(text[0], sizeof text[0], "%s=%.17g:%.17g:1", x->name, map_axis_value(x, i),
           map_axis_value(x, i));
  if (y)
    snprintf(text[1], sizeof text[1], "%s=%.17g:%.17g:1", y->name, map_axis_value(y, j),
             map_axis_value(y, j));
  json_t *alone = run_axes(text[0], y ? text[1] : NULL, &status);
  for (int ask = 0; ask < ASKS; ask++) {
    const json_t *there = value_at(map, ask, i, j, y != NULL);
    // a map without any state is a wrong call
    if (status == 2) require(json_is_null(there));
    else require(json_equal(there, value_at(alone, ask, 0, 0, y != NULL)));
  }
  json_decref(alone);
}

// Whether it was run.
static bool run_and_comparison(const map_axis *x, const char *x_text, const map_axis *y,
                               const char *y_text)
{
  int status;
  const int points = x->count * (y ? y->count : 1);
  if (points > POINTS || strlen(x_text) > 900 || (y && strlen(y_text) > 900)) return false;
  json_t *map = run_axes(x_text, y ? y_text : NULL, &status);
  require(!map == (status == 2));
  if (!map) return false;
  require(status == 0 && json_integer_value(json_object_get(map, "points")) == points);
  require(json_array_size(json_object_get(map, "questions")) == ASKS);
  for (int ask = 0; ask < ASKS; ask++)
    for (int k = 0; k < points; k++) {
      const json_t *value = value_at(map, ask, k % x->count, k / x->count, y != NULL);
      require(json_is_string(value) || json_is_integer(value) || json_is_null(value));
    }
  ask_alone(map, x, y, points / 2 % x->count, points / 2 / x->count);
  ask_alone(map, x, y, x->count - 1, y ? y->count - 1 : 0);
  json_decref(map);
  return true;
}

static bool comparison_axis(map_axis *axis, const char *text)
{
  *axis = (map_axis){0};
  if (map_axis_read(axis, "--x", text) != 0) {
    require(!axis->name);
    return false;
  }
  require(axis->name && axis->count >= 1 && axis->low <= axis->high);
  for (int k = 0; k < axis->count; k++) {
    const double x = map_axis_value(axis, k);
    require(isfinite(x) && x >= axis->low && x <= axis->high);
    require(k == 0 || x >= map_axis_value(axis, k - 1));
  }
  require(map_axis_value(axis, 0) == axis->low);
  require(map_axis_value(axis, axis->count - 1) == axis->high);
  return true;
}

static bool try_axes(const char *text, const char *second)
{
  map_axis x, y = {0};
  const bool done = comparison_axis(&x, text) && (!second || comparison_axis(&y, second)) &&
                    run_and_comparison(&x, text, second ? &y : NULL, second);
  free(x.name);
  free(y.name);
  return done;
}

// ---- orders ------------------------------------------------------------------------------------

static bool is_error(const json_t *errors)
{
  static const char *const norms[] = {"hausdorff", "l1", "l2", "uniform"};
  for (int k = 0; k < 4; k++) {
    const json_t *e = json_object_get(errors, norms[k]);
    if (json_is_null(e)) continue;
    if (!json_is_number(e) || !(json_number_value(e) >= 0)) return false;
  }
  return true;
}

// Whether it was run.
static bool run_list(const order_list *list, const char *text)
{
  char until[40];
  int status;
  double steps = 0;
  const double end = 4 * list->value[0];
  for (int k = 0; k < list->count; k++) steps += end / list->value[k];
  if (list->count < 2 || !(steps <= STEPS) || strlen(text) > 900) return false;
  snprintf(until, sizeof until, "%.17g", end);
  const char *words[] = {model_path, "-o", out_path,  "--quiet", "--scheme", "moreau,lobatto2",
                         "--steps",  text, "--until", until,     "--at",     "y=0.1",
                         NULL};
  json_t *order = run(run_order, order_options, order_option_count, words, &status);
  if (!order) return false;  // too large a motion has no reference
  const json_t *runs = json_object_get(order, "runs");
  require((int)json_array_size(runs) == 2 * list->count);
  bool failed = false;
  for (int k = 0; k < 2 * list->count; k++) {
    const json_t *one = json_array_get(runs, (size_t)k);
    const json_t *failure = json_object_get(one, "failure");
    failed = failed || json_is_string(failure);
    require(json_is_string(failure) || json_is_null(failure));
    require(json_number_value(json_object_get(one, "step")) == list->value[k % list->count]);
    require(is_error(json_object_get(one, "error_q")) && is_error(json_object_get(one, "error_v")));
  }
  require(failed == (status == 1));
  json_decref(order);
  return true;
}

static bool try_list(const char *text)
{
  order_list list;
  if (order_list_read(&list, "--steps", text) != 0) return false;
  require(list.count >= 1 && list.count <= ORDER_COUNT);
  for (int k = 0; k < list.count; k++) {
    require(isfinite(list.value[k]) && list.value[k] > 0);
    require(k == 0 || list.value[k] < list.value[k - 1]);
  }
  return run_list(&list, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static FILE *nowhere;
  const bool first = !nowhere;
  if (first) nowhere = fopen("/dev/null", "w");
  require(nowhere != NULL);
  if (first) make_files();
  char *text = calloc(size + 1, 1);
  require(text != NULL);
  if (size > 0) memcpy(text, data, size);
  char *second = strchr(text, '\n');
  if (second) *second++ = 0;
  FILE *kept = stderr;
  stderr = nowhere;  // complaints are not what this is about
  // what can be run is
  require(!first || (try_axes("mu=0:1:2", "theta=0.4:0.5:2") && try_list("0.1,0.05")));
  try_axes(text, second);
  try_list(text);
  stderr = kept;
  free(text);
  return 0;
}
