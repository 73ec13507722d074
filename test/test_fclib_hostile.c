// FCLIB files that are spoiled: each is refused with a message that names the dataset.
#define _GNU_SOURCE  // memmem
#include "fclib_maker.h"

#include "numbers.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cases.h"

#define W "/fclib_local/W/"
#define VECTORS "/fclib_local/vectors/"

// ---- what is done to a good file ---------------------------------------------------------------

// 2 contacts in space and 1 equation; W has compressed columns
static void plain(hid_t f)
{
  (void)f;
}
static void dimension(hid_t f)
{
  put_integer(f, "/fclib_local/spacedim", 4);
}
static void no_dimension(hid_t f)
{
  take_away(f, "/fclib_local/spacedim");
}
static void two_values(hid_t f)
{
  put_integers(f, "/fclib_local/spacedim", 2, (int[]){3, 3});
}
static void not_multiple(hid_t f)
{
  put_integer(f, W "m", 7), put_integer(f, W "n", 7);
}
static void not_square(hid_t f)
{
  put_integer(f, W "n", 5);
}
static void negative_size(hid_t f)
{
  put_integer(f, W "m", -6);
}
static void negative_space(hid_t f)
{
  put_integer(f, W "nzmax", -1);
}
static void unknown_form(hid_t f)
{
  put_integer(f, W "nz", -3);
}
static void no_group(hid_t f)
{
  take_away(f, "/fclib_local/W");
}
static void no_vector(hid_t f)
{
  take_away(f, VECTORS "q");
}
static void no_equations(hid_t f)
{
  take_away(f, "/fclib_local/R");
}
static void no_problem(hid_t f)
{
  take_away(f, "/fclib_local");
}
static void text_of_group(hid_t f)
{
  take_away(f, "/fclib_local/W"), put_integer(f, "/fclib_local/W", 1);
}
static void short_vector(hid_t f)
{
  put_numbers(f, VECTORS "q", 5, (double[]){1, 2, 3, 4, 5});
}
static void long_vector(hid_t f)
{
  put_numbers(f, VECTORS "mu", 3, (double[]){1, 2, 3});
}
static void negative_mu(hid_t f)
{
  put_numbers(f, VECTORS "mu", 2, (double[]){1, -2});
}
static void nan_mu(hid_t f)
{
  put_numbers(f, VECTORS "mu", 2, (double[]){1, (double)NAN});
}
static void many_triplets(hid_t f)
{
  put_integer(f, W "nz", INT_MAX), put_integer(f, W "nzmax", INT_MAX);
}
static void small_nzmax(hid_t f)
{
  put_integer(f, W "nz", 5), put_integer(f, W "nzmax", 4);
}
static void many_guesses(hid_t f)
{
  put_integer(f, "/guesses/number_of_guesses", 3);
}
static void endless_guesses(hid_t f)
{
  put_integer(f, "/guesses/number_of_guesses", INT_MAX);
}
static void no_multiplier(hid_t f)
{
  take_away(f, "/solution/l");
}
static void sizes_of_V(hid_t f)
{
  put_integer(f, "/fclib_local/V/m", 5);
}

static void huge_size(hid_t f)
{
  const hsize_t one = 1;
  const long long huge = 1LL << 60;
  put_dataset(f, W "m", H5T_STD_I64LE, 1, &one, H5P_DEFAULT, H5T_NATIVE_LLONG, &huge);
}

// Nothing but two numbers say that W has a hundred million rows.
static void declared_size(hid_t f)
{
  put_integer(f, W "m", 99999999), put_integer(f, W "n", 99999999);
  put_integer(f, W "nz", 0);
  put_integers(f, W "p", 0, NULL), put_integers(f, W "i", 0, NULL), put_numbers(f, W "x", 0, NULL);
}

static void lines(hid_t f, int which, int value)
{
  int p[7];
  const hid_t d = H5Dopen2(f, W "p", H5P_DEFAULT);
  H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, p);
  H5Dclose(d);
  p[which] = value;
  put_integers(f, W "p", 7, p);
}

