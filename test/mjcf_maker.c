#include "mjcf_maker.h"

#include "numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_BODIES = 12, MOST_NAMES = 60 };

typedef struct maker {
  FILE *out;
  bool degrees, simple;
  int bodies, joints, sites, geoms, indent;
  bool single[MOST_NAMES];  // joints of one freedom
  bool slides[MOST_NAMES];
  int body_of_joint[MOST_NAMES];
} maker;

static bool chance(int percent)
{
  return below(100) < percent;
}

static double positive(void)
{
  return 0.05 + 0.5 * fabs(uniform());
}

static void numbers(maker *m, const char *name, int count, double scale)
{
  fprintf(m->out, " %s=\"", name);
  for (int k = 0; k < count; k++) fprintf(m->out, "%s%.9g", k ? " " : "", scale * uniform());
  fprintf(m->out, "\"");
}

// One of the ways to write a rotation, or none.
static void rotation(maker *m)
{
  const double angle = m->degrees ? 180 : 3;
  switch (below(6)) {
  case 0: numbers(m, "quat", 4, 2); break;
  case 1:
    fprintf(m->out, " axisangle=\"%.9g %.9g %.9g %.9g\"", uniform(), uniform(), 0.1 + uniform(),
            angle * uniform());
    break;
  case 2: numbers(m, "xyaxes", 6, 1); break;
  case 3: numbers(m, "zaxis", 3, 1); break;
  case 4: numbers(m, "euler", 3, angle); break;
  default: break;
  }
}

static void line(maker *m)
{
  fprintf(m->out, "\n%*s", 2 * m->indent, "");
}

static void place(maker *m)
{
  if (chance(70)) numbers(m, "pos", 3, 0.5);
  rotation(m);
}

static void weigh(maker *m)
{
  if (chance(40)) fprintf(m->out, " mass=\"%.9g\"", positive());
  else if (chance(50)) fprintf(m->out, " density=\"%.9g\"", 1000 * positive());
}

static void make_geom(maker *m)
{
  static const char *const kinds[] = {"sphere", "capsule", "cylinder", "ellipsoid", "box"};
  static const int sizes[] = {1, 2, 2, 3, 3};
  const int kind = below(m->simple ? 5 : 6);
  line(m);
  if (kind == 5) {
    fprintf(m->out, "<geom type=\"mesh\" mesh=\"%s\" contype=\"0\" conaffinity=\"0\"",
            chance(50) ? "wedge" : "turned");
    place(m);
    weigh(m);
    fprintf(m->out, "/>");
    return;
  }
  fprintf(m->out, "<geom name=\"g%d\" type=\"%s\"", m->geoms++, kinds[kind]);
  const bool ends = kind > 0 && chance(40);
  fprintf(m->out, " size=\"");
  for (int k = 0; k < (ends ? 1 : sizes[kind]); k++)
    fprintf(m->out, "%s%.9g", k ? " " : "", positive());
  fprintf(m->out, "\"");
  if (ends) numbers(m, "fromto", 6, 0.5);
  else place(m);
  weigh(m);
  if (chance(20)) fprintf(m->out, " class=\"heavy\"");
  fprintf(m->out, "/>");
}

static void make_joint(maker *m, int body, int kind)
{
  static const char *const kinds[] = {"hinge", "slide", "ball", "free"};
  const int j = m->joints++;
  m->single[j] = kind < 2;
  m->slides[j] = kind == 1;
  m->body_of_joint[j] = body;
  line(m);
  fprintf(m->out, "<joint name=\"j%d\" type=\"%s\"", j, kinds[kind]);
  if (kind < 2) numbers(m, "axis", 3, 1);
  else fprintf(m->out, " stiffness=\"0\"");
  if (kind < 3 && chance(60)) numbers(m, "pos", 3, 0.3);
  if (chance(40)) fprintf(m->out, " damping=\"%.9g\"", positive());
  if (chance(40)) fprintf(m->out, " armature=\"%.9g\"", positive());
  if (kind < 2 && chance(40)) fprintf(m->out, " stiffness=\"%.9g\"", positive());
  const double scale = m->degrees && kind == 0 ? 50 : 1;
  if (kind < 2 && chance(40)) fprintf(m->out, " ref=\"%.9g\"", scale * uniform());
  if (kind < 2 && chance(40)) fprintf(m->out, " springref=\"%.9g\"", scale * uniform());
  if (kind < 2 && chance(10))
    fprintf(m->out, " springdamper=\"%.9g %.9g\"", positive(), positive());
  if (kind < 2 && chance(30))
    fprintf(m->out, " range=\"%.9g %.9g\"", -scale * positive(), scale * positive());
  if (kind < 2 && chance(15)) fprintf(m->out, " class=\"stiff\"");
  fprintf(m->out, "/>");
}

