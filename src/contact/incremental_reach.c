// What loads reach: a contact that is loaded moves others by its impulse, and so their velocities
// are as large as its own, or less where it hardly moves them.                      eq (inc.13)
#include "base/memory.h"
#include "base/union_find.h"
#include "contact/incremental.h"

#include <math.h>
#include <stdlib.h>

enum { NOWHERE = -1 };

// Nodes are contacts, then equations in local form. In global form contacts meet in groups:
// coordinates that the mass matrix or equations connect. Contact i has the entries first[i] ...
// first[i+1]-1, each with its group and its part of W_ii; group g has the list of entries
// list[begin[g]] ... list[begin[g+1]-1], the ones that may still gain first.
struct dls_reach {
  bool known;
  int nodes, contacts, groups;
  double *label, top;
  int *heap, *place;  // place: of each node in the heap, or NOWHERE
  int count, waiting, left;
  int *group_of;  // of each coordinate
  int *first, *group, *owner, *begin, *open, *list;
  double *part;
};

void dls_reach_free(dls_reach *s)
{
  if (!s) return;
  free(s->label), free(s->heap), free(s->group_of), free(s->first), free(s->group);
  free(s->owner), free(s->begin), free(s->open), free(s->list), free(s->part);
  free(s);
}

// ---- groups ------------------------------------------------------------------------------------

// Numbers the classes of coordinates.
static void find_groups(const dls_incremental *p, dls_reach *s)
{
  const dls_pattern *M = &p->M.pattern, *H = &p->H.pattern;
  const int end = p->dimension * p->contacts;
  int *class = s->group_of;
  for (int k = 0; k < p->dof; k++) class[k] = k;
  for (int j = 0; j < M->cols; j++)
    for (int e = M->p[j]; e < M->p[j + 1]; e++) dls_unite(class, j, M->i[e]);
  for (int j = end; j < H->cols; j++)
    for (int e = H->p[j]; e + 1 < H->p[j + 1]; e++) dls_unite(class, H->i[e], H->i[e + 1]);
  // what stands for a class is its smallest element: it is numbered before the others
  for (int k = 0; k < p->dof; k++) {
    const int root = dls_class_of(class, k);
    if (root != k) continue;
    s->open[k] = s->groups++;
  }
  for (int k = 0; k < p->dof; k++) s->begin[k] = s->open[dls_class_of(class, k)];
  for (int k = 0; k < p->dof; k++) class[k] = s->begin[k];
}

// The groups of each contact, each once.
static void find_entries(const dls_incremental *p, dls_reach *s)
{
  const dls_pattern *H = &p->H.pattern;
  const int d = p->dimension;
  int *last = s->open, count = 0;  // the last contact of each group
  for (int g = 0; g < s->groups; g++) last[g] = -1;
  for (int i = 0; i < p->contacts; i++) {
    s->first[i] = count;
    for (int e = H->p[d * i]; e < H->p[d * (i + 1)]; e++) {
      const int g = s->group_of[H->i[e]];
      if (last[g] == i) continue;
      last[g] = i, s->owner[count] = i, s->group[count++] = g;
    }
  }
  s->first[p->contacts] = count;
}

static void sort_by_groups(dls_reach *s, int contacts)
{
  for (int g = 0; g <= s->groups; g++) s->begin[g] = 0;
  for (int e = 0; e < s->first[contacts]; e++) s->begin[s->group[e] + 1]++;
  for (int g = 0; g < s->groups; g++) s->begin[g + 1] += s->begin[g], s->open[g] = s->begin[g];
  for (int e = 0; e < s->first[contacts]; e++) s->list[s->open[s->group[e]]++] = e;
}

