// Memory and characters: alignment, zeros, growth, and sizes that overflow.
#include "base/memory.h"
#include "base/utf8.h"
#include <delassus/status.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

// sizes beyond all memory have to give NULL here, not a report
DLS_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

static void alloc(void **state)
{
  (void)state;
  volatile size_t huge = SIZE_MAX / 4;  // volatile: the compiler would see through it
  assert_null(dls_alloc(huge, 8));
  double *x = dls_alloc(100, sizeof *x);
  for (int i = 0; i < 100; i++) assert_true(x[i] == 0);
  void *nothing = dls_alloc(0, 8), *nothing_wide = dls_alloc(8, 0);
  assert_non_null(nothing);
  assert_non_null(nothing_wide);
  free(nothing_wide);
  free(nothing);
  free(x);
}

static void grow(void **state)
{
  (void)state;
  void *array = NULL;
  ptrdiff_t capacity = 0;
  for (ptrdiff_t needed = 1; needed < 5000; needed += 7) {
    at_case("needed %zu", needed);
    const ptrdiff_t before = capacity;
    assert_int_equal(dls_grow(&array, &capacity, needed, sizeof(int)), 0);
    assert_true(capacity >= needed);
    if (capacity != before && before) assert_int_equal(capacity, 2 * before);
    ((int *)array)[needed - 1] = (int)needed;
  }
  for (ptrdiff_t needed = 1; needed < 5000; needed += 7)
    assert_int_equal(((int *)array)[needed - 1], (int)needed);

  // too many elements; few enough of them, but too many bytes
  void *const old = array;
  const ptrdiff_t kept = capacity;
  const ptrdiff_t needed[] = {PTRDIFF_MAX, PTRDIFF_MAX / 2 + 2, PTRDIFF_MAX / 4, PTRDIFF_MAX / 8};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
    at_case("k %zu", k);
    assert_int_equal(dls_grow(&array, &capacity, needed[k], sizeof(double[4])), -1);
    assert_ptr_equal(array, old);
    assert_int_equal(capacity, kept);
  }
  free(array);
}

static void arena(void **state)
{
  (void)state;
  dls_arena *a = dls_arena_create();
  unsigned char *block[300];
  size_t length[300];
  for (size_t k = 0; k < 300; k++) {
    at_case("k %zu", k);
    length[k] = k % 50 == 49 ? 100000 + k : k * 7 % 1000;  // some larger than a block
    block[k] = dls_arena_alloc(a, length[k], 1);
    assert_non_null(block[k]);
    assert_int_equal((uintptr_t)block[k] % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < length[k]; i++) assert_int_equal(block[k][i], 0);
    memset(block[k], (int)k, length[k]);
  }
  for (size_t k = 0; k < 300; k++)  // nothing overlaps
    for (size_t i = 0; i < length[k]; i++) assert_int_equal(block[k][i], k & 0xff);

  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 - 2, SIZE_MAX / 16};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    assert_null(dls_arena_alloc(a, counts[k], 8));
  assert_non_null(dls_arena_alloc(a, SIZE_MAX, 0));
  assert_string_equal(dls_arena_copy(a, "abcdef", 3), "abc");
  assert_string_equal(dls_arena_copy(a, NULL, 0), "");
  dls_arena_free(a);
  dls_arena_free(NULL);
}

// Against the definition: the bytes of each code point, and the places between them.
static unsigned encode(unsigned code, char *out)
{
  if (code < 0x80) return out[0] = (char)code, 1;
  const unsigned size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = (char)(lead[size] | code >> 6 * (size - 1));
  for (unsigned k = 1; k < size; k++) out[k] = (char)(0x80 | (code >> 6 * (size - 1 - k) & 0x3F));
  return size;
}

static void utf8(void **state)
{
  (void)state;
  char text[4];
  for (unsigned code = 0; code < 0x130000; code++) {
    const unsigned size = encode(code, text);
    const int valid = code < 0xD800 || (code > 0xDFFF && code < 0x110000);
    assert_int_equal(dls_utf8_length(text, 4), valid ? size : 0);
    if (valid) assert_int_equal(dls_utf8_code(text, size), code);
    for (unsigned cut = 0; cut < size; cut++) assert_int_equal(dls_utf8_length(text, cut), 0);
  }
  const char *const overlong[] = {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF"};
  for (int k = 0; k < 4; k++)
    assert_int_equal(dls_utf8_length(overlong[k], strlen(overlong[k])), 0);
  assert_int_equal(dls_utf8_length("\x80", 1), 0);
  assert_int_equal(dls_utf8_length("\xFF", 1), 0);
  assert_int_equal(dls_utf8_length("\xE2\x82", 4), 0);  // the final zero ends it
}

// Some characters, and the whole tables: how many have each width and the sum of their codes, from
// the Unicode database.
static void utf8_width(void **state)
{
  (void)state;
  const struct {
    unsigned code;
    int width;
  } known[] = {{'a', 1},     {'\t', 1},    {0x7F, 1},    {0xAD, 1},    {0xE9, 1},    {0x2FF, 1},
               {0x300, 0},   {0x36F, 0},   {0x370, 1},   {0x3C6, 1},   {0x600, 1},   {0x10FF, 1},
               {0x1100, 2},  {0x115F, 2},  {0x1160, 0},  {0x200B, 0},  {0x200D, 0},  {0x2026, 1},
               {0x2212, 1},  {0x3000, 2},  {0x3042, 2},  {0x3099, 0},  {0x529B, 2},  {0xAC00, 2},
               {0xFE0F, 0},  {0xFEFF, 0},  {0xFF21, 2},  {0xFF71, 1},  {0xFFFD, 1},  {0x1D400, 1},
               {0x1F388, 2}, {0x1F600, 2}, {0x2A6DF, 2}, {0x3FFFD, 2}, {0x3FFFE, 1}, {0xE0100, 0},
               {0xE01EF, 0}, {0x10FFFF, 1}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (dls_utf8_width(known[k].code) != known[k].width) fail_msg("U+%04X", known[k].code);
  unsigned long long count[3] = {0}, sum[3] = {0};
  for (unsigned code = 0; code < 0x110000; code++) {
    const int width = dls_utf8_width(code);
    assert_in_range(width, 0, 2);
    count[width]++, sum[width] += code;
  }
  assert_true(count[0] == 2618 && sum[0] == 535898032);
  assert_true(count[2] == 191877 && sum[2] == 29131174427);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(alloc), cmocka_unit_test(grow),
                                     cmocka_unit_test(arena), cmocka_unit_test(utf8),
                                     cmocka_unit_test(utf8_width)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
