// libFuzzer entry for the axes of map and the lists of order, the text of an option: what is taken
// has finite values, in their order, from one end to the other.
#include "map.h"
#include "order.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
  if (!holds) abort();
}

static void judge_axis(const char *text)
{
  map_axis axis = {0};
  if (map_axis_read(&axis, "--x", text) != 0) {
    require(!axis.name);
    return;
  }
  require(axis.name && axis.count >= 1 && axis.low <= axis.high);
  for (int k = 0; k < axis.count; k++) {
    const double x = map_axis_value(&axis, k);
    require(isfinite(x) && x >= axis.low && x <= axis.high);
    require(k == 0 || x >= map_axis_value(&axis, k - 1));
  }
  require(map_axis_value(&axis, 0) == axis.low);
  require(map_axis_value(&axis, axis.count - 1) == axis.high);
  free(axis.name);
}

static void judge_list(const char *text)
{
  order_list list;
  if (order_list_read(&list, "--steps", text) != 0) return;
  require(list.count >= 1 && list.count <= ORDER_COUNT);
  for (int k = 0; k < list.count; k++) {
    require(isfinite(list.value[k]) && list.value[k] > 0);
    require(k == 0 || list.value[k] < list.value[k - 1]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static FILE *nowhere;
  if (!nowhere) nowhere = fopen("/dev/null", "w");
  require(nowhere != NULL);
  char *text = calloc(size + 1, 1);
  require(text != NULL);
  if (size > 0) memcpy(text, data, size);
  FILE *kept = stderr;
  stderr = nowhere;  // complaints are not what this is about
  judge_axis(text);
  judge_list(text);
  stderr = kept;
  free(text);
  return 0;
}
