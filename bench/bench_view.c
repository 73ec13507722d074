// How large is a page, and how long does it take to write it? Bodies that fly, bounce and come to
// rest, tumbling: 10000 of them in 1000 frames unless the call says otherwise.
//
//   bench_view [BODIES [FRAMES [FILE.html]]]
#include <delassus/view.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double draw(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 24);
}

// One body: it is thrown, bounces with a loss, and rests; turning goes with the speed.
static void move(dls_pose *pose, int bodies, int frames, unsigned seed)
{
  double x[3], v[3], axis[3], angle = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    x[i] = (i == 2 ? 6 : 20) * draw(&seed);
    v[i] = 4 * draw(&seed) - 2;
    axis[i] = draw(&seed) - 0.5;
    size += axis[i] * axis[i];
  }
  const double step = 0.01;
  for (int k = 0; k < frames; k++) {
    dls_pose *p = &pose[(long)k * bodies];
    v[2] -= 9.81 * step;
    for (int i = 0; i < 3; i++) x[i] += v[i] * step;
    if (x[2] < 0.1) {
      x[2] = 0.1;
      for (int i = 0; i < 3; i++) v[i] = i == 2 ? fabs(v[2]) * 0.4 : v[i] * 0.7, axis[i] += 0.1;
      if (v[2] < 0.2) v[0] = v[1] = v[2] = 0;
    }
    angle += step * (fabs(v[0]) + fabs(v[1]));
    size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    p->quaternion[0] = cos(angle);
    for (int i = 0; i < 3; i++) {
      p->position[i] = x[i];
      p->quaternion[1 + i] = sin(angle) * axis[i] / size;
    }
  }
}

int main(int argc, char **argv)
{
  const int bodies = argc > 1 ? atoi(argv[1]) : 10000, frames = argc > 2 ? atoi(argv[2]) : 1000;
  dls_pose *pose = calloc((size_t)bodies * (size_t)frames, sizeof *pose);
  dls_solid *solid = calloc((size_t)bodies + 1, sizeof *solid);
  double *t = calloc((size_t)frames, sizeof *t);
  const char **name = calloc((size_t)bodies, sizeof *name);
  if (!pose || !solid || !t || !name) return 1;
  for (int k = 0; k < frames; k++) t[k] = 0.01 * k;
  for (int b = 0; b < bodies; b++) {
    name[b] = "body";
    solid[b] = (dls_solid){.name = "",
                           .body = b,
                           .pose.quaternion = {1},
                           .kind = b % 2 ? DLS_SOLID_BOX : DLS_SOLID_SPHERE,
                           .size = {0.1, 0.15, 0.2}};
    move(&pose[b], bodies, frames, (unsigned)b + 1);
  }
  solid[bodies] =
      (dls_solid){.name = "", .body = -1, .pose.quaternion = {1}, .kind = DLS_SOLID_PLANE};
  const dls_view view = {.title = "bodies that come to rest",
                         .space = 3,
                         .look = {0.7, -1, 0.5},
                         .frames = frames,
                         .t = t,
                         .bodies = bodies,
                         .body = name,
                         .pose = pose,
                         .solids = bodies + 1,
                         .solid = solid};
  char *html = NULL;
  size_t size = 0;
  dls_message message = {0};
  const clock_t begin = clock();
  if (dls_view_html(&view, &html, &size, &message) != DLS_OK) {
    fprintf(stderr, "%s\n", message.text);
    return 1;
  }
  printf("%d bodies, %d frames: %.1f MB, written in %.1f s\n", bodies, frames, (double)size / 1e6,
         (double)(clock() - begin) / CLOCKS_PER_SEC);
  FILE *file = argc > 3 ? fopen(argv[3], "wb") : NULL;
  if (file) {
    fwrite(html, 1, size, file);
    fclose(file);
  }
  dls_view_html_free(html);
  free(pose);
  free(solid);
  free(t);
  free((void *)name);
  return 0;
}
