// How the distance between two graphs grows with the number of their points: smooth motions close
// together and far apart, jumps, accumulations of jumps.
//
// usage: bench_trajectory [largest N]
#include "timing.h"

#include "accuracy/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long random_state = 1;

static double noise(void)
{
  random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(random_state >> 11) / 9007199254740992.0 - 0.5;
}

typedef struct motion {
  size_t count;
  int n;
  double *t, *x;
} motion;

static motion make(size_t count, int n)
{
  motion m = {count, n, calloc(count, sizeof(double)), calloc(count * (size_t)n, sizeof(double))};
  if (!m.t || !m.x) exit(2);
  return m;
}

// x_k = amplitude sin(omega t + phase + k) + offset for 0 <= t <= 10
static motion wave(size_t count, int n, double omega, double phase, double amplitude, double offset)
{
  motion m = make(count, n);
  for (size_t i = 0; i < count; i++) {
    m.t[i] = 10 * (double)i / (double)(count - 1);
    for (int k = 0; k < n; k++)
      m.x[i * (size_t)n + (size_t)k] = amplitude * sin(omega * m.t[i] + phase + k) + offset;
  }
  return m;
}

static motion rough(motion m, double size)
{
  for (size_t i = 0; i < m.count * (size_t)m.n; i++) m.x[i] += size * noise();
  return m;
}

static motion walk(size_t count, int n)
{
  motion m = rough(wave(count, n, 0, 0, 0, 0), 8 / sqrt((double)count));
  for (size_t i = (size_t)n; i < count * (size_t)n; i++) m.x[i] += m.x[i - (size_t)n];
  return m;
}

// Jumps between 1 and -1 at equal distances.
static motion square(size_t count, double shift)
{
  motion m = make(count, 1);
  for (size_t i = 0; i < count; i++) {
    m.t[i] = 20 * (double)((i + 1) / 2) / (double)count + shift;
    m.x[i] = i / 2 % 2 ? -1 : 1;
  }
  return m;
}

// The velocity of a ball that bounces until it rests: jumps at times that accumulate. With a
// restitution this near to 1 nearly all of them are close to the end.
static motion ball(size_t count, double height)
{
  motion m = make(count, 1);
  double t = 0, v = sqrt(2 * height), restitution = 1 - 40 / (double)count;
  for (size_t i = 0; i + 1 < count; i += 2) {
    m.t[i] = t, m.x[i] = v;
    t += 2 * v;
    m.t[i + 1] = t, m.x[i + 1] = -v;
    v *= restitution;
  }
  if (count % 2) m.t[count - 1] = t;
  for (size_t i = 0; i < count; i++) m.t[i] *= 10 / t;
  return m;
}

static void measure(const char *name, motion a, motion b)
{
  const dls_trajectory x = {(ptrdiff_t)a.count, a.n, a.t, a.x},
                       y = {(ptrdiff_t)b.count, b.n, b.t, b.x};
  dls_graph_work work = {0};
  double distance = 0, best = INFINITY;
  for (int run = 0; run < 3 && best > 1e-9 && (run == 0 || best < 2); run++) {
    const double start = processor_time();
    if (dls_graph_distance_counted(&x, &y, &distance, &work) != DLS_OK) exit(2);
    best = fmin(best, processor_time() - start);
  }
  printf("| %s | %zu | %zu | %d | %.3g | %.4g | %.3g | %.3g | %.3g |\n", name, a.count, b.count,
         a.n, best * 1e3, distance, (double)work.searches, (double)work.nodes, (double)work.splits);
  fflush(stdout);
  free(a.t), free(a.x), free(b.t), free(b.x);
}

int main(int count, char **arguments)
{
  const size_t largest = count > 1 ? (size_t)atof(arguments[1]) : 1000000;
  printf("| graphs | N | N | n | ms | distance | searches | boxes | splits |\n");
  printf("|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (size_t N = 10000; N <= largest; N *= 10) {
    const size_t M = N / 2 * 3 + 1;
    measure("sine, finer grid", wave(N, 1, 3, 0, 1, 0), wave(M, 1, 3, 0, 1, 0));
    measure("sine, coarse grid", wave(N / 1000, 1, 3, 0, 1, 0), wave(M, 1, 3, 0, 1, 0));
    measure("sine, 1e-6 apart", wave(N, 1, 3, 0, 1, 0), wave(M, 1, 3, 1e-6, 1, 0));
    measure("sine, out of phase", wave(N, 1, 3, 0, 1, 0), wave(M, 1, 3, 1.5, 1, 0));
    measure("sine, noise 1e-3", rough(wave(N, 1, 3, 0, 1, 0), 1e-3),
            rough(wave(M, 1, 3, 0, 1, 0), 1e-3));
    measure("noise, far constant", rough(wave(N, 1, 0, 0, 1, 0), 1), wave(2, 1, 0, 0, 0, 100));
    measure("noise, far fine constant", rough(wave(N, 1, 0, 0, 1, 0), 1), wave(M, 1, 0, 0, 0, 100));
    measure("noise, far noise", rough(wave(N, 1, 0, 0, 1, 0), 1),
            rough(wave(M, 1, 0, 0, 1, 100), 1));
    measure("one line", wave(2, 1, 0, 0, 0, 1), wave(M, 1, 0, 0, 0, 1));
    measure("line, noise 1e-6", wave(2, 1, 0, 0, 0, 1), rough(wave(M, 1, 0, 0, 0, 1), 1e-6));
    measure("jumps, shifted", square(N, 0), square(N, 7.3 / (double)N));
    measure("jumps, line", square(N, 0), wave(2, 1, 0, 0, 0, 0));
    measure("accumulation", ball(N, 1), ball(N, 1.0001));
    measure("accumulation, other", ball(N, 1), ball(M, 1));
    measure("turns, line", wave(N, 2, (double)N / 100, 0, 1, 0), wave(2, 2, 0, 0, 0, 0));
    measure("turns, turns", wave(N, 2, (double)N / 100, 0, 1, 0),
            wave(N, 2, (double)N / 100, 0, 0.5, 0.1));
    measure("fine line, turns", wave(M, 2, 0, 0, 0, 0), wave(N, 2, (double)N / 100, 0, 1, 0));
    measure("random walks", walk(N, 1), walk(M, 1));
    measure("random walks", walk(N, 3), walk(M, 3));
    measure("waves", wave(N, 8, 3, 0, 1, 0), wave(M, 8, 3, 1e-3, 1, 0));
    measure("waves, far", wave(N, 8, 3, 0, 1, 0), wave(M, 8, 3, 1.5, 1, 3));
  }
  return 0;
}