static void decreasing(hid_t f)
{
  lines(f, 2, 0);
}
static void first_line(hid_t f)
{
  lines(f, 0, 1);
}
static void beyond(hid_t f)
{
  lines(f, 6, 1000000);
}

static void index_of(hid_t f, int value)
{
  int i[60];
  const hid_t d = H5Dopen2(f, W "i", H5P_DEFAULT), space = H5Dget_space(d);
  const int count = (int)H5Sget_simple_extent_npoints(space);
  assert_true(count > 3 && count < 60);
  H5Dread(d, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, i);
  H5Sclose(space), H5Dclose(d);
  i[3] = value;
  put_integers(f, W "i", count, i);
}

static void index_above(hid_t f)
{
  index_of(f, 99);
}
static void index_below(hid_t f)
{
  index_of(f, -1);
}

static void inf_entry(hid_t f)
{
  const hid_t d = H5Dopen2(f, W "x", H5P_DEFAULT), one = H5Screate_simple(1, (hsize_t[]){1}, NULL);
  const hid_t space = H5Dget_space(d);
  const double inf = INFINITY;
  H5Sselect_elements(space, H5S_SELECT_SET, 1, (hsize_t[]){4});
  H5Dwrite(d, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &inf);
  H5Sclose(one), H5Sclose(space), H5Dclose(d);
}

// ---- types and layouts -------------------------------------------------------------------------

static void type_text(hid_t f)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 8);
  put_dataset(f, W "nz", type, 1, (hsize_t[]){1}, H5P_DEFAULT, type, "-1\0\0\0\0\0");
  H5Tclose(type);
}

static void type_real(hid_t f)
{
  put_numbers(f, W "nz", 1, (double[]){-1});
}

static void type_compound(hid_t f)
{
  const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE), H5Tinsert(type, "b", 8, H5T_NATIVE_DOUBLE);
  put_dataset(f, VECTORS "q", type, 1, (hsize_t[]){6}, H5P_DEFAULT, type, (double[12]){0});
  H5Tclose(type);
}

static void type_bits(hid_t f)  // integers of 13 bits
{
  const hid_t type = H5Tcopy(H5T_STD_I32LE);
  H5Tset_precision(type, 13);
  put_dataset(f, W "nz", type, 1, (hsize_t[]){1}, H5P_DEFAULT, H5T_NATIVE_INT, (int[]){-1});
  H5Tclose(type);
}

static void type_variable(hid_t f)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  const char *text = "title";
  H5Tset_size(type, H5T_VARIABLE);
  put_dataset(f, "/fclib_local/info/title", type, 0, NULL, H5P_DEFAULT, type, &text);
  H5Tclose(type);
}

static void long_text(hid_t f)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  char *text = calloc(70000, 1);
  memset(text, 'a', 69999);
  H5Tset_size(type, 70000);
  put_dataset(f, "/fclib_local/info/title", type, 0, NULL, H5P_DEFAULT, type, text);
  free(text);
  H5Tclose(type);
}

static void rank_two(hid_t f)
{
  put_dataset(f, VECTORS "q", H5T_IEEE_F64LE, 2, (hsize_t[]){2, 3}, H5P_DEFAULT, H5T_NATIVE_DOUBLE,
              (double[6]){0});
}

static void no_data(hid_t f)
{
  put_numbers(f, VECTORS "q", 6, NULL);
}

static void many_declared(hid_t f)
{
  put_dataset(f, VECTORS "q", H5T_IEEE_F64LE, 1, (hsize_t[]){1ULL << 40}, H5P_DEFAULT, -1, NULL);
}

