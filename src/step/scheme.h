// What a scheme is: one file with one of these, listed in schemes.c.
#ifndef DLS_STEP_SCHEME_H
#define DLS_STEP_SCHEME_H

#include "step/projector.h"
#include "step/moreau.h"

// Numbers that a scheme remembers, by what they belong to: where contacts come and go, those of
// contacts that stay go with them.
typedef enum dls_memory_kind {
  DLS_MEMORY_WHOLE,    // width numbers
  DLS_MEMORY_CONTACT,  // width for each contact
  DLS_MEMORY_SLIP,     // one for each slip velocity
  DLS_MEMORY_LAW,      // width for each contact of dls_step_problem
} dls_memory_kind;

typedef struct dls_scheme_state_block {
  dls_memory_kind kind;
  int place, width;
} dls_scheme_state_block;

enum { DLS_SCHEME_STATE_BLOCKS = 6 };

// What a step changes before it is over, as it was at its begin; kept where a step may be stopped.
typedef struct dls_begun {
  double *scheme_state;
  dls_uniqueness_loss loss;
  dls_step_counts counts;
} dls_begun;

// What all schemes share. At the begin and the end of a step the point stands at (t, q, v). In a
// system with a chart these are local coordinates, around the configuration of the step's begin.
struct dls_integrator {
  const dls_system *system;
  dls_integrator_options options;
  const struct dls_scheme *scheme;
  void *self;  // the scheme's own
  dls_arena *arena;
  dls_snapshot point;
  double *noise;            // of the snapshot; NULL: all bilateral constraints have gradients
  dls_projector projector;  // of the schemes that create it
  dls_moreau *moreau;

  double t;
  double *q, *v;                     // n
  double *configuration, *velocity;  // nq, n: q and v themselves where there is no chart
  double *told;                      // nq + 3 n: an event as it is told, then work; NULL: no chart
  double step;                       // that the next call tries
  double grid;                       // where fixed steps are counted from,
  long count;                        // and how many were made since
  int m;                             // contacts, those of the set where they come and go
  int impulses;                      // 1 + tangents for each contact
  double *impulse;                   // of the last step: where the next one starts
  double *total;                     // since the last moment that was taken up
  unsigned char *status;             // m
  uint64_t *id;                      // m, where contacts come and go: 0 for bilateral constraints
  int scheme_state_size;
  double *scheme_state;
  int blocks;  // what the numbers of the scheme state belong to
  dls_scheme_state_block block[DLS_SCHEME_STATE_BLOCKS];
  struct dls_contact_set *set;  // NULL: it never changes

  // where a step is prepared: n, n, impulses
  double *q1, *v1, *impulse1;
  dls_begun begun;
  const dls_incremental *failed;  // the contact problem that was not solved
  dls_uniqueness_loss loss;
  struct dls_telling *telling;          // NULL: nobody listens
  struct dls_spare *spare;              // NULL: no constraint is ever left out
  struct dls_jamming *jamming;          // NULL: the scheme looks itself, or there is no friction
  struct dls_instability *instability;  // NULL: an implicit scheme, or adaptive steps
};

typedef struct dls_scheme {
  dls_scheme_info info;
  // Allocates what the scheme needs (from the integrator's arena, or its own that destroy frees).
  // May set scheme_state_size. The state is known, the point stands there. NULL: nothing to do.
  dls_status (*create)(dls_integrator *g, dls_message *message);
  void (*destroy)(dls_integrator *g);  // NULL: nothing to do

  // One step of length h from (t, q, v) to t1 (= t + h up to rounding). On success q1, v1 and
  // impulse1 (a start in, impulses of the step out) hold the new state, *end the time reached (t1
  // unless the scheme chooses its steps), g->step the next step to try, and the point stands there.
  // On failure the integrator's state is untouched; the message says what is known beyond the
  // failure itself.
  dls_failure (*advance)(dls_integrator *g, double t1, double *end, dls_message *message);
  bool own_status;  // advance (and create) sets the status of the contacts itself
  // After a step h, when local coordinates are others: what is remembered of them. before: where
  // the step began, in the new ones. NULL: nothing is.
  void (*recentre)(dls_integrator *g, const double *before, double h);
} dls_scheme;

// The next numbers of g->scheme_state belong to that.
void dls_remember(dls_integrator *g, dls_memory_kind kind, int width);

// Tells an event of the scheme, given in local coordinates, when its step is made.
void dls_integrator_tell(dls_integrator *g, const dls_event *event);

// --- loss of uniqueness, in loss.c ---

// The motion ceases to be determined at t, by that contact; only the first time counts, and the
// first time that is not bounded.
void dls_note_loss(dls_integrator *g, double t, int contact, const char *why);
void dls_note_sharing(dls_integrator *g, double t, int contact, bool bounded);
bool dls_loss_ends(const dls_integrator *g);  // one that is not bounded has been noted
// What a part of a system has lost, to the whole; contact: the numbers of the part's contacts.
void dls_loss_merge(dls_uniqueness_loss *loss, const dls_uniqueness_loss *own, const int *contact);

// What is remembered of it, and taken up unless a loss has been noted.
enum { DLS_LOSS_NUMBERS = 5 };
void dls_loss_keep(const dls_integrator *g, double *kept);
void dls_loss_recall(dls_integrator *g, const double *kept);
extern const char DLS_PAINLEVE[], DLS_INCONSISTENT[];

extern const dls_scheme dls_scheme_moreau, dls_scheme_moreau_projected, dls_scheme_schatzman_paoli,
    dls_scheme_moreau_adaptive, dls_scheme_moreau_variable_order, dls_scheme_lcp, dls_scheme_radau3,
    dls_scheme_radau5, dls_scheme_lobatto2, dls_scheme_lobatto4, dls_scheme_lobatto6,
    dls_scheme_herk2, dls_scheme_herk3, dls_scheme_herk4, dls_scheme_herk5, dls_scheme_herk8;

const dls_scheme *dls_scheme_at(int index);  // of the table; NULL beyond

// Not in the table: takes the place of a scheme with events where the system has several parts.
extern const dls_scheme dls_scheme_parts;
// After it has failed: a coordinate of the part, and dls_integrator_problem.
const char *dls_parts_failed(const dls_integrator *g);
const dls_incremental *dls_parts_problem(const dls_integrator *g, const int **contact);

#endif
