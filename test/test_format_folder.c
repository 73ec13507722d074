// Files that a model names: found beside it or in packages, and refused elsewhere.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"

#include <delassus/import.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[300];

static void put(const char *name, const char *text)
{
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void make(const char *name)
{
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static void make_link(const char *to, const char *name)
{
  char path[400], target[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(target, sizeof target, "%s/%s", folder, to);
  assert_int_equal(symlink(target, path), 0);
}

//   outside.obj  arm/robots/model  arm/robots/{meshes,foot}/...  arm/meshes/a.obj  other/b.obj
static int set_up(void **unused)
{
  (void)unused;
  const char *base = getenv("TMPDIR");
  static const char points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
                               "f 2 3 4\n";
  snprintf(folder, sizeof folder, "%.200s/delassus-folder-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder)) return -1;
  make("arm"), make("arm/robots"), make("arm/robots/meshes"), make("arm/robots/foot");
  make("arm/meshes"), make("other");
  put("outside.obj", points), put("arm/meshes/a.obj", points), put("other/b.obj", points);
  put("arm/robots/meshes/c.obj", points), put("arm/robots/foot/d.obj", points);
  make_link("outside.obj", "arm/robots/link.obj");
  make_link("arm/robots/meshes/c.obj", "arm/robots/good.obj");
  make_link("other", "arm/robots/door");
  char path[400];
  snprintf(path, sizeof path, "%s/arm/robots/pipe.obj", folder);
  return mkfifo(path, 0600);
}

static int tear_down(void **unused)
{
  (void)unused;
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static dls_status read_model(const char *text, const dls_import_options *options,
                             dls_message *message)
{
  char path[400];
  put("arm/robots/model", text);
  snprintf(path, sizeof path, "%s/arm/robots/model", folder);
  dls_import *import = NULL;
  message->text[0] = 0;
  const dls_status status = dls_import_read(path, options, &import, message);
  dls_import_free(import);
  return status;
}

// The mesh of a body that touches nothing: only weighed.
static dls_status read_mjcf(const char *file, const dls_import_options *options,
                            dls_message *message)
{
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='m' file='%s'/></asset><worldbody><body><geom type='mesh' "
           "mesh='m' contype='0' conaffinity='0'/></body></worldbody></mujoco>",
           file);
  return read_model(text, options, message);
}

typedef struct expectation {
  const char *file, *message;  // NULL: it is found
} expectation;

static void meshes_of_mjcf(void **unused)
{
  (void)unused;
  static const expectation wanted[] = {
      {"meshes/c.obj", NULL},
      {"./foot/../meshes/c.obj", NULL},
      {"good.obj", NULL},
      {"none.obj", "there is no file"},
      {"../meshes/a.obj", "leads out of the folder"},
      {"link.obj", "leads out of the folder"},
      {"door/b.obj", "leads out of the folder"},
      {"pipe.obj", "it is not a regular file"},
      {"/etc/hostname", "leads out of the folder"},
      {"meshes", "only STL and OBJ"},
  };
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    dls_message message;
    at_case("%s", wanted[k].file);
    const dls_status status = read_mjcf(wanted[k].file, NULL, &message);
    if (status) print_message("%s\n", message.text);
    assert_int_equal(status, wanted[k].message ? DLS_ERR_MODEL : DLS_OK);
    if (wanted[k].message) assert_non_null(strstr(message.text, wanted[k].message));
  }
  // a package lets it out
  char package[400];
  snprintf(package, sizeof package, "%s/arm", folder);
  const dls_import_package packages[] = {{"arm", package}};
  const dls_import_options options = {.packages = 1, .package = packages};
  dls_message message;
  assert_int_equal(read_mjcf("../meshes/a.obj", &options, &message), DLS_OK);
  assert_int_equal(read_mjcf("../../outside.obj", &options, &message), DLS_ERR_MODEL);
}

static dls_status include(const char *file, dls_message *message)
{
  char text[400];
  snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", file);
  return read_model(text, NULL, message);
}

static void includes(void **unused)
{
  (void)unused;
  dls_message message;
  put("outside.xml", "<mujoco/>");
  put("arm/robots/foot/part.xml", "<mujocoinclude><worldbody><body name='a'/></worldbody>"
                                  "<include file='rest.xml'/></mujocoinclude>");
  put("arm/robots/foot/rest.xml", "<mujoco><worldbody><body name='b'/></worldbody></mujoco>");
  put("arm/robots/foot/loop.xml", "<mujoco><include file='loop.xml'/></mujoco>");
  put("arm/robots/foot/bad.xml", "<mujoco>\n  <worldbody>\n    <bdy/>\n  </worldbody>\n</mujoco>");
  assert_int_equal(include("foot/part.xml", &message), DLS_OK);
  assert_int_equal(include("../../outside.xml", &message), DLS_ERR_MODEL);
  assert_int_equal(include("foot/loop.xml", &message), DLS_ERR_MODEL);
  assert_non_null(strstr(message.text, "is included already"));
  // the place is in the file that has it
  assert_int_equal(include("foot/bad.xml", &message), DLS_ERR_MODEL);
  assert_non_null(strstr(message.text, "arm/robots/foot/bad.xml:3:6: error: "));
  assert_non_null(strstr(message.text, "did you mean `body`?"));
}

static void packages_of_urdf(void **unused)
{
  (void)unused;
  char other[400];
  snprintf(other, sizeof other, "%s/other", folder);
  const dls_import_package packages[] = {{"other", other}};
  const dls_import_options options = {.packages = 1, .package = packages};
  static const expectation wanted[] = {
      {"package://arm/meshes/a.obj", NULL},  // a folder around the model
      {"package://arm/robots/meshes/c.obj", NULL},
      {"package://foot/d.obj", NULL},            // beside it
      {"package://unknown/meshes/c.obj", NULL},  // in the model's folder
      {"package://other/b.obj", NULL},           // as the options say
      {"package://other/../outside.obj", "leads out"},
      {"package://arm/../outside.obj", "leads out"},
      {"package://arm/robots/link.obj", "leads out"},
      {"package://arm", "where is that package"},
      {"package:///etc/hostname", "where is that package"},
      {"package://../outside.obj", "where is that package"},
      {"package://arm/none.obj", "where is that package"},
      {"file://meshes/c.obj", NULL},
  };
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    char text[1000];
    dls_message message;
    at_case("%s", wanted[k].file);
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s'/></geometry>"
             "</collision></link></robot>",
             wanted[k].file);
    const dls_status status = read_model(text, &options, &message);
    if (status) print_message("%s\n", message.text);
    assert_int_equal(status, wanted[k].message ? DLS_ERR_MODEL : DLS_OK);
    if (wanted[k].message) assert_non_null(strstr(message.text, wanted[k].message));
  }
}

static void files_of_model_texts(void **unused)
{
  (void)unused;
  char path[400];
  dls_message message = {""};
  dls_model_files *files = NULL;
  put("arm/robots/text.dls", "");
  put("arm/robots/hand.xml", "<mujoco><worldbody><body name='palm'/></worldbody></mujoco>");
  snprintf(path, sizeof path, "%s/arm/robots/text.dls", folder);
  assert_int_equal(dls_model_files_create(path, NULL, &files, &message), DLS_OK);
  dls_import *import = NULL;
  assert_int_equal(files->mechanism(files->self, "hand.xml", &import, &message), DLS_OK);
  assert_string_equal(import->mechanism.body[0].name, "palm");
  files->free_mechanism(import);
  import = NULL;
  assert_int_equal(files->mechanism(files->self, "../../outside.xml", &import, &message),
                   DLS_ERR_FILE);
  assert_null(import);
  assert_int_equal(files->mechanism(files->self, "none.xml", &import, &message), DLS_ERR_FILE);
  dls_hull *hull = NULL;
  assert_int_equal(files->hull(files->self, "meshes/c.obj", &hull, &message), DLS_OK);
  assert_int_equal(hull->vertices, 4);
  files->free_hull(hull);
  hull = NULL;
  assert_int_equal(files->hull(files->self, "link.obj", &hull, &message), DLS_ERR_FILE);
  assert_null(hull);
  dls_model_files_free(files);
  snprintf(path, sizeof path, "%s/none/text.dls", folder);
  assert_int_equal(dls_model_files_create(path, NULL, &files, &message), DLS_ERR_FILE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_of_mjcf),
      cmocka_unit_test(includes),
      cmocka_unit_test(packages_of_urdf),
      cmocka_unit_test(files_of_model_texts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
