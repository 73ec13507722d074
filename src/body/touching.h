// The solids of a mechanism, which of them touch, and the contacts between them at hand.
#ifndef DLS_BODY_TOUCHING_H
#define DLS_BODY_TOUCHING_H

#include "body/expanded.h"
#include "body/pair.h"
#include "shape/near.h"

typedef struct dls_body_solid {
  int body;   // of the forest, or DLS_WORLD
  int given;  // of the mechanism
  int group;  // the body with joints that carries it, as given; -1: fixed in the world
  dls_pose pose;
  dls_form *form;
  bool endless;    // a plane
  double half[3];  // of a box around it, in its frame
  double middle[3];
  double friction, restitution;
  int type, affinity;
  const char *name;  // body, and solid
} dls_body_solid;

typedef struct dls_solid_place {
  dls_solid_motion motion;
  double way;  // how far it may go
} dls_solid_place;

// Two solids, and the contacts between them that are selected.
typedef struct dls_solid_pair {
  int solid[2];
  int first, count;  // contacts
  dls_pair pair;
} dls_solid_pair;

typedef struct dls_body_touch {
  int pair;
  dls_touch_id touch;
  double friction, restitution;
  int place;  // of its slopes
} dls_body_touch;

typedef struct dls_name_entry {
  uint64_t id;
  const char *name;
} dls_name_entry;

typedef struct dls_touching {
  int solids, rules;
  dls_body_solid *solid;
  dls_contact_rule *rule;
  const int *group_parent;      // bodies given: the group that each group hangs on, -1: the world
  uint64_t features, first_id;  // most of one solid; identities from here on are contacts
  dls_near *near;
  dls_near_box *box;
  int *near_group;
  dls_solid_place *place;
  uint64_t *id;
  ptrdiff_t id_room;
  bool ambiguous;  // the last search met a degenerate pair
  // names that were given, by identity
  dls_arena *arena;
  dls_name_entry *entry;
  ptrdiff_t entries, entry_room;
  // what is selected
  dls_solid_pair *pair;
  dls_body_touch *touch;
  int pairs, touches;
  int *velocity;
  unsigned char *side;
  ptrdiff_t pair_room, touch_room, velocity_room, side_room, velocities;
  dls_pair_state *state;
  dls_motion_slope *slope;  // as slopes of dls_pair_slopes
  ptrdiff_t state_room, slope_room;
} dls_touching;

// DLS_ERR_LIMIT when there are more features than identities.
dls_status dls_touching_create(dls_touching *all, const dls_mechanism *mechanism,
                               const dls_expanded *expanded, const dls_tree *tree, int first_id,
                               dls_arena *arena, dls_message *message);
void dls_touching_free(dls_touching *all);
// Friction, restitution and rules; shapes and places too.
dls_status dls_touching_read(dls_touching *all, const dls_mechanism *mechanism,
                             dls_message *message);
// May any two solids ever touch?
bool dls_touching_any(const dls_touching *all);

// Of two solids; false: they do not touch.
bool dls_touching_rule(const dls_touching *all, int a, int b, double *friction,
                       double *restitution);

// Identities of contacts near the tree's last move, increasing, behind those that are in all->id
// already.
dls_status dls_touching_find(dls_touching *all, const dls_tree *tree, const double gravity[3],
                             double reach, double horizon, int *count);

// What an identity means. False: nothing.
bool dls_touching_decode(const dls_touching *all, uint64_t id, int solid[2], dls_touch_id *touch);
// "A.a/B.b", kept as long as the solids; NULL: no memory.
const char *dls_touching_name(dls_touching *all, uint64_t id);

// Pairs and contacts of these identities.
dls_status dls_touching_select(dls_touching *all, const dls_tree *tree, int count,
                               const uint64_t *id, dls_message *message);

// Frames of all pairs at the tree's last move.
void dls_touching_move(dls_touching *all, const dls_tree *tree, bool bounds);
dls_status dls_touching_values(const dls_touching *all, int touch, bool bounds,
                               dls_touch_values *values, dls_touch_values *error);

#endif
