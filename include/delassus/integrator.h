// How does it move? Time integration of a system through impacts, stick and slip.
//
// An integrator borrows the system, which must outlive it, and is with it in one thread at a time.
// What a sample or an event points to is good until the next call.
#ifndef DELASSUS_INTEGRATOR_H
#define DELASSUS_INTEGRATOR_H

#include <delassus/contact.h>
#include <delassus/incremental.h>

#ifdef __cplusplus
extern "C" {
#endif

// One row of the table of schemes.
typedef struct dls_scheme_info {
  const char *name;
  const char *summary;  // one line
  int order;            // in the coordinates, while the step does not change
  bool events;          // events are located: order holds through impacts
  bool adaptive;  // chooses its steps always; the others with events when rtol or atol is given
} dls_scheme_info;

DLS_API int dls_scheme_count(void);
DLS_API const dls_scheme_info *dls_scheme_info_at(int index);
DLS_API const dls_scheme_info *dls_scheme_find(const char *name);  // NULL: no such scheme

// What happens between two smooth pieces.
#define DLS_EVENT_LIST(X)                                        \
  X(DLS_EVENT_IMPACT, "impact")     /* velocities jump */        \
  X(DLS_EVENT_TOUCH, "touch")       /* closes without a jump */  \
  X(DLS_EVENT_TAKE_OFF, "take-off") /* a closed contact opens */ \
  X(DLS_EVENT_STICK, "stick")       /* sliding ends */           \
  X(DLS_EVENT_SLIP, "slip")         /* sliding begins */         \
  X(DLS_EVENT_SWITCH, "switch")     /* a force changes its branch */

typedef enum dls_event_kind {
#define DLS_EVENT_CODE(code, name) code,
  DLS_EVENT_LIST(DLS_EVENT_CODE)
#undef DLS_EVENT_CODE
} dls_event_kind;

DLS_API const char *dls_event_name(dls_event_kind kind);

// One event of a scheme that locates them, told in the order of time. In a system of several parts
// q and v also hold those that have no event, where they are at that time: being told takes work
// then. They are told when the step is made: those of one that fails are not (but for a step with
// more than 32 of them).
typedef struct dls_event {
  dls_event_kind kind;
  int contact;             // that gave rise to it; -1: none, a force switches
  double t;                // end of the critical interval
  const double *q;         // nq, there
  const double *v_before;  // n: at the interval's begin
  const double *v_after;   // n: at its end
  const double *impulse;   // impulses of the interval, laid out as in dls_sample
  const double *since;  // those from the sample before up to the interval's begin; evenly over the
                        // step in parts that have no event, up to the last one in those that do
} dls_event;

// What a scheme does where it notices that the motion ceases to be determined.
typedef enum dls_on_loss {
  DLS_ON_LOSS_STOP,      // it ends there
  DLS_ON_LOSS_CONTINUE,  // it goes on with one of the motions that are possible
} dls_on_loss;

// What has a unit says so: these numbers change with the units of the system, all others do not.
typedef struct dls_integrator_options {
  const char *scheme;  // a name of the table; default "moreau"
  double step;         // a time > 0: the step, or the first one where steps are chosen; no default
  double theta;        // of Moreau's scheme, in [0, 1]; default 1/2
  double gamma;        // of its prediction of the gap, in [0, 1]; default 1/2
  double rtol, atol;   // error of a step, where steps are chosen; atol in the unit of each
                      // coordinate. Both 0: fixed steps, or for the schemes that always choose 1e-4
                      // and 1e-6
  double atol_velocity;  // the same for velocities, in the unit of each; 0: the number of atol
  double max_step;       // a time: no step is longer; 0: no bound
  int facets;            // of the pyramid of "lcp"; default 8
  double stabilize;      // its eps; default 1e-8
  double tolerance;     // of the contact laws of a step: their residual, without unit; default 1e-9
  double closed;        // a length: gaps up to this count as zero; default 1e-9
  double rest;          // a velocity: h' and slips up to this count as zero; default 1e-9
  double critical;      // C: a critical interval is up to C h (h / time since the start)^p; 0.01
  dls_on_loss on_loss;  // default DLS_ON_LOSS_STOP
  // Called at each event; may be NULL.
  void (*event)(void *self, const dls_event *event);
  // Looks on during a step, before evaluations and in iterations of contact problems; t: where
  // the step began. True ends the step with DLS_ERR_STOPPED, as if it had not been begun. May be
  // NULL.
  bool (*watch)(void *self, double t);
  void *self;  // of both
} dls_integrator_options;

DLS_API dls_integrator_options dls_integrator_defaults(void);

// Why an integrator cannot go on.
#define DLS_FAILURE_LIST(X)                                                           \
  X(DLS_FAILURE_NONE, "")                                                             \
  X(DLS_FAILURE_CONTACT, "the contact problem of the step was not solved")            \
  X(DLS_FAILURE_NEWTON, "Newton's iteration for the step did not converge")           \
  X(DLS_FAILURE_SINGULAR, "the mass matrix is singular on the motions that are free") \
  X(DLS_FAILURE_CONSTRAINT, "the bilateral constraints could not be met")             \
  X(DLS_FAILURE_NUMBER, "a number of the model is not finite")                        \
  X(DLS_FAILURE_STEP, "the step became too small")                                    \
  X(DLS_FAILURE_UNIQUENESS, "the motion ceases to be determined")                     \
  X(DLS_FAILURE_UNSTABLE, "the steps are too long: velocities swing, and grow")

typedef enum dls_failure {
#define DLS_FAILURE_CODE(code, text) code,
  DLS_FAILURE_LIST(DLS_FAILURE_CODE)
#undef DLS_FAILURE_CODE
} dls_failure;

DLS_API const char *dls_failure_text(dls_failure failure);

typedef struct dls_step_counts {
  long steps;  // accepted
  long rejected;
  long rhs_evaluations;  // of M, F, G, ... at a point
  long derivatives;      // of their derivatives
  long contact_problems;
  long events;
  long coarse;  // intervals that schemes with events have crossed by Moreau's, longer than around
                // an event, for there were very many of these
  double max_penetration;    // largest -h of a unilateral contact at the end of a step
  double max_bilateral_gap;  // largest |h| of a bilateral constraint, likewise
  double max_bilateral_velocity;
  double worst_residual;  // of the contact laws of a step, recomputed at its end; without unit
  long steps_above;       // steps that were accepted with more than the tolerance
} dls_step_counts;

// What is known at the end of a step; what a recording keeps. The arrays are the integrator's.
typedef struct dls_sample {
  double t;
  double next_step;  // that the next call will try
  int nq, n, m;
  const double *q, *v;          // nq numbers of the configuration, n velocities
  int impulses;                 // of all contacts: normal first, then its slips, in their order
  const double *impulse;        // since the sample before
  const unsigned char *status;  // m: dls_contact_status
  int scheme_state_size;        // what the scheme remembers besides; often none
  const double *scheme_state;
  const int *first;    // m + 1: the impulses of contact j begin at j + first[j]; may be NULL
  const uint64_t *id;  // m, where contacts come and go: identities, 0 for bilateral constraints;
                       // NULL: the set is always the same
  int outputs;         // of the model, where the caller has added them (dls_model_outputs)
  const double *output;
} dls_sample;

typedef struct dls_integrator dls_integrator;

// Where the motion first ceased to be determined, as far as schemes with events see it: the sign of
// the determinant of the forces' equations, and other motions of few contacts where modes change.
typedef struct dls_uniqueness_loss {
  bool lost;
  bool bounded;  // redundant contacts share a load, within bounds: the run goes on whatever on_loss
                 // says, with one of the motions
  double t;
  int contact;    // -1: not known
  char why[200];  // and which motions are possible
  bool ends;     // there was one that is not bounded, this or a later one; a run that stops does so
  double end_t;  // there
  int end_contact;
  char end_why[200];
} dls_uniqueness_loss;

// The start must be consistent: DLS_ERR_STATE otherwise, and the message names the constraint and
// the amount. DLS_ERR_ARGUMENT with a message for options out of range, or a system without what
// the scheme needs (derivatives). DLS_ERR_NUMBER when a number of the system, or its energy, is not
// finite at the start. The system must outlive it; nobody else may use it meanwhile.
// Schemes with events integrate each part of a system (dls_system.parts) on its own: it moves as it
// would alone. Where steps are chosen the parts do so for themselves, and a step of the whole holds
// several of theirs; counts.steps counts those of the whole.
DLS_API dls_status dls_integrator_create(const dls_system *system, const dls_state *start,
                                         const dls_integrator_options *options,
                                         dls_integrator **out, dls_message *message);
DLS_API void dls_integrator_free(dls_integrator *integrator);  // NULL is fine

// One step, to `until` at most. DLS_OK also when it failed: then *failure says why, the message
// says when and where, and the state is that of the last step. Allocates nothing, but for large
// systems: where motions have no inertia, or hardly any, matrices (of some 30 coordinates and
// constraints that hang together) may need pivots of their own; and where more than 64 contacts are
// declared, matrices are made when contacts are closed for the first time and, while less than a
// quarter of them is, anew when contacts close or open. Where a system finds its contacts
// (dls_system.find) everything is made anew when its set changes. DLS_ERR_MEMORY, or DLS_ERR_LIMIT,
// when that fails: time, coordinates and velocities are then those of the last step, and
// dls_integrator_restart with its sample, or freeing, are what is left.
DLS_API dls_status dls_integrator_advance(dls_integrator *integrator, double until,
                                          dls_failure *failure, dls_message *message);

DLS_API dls_sample dls_integrator_sample(const dls_integrator *integrator);

// The energies at the sample. DLS_ERR_ARGUMENT when the system has none, DLS_ERR_NUMBER when one is
// not finite.
DLS_API dls_status dls_integrator_energy(const dls_integrator *integrator, double *kinetic,
                                         double *potential, dls_message *message);

// Goes on from a sample, as a recording kept it: calling it with the integrator's own sample
// changes nothing, so that a run that goes through its recording can be taken up again with the
// same result. The sizes must be those of the integrator's own samples; where contacts come and go
// it takes up those of the sample, by their identities. DLS_ERR_ARGUMENT else.
DLS_API dls_status dls_integrator_restart(dls_integrator *integrator, const dls_sample *sample,
                                          dls_message *message);

DLS_API dls_uniqueness_loss dls_integrator_uniqueness(const dls_integrator *integrator);

DLS_API dls_step_counts dls_integrator_counts(const dls_integrator *integrator);

// The contact problem of the step that failed, in local form, and the contacts (of the system)
// that its contacts are; NULL unless the failure was one of a contact problem.
DLS_API const dls_incremental *dls_integrator_problem(const dls_integrator *integrator,
                                                      const int **contact);

#ifdef __cplusplus
}
#endif
#endif
