#include "solve/pace.h"

static const double ahead = 0.1;   // seconds of the processor, alone, before others are tried
static const double share = 0.05;  // of all seconds that may be lost by trying
static const double busy = 1.1;    // seconds for one of the processor, where cores are scarce
static const double late = 0.995;  // how the past fades, piece by piece

int dls_pace_threads(const dls_pace *p)
{
  if (p->always) return p->threads;
  const bool known = p->alone > 0 && p->worked >= ahead, alone = p->clock > busy * p->own;
  return known && !alone && p->lost <= share * p->spent ? p->threads : 1;
}

void dls_pace_note(dls_pace *p, int threads, double units, double seconds, double own)
{
  if (p->always || !(units > 0) || !(seconds > 0)) return;
  const double each = seconds / units;
  p->spent += seconds;
  if (threads == 1) {
    if (!(p->alone > 0) || each < p->alone) p->alone = each;
    p->worked += own;
    p->clock = late * p->clock + seconds, p->own = late * p->own + own;
  } else {
    p->lost += seconds - p->alone * units;
    if (p->lost < 0) p->lost = 0;
  }
}
