// What is noted of a motion that ceases to be determined: the first time, and the first time that
// is not bounded.
#include "step/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char DLS_PAINLEVE[] = "has so much friction that its normal force is not determined "
                            "(Painleve): it may take off, go on sliding, or jam";
const char DLS_INCONSISTENT[] = "has so much friction that no acceleration fulfils all laws "
                                "(Painleve): velocities must jump";
static const char SHARED[] =
    "slides, and redundant contacts may share the load with it in many ways: its "
    "friction and the motion depend on how they do";
static const char BEFORE[] = "it did so before this sample of the recording";

bool dls_loss_ends(const dls_integrator *g)
{
  return g->loss.ends;
}

static void note(dls_integrator *g, double t, int contact, bool bounded, const char *why)
{
  dls_uniqueness_loss *x = &g->loss;
  if (!x->lost) {
    x->lost = true, x->bounded = bounded, x->t = t, x->contact = contact;
    snprintf(x->why, sizeof x->why, "%s", why);
  }
  if (bounded || x->ends) return;
  x->ends = true, x->end_t = t, x->end_contact = contact;
  snprintf(x->end_why, sizeof x->end_why, "%s", why);
}

static void note_contact(dls_integrator *g, double t, int contact, bool bounded, const char *why)
{
  char words[sizeof g->loss.why];
  snprintf(words, sizeof words, "contact `%.60s` %s",
           contact >= 0 ? g->system->contacts[contact].name : "", why);
  note(g, t, contact, bounded, words);
}

void dls_note_loss(dls_integrator *g, double t, int contact, const char *why)
{
  note_contact(g, t, contact, false, why);
}

void dls_note_sharing(dls_integrator *g, double t, int contact, bool bounded)
{
  note_contact(g, t, contact, bounded, SHARED);
}

void dls_loss_merge(dls_uniqueness_loss *x, const dls_uniqueness_loss *own, const int *contact)
{
  const bool sooner = own->t < x->t || (own->t == x->t && x->bounded && !own->bounded);
  if (own->lost && (!x->lost || sooner)) {
    x->lost = true, x->bounded = own->bounded, x->t = own->t;
    x->contact = own->contact >= 0 ? contact[own->contact] : -1;
    memcpy(x->why, own->why, sizeof x->why);
  }
  if (!own->ends || (x->ends && x->end_t <= own->end_t)) return;
  x->ends = true, x->end_t = own->end_t;
  x->end_contact = own->end_contact >= 0 ? contact[own->end_contact] : -1;
  memcpy(x->end_why, own->end_why, sizeof x->end_why);
}

// --- in the scheme state ---

enum { NONE, ENDS, BOUNDED, BOUNDED_THEN_ENDS };

// Where contacts come and go their numbers mean nothing later.
void dls_loss_keep(const dls_integrator *g, double *kept)
{
  const dls_uniqueness_loss *x = &g->loss;
  kept[0] = x->bounded ? (x->ends ? BOUNDED_THEN_ENDS : BOUNDED) : x->ends ? ENDS : NONE;
  kept[1] = x->t, kept[2] = g->set || !x->lost ? -1 : x->contact;
  kept[3] = x->end_t, kept[4] = g->set || !x->ends ? -1 : x->end_contact;
}

// What is kept is perhaps from a file.
static void note_kept(dls_integrator *g, const double *kept, bool bounded)
{
  const int contact = kept[1] >= 0 && kept[1] < g->system->m ? (int)kept[1] : -1;
  note(g, isfinite(kept[0]) ? kept[0] : g->t, contact, bounded, BEFORE);
}

void dls_loss_recall(dls_integrator *g, const double *kept)
{
  const bool bounded = kept[0] == BOUNDED || kept[0] == BOUNDED_THEN_ENDS;
  const bool ends = kept[0] == ENDS || kept[0] == BOUNDED_THEN_ENDS;
  if (!(bounded || ends) || g->loss.lost) return;
  note_kept(g, kept + 1, bounded);
  if (ends) note_kept(g, kept + 3, false);
}