static dls_status connect(const dls_incremental *p, dls_reach *s)
{
  const ptrdiff_t dof = (ptrdiff_t)p->dof + 2, contacts = (ptrdiff_t)p->contacts + 1;
  const ptrdiff_t most = (ptrdiff_t)p->H.pattern.p[p->dimension * p->contacts] + 1;
  s->group_of = dls_alloc(dof, sizeof(int)), s->open = dls_alloc(dof, sizeof(int));
  s->begin = dls_alloc(dof, sizeof(int)), s->first = dls_alloc(contacts, sizeof(int));
  s->group = dls_alloc(most, sizeof(int)), s->owner = dls_alloc(most, sizeof(int));
  s->list = dls_alloc(most, sizeof(int)), s->part = dls_alloc(most, sizeof(double));
  if (!s->group_of || !s->open || !s->begin || !s->first || !s->group || !s->owner || !s->list ||
      !s->part)
    return DLS_ERR_MEMORY;
  find_groups(p, s);
  find_entries(p, s);
  sort_by_groups(s, p->contacts);
  return DLS_OK;
}

dls_status dls_reach_create(const dls_incremental *p, dls_reach **out)
{
  dls_reach *s = *out = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->nodes = p->contacts + (p->global ? 0 : p->equations);
  s->label = dls_alloc(s->nodes, sizeof(double));
  s->heap = dls_alloc(2 * (ptrdiff_t)s->nodes, sizeof(int));
  dls_status status = s->label && s->heap ? DLS_OK : DLS_ERR_MEMORY;
  if (s->heap) s->place = s->heap + s->nodes;
  if (status == DLS_OK && p->global) status = connect(p, s);
  if (status == DLS_OK) return status;
  dls_reach_free(s);
  *out = NULL;
  return status;
}

// ---- a heap of nodes, the largest label on top --------------------------------------------------

static void put(dls_reach *s, int at, int node)
{
  s->heap[at] = node, s->place[node] = at;
}

static void rise(dls_reach *s, int at)
{
  const int node = s->heap[at];
  for (; at > 0 && s->label[s->heap[(at - 1) / 2]] < s->label[node]; at = (at - 1) / 2)
    put(s, at, s->heap[(at - 1) / 2]);
  put(s, at, node);
}

static int take_largest(dls_reach *s)
{
  const int top = s->heap[0], node = s->heap[--s->count];
  s->place[top] = NOWHERE;
  if (s->count == 0) return top;
  int at = 0;
  for (int next = 1; next < s->count; at = next, next = 2 * at + 1) {
    if (next + 1 < s->count && s->label[s->heap[next + 1]] > s->label[s->heap[next]]) next++;
    if (!(s->label[s->heap[next]] > s->label[node])) break;
    put(s, at, s->heap[next]);
  }
  put(s, at, node);
  return top;
}

// ---- reaching -----------------------------------------------------------------------------------

// What comes from a node with this label, of which another has the part; all of it where a scale is
// none. A node that has the largest label of all waits on a stack, at the end of the heap's memory:
// mostly that is each of them, and there is no heap.
static void lift(dls_reach *s, int node, double label, double part)
{
  const double comes = part < noticed ? label * (part / noticed) : label;
  if (!(comes > s->label[node])) return;
  s->label[node] = comes;
  if (comes == s->top) s->heap[--s->waiting] = node, s->left -= node < s->contacts;
  else if (s->place[node] != NOWHERE) rise(s, s->place[node]);
}

// By the columns of W. The units of equations are their own: with them the part is that of
// energies.
static void reach_local(const dls_incremental *p, const double *d, dls_reach *s, int from)
{
  const int size = p->dimension, n = p->contacts, end = size * n;
  const int first = from < n ? size * from : end + from - n, last = first + (from < n ? size : 1);
  const double label = s->label[from], own = d[from];
  for (int e = p->W.pattern.p[first]; e < p->W.pattern.p[last]; e++) {
    const int row = p->W.pattern.i[e], to = row < end ? row / size : n + row - end;
    if (!(label > s->label[to]) || p->W.x[e] == 0) continue;
    lift(s, to, label, fabs(p->W.x[e]) / (from < n && to < n ? own : sqrt(own * d[to])));
  }
}