static void with(hid_t f, const char *place, hsize_t extent, hsize_t chunk, int filter,
                 const void *data)
{
  const hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(p, 1, &chunk);
  if (filter == H5Z_FILTER_DEFLATE) H5Pset_deflate(p, 9);
  if (filter == H5Z_FILTER_SCALEOFFSET) H5Pset_scaleoffset(p, H5Z_SO_INT, 0);
  if (filter == 307) H5Pset_filter(p, 307, H5Z_FLAG_OPTIONAL, 0, NULL);
  put_dataset(f, place, data ? H5T_STD_I32LE : H5T_IEEE_F64LE, 1, &extent, p, H5T_NATIVE_INT, data);
  H5Pclose(p);
}

static void empty_chunks(hid_t f)
{
  with(f, VECTORS "q", 6, 2, 0, NULL);
}
static void empty_deflated(hid_t f)
{
  with(f, VECTORS "q", 6, 2, H5Z_FILTER_DEFLATE, NULL);
}
static void huge_chunk(hid_t f)
{
  with(f, VECTORS "q", 1 << 24, 1 << 24, 0, NULL);
}
static void packed(hid_t f)
{
  with(f, W "nz", 1, 1, H5Z_FILTER_SCALEOFFSET, (int[]){-1});
}

static void plugin(hid_t f)  // bzip2: only a plugin could read it
{
  H5E_BEGIN_TRY
  {
    with(f, W "nz", 1, 1, 307, (int[]){-1});
  }
  H5E_END_TRY;
}

// 16 MiB of zeros, deflated to some 16 KiB.
static void bomb(hid_t f)
{
  int *zeros = calloc(1 << 22, sizeof *zeros);
  with(f, VECTORS "q", 1 << 22, 1 << 16, H5Z_FILTER_DEFLATE, zeros);
  free(zeros);
}

static void outside(hid_t f)
{
  const hid_t p = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(p, "test/data/friction/Rover1039.hdf5", 0, 48);
  put_dataset(f, VECTORS "q", H5T_IEEE_F64LE, 1, (hsize_t[]){6}, p, -1, NULL);
  H5Pclose(p);
}

static void virtual(hid_t f)
{
  const hid_t p = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, (hsize_t[]){6}, NULL);
  H5Pset_virtual(p, space, "other.hdf5", "/q", space);
  put_dataset(f, VECTORS "q", H5T_IEEE_F64LE, 1, (hsize_t[]){6}, p, -1, NULL);
  H5Pclose(p), H5Sclose(space);
}

