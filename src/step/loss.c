// What is noted of a motion that ceases to be determined.
#include "step/scheme.h"

#include <stdio.h>

const char DLS_PAINLEVE[] = "has so much friction that its normal force is not determined "
                            "(Painleve): it may take off, go on sliding, or jam";
const char DLS_INCONSISTENT[] = "has so much friction that no acceleration fulfils all laws "
                                "(Painleve): velocities must jump";
bool dls_loss_ends(const dls_integrator *g)
{
  return g->loss.lost && !g->loss.bounded;
}

double dls_loss_kept(const dls_integrator *g)
{
  return g->loss.bounded ? 2 : g->loss.lost;
}

void dls_loss_recall(dls_integrator *g, double kept)
{
  if (kept == 0 || g->loss.lost) return;
  g->loss = (dls_uniqueness_loss){.lost = true,
                                  .bounded = kept == 2,
                                  .t = g->t,
                                  .contact = -1,
                                  .why = "it did so before this sample of the recording"};
}

void dls_note_sharing(dls_integrator *g, double t, int contact, bool bounded)
{
  if (bounded ? g->loss.lost : dls_loss_ends(g)) return;
  dls_note_loss(g, t, contact,
                "slides, and redundant contacts may share the load with it in many ways: its "
                "friction and the motion depend on how they do");
  g->loss.bounded = bounded;
}

void dls_note_loss(dls_integrator *g, double t, int contact, const char *why)
{
  if (dls_loss_ends(g)) return;
  g->loss = (dls_uniqueness_loss){.lost = true, .t = t, .contact = contact};
  snprintf(g->loss.why, sizeof g->loss.why, "contact `%.60s` %s",
           contact >= 0 ? g->system->contacts[contact].name : "", why);
}
