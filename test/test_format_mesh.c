// STL and OBJ files, and what meshes weigh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include "numbers.h"

#include "format/mesh.h"

#include <delassus/import.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A box of 1 x 2 x 3 with a corner at the origin: its points, and faces seen from outside.
static const char box[] = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
                          "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static dls_mesh parse(const char *text)
{
  dls_mesh mesh = {0};
  dls_message message = {""};
  if (dls_obj_parse("box.obj", text, strlen(text), &mesh, &message))
    print_message("%s\n", message.text);
  return mesh;
}

static void volumes(void **unused)
{
  (void)unused;
  dls_mesh mesh = parse(box);
  assert_int_equal(mesh.points, 8);
  assert_int_equal(mesh.triangles, 12);
  for (int weight = DLS_MESH_LEGACY; weight <= DLS_MESH_EXACT; weight++) {
    const dls_mass m = dls_mesh_mass(&mesh, (dls_mesh_weight)weight);
    close_to(m.mass, 6, 1e-14);
    for (int k = 0; k < 3; k++) close_to(m.centre[k], 0.5 * (k + 1), 1e-14);
    const double wanted[6] = {6.5, 5, 2.5, 0, 0, 0};  // 6/12 (b^2 + c^2)
    for (int k = 0; k < 6; k++) close_to(m.inertia[k], wanted[k], 1e-13);
  }
  const dls_mass shell = dls_mesh_mass(&mesh, DLS_MESH_SHELL);
  double moments[3];
  const double size[3] = {1, 2, 3};
  close_to(shell.mass, 22, 1e-13);
  dls_mass_moments(DLS_SOLID_BOX, size, true, moments);
  for (int k = 0; k < 3; k++) close_to(shell.inertia[k], 22 * moments[k], 1e-12);
  // turned inside out: what is exact becomes negative, and then nothing
  for (int t = 0; t < mesh.triangles; t++) {
    const int swap = mesh.corner[3 * t];
    mesh.corner[3 * t] = mesh.corner[3 * t + 1];
    mesh.corner[3 * t + 1] = swap;
  }
  close_to(dls_mesh_mass(&mesh, DLS_MESH_EXACT).mass, 0, 0);
  close_to(dls_mesh_mass(&mesh, DLS_MESH_LEGACY).mass, 6, 1e-14);
  dls_mesh_free(&mesh);
}

// Shapes against sums over many small cubes, or thin layers of them.
static void shapes(void **unused)
{
  (void)unused;
  static const struct {
    dls_solid_kind kind;
    double size[3], mass;
    double moments[3];  // of a mass of 1
  } known[] = {
      {DLS_SOLID_SPHERE, {2, 0, 0}, 32 * 3.14159265358979 / 3, {1.6, 1.6, 1.6}},
      {DLS_SOLID_CYLINDER, {1, 3, 0}, 3 * 3.14159265358979, {1, 1, 0.5}},
      {DLS_SOLID_ELLIPSOID, {1, 2, 3}, 8 * 3.14159265358979, {2.6, 2, 1}},
      {DLS_SOLID_BOX, {1, 2, 3}, 6, {13. / 12, 10. / 12, 5. / 12}},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double moments[3];
    close_to(dls_mass_measure(known[k].kind, known[k].size, false), known[k].mass, 1e-12);
    dls_mass_moments(known[k].kind, known[k].size, false, moments);
    for (int i = 0; i < 3; i++) close_to(moments[i], known[k].moments[i], 1e-14);
  }
  // a capsule's are those of a sphere and of a cylinder at the ends of its length
  const double ball[3] = {2, 1e-9, 0}, rod[3] = {1e-6, 3, 0};
  double moments[3];
  dls_mass_moments(DLS_SOLID_CAPSULE, ball, false, moments);
  close_to(moments[0], 1.6, 1e-8);
  dls_mass_moments(DLS_SOLID_CAPSULE, rod, false, moments);
  close_to(moments[0], 9. / 12, 1e-5);
  for (int kind = DLS_SOLID_SPHERE; kind <= DLS_SOLID_BOX; kind++) {
    // a shell is what a solid gains as it grows a little, evenly
    const double h = 1e-6, size[3] = {1, 1.5, 0.7};
    double thin[3], inner[3], outer[3], more[3];
    const bool box_like = kind == DLS_SOLID_BOX;
    for (int i = 0; i < 3; i++) more[i] = size[i] + (box_like ? 2 * h : h);
    if (kind == DLS_SOLID_CAPSULE) more[1] = size[1];
    if (kind == DLS_SOLID_CYLINDER) more[1] = size[1] + 2 * h;
    const double V = dls_mass_measure((dls_solid_kind)kind, size, false),
                 W = dls_mass_measure((dls_solid_kind)kind, more, false);
    dls_mass_moments((dls_solid_kind)kind, size, true, thin);
    dls_mass_moments((dls_solid_kind)kind, size, false, inner);
    dls_mass_moments((dls_solid_kind)kind, more, false, outer);
    at_case("shell of kind %d", kind);
    for (int i = 0; i < 3; i++) close_to(thin[i], (W * outer[i] - V * inner[i]) / (W - V), 1e-5);
    if (kind != DLS_SOLID_ELLIPSOID)
      close_to(dls_mass_measure((dls_solid_kind)kind, size, true), (W - V) / h, 1e-4);
  }
}

