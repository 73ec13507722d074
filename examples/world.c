// A simulator of one's own: spheres fall into a box, and delassus finds the forces. All that knows
// about shapes is here.
//
//   cc world.c $(pkg-config --cflags --libs delassus) -lm
#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>

enum { SPHERES = 40, STEPS = 800 };
static const double radius = 0.1, wall = 0.25;

// Sphere i and what has its nearest point, less `reach`, at `from`; `other` tells them apart.
static dls_status touch(dls_world *world, int i, int j, int other, const double from[3],
                        double reach)
{
  const double *x = dls_world_body(world, i)->position;
  const double d[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
  const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (distance - reach > 0.05) return DLS_OK;  // farther than it goes in a step
  dls_world_contact c = {.a = i, .b = j, .gap = distance - reach, .friction = 0.5};
  c.id = 1 + (uint64_t)(i * 2 * SPHERES + other);
  for (int k = 0; k < 3; k++) {
    c.normal[k] = d[k] / distance;
    c.point[k] = x[k] - radius * c.normal[k];
  }
  return dls_world_add_contact(world, &c, NULL);
}

static void find_contacts(dls_world *world)
{
  dls_world_clear_contacts(world);
  for (int i = 0; i < SPHERES; i++) {
    const double *x = dls_world_body(world, i)->position;
    for (int j = 0; j < i; j++)
      touch(world, i, j, j, dls_world_body(world, j)->position, 2 * radius);
    touch(world, i, DLS_GROUND, SPHERES, (double[]){x[0], x[1], 0}, radius);
    for (int side = -1; side <= 1; side += 2) {
      touch(world, i, DLS_GROUND, SPHERES + 2 + side, (double[]){side * wall, x[1], x[2]}, radius);
      touch(world, i, DLS_GROUND, SPHERES + 5 + side, (double[]){x[0], side * wall, x[2]}, radius);
    }
  }
}

int main(void)
{
  dls_world_options options = dls_world_defaults();
  dls_world *world = NULL;
  dls_world_report report = {0};
  dls_message message = {{0}};
  int failed = 0;
  double speed = 0, height = 0;
  options.gravity[2] = -9.81;
  dls_status status = dls_world_create(&options, &world, &message);
  for (int i = 0; i < SPHERES && status == DLS_OK; i++) {
    const double I = 0.4 * radius * radius;
    const dls_body sphere = {
        .mass = 1,
        .inertia = {I, I, I},
        .quaternion = {1},
        .position = {0.22 * (i % 2) - 0.12 + 0.01 * (i % 3), 0.22 * (i / 2 % 2) - 0.11,
                     0.2 + 0.21 * (i / 4)},
    };
    status = dls_world_add_body(world, &sphere, NULL, &message);
  }
  for (int step = 0; step < STEPS && status == DLS_OK; step++) {
    find_contacts(world);
    status = dls_world_step(world, 2.5e-3, &report, &message);
    failed += !report.converged;
  }
  for (int i = 0; i < SPHERES && status == DLS_OK; i++) {
    const dls_body *b = dls_world_body(world, i);
    height = fmax(height, b->position[2] + radius);
    speed = fmax(speed, hypot(hypot(b->velocity[0], b->velocity[1]), b->velocity[2]));
  }
  if (status != DLS_OK) fprintf(stderr, "%s: %s\n", dls_status_text(status), message.text);
  printf("delassus %s: %d spheres lie %.3f high, speed %.1e; %d of %d steps did not converge\n",
         dls_version(), SPHERES, height, speed, failed, STEPS);
  dls_world_free(world);
  return status == DLS_OK ? 0 : 1;
}
