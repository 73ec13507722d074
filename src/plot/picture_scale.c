#include "base/format.h"
#include "plot/picture_scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A range that is narrower than this, relative to its ends, is a point: its ticks would look equal.
static const double narrowest = 1e-12;

static bool is_point(double low, double high)
{
  const double size = fmax(fabs(low), fabs(high));
  return !(high / 2 - low / 2 > narrowest * size / 2) || !(high / 2 - low / 2 > 1e-305);
}

static double bounded(double x)
{
  return fmax(-DBL_MAX, fmin(DBL_MAX, x));
}

static void widen(dls_scale *s)
{
  if (s->logarithmic) {
    s->low = fmax(s->low / 2, DBL_MIN);
    s->high = fmax(bounded(s->high * 2), 4 * DBL_MIN);
    return;
  }
  const double size = fmax(fabs(s->low), fabs(s->high));
  const double by = size > 1e-290 ? size / 10 : 1;
  s->low = bounded(s->low - by);
  s->high = bounded(s->high + by);
}

static void add_margin(dls_scale *s, double margin)
{
  if (s->logarithmic) {
    const double by = margin * (log10(s->high) - log10(s->low));
    s->low = fmax(pow(10, log10(s->low) - by), DBL_MIN);
    s->high = bounded(pow(10, log10(s->high) + by));
    return;
  }
  const double by = 2 * margin * (s->high / 2 - s->low / 2);
  s->low = bounded(s->low - by);
  s->high = bounded(s->high + by);
}

dls_scale dls_scale_of(const dls_axis *axis, double low, double high, double margin, bool point)
{
  dls_scale s = {.logarithmic = axis->logarithmic, .whole = axis->whole};
  if (axis->names) {
    s.low = -0.5;
    s.high = axis->name_count - 0.5;
    s.logarithmic = false;
    return s;
  }
  const bool chosen = axis->low < axis->high;
  s.low = chosen || point ? axis->low : low;
  s.high = chosen || point ? axis->high : high;
  if (!isfinite(s.low) || !isfinite(s.high)) s.low = s.logarithmic ? 0.1 : 0, s.high = 1;
  if (!chosen && !point && !is_point(s.low, s.high)) add_margin(&s, margin);
  if (is_point(s.low, s.high) && !point) widen(&s);
  return s;
}

double dls_scale_place(const dls_scale *s, double value)
{
  if (!(s->low < s->high)) return value == s->low ? 0.5 : (double)NAN;
  if (s->logarithmic) {
    if (!(value > 0)) return (double)NAN;
    return (log10(value) - log10(s->low)) / (log10(s->high) - log10(s->low));
  }
  return (value / 2 - s->low / 2) / (s->high / 2 - s->low / 2);  // halves do not overflow
}

// ---- numbers as texts ---------------------------------------------------------------------------

// The locale's decimal point becomes a point, a hyphen the minus sign.
static void put_number(char *out, size_t size, const char *number, const char *after)
{
  const bool negative = number[0] == '-';
  snprintf(out, size, "%s%s%s", negative ? "−" : "", number + negative, after);
  for (char *c = out; *c; c++)
    if (*c == ',') *c = '.';
}

// The number with the digits that tell it from value + step.
static void label(dls_tick *t, double value, double step, double largest)
{
  char number[64];
  t->exponent[0] = 0;
  const int last = (int)floor(log10(step) + 1e-6);  // the power of ten of the last digit
  if (fabs(value) < step / 2) {
    snprintf(t->text, sizeof t->text, "0");
    return;
  }
  if (largest < 99999.5 && last >= -5) {
    dls_format(number, sizeof number, "%.*f", last < 0 ? -last : 0, value);
    put_number(t->text, sizeof t->text, number, "");
    return;
  }
  // "2.5e-07" -> "2.5×10" and "−7"
  const int digits = (int)floor(log10(fabs(value)) + 1e-9) - last;
  dls_format(number, sizeof number, "%.*e", digits < 0 ? 0 : digits > 15 ? 15 : digits, value);
  char *power = strchr(number, 'e');
  const int exponent = power ? (int)strtol(power + 1, NULL, 10) : 0;
  if (power) *power = 0;
  put_number(t->text, sizeof t->text, number, "×10");
  snprintf(t->exponent, sizeof t->exponent, "%s%d", exponent < 0 ? "−" : "",
           exponent < 0 ? -exponent : exponent);
}

