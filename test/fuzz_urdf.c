// libFuzzer entry for URDF files: whatever the bytes, a mechanism whose numbers are in order, or a
// message that says where.
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_import(data, size);
  return 0;
}
