// Contacts that come and go under an integrator: what it keeps of those that stay.
#ifndef DLS_STEP_CONTACT_SET_H
#define DLS_STEP_CONTACT_SET_H

#include "step/scheme.h"

// An integrator's state, with what belongs to contacts by their identities.
typedef struct dls_kept {
  double t;
  double *q, *v;  // nq, n
  double step, grid;
  long count;
  dls_step_counts counts;
  dls_uniqueness_loss loss;
  int m;
  uint64_t *id;  // m; 0 for bilateral constraints, which keep their places
  int *first;    // m + 1: slips
  int *of;       // m: place in dls_step_problem, or -1
  double *impulse, *total;
  unsigned char *status;
  double *scheme_state;
  int blocks;
  dls_scheme_state_block block[DLS_SCHEME_STATE_BLOCKS];
} dls_kept;

typedef struct dls_contact_set dls_contact_set;

// For an integrator whose system finds its contacts.
dls_status dls_contact_set_create(dls_integrator *g);
void dls_contact_set_free(dls_contact_set *set);  // NULL is fine

// Takes down the state of the integrator; the last one that was.
dls_status dls_contact_set_keep(dls_integrator *g);
const dls_kept *dls_contact_set_kept(const dls_integrator *g);

// The contacts for a step of that length, those that the try before missed, and those that have
// impulses which nobody has taken up.
// *changed: the system has others now than before, and the state was kept.
dls_status dls_contact_set_choose(dls_integrator *g, double horizon, bool *changed,
                                  dls_message *message);
// Marks those of the set that were not found as absent. Returns: others than before.
bool dls_contact_set_mark(dls_integrator *g);
// The same where a step begins, with what follows from it. A contact that was missed, and that is
// penetrated here, has come from the side: it is absent in this step.
dls_status dls_contact_set_settle(dls_integrator *g, dls_message *message);

// After a step of that length failed, where it begins: contacts whose formulas jump on the way are
// absent. Where features become parallel they say nothing.
dls_status dls_contact_set_drop_jumps(dls_integrator *g, double h, dls_message *message);

// The contacts of a sample: m identities, 0 for bilateral constraints, the others increasing.
// *changed as above. DLS_ERR_ARGUMENT when they cannot be those of the system.
dls_status dls_contact_set_take(dls_integrator *g, int m, const uint64_t *id, bool *changed,
                                dls_message *message);

// Is a contact penetrated that the set does not have? The next choice has it.
dls_status dls_contact_set_missed(dls_integrator *g, bool *missed, dls_message *message);

// Contacts of the set that a state, where the point stands, penetrates by their formulas alone,
// while the solids are nearest elsewhere: absent from now on.
dls_status dls_contact_set_drop_false(dls_integrator *g, double t, const double *q, const double *v,
                                      dls_message *message);

// The contacts with gaps up to reach at a point: is contact j one of them, and are there any that
// the step does not have?
dls_status dls_contact_set_look(dls_integrator *g, double t, const double *q, const double *v,
                                double reach, dls_message *message);
bool dls_contact_set_sees(const dls_integrator *g, int j);
bool dls_contact_set_sees_others(const dls_integrator *g);

// Gives the integrator back what was kept: its statuses, then all else.
void dls_contact_set_restore_status(dls_integrator *g, const dls_kept *kept);
void dls_contact_set_restore(dls_integrator *g, const dls_kept *kept);

#endif