static void make_inertial(maker *m)
{
  const double a = positive(), b = positive();
  line(m);
  fprintf(m->out, "<inertial mass=\"%.9g\"", positive());
  numbers(m, "pos", 3, 0.3);
  if (m->simple || chance(50)) {
    fprintf(m->out, " diaginertia=\"%.9g %.9g %.9g\"", a, b, a + b - 0.3 * fmin(a, b));
    rotation(m);
  } else {
    const double off = 0.1 * fmin(a, b);
    fprintf(m->out, " fullinertia=\"%.9g %.9g %.9g %.9g %.9g %.9g\"", 2 * a + b, 2 * b + a,
            2 * (a + b), off * uniform(), off * uniform(), off * uniform());
  }
  fprintf(m->out, "/>");
}

static void make_joints(maker *m, int body, bool top)
{
  const int kind = below(top ? 6 : 5);
  if (kind == 5) make_joint(m, body, 3);
  else if (kind == 4) make_joint(m, body, 2);
  else
    for (int k = 0; k < 1 + below(3); k++) make_joint(m, body, below(2));
}

static void make_body(maker *m, int depth)
{
  const int body = m->bodies++;
  line(m);
  fprintf(m->out, "<body name=\"b%d\"", body);
  place(m);
  if (chance(20)) fprintf(m->out, " childclass=\"%s\"", chance(50) ? "heavy" : "stiff");
  fprintf(m->out, ">");
  m->indent++;
  if (chance(90)) make_joints(m, body, depth == 0);
  if (chance(30)) make_inertial(m);
  for (int k = 0; k < 1 + (m->simple ? 0 : below(3)); k++) make_geom(m);
  if (chance(60)) {
    line(m);
    fprintf(m->out, "<site name=\"s%d\"", m->sites++);
    place(m);
    fprintf(m->out, "/>");
  }
  while (m->bodies < MOST_BODIES && depth < 5 && chance(45)) make_body(m, depth + 1);
  m->indent--;
  line(m);
  fprintf(m->out, "</body>");
}

// A joint of one freedom, or -1.
static int some_joint(const maker *m)
{
  for (int k = 0; k < 20 && m->joints > 0; k++) {
    const int j = below(m->joints);
    if (m->single[j]) return j;
  }
  return -1;
}

static int make_tendons(maker *m)
{
  int count = 0;
  fprintf(m->out, "\n  <tendon>");
  for (int k = 0; k < 2; k++) {
    const int a = some_joint(m), b = some_joint(m);
    if (a < 0 || a == b) continue;
    fprintf(m->out, "\n    <fixed name=\"t%d\"", count++);
    if (chance(60)) fprintf(m->out, " stiffness=\"%.9g\"", positive());
    if (chance(60)) fprintf(m->out, " damping=\"%.9g\"", positive());
    if (chance(50)) fprintf(m->out, " springlength=\"%.9g\"", positive());
    fprintf(m->out, "><joint joint=\"j%d\" coef=\"%.9g\"/><joint joint=\"j%d\" coef=\"%.9g\"/>", a,
            uniform(), b, uniform());
    fprintf(m->out, "</fixed>");
  }
  fprintf(m->out, "\n  </tendon>");
  return count;
}

