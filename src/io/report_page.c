#include "io/report_page.h"

#include "io/report_parts.h"

enum { VALUES = 12 };

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

void dls_add_values(dls_text *text, const dls_report *report, const double *x, int most,
                    const char *marks)
{
  const int count = report->contact_state->n;
  for (int i = 0; i < count && i < most; i++) {
    dls_name_text made;
    if (i) dls_text_add(text, ", ");
    dls_text_clean(text, dls_report_coordinate(report, i, &made), DLS_PAGE_NAME);
    dls_text_add(text, "%s\u00a0=\u00a0%s", marks, dls_number(x[i]).text);
  }
  if (count > most) dls_text_add(text, ", … and %d more (all in --json)", count - most);
}

// A configuration has names and a number of values of its own where there is a chart.
void dls_page_configuration(dls_page *p, const double *q)
{
  const dls_system *system = p->report->system;
  if (!system || !system->chart) {
    dls_page_values(p, "coordinates", q, "");
    return;
  }
  dls_text line = {0};
  const int nq = dls_system_nq(system);
  for (int i = 0; i < nq && i < VALUES; i++) {
    if (i) dls_text_add(&line, ", ");
    dls_text_clean(&line, dls_configuration_names(system)[i], DLS_PAGE_NAME);
    dls_text_add(&line, "\u00a0=\u00a0%s", dls_number(q[i]).text);
  }
  if (nq > VALUES) dls_text_add(&line, ", … and %d more (all in --json)", nq - VALUES);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, "coordinates", 13);
  dls_page_wrapped(p, &line, 15, 15);
}

void dls_page_values(dls_page *p, const char *label, const double *x, const char *marks)
{
  dls_text line = {0};
  dls_add_values(&line, p->report, x, VALUES, marks);
  dls_text_add(&p->text, "  ");
  dls_text_pad(&p->text, label, 13);
  dls_page_wrapped(p, &line, 15, 15);
}

int dls_page_rows(const dls_page *p, int count)
{
  return count <= p->rows ? count : p->rows - 1;
}
