// libFuzzer entry for STL and OBJ files: whatever the bytes, finite points, or a message that names
// the file. The first byte says which kind it is.
#include "fuzz_import.h"

static void read_as(const uint8_t *data, size_t size, const char *ending)
{
  fuzz_path[0] = 0;
  fuzz_write(data, size, ending);
  int count = 0;
  double *point = NULL;
  dls_message message = {""};
  const dls_status status = dls_import_points(fuzz_path, &count, &point, &message);
  fuzz_require((status == DLS_OK) == (point != NULL) && (status == DLS_OK) == (count > 0));
  if (status == DLS_OK) fuzz_finite(point, 3 * count);
  else if (status != DLS_ERR_MEMORY) fuzz_require(strstr(message.text, "fuzz-import") != NULL);
  free(point);
  unlink(fuzz_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  read_as(data + 1, size - 1, data[0] % 2 ? ".stl" : ".obj");
  return 0;
}