// Sums of parts in frames of their own; principal axes.
static void sums(void **unused)
{
  (void)unused;
  for (int seed = 0; seed < 100; seed++) {
    dls_mass a = {.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}}, b = {.mass = 2};
    b.centre[0] = uniform(), b.centre[1] = uniform(), b.centre[2] = uniform();
    const dls_mass c = dls_mass_sum(&a, &b);
    double trace = 3, distance = 0;
    for (int k = 0; k < 3; k++) distance += b.centre[k] * b.centre[k];
    trace += 2 * distance * 2 / 3;  // reduced mass 2/3, twice
    close_to(c.inertia[0] + c.inertia[1] + c.inertia[2], trace, 1e-14);
    double moments[3], turn[4], again[6], inertia[6];
    for (int k = 0; k < 6; k++) inertia[k] = uniform() + (k < 3 ? 3 : 0);
    dls_mass_principal(inertia, moments, turn);
    assert_true(moments[0] >= moments[1] && moments[1] >= moments[2]);
    dls_mass_of_principal(moments, turn, again);
    for (int k = 0; k < 6; k++) close_to(again[k], inertia[k], 1e-13);
  }
}

static char path[400];

static dls_status read_points(const char *ending, const char *data, size_t size, int *count,
                              double **point, dls_message *message)
{
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%.300s/delassus-mesh-%ld%s", folder ? folder : "/tmp",
           (long)getpid(), ending);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
  message->text[0] = 0;
  const dls_status status = dls_import_points(path, count, point, message);
  unlink(path);
  return status;
}

static void kinds_of_files(void **unused)
{
  (void)unused;
  int count = 0;
  double *point = NULL;
  dls_message message;
  const char ascii[] = "solid x\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n"
                       "  VERTEX 0 1.5e0 -0\n endloop\nendfacet\nendsolid x\n";
  assert_int_equal(read_points(".stl", ascii, strlen(ascii), &count, &point, &message), DLS_OK);
  assert_int_equal(count, 3);
  close_to(point[7], 1.5, 0);
  free(point);

  // two triangles that share an edge, binary, though they begin with "solid"; 1.0f is 0000803f
  char binary[84 + 2 * 50] = "solid";
  binary[80] = 2;
  const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 0, 1, 0, 0, 1, 1, 0}};
  for (int t = 0; t < 2; t++) memcpy(binary + 84 + 50 * t + 12, corners[t], sizeof corners[t]);
  assert_int_equal(read_points(".STL", binary, sizeof binary, &count, &point, &message), DLS_OK);
  assert_int_equal(count, 4);
  free(point);

  // faces from the newest vertex backwards, with textures, of five corners; a line goes on
  const char obj[] = "# x\nv 0 0 0 1\nv 1 0 0\r\nv 2 1 0\nv 1 2 0\nv 0 \\\n1 0\nvn 0 0 1\n"
                     "f -5/1/1 -4//1 -3 -2 -1\n";
  assert_int_equal(read_points(".obj", obj, strlen(obj), &count, &point, &message), DLS_OK);
  assert_int_equal(count, 5);
  free(point);
  dls_mesh mesh = parse(obj);
  assert_int_equal(mesh.triangles, 3);
  close_to(dls_mesh_mass(&mesh, DLS_MESH_SHELL).mass, 2.5, 1e-14);
  dls_mesh_free(&mesh);
}

static void bad_files(void **unused)
{
  (void)unused;
  static const struct {
    const char *ending, *text, *message;
  } bad[] = {
      {".obj", "v 0 0\n", ":1: a vertex needs three numbers"},
      {".obj", "v 0 0 nan\n", ":1: a vertex needs three finite numbers"},
      {".obj", "v 0 0 0\nf 1 1 2\n", ":2: a corner of a face must be a vertex above"},
      {".obj", "v 0 0 0\nf 1 1\n", ":2: a face needs three corners"},
      {".obj", "v 0 0 0\nf a b c\n", ":2: the corners of a face must be numbers of vertices"},
      {".obj", "# nothing\n", ": there are no points in it"},
      {".stl", "solid\nvertex 0 0\n", ": this is not an STL file: 1 vertices are no triangles"},
      {".stl", "solid\nvertex 0 0 0 vertex 0 0 0 vertex 0 0 inf", ":2: `inf` is not a finite"},
      {".dae", "<COLLADA/>", ": only STL and OBJ files can be read"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    int count = 1;
    double *point = NULL;
    dls_message message;
    at_case("%s", bad[k].text);
    const dls_status status =
        read_points(bad[k].ending, bad[k].text, strlen(bad[k].text), &count, &point, &message);
    assert_int_equal(status, DLS_ERR_MODEL);
    assert_null(point);
    assert_int_equal(count, 0);
    if (!strstr(message.text, bad[k].message)) print_message("%s\n", message.text);
    assert_non_null(strstr(message.text, bad[k].message));
  }
  // a binary file that claims more triangles than it has, and one with a number that is none
  char binary[84 + 50] = {0};
  int count = 0;
  double *point = NULL;
  dls_message message;
  binary[83] = 0x7f;
  assert_int_equal(read_points(".stl", binary, sizeof binary, &count, &point, &message),
                   DLS_ERR_MODEL);
  assert_non_null(strstr(message.text, "do not fit into 134 bytes"));
  binary[83] = 0;
  binary[80] = 1;
  memcpy(binary + 84 + 12, "\xff\xff\xff\x7f", 4);
  assert_int_equal(read_points(".stl", binary, sizeof binary, &count, &point, &message),
                   DLS_ERR_MODEL);
  assert_non_null(strstr(message.text, "point 1 is not finite"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes),        cmocka_unit_test(shapes),    cmocka_unit_test(sums),
      cmocka_unit_test(kinds_of_files), cmocka_unit_test(bad_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
