#include "io/report_page.h"

#include "io/report_headline.h"
#include "io/report_parts.h"

#include <limits.h>
#include <math.h>

enum { VALUES = 12, OF_ONE_BODY = 7 };

void dls_page_style(dls_page *p, const char *code)
{
  if (p->colour) dls_text_add(&p->text, "\033[%sm", code);
}

void dls_page_heading(dls_page *p, const char *words)
{
  dls_text_add(&p->text, "\n");
  dls_page_style(p, "1");
  dls_text_add(&p->text, "%s", words);
  dls_page_style(p, "0");
  dls_text_add(&p->text, "\n");
}

void dls_page_wrapped(dls_page *p, dls_text *words, int column, int indent)
{
  if (words->failed) p->text.failed = true;
  if (words->data) dls_text_wrap(&p->text, words->data, column, indent, DLS_PAGE_WIDTH);
  dls_text_add(&p->text, "\n");
  dls_text_free(words);
}

// A state's numbers below this part of its tolerance are rounding; and what is so much smaller than
// the largest of its kind.
static const double far_below = 1e-6, beside_largest = 1e-13;

static bool has_bodies(const dls_report *r)
{
  return r->system && r->system->chart;
}

double dls_page_state_noise(const dls_report *r, double tolerance)
{
  return has_bodies(r) ? far_below * tolerance : 0;
}

double dls_page_acceleration_noise(const dls_report *r, const dls_solution *s)
{
  if (!has_bodies(r)) return 0;
  if (dls_report_is_at_rest(r, s)) return INFINITY;
  return beside_largest * dls_largest(s->acceleration, r->contact_state->n);
}

double dls_page_force_noise(const dls_report *r, const dls_solution *s)
{
  const int m = dls_report_force_count(r);
  double largest = 0;
  if (!has_bodies(r)) return 0;
  for (int i = 0; i < m; i++) {
    const dls_report_force f = dls_report_force_at(r, s, i);
    if (!f.dry) largest = fmax(largest, dls_largest(&f.normal, 1));
    largest = fmax(largest, dls_largest(f.tangential, f.tangents));
  }
  return beside_largest * largest;
}

dls_number_text dls_page_number(double x, double noise)
{
  return dls_number(fabs(x) <= noise ? 0 : x);
}

static int values_of(const dls_page *p)
{
  return p->full ? INT_MAX : p->grouped ? OF_ONE_BODY : VALUES;
}

void dls_add_values(dls_text *text, const dls_report *report, const double *x, double noise,
                    int most, const char *marks)
{
  const int count = report->contact_state->n;
  for (int i = 0; i < count && i < most; i++) {
    dls_name_text made;
    if (i) dls_text_add(text, ", ");
    dls_text_clean(text, dls_report_coordinate(report, i, &made), DLS_PAGE_NAME);
    dls_text_add(text, "%s\u00a0=\u00a0%s", marks, dls_page_number(x[i], noise).text);
  }
  if (count > most) dls_text_add(text, ", … and %d more (all with --full)", count - most);
}

// A configuration has names and a number of values of its own where there is a chart.
void dls_page_configuration(dls_page *p, const double *q)
{
  const dls_system *system = p->report->system;
  if (!system || !system->chart) {
    dls_page_values(p, "coordinates", q, 0, "");
    return;
  }
  dls_text line = {0};
  const int nq = dls_system_nq(system), most = values_of(p);
  const double noise = dls_page_state_noise(p->report, p->report->contact_state->tolerance);
  for (int i = 0; i < nq && i < most; i++) {
    if (i) dls_text_add(&line, ", ");
    dls_text_clean(&line, dls_configuration_names(system)[i], DLS_PAGE_NAME);
    dls_text_add(&line, "\u00a0=\u00a0%s", dls_page_number(q[i], noise).text);
  }
  if (nq > most) dls_text_add(&line, ", … and %d more (all with --full)", nq - most);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, "coordinates", 13);
  dls_page_wrapped(p, &line, 15, 15);
}

void dls_page_values(dls_page *p, const char *label, const double *x, double noise,
                     const char *marks)
{
  dls_text line = {0};
  dls_add_values(&line, p->report, x, noise, values_of(p), marks);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, label, 13);
  dls_page_wrapped(p, &line, 15, 15);
}

int dls_page_rows(const dls_page *p, int count)
{
  return count <= p->rows ? count : p->rows - 1;
}