static void soft_loop(hid_t f)
{
  take_away(f, "/fclib_local/W");
  H5Lcreate_soft("/fclib_local/W", f, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
}

static void soft_vector(hid_t f)
{
  take_away(f, VECTORS "mu");
  H5Lcreate_soft(VECTORS "q", f, VECTORS "mu", H5P_DEFAULT, H5P_DEFAULT);
}

static void external_link(hid_t f)
{
  take_away(f, "/fclib_local");
  H5Lcreate_external("test/data/friction/Rover1039.hdf5", "/fclib_local", f, "/fclib_local",
                     H5P_DEFAULT, H5P_DEFAULT);
}

static void hard_loop(hid_t f)
{
  take_away(f, "/fclib_local/W");
  H5Lcreate_hard(f, "/fclib_local", f, "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
}

static const struct {
  void (*spoil)(hid_t file);
  dls_status status;
  const char *text;
} cases[] = {
    {plain, DLS_OK, ""},
    {dimension, DLS_ERR_FILE, "/fclib_local/spacedim: 4 is outside 2..3"},
    {no_dimension, DLS_ERR_FILE, "/fclib_local/spacedim: it is missing"},
    {two_values, DLS_ERR_FILE, "/fclib_local/spacedim: it has 2 entries, expected 1"},
    {not_multiple, DLS_ERR_FILE, "/fclib_local/W: 7 rows are not a multiple of 3, spacedim"},
    {not_square, DLS_ERR_FILE, "/fclib_local/W: it is 6 x 5, expected 6 x 6"},
    {negative_size, DLS_ERR_FILE, "/fclib_local/W/m: -6 is outside 0..100000000"},
    {negative_space, DLS_ERR_FILE, "/fclib_local/W/nzmax: -1 is outside 0..2147483647"},
    {unknown_form, DLS_ERR_FILE, "/fclib_local/W/nz: -3 is outside -2..2147483647"},
    {no_group, DLS_ERR_FILE, "/fclib_local/W/m: it is missing"},
    {no_vector, DLS_ERR_FILE, "/fclib_local/vectors/q: it is missing"},
    {no_equations, DLS_ERR_FILE, "/fclib_local/R/m: it is missing"},
    {no_problem, DLS_ERR_FILE, "neither /fclib_local nor /fclib_global is there"},
    {text_of_group, DLS_ERR_FILE, "/fclib_local/W: expected a group"},
    {short_vector, DLS_ERR_FILE, "/fclib_local/vectors/q: it has 5 entries, expected 6"},
    {long_vector, DLS_ERR_FILE, "/fclib_local/vectors/mu: it has 3 entries, expected 2"},
    {negative_mu, DLS_ERR_FILE, "mu[1] = -2 is negative"},
    {nan_mu, DLS_ERR_NUMBER, "/fclib_local/vectors/mu: entry 1 is not a finite number"},
    {many_triplets, DLS_ERR_FILE, "/fclib_local/W/i: it has "},
    {small_nzmax, DLS_ERR_FILE, "/fclib_local/W/nzmax: 4 is outside 5..2147483647"},
    {many_guesses, DLS_ERR_FILE, "/guesses/3: it is missing"},
    {endless_guesses, DLS_ERR_FILE, "number_of_guesses: 2147483647 is outside 0..1000"},
    {no_multiplier, DLS_ERR_FILE, "/solution/l: it is missing"},
    {sizes_of_V, DLS_ERR_FILE, "/fclib_local/V: it is 5 x 1, expected 6 x 1"},
    {huge_size, DLS_ERR_FILE, "/fclib_local/W/m: 1152921504606846976 is outside 0..100000000"},
    {declared_size, DLS_ERR_FILE, "/fclib_local/V: it is 6 x 1, expected 99999999 x 1"},
    {decreasing, DLS_ERR_FILE, "/fclib_local/W/p: it decreases from "},
    {first_line, DLS_ERR_FILE, "/fclib_local/W/p: it begins with 1, expected 0"},
    {beyond, DLS_ERR_FILE, "/fclib_local/W/p: index 1000000 is outside 0.."},
    {index_above, DLS_ERR_FILE, "/fclib_local/W/i: index 99 is outside 0..5"},
    {index_below, DLS_ERR_FILE, "/fclib_local/W/i: index -1 is outside 0..5"},
    {inf_entry, DLS_ERR_NUMBER, "/fclib_local/W/x: entry 4 is not a finite number"},
    {type_text, DLS_ERR_FILE, "/fclib_local/W/nz: its type is another, expected integers"},
    {type_real, DLS_ERR_FILE, "/fclib_local/W/nz: its type is another, expected integers"},
    {type_compound, DLS_ERR_FILE, "/fclib_local/vectors/q: its type is another, expected numbers"},
    {type_bits, DLS_ERR_FILE, "/fclib_local/W/nz: its type is another, expected integers"},
    {type_variable, DLS_OK, ""},
    {long_text, DLS_OK, ""},
    {rank_two, DLS_ERR_FILE, "/fclib_local/vectors/q: it has 2 dimensions, expected 1"},
    {no_data, DLS_ERR_FILE, "/fclib_local/vectors/q: 6 entries are declared, but not stored"},
    {many_declared, DLS_ERR_LIMIT, "/fclib_local/vectors/q: more than 2147483647 entries"},
    {empty_chunks, DLS_ERR_FILE,
     "/fclib_local/vectors/q: stored in chunks, compressed or elsewhere"},
    {empty_deflated, DLS_ERR_FILE,
     "/fclib_local/vectors/q: stored in chunks, compressed or elsewhere"},
    {huge_chunk, DLS_ERR_FILE, "/fclib_local/vectors/q: stored in chunks, compressed or elsewhere"},
    {packed, DLS_ERR_FILE, "/fclib_local/W/nz: stored in chunks, compressed or elsewhere"},
    {plugin, DLS_ERR_FILE, "/fclib_local/W/nz: stored in chunks, compressed or elsewhere"},
    {bomb, DLS_ERR_FILE, "/fclib_local/vectors/q: stored in chunks, compressed or elsewhere"},
    {outside, DLS_ERR_FILE, "/fclib_local/vectors/q: its data are in another file"},
    {virtual, DLS_ERR_FILE, "/fclib_local/vectors/q: stored in chunks, compressed or elsewhere"},
    {soft_loop, DLS_ERR_FILE, "/fclib_local/W: a soft link, expected the object"},
    {soft_vector, DLS_ERR_FILE, "/fclib_local/vectors/mu: a soft link, expected the object"},
    {external_link, DLS_ERR_FILE, "/: a group of a newer form of HDF5, which is not read"},
    {hard_loop, DLS_ERR_FILE, "/fclib_local/W/m: it is missing"},
};

// ---- the tests ---------------------------------------------------------------------------------

static void refused(const char *path, dls_status expected, const char *text)
{
  dls_fclib *f = (dls_fclib *)&cases;
  dls_message message = {"old"};
  const dls_status status = dls_fclib_read(path, &f, &message);
  if (status != expected || !strstr(message.text, text))
    fail_msg("expected %d '%s', got %d '%s'", expected, text, status, message.text);
  if (status == DLS_OK) {
    assert_string_equal(message.text, "");
  } else {
    assert_null(f);
    assert_memory_equal(message.text, path, strlen(path));
  }
  dls_fclib_free(f);
  if (status != DLS_OK) assert_int_equal(dls_fclib_read(path, &f, NULL), expected);
}

static void spoiled(void **state)
{
  (void)state;
  dls_fclib *f = file_made(false, 3, 2, 1);
  const char *path = scratch("spoiled.hdf5");
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    at_case("%s", cases[k].text);
    assert_int_equal(dls_fclib_write(path, f, NULL, NULL), DLS_OK);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    cases[k].spoil(file);
    H5Fclose(file);
    refused(path, cases[k].status, cases[k].text);
  }
  file_made_free(f);
}

static void global_sizes(void **state)
{
  (void)state;
  dls_fclib *f = file_made(true, 2, 2, 1);
  const char *path = scratch("global.hdf5");
  static const struct {
    const char *place;
    int value;
    const char *text;
  } numbers[] = {
      {"/fclib_global/M/n", 3, "/fclib_global/M: it is 4 x 3, expected 4 x 4"},
      {"/fclib_global/H/m", 3, "/fclib_global/H: it is 3 x 4, expected 4 x 4"},
      {"/fclib_global/H/n", 3, "/fclib_global/H: 3 columns are not a multiple of 2, spacedim"},
      {"/fclib_global/H/n", 6, "/fclib_global/vectors/mu: it has 2 entries, expected 3"},
      {"/fclib_global/G/m", 9, "/fclib_global/G: it is 9 x 1, expected 4 x 1"},
      {"/fclib_global/G/n", 2, "/fclib_global/vectors/b: it has 1 entries, expected 2"},
  };
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    at_case("%s", numbers[k].text);
    assert_int_equal(dls_fclib_write(path, f, NULL, NULL), DLS_OK);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    put_integer(file, numbers[k].place, numbers[k].value);
    H5Fclose(file);
    refused(path, DLS_ERR_FILE, numbers[k].text);
  }
  file_made_free(f);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void no_hdf5(void **state)
{
  (void)state;
  const char *path = scratch("bytes");
  write_bytes(path, "", 0);
  refused(path, DLS_ERR_FILE, "not an HDF5 file");
  write_bytes(path, "{\"M\": []}", 9);
  refused(path, DLS_ERR_FILE, "not an HDF5 file");
  write_bytes(path, "\211HDF\r\n\032\n", 8);
  refused(path, DLS_ERR_FILE, "damaged: it ends in the superblock");
  refused(scratch("absent"), DLS_ERR_FILE, "No such file or directory");
  refused("test", DLS_ERR_FILE, "test: Is a directory");
}

// A file that ends anywhere is refused; one with a changed byte is refused or read, and what is
// read is in order.
static void damaged(void **state)
{
  (void)state;
  static char bytes[1 << 16];
  dls_fclib *f = file_made(false, 3, 2, 1), *g;
  const char *path = scratch("damaged.hdf5");
  assert_int_equal(dls_fclib_write(path, f, NULL, NULL), DLS_OK);
  FILE *file = fopen(path, "rb");
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_true(size > 10000 && size < sizeof bytes);
  for (size_t end = 0; end < size; end += end < 100 ? 1 : 499) {
    at_case("end %zu", end);
    write_bytes(path, bytes, end);
    refused(path, DLS_ERR_FILE, end < 8 ? "not an" : end < 100 ? "ends in the" : "truncated: ");
  }
  int read = 0, trials = 0;
  for (size_t k = 0; k < size; k += 1 + (size_t)below(100), trials++) {
    at_case("k %zu", k);
    const char good = bytes[k];
    bytes[k] = (char)(good ^ (1 << below(8)));
    write_bytes(path, bytes, size);
    bytes[k] = good;
    dls_message message;
    if (dls_fclib_read(path, &g, &message) != DLS_OK) {
      assert_null(g);
      assert_memory_equal(message.text, path, strlen(path));
      continue;
    }
    assert_int_equal(dls_incremental_validate(&g->problem, NULL), DLS_OK);
    read++;
    dls_fclib_free(g);
  }
  assert_true(read > 0 && read < trials);
  file_made_free(f);
}

// Address and size of the data, in the bytes of the file: in the dataset's layout message.
static void addresses(void **state)
{
  (void)state;
  static unsigned char bytes[1 << 16];
  dls_fclib *f = file_made(false, 3, 2, 1);
  const char *path = scratch("addresses.hdf5");
  assert_int_equal(dls_fclib_write(path, f, NULL, NULL), DLS_OK);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t q = H5Dopen2(file, VECTORS "q", H5P_DEFAULT);
  const haddr_t offset = H5Dget_offset(q);
  H5Dclose(q), H5Fclose(file);
  FILE *stream = fopen(path, "rb");
  const size_t size = fread(bytes, 1, sizeof bytes, stream);
  fclose(stream);
  unsigned char wanted[] = {3, 1, offset & 255, offset >> 8 & 255, offset >> 16 & 255, 0, 0, 0,
                            0, 0};
  unsigned char *layout = memmem(bytes, size, wanted, sizeof wanted);
  assert_non_null(layout);
  assert_int_equal(layout[10], 48);
  static const char message[] = "/fclib_local/vectors/q: 6 entries are declared, but not stored";
  const size_t places[] = {size - 47, size - 1, size, size + 1, 1 << 30};
  layout[10] = 47;
  write_bytes(path, (char *)bytes, size);
  refused(path, DLS_ERR_FILE, message);
  layout[10] = 48;
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    at_case("k %zu", k);
    for (int b = 0; b < 8; b++) layout[2 + b] = (unsigned char)(places[k] >> 8 * b & 255);
    write_bytes(path, (char *)bytes, size);
    refused(path, DLS_ERR_FILE, message);
  }
  memset(layout + 2, 0xFF, 7);  // with the size it goes round
  layout[9] = 0xFF, layout[2] = 0xFE;
  write_bytes(path, (char *)bytes, size);
  refused(path, DLS_ERR_FILE, message);
  file_made_free(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(spoiled), cmocka_unit_test(global_sizes),
                                     cmocka_unit_test(no_hdf5), cmocka_unit_test(damaged),
                                     cmocka_unit_test(addresses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