static void make_actuator(maker *m, int tendons)
{
  static const char *const kinds[] = {"motor", "position", "velocity", "general", "general"};
  const int kind = below(5), joint = some_joint(m), on = below(3);
  if (joint < 0) return;
  fprintf(m->out, "\n    <%s", kinds[kind]);
  if (on == 0 && tendons > 0) fprintf(m->out, " tendon=\"t%d\"", below(tendons));
  else if (on == 1 && m->sites > 0 && kind == 0) {
    fprintf(m->out, " site=\"s%d\"", below(m->sites));
    numbers(m, "gear", 6, 3);
  } else {
    fprintf(m->out, " joint=\"j%d\"", joint);
    fprintf(m->out, " gear=\"%.9g\"", 3 * uniform());
  }
  if (kind == 1) fprintf(m->out, " kp=\"%.9g\"", positive());
  if (kind == 2) fprintf(m->out, " kv=\"%.9g\"", positive());
  if (kind >= 3) {
    numbers(m, "gainprm", 1, 5);
    fprintf(m->out, " biastype=\"%s\"", chance(70) ? "affine" : "none");
    // a positive third number would be a damping ratio in newer versions
    fprintf(m->out, " biasprm=\"%.9g %.9g %.9g\"", uniform(), uniform(), -positive());
  }
  if (chance(40)) fprintf(m->out, " ctrlrange=\"%.9g %.9g\"", -positive(), positive());
  if (chance(40)) fprintf(m->out, " forcerange=\"%.9g %.9g\"", -positive(), positive());
  if (chance(15)) fprintf(m->out, " class=\"strong\"");
  fprintf(m->out, "/>");
}

static void make_equalities(maker *m)
{
  fprintf(m->out, "\n  <equality>");
  const int a = some_joint(m), b = some_joint(m);
  if (a >= 0 && a != b) {
    fprintf(m->out, "\n    <joint joint1=\"j%d\" joint2=\"j%d\"", a, b);
    numbers(m, "polycoef", 5, 1);
    fprintf(m->out, "/>");
  }
  if (m->bodies > 1) {
    fprintf(m->out, "\n    <connect body1=\"b0\" body2=\"b%d\"", m->bodies - 1);
    numbers(m, "anchor", 3, 1);
    fprintf(m->out, "/>\n    <connect body1=\"b%d\"", m->bodies / 2);
    numbers(m, "anchor", 3, 1);
    fprintf(m->out, "/>");
  }
  fprintf(m->out, "\n  </equality>");
}

static void make_head(maker *m)
{
  static const char *const sequences[] = {"xyz", "zyx", "XYZ", "ZxY", "yXz"};
  fprintf(m->out, "<mujoco>\n  <compiler angle=\"%s\" eulerseq=\"%s\" autolimits=\"true\"",
          m->degrees ? "degree" : "radian", sequences[below(5)]);
  if (chance(20)) fprintf(m->out, " inertiafromgeom=\"%s\"", "true");
  if (chance(20)) fprintf(m->out, " boundmass=\"0.2\" boundinertia=\"0.01\"");
  if (chance(20)) fprintf(m->out, " settotalmass=\"7\"");
  // how meshes weigh otherwise has changed since
  fprintf(m->out, " exactmeshinertia=\"true\"");
  fprintf(m->out, " balanceinertia=\"true\"/>\n  <option");
  numbers(m, "gravity", 3, 10);
  fprintf(m->out, "/>\n  <default>\n    <joint damping=\"0.1\"/>\n    <geom density=\"700\"/>\n"
                  "    <default class=\"heavy\"><geom density=\"3000\"/>"
                  "<default class=\"stiff\"><joint stiffness=\"4\" armature=\"0.2\"/></default>"
                  "</default>\n"
                  "    <default class=\"strong\"><motor gear=\"4\"/><general ctrlrange=\"-2 3\"/>"
                  "</default>\n"
                  "  </default>\n  <asset>\n");
  for (int k = 0; k < 2; k++) {
    fprintf(m->out, "    <mesh name=\"%s\"", k == 0 ? "wedge" : "turned");
    fprintf(m->out, " vertex=\"0 0 0  0.5 0.1 0  0.1 0.625 0.03  0.2 0.1 0.75 0.5 0.5 0.5\" "
                    "face=\"0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4\"");
    if (k == 1) fprintf(m->out, " scale=\"0.5 2 1.5\"");
    fprintf(m->out, "/>\n");
  }
  fprintf(m->out, "  </asset>\n  <worldbody>");
}

void mjcf_make(FILE *out, bool simple)
{
  maker m = {.out = out, .simple = simple, .degrees = chance(50), .indent = 2};
  make_head(&m);
  while (m.bodies < 2 || (m.bodies < MOST_BODIES && chance(30))) make_body(&m, 0);
  fprintf(out, "\n  </worldbody>");
  const int tendons = make_tendons(&m);
  fprintf(out, "\n  <actuator>");
  for (int k = 0; k < 4; k++) make_actuator(&m, tendons);
  fprintf(out, "\n  </actuator>");
  make_equalities(&m);
  fprintf(out, "\n</mujoco>\n");
}