// ---- ticks --------------------------------------------------------------------------------------

static int single(const dls_scale *s, dls_tick *ticks)
{
  char number[32];
  ticks[0] = (dls_tick){.place = 0.5};
  dls_format(number, sizeof number, "%.6g", s->low);
  put_number(ticks[0].text, sizeof ticks[0].text, number, "");
  return 1;
}

// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
static double round_step(double least)
{
  const double power = pow(10, floor(log10(least)));
  const double part = least / power;
  const double slack = 1 + 1e-9;
  return (part <= slack ? 1 : part <= 2 * slack ? 2 : part <= 5 * slack ? 5 : 10) * power;
}

static int linear(const dls_scale *s, int most, dls_tick *ticks)
{
  double step = round_step(s->high / most - s->low / most);
  if (s->whole && step < 1) step = 1;
  const double slack = 1e-9 * (s->high / step - s->low / step);
  const double first = ceil(s->low / step - slack), last = floor(s->high / step + slack);
  if (!(last - first < DLS_TICKS_MAX) || !isfinite(step)) return single(s, ticks);
  const double largest = fmax(fabs(s->low), fabs(s->high));
  const int count = (int)(last - first) + 1;
  for (int i = 0; i < count; i++) {
    const double value = (first + i) * step;
    ticks[i].place = fmin(1, fmax(0, dls_scale_place(s, value)));
    label(&ticks[i], value, step, largest);
  }
  return count > 0 ? count : single(s, ticks);
}

// As a number, or as a power of ten where the scale has large ones.
static void label_power(dls_tick *t, double mantissa, int power, bool plain)
{
  t->exponent[0] = 0;
  if (plain || (mantissa == 1 && (power == 0 || power == 1))) {
    label(t, mantissa * pow(10, power), pow(10, power), 1);
    return;
  }
  if (mantissa > 1) dls_format(t->text, sizeof t->text, "%g×10", mantissa);
  else snprintf(t->text, sizeof t->text, "10");
  snprintf(t->exponent, sizeof t->exponent, "%s%d", power < 0 ? "−" : "",
           power < 0 ? -power : power);
}

// Every `stride`-th power of ten; in between, with a stride of 1, ticks at 2, …, 9 times it:
// labelled at 2 and 5 when there is room.
static int logarithmic(const dls_scale *s, int most, dls_tick *ticks)
{
  const double low = log10(s->low), high = log10(s->high);
  if (high - low < 0.8) return linear(s, most, ticks);
  const int first = (int)ceil(low - 1e-9), last = (int)floor(high + 1e-9);
  int stride = 1;
  while ((last - first) / stride + 1 > most)
    stride = stride == 1 ? 2 : stride == 2 ? 5 : stride * 2;
  const bool between = 3 * (last - first + 1) <= most, minor = stride == 1 && last - first < 6;
  const bool plain = first >= -3 && last <= 3;
  int count = 0;
  for (int k = first - 1; k <= last && count < DLS_TICKS_MAX - 9; k++) {
    for (int m = 1; m <= (minor ? 9 : 1); m++) {
      const double place = (k + log10(m) - low) / (high - low);
      if (place < -1e-9 || place > 1 + 1e-9 || k % stride != 0) continue;
      dls_tick *t = &ticks[count++];
      *t = (dls_tick){.place = fmin(1, fmax(0, place))};
      if (m == 1 || (between && (m == 2 || m == 5))) label_power(t, m, k, plain);
    }
  }
  return count ? count : linear(s, most, ticks);
}

int dls_scale_ticks(const dls_scale *s, int most, dls_tick ticks[DLS_TICKS_MAX])
{
  if (is_point(s->low, s->high)) return single(s, ticks);
  most = most < 1 ? 1 : most > DLS_TICKS_MAX / 2 ? DLS_TICKS_MAX / 2 : most;
  return s->logarithmic ? logarithmic(s, most, ticks) : linear(s, most, ticks);
}