// By the groups that the contact moves, as if M had nothing but its diagonal. Those that have the
// label gain no more from later ones.
static void reach_global(dls_reach *s, int from)
{
  const double label = s->label[from];
  double own = 0;
  for (int e = s->first[from]; e < s->first[from + 1]; e++) own += s->part[e];
  for (int e = s->first[from]; e < s->first[from + 1]; e++) {
    const int g = s->group[e];
    for (int k = s->begin[g]; k < s->open[g];) {
      const int other = s->list[k], i = s->owner[other];
      if (label > s->label[i]) lift(s, i, label, sqrt(s->part[e] / own * (s->part[other] / own)));
      if (s->label[i] < label) k++;
      else s->list[k] = s->list[--s->open[g]], s->list[s->open[g]] = other;
    }
  }
}

static double diagonal_of(const dls_matrix_view *M, int k)
{
  for (int e = M->pattern.p[k]; e < M->pattern.p[k + 1]; e++)
    if (M->pattern.i[e] == k) return fabs(M->x[e]);
  return 0;
}

// The parts of W_ii, and all entries may gain.
static void set_parts(const dls_incremental *p, dls_reach *s)
{
  const dls_pattern *H = &p->H.pattern;
  for (int e = 0; e < s->first[p->contacts]; e++) s->part[e] = 0;
  for (int i = 0; i < p->contacts; i++)
    for (int h = H->p[p->dimension * i]; h < H->p[p->dimension * (i + 1)]; h++) {
      int e = s->first[i];
      while (s->group[e] != s->group_of[H->i[h]]) e++;
      s->part[e] += p->H.x[h] * (p->H.x[h] / diagonal_of(&p->M, H->i[h]));
    }
  for (int g = 0; g < s->groups; g++) s->open[g] = s->begin[g + 1];
}

static void reach_from(const dls_incremental *p, const double *d, dls_reach *s, int from)
{
  if (p->global) reach_global(s, from);
  else reach_local(p, d, s, from);
}

// From the nodes with the largest label, as long as it reaches others as a whole.
static void flood(const dls_incremental *p, const double *d, dls_reach *s)
{
  s->waiting = s->nodes, s->left = p->contacts;
  for (int i = 0; i < p->contacts; i++)
    if (s->label[i] == s->top) s->heap[--s->waiting] = i, s->left--;
  if (s->left > 0 && p->global) set_parts(p, s);
  while (s->left > 0 && s->waiting < s->nodes) reach_from(p, d, s, s->heap[s->waiting++]);
}

// The shares of what the largest label does not reach as a whole.
static void reach_rest(const dls_incremental *p, const double *d, dls_reach *s)
{
  s->count = 0;
  for (int i = 0; i < s->nodes; i++) {
    if (s->label[i] == s->top) continue;
    put(s, s->count++, i);
    rise(s, s->count - 1);
  }
  while (s->count > 0 && s->label[s->heap[0]] > 0) reach_from(p, d, s, take_largest(s));
}

void dls_reach_forget(dls_reach *s)
{
  s->known = false;
}

void dls_reach_find(const dls_incremental *p, const double *d, dls_reach *s, double *share)
{
  const int n = s->contacts = p->contacts;
  if (s->known) return;
  s->known = true, s->top = 0, s->left = 0;
  for (int i = 0; i < s->nodes; i++) {
    s->label[i] = i < n ? share[i] : 0, s->place[i] = NOWHERE;
    if (s->label[i] > s->top) s->top = s->label[i];
  }
  if (s->top > 0) flood(p, d, s);
  if (s->left > 0) reach_rest(p, d, s);
  for (int i = 0; i < n; i++) share[i] = s->left > 0 && s->label[i] > 0 ? s->label[i] / s->top : 1;
}
