// Patterns of sums of small dense blocks: each clique of velocities couples all of its members.
#ifndef DLS_BODY_CLIQUE_H
#define DLS_BODY_CLIQUE_H

#include <delassus/system.h>

#include <stddef.h>

// Grows; starts as {0}.
typedef struct dls_cliques {
  int count;
  ptrdiff_t *first;  // count + 1
  int *member;
  ptrdiff_t first_room, member_room;
} dls_cliques;

// Members in any order. False: no memory.
bool dls_cliques_add(dls_cliques *cliques, int members, const int *member);
void dls_cliques_clear(dls_cliques *cliques);  // memory is kept
void dls_cliques_free(dls_cliques *cliques);

// n x n: the entries of base and those of all cliques. The arrays of *out are allocated, and freed
// with free(). DLS_ERR_LIMIT when there are too many.
dls_status dls_cliques_pattern(const dls_cliques *cliques, const dls_pattern *base,
                               dls_pattern *out, dls_message *message);

// Where the entry stands in the pattern, or -1.
int dls_pattern_place(const dls_pattern *pattern, int row, int column);

#endif
