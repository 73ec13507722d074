// Models that say the same in other words have the same answers: contacts and coordinates in
// another order and by other names, coordinates mirrored, energies and forces in several terms,
// contacts stated twice, Newton's law beside Moreau's. Every report goes through the checker.
// DLS_TEST_SEED and DLS_TEST_ROUNDS make other ones.
#include "verify_case.h"

#include "numbers.h"
#include "problem_maker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { N = 4, CONTACTS = 3, COPIES = CONTACTS + 1, ROOM = 8000 };

typedef struct closed_contact {
  bool bilateral, rubs;
  double g[N], h[N], b, b_t, slip, mu, e;
} closed_contact;

typedef struct plain {
  int n, m;
  double M[N], shared, F[N], v[N];  // shared: of the first two coordinates
  closed_contact contact[COPIES];
} plain;

// How it is written down.
typedef struct words {
  int coordinate[N], contact[COPIES];  // order
  double sign[N];                      // of coordinates
  bool renamed, split;
} words;

// --- models -------------------------------------------------------------------------------------

static double small(rng *r, double zero)
{
  static const double numbers[] = {-3, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3};
  return rng_chance(r, zero) ? 0 : numbers[rng_int(r, 0, 9)];
}

static plain draw(rng *r, bool impact)
{
  static const double masses[] = {0.125, 0.375, 1, 2, 3}, friction[] = {0, 0.25, 0.5, 1, 2};
  plain p = {.n = rng_int(r, 1, N), .m = rng_int(r, 1, CONTACTS)};
  for (int i = 0; i < p.n; i++) {
    p.M[i] = rng_chance(r, 0.1) ? 0 : masses[rng_int(r, 0, 4)];
    p.F[i] = small(r, 0.3);
  }
  if (p.n > 1 && rng_chance(r, 0.3)) p.shared = 1;
  for (int j = 0; j < p.m; j++) {
    closed_contact *c = &p.contact[j];
    c->bilateral = rng_chance(r, 0.25);
    for (int i = 0; i < p.n; i++) c->g[i] = small(r, 0.4), c->h[i] = small(r, 0.4);
    c->g[rng_int(r, 0, p.n - 1)] = 1;
    if (j > 0 && rng_chance(r, 0.2))
      for (int i = 0; i < p.n; i++) c->g[i] = -p.contact[0].g[i];
    c->b = small(r, 0.8);
    c->rubs = rng_chance(r, 0.6);
    if (!c->rubs) continue;
    c->b_t = small(r, 0.85), c->mu = friction[rng_int(r, 0, 4)];
    if (rng_chance(r, 0.2)) c->slip = small(r, 0);
  }
  if (!impact) return p;
  for (int i = 0; i < p.n; i++) p.v[i] = small(r, 0.3), p.M[i] = fmax(p.M[i], 0.5);
  return p;
}

static words as_it_is(const plain *p)
{
  words w = {.split = false};
  for (int i = 0; i < p->n; i++) w.coordinate[i] = i, w.sign[i] = 1;
  for (int j = 0; j < p->m; j++) w.contact[j] = j;
  return w;
}

static void shuffle(rng *r, int count, int *order)
{
  for (int k = count - 1; k > 0; k--) {
    const int other = rng_int(r, 0, k), kept = order[k];
    order[k] = order[other], order[other] = kept;
  }
}

// --- texts --------------------------------------------------------------------------------------

typedef struct page {
  char text[ROOM];
  size_t length;
} page;

static void put(page *t, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int more = vsnprintf(t->text + t->length, ROOM - t->length, format, list);
  va_end(list);
  assert_true(more >= 0 && t->length + (size_t)more < ROOM);
  t->length += (size_t)more;
}

static const char *coordinate_name(const words *w, int i)
{
  static const char *const plain_name[] = {"q0", "q1", "q2", "q3"};
  static const char *const other[] = {"zeta", "a", "phi", "m_x"};
  return (w->renamed ? other : plain_name)[i];
}

static const char *contact_name(const words *w, int j)
{
  static const char *const plain_name[] = {"c0", "c1", "c2", "c3"};
  static const char *const other[] = {"toe", "Heel", "b_4", "a0"};
  return (w->renamed ? other : plain_name)[j];
}

// + x times something, in one term or in three.
static void put_term(page *t, const words *w, double x, const char *what)
{
  if (w->split)
    put(t, " + %.17g*%s - %.17g*%s + %.17g*%s", 2 * x, what, 1.25 * x, what, x / 4, what);
  else put(t, " + %.17g*%s", x, what);
}

static void put_row(page *t, const plain *p, const words *w, const double *row, const char *mark)
{
  put(t, "0");
  for (int k = 0; k < p->n; k++) {
    const int i = w->coordinate[k];
    if (row[i] != 0) put(t, " + %.17g*%s%s", w->sign[i] * row[i], coordinate_name(w, i), mark);
  }
}

static void put_energies(page *t, const plain *p, const words *w)
{
  char what[60];
  put(t, "kinetic 0");
  for (int k = 0; k < p->n; k++) {
    const char *q = coordinate_name(w, w->coordinate[k]);
    snprintf(what, sizeof what, "%s'^2", q);
    put_term(t, w, p->M[w->coordinate[k]] / 2, what);
  }
  if (p->shared > 0) {
    snprintf(what, sizeof what, "(%g*%s' + %g*%s')^2", w->sign[0], coordinate_name(w, 0),
             w->sign[1], coordinate_name(w, 1));
    put_term(t, w, p->shared / 2, what);
  }
  put(t, "\npotential 0");
  for (int k = 0; k < p->n; k++) {
    const int i = w->coordinate[k];
    put_term(t, w, w->sign[i] * p->F[i], coordinate_name(w, i));
  }
  put(t, "\n");
}

static void put_contact(page *t, const plain *p, const words *w, int j)
{
  const closed_contact *c = &p->contact[j];
  double speed = 0, along = 0;
  for (int i = 0; i < p->n; i++) speed += c->g[i] * p->v[i], along += c->h[i] * p->v[i];
  put(t, "%s %s: ", c->bilateral ? "bilateral" : "unilateral", contact_name(w, j));
  put_row(t, p, w, c->g, "");
  if (c->bilateral) put(t, " - %.17g*t", speed);
  put(t, " + %.17g*t^2 %s 0 {", c->b / 2, c->bilateral ? "=" : ">=");
  if (c->rubs) {
    put(t, " slip ");
    put_row(t, p, w, c->h, "'");
    put(t, " + %.17g*t + %.17g; friction %.17g;", c->b_t, c->slip - along, c->mu);
  }
  put(t, " restitution %.17g }\n", c->e);
}

static page write(const plain *p, const words *w)
{
  page t = {.length = 0};
  put(&t, "coordinate ");
  for (int k = 0; k < p->n; k++)
    put(&t, "%s%s", k ? ", " : "", coordinate_name(w, w->coordinate[k]));
  put(&t, "\n");
  for (int i = 0; i < p->n; i++)
    if (p->v[i] != 0) put(&t, "velocity %s = %.17g\n", coordinate_name(w, i), w->sign[i] * p->v[i]);
  put_energies(&t, p, w);
  for (int k = 0; k < p->m; k++) put_contact(&t, p, w, w->contact[k]);
  return t;
}

// --- reports ------------------------------------------------------------------------------------

static const char *const questions[] = {
    "mass_definite",         "constraints_independent", "constraints_compatible", "mfcq",
    "delassus_definite",     "acceleration_exists",     "acceleration_unique",    "forces_unique",
    "unique_for_every_load", "can_all_stick",           "step_solvable"};
enum { QUESTIONS = sizeof questions / sizeof *questions };

typedef struct tally {
  int models, answers, undecided, wrong, rejected;
} tally;

static void blame(tally *t, const char *what, const char *first, const char *second)
{
  if (t->wrong++ < 5)
    print_message("%s\n%s%s%s\n", what, first, second ? "--- and ---\n" : "", second ? second : "");
}

static json_t *look(const json_t *root, const char *first, const char *second, const char *third)
{
  json_t *at = json_object_get(root, first);
  if (second) at = json_object_get(at, second);
  return third ? json_object_get(at, third) : at;
}

static const char *answer_in(const json_t *report, const char *question)
{
  const char *word = json_string_value(look(report, "verdicts", question, "answer"));
  return word ? word : "";
}

// The report, which the checker does not reject.
static subject ask(const page *p, tally *t)
{
  subject s = ask_about(p->text, NULL, NULL);
  dls_verification *v = verify(&s);
  t->models++;
  for (int k = 0; k < v->findings; k++) {
    const dls_finding *f = &v->finding[k];
    if (f->found != DLS_FOUND_FAILS) continue;
    if (t->rejected++ < 5) print_message("%s %s: %s\n%s\n", f->group, f->name, f->why, p->text);
  }
  dls_verification_free(v);
  return s;
}

static bool opposite(const char *a, const char *b)
{
  return (strcmp(a, "yes") == 0 && strcmp(b, "no") == 0) ||
         (strcmp(a, "no") == 0 && strcmp(b, "yes") == 0);
}

static double number(const json_t *object, const char *name)
{
  return json_number_value(json_object_get(object, name));
}

static bool near(double a, double b, double size)
{
  return fabs(a - b) <= 1e-7 * fmax(size, fmax(fabs(a), fabs(b)));
}

// Where it is the only one in both.
static bool same_acceleration(const plain *p, const words *w, const json_t *a, const json_t *b)
{
  const json_t *x =
      json_object_get(json_array_get(json_object_get(a, "solutions"), 0), "acceleration");
  const json_t *y =
      json_object_get(json_array_get(json_object_get(b, "solutions"), 0), "acceleration");
  const words plainly = as_it_is(p);
  double size = 0;
  bool same = true;
  for (int i = 0; i < p->n; i++) size = fmax(size, fabs(number(x, coordinate_name(&plainly, i))));
  for (int i = 0; i < p->n; i++)
    same &= near(number(x, coordinate_name(&plainly, i)),
                 w->sign[i] * number(y, coordinate_name(w, i)), size);
  return same;
}

static bool decided(const json_t *report, const char *question, const char *word)
{
  return strcmp(answer_in(report, question), word) == 0;
}

static void compare(const plain *p, const words *w, const page *one, const page *two,
                    const subject *a, const subject *b, tally *t)
{
  for (int q = 0; q < QUESTIONS; q++) {
    const char *first = answer_in(a->report, questions[q]),
               *second = answer_in(b->report, questions[q]);
    t->answers += *first != 0;
    t->undecided += strcmp(first, "undecided") == 0;
    if (opposite(first, second) || (*first == 0) != (*second == 0))
      blame(t, questions[q], one->text, two->text);
  }
  const json_t *count = json_object_get(a->report, "solution_count"),
               *other = json_object_get(b->report, "solution_count");
  if (json_is_integer(count) && json_is_integer(other) && !json_equal(count, other))
    blame(t, "solution_count", one->text, two->text);
  if (decided(a->report, "acceleration_unique", "yes") &&
      decided(b->report, "acceleration_unique", "yes") &&
      !same_acceleration(p, w, a->report, b->report))
    blame(t, "acceleration", one->text, two->text);
}

static void restate(rng *r, const plain *p, const page *one, const subject *a, int how, tally *t)
{
  words w = as_it_is(p);
  if (how == 0) shuffle(r, p->n, w.coordinate), shuffle(r, p->m, w.contact), w.renamed = true;
  for (int i = 0; i < p->n && how == 1; i++) w.sign[i] = rng_chance(r, 0.5) ? -1 : 1;
  w.split = how == 2;
  const page two = write(p, &w);
  subject b = ask(&two, t);
  compare(p, &w, one, &two, a, &b, t);
  close_subject(&b);
}

// --- the tests ----------------------------------------------------------------------------------

static unsigned long seed_of(void)
{
  const char *text = getenv("DLS_TEST_SEED");
  return text ? strtoul(text, NULL, 10) : 1;
}

static int rounds_of(int usual)
{
  const char *text = getenv("DLS_TEST_ROUNDS");
  return text ? (int)strtol(text, NULL, 10) : TRIED(usual);
}

static void conclude(const tally *t)
{
  print_message("%d models: %d answers compared, %d undecided; %d wrong, %d claims rejected\n",
                t->models, t->answers, t->undecided, t->wrong, t->rejected);
  assert_int_equal(t->wrong, 0);
  assert_int_equal(t->rejected, 0);
}

static void other_words(void **unused)
{
  (void)unused;
  tally t = {0};
  for (int k = 0; k < rounds_of(120); k++) {
    at_case("k %d", k);
    rng r = rng_create(seed_of() * 1000003 + (unsigned long)k);
    const plain p = draw(&r, false);
    const words w = as_it_is(&p);
    const page one = write(&p, &w);
    subject a = ask(&one, &t);
    for (int how = 0; how < 3; how++) restate(&r, &p, &one, &a, how, &t);
    close_subject(&a);
  }
  conclude(&t);
  assert_true(t.undecided * 10 < t.answers);
}

// A bilateral contact with friction is not one that two of its kind are: one may push, one pull.
static int copied(rng *r, plain *p)
{
  const int j = rng_int(r, 0, p->m - 1);
  if (p->contact[j].bilateral && p->contact[j].rubs) return -1;
  p->contact[p->m++] = p->contact[j];
  return j;
}

static void stated_twice(void **unused)
{
  (void)unused;
  static const int same[] = {0, 2, 5, 6, 9};  // the others are about single contacts
  tally t = {0};
  int shared = 0;
  for (int k = 0; k < rounds_of(120); k++) {
    at_case("k %d", k);
    rng r = rng_create(seed_of() * 2000003 + (unsigned long)k);
    plain p = draw(&r, false);
    const words once = as_it_is(&p);
    const page one = write(&p, &once);
    const int j = copied(&r, &p);
    if (j < 0) continue;
    const words twice = as_it_is(&p);
    const page two = write(&p, &twice);
    subject a = ask(&one, &t), b = ask(&two, &t);
    for (size_t q = 0; q < sizeof same / sizeof *same; q++) {
      const char *x = answer_in(a.report, questions[same[q]]),
                 *y = answer_in(b.report, questions[same[q]]);
      t.answers++, t.undecided += strcmp(x, "undecided") == 0;
      if (opposite(x, y)) blame(&t, questions[same[q]], one.text, two.text);
    }
    const bool unique = decided(a.report, "acceleration_unique", "yes");
    if (unique && decided(b.report, "acceleration_unique", "yes") &&
        !same_acceleration(&p, &twice, a.report, b.report))
      blame(&t, "acceleration", one.text, two.text);
    if (decided(b.report, "constraints_independent", "yes"))
      blame(&t, "independent", two.text, NULL);
    // what one carries, two share
    const json_t *solution = json_array_get(json_object_get(a.report, "solutions"), 0);
    const double force = number(look(solution, "forces", contact_name(&once, j), NULL), "normal");
    if (unique && fabs(force) > 1e-6) {
      shared++;
      if (decided(b.report, "forces_unique", "yes")) blame(&t, "forces_unique", two.text, NULL);
    }
    close_subject(&a), close_subject(&b);
  }
  conclude(&t);
  assert_true(shared > rounds_of(120) / 10);
}

// --- impacts ------------------------------------------------------------------------------------

static bool is_yes(const json_t *verdict)
{
  const char *word = json_string_value(json_object_get(verdict, "answer"));
  return word && strcmp(word, "yes") == 0;
}

// Where Newton's law has percussions it gives the velocities of Moreau's.          eq (imp.2),
// (imp.3)
static void newton_and_moreau(void **unused)
{
  (void)unused;
  tally t = {0};
  int both = 0;
  for (int k = 0; k < rounds_of(150); k++) {
    at_case("k %d", k);
    rng r = rng_create(seed_of() * 3000017 + (unsigned long)k);
    plain p = draw(&r, true);
    const bool single = rng_chance(&r, 0.5);
    if (single) p.m = 1, p.contact[0].bilateral = false;
    for (int j = 0; j < p.m; j++) {
      p.contact[j].rubs = false;
      p.contact[j].e = single ? 0.25 * rng_int(&r, 0, 4) : 0;
    }
    const words w = as_it_is(&p);
    const page text = write(&p, &w);
    subject s = ask(&text, &t);
    const json_t *impact = json_object_get(s.report, "impact");
    const json_t *newton = json_object_get(impact, "newton"),
                 *moreau = json_object_get(impact, "moreau");
    if (impact && is_yes(json_object_get(newton, "feasible")) &&
        is_yes(json_object_get(moreau, "unique"))) {
      const json_t *motion = json_array_get(json_object_get(moreau, "solutions"), 0);
      both++;
      for (int i = 0; i < p.n; i++) {
        const char *q = coordinate_name(&w, i);
        if (!near(number(json_object_get(newton, "velocities_after"), q),
                  number(json_object_get(motion, "velocities_after"), q), 1))
          blame(&t, "velocities", text.text, NULL);
      }
    }
    // one contact: u+ = -e u- in closed form
    if (impact && single) {
      double speed = 0, after = 0;
      for (int i = 0; i < p.n; i++) {
        speed += p.contact[0].g[i] * p.v[i];
        after += p.contact[0].g[i] *
                 number(json_object_get(impact, "velocities_after"), coordinate_name(&w, i));
      }
      if (!near(after, -p.contact[0].e * speed, fabs(speed))) blame(&t, "u+", text.text, NULL);
    }
    close_subject(&s);
  }
  conclude(&t);
  assert_true(both > rounds_of(150) / 5);
}

// --- in space -----------------------------------------------------------------------------------

// Spatial contacts around drawn accelerations and forces: they are a solution by construction.
static void forged_in_space(void **unused)
{
  (void)unused;
  tally t = {0};
  int exists = 0;
  for (int k = 0; k < rounds_of(80); k++) {
    at_case("k %d", k);
    rng r = rng_create(seed_of() * 4000037 + (unsigned long)k);
    const int m = rng_int(&r, 1, 2);
    double F[3] = {0}, g[2][3], h[2][2][3], b[2], b_t[2][2] = {{0}}, mu[2];
    page text = {.length = 0};
    put(&text, "coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\n");
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = small(&r, 0.4), F[i] = 2 * a[i];
    for (int j = 0; j < m; j++) {
      const int kind = rng_int(&r, 0, 2);  // detach, stick, slide
      const double lambda = kind ? rng_int(&r, 1, 4) : 0;
      double tau[2] = {0}, s[2] = {0};
      mu[j] = 0.25 * rng_int(&r, 1, 6);
      for (int i = 0; i < 3; i++) {
        g[j][i] = small(&r, 0.3);
        for (int d = 0; d < 2; d++) h[j][d][i] = small(&r, 0.4);
      }
      g[j][rng_int(&r, 0, 2)] = 1;
      for (int d = 0; d < 2; d++) h[j][d][rng_int(&r, 0, 2)] = 1;
      // 3, 4, 5: lengths without rounding
      if (kind == 2)
        s[0] = 3, s[1] = 4, tau[0] = -0.6 * mu[j] * lambda, tau[1] = -0.8 * mu[j] * lambda;
      if (kind == 1) tau[0] = 0.5 * mu[j] * lambda;
      b[j] = kind ? 0 : 1;
      for (int d = 0; d < 2; d++) b_t[j][d] = s[d];
      for (int i = 0; i < 3; i++) {
        b[j] -= g[j][i] * a[i];
        for (int d = 0; d < 2; d++) b_t[j][d] -= h[j][d][i] * a[i];
        F[i] -= g[j][i] * lambda + h[j][0][i] * tau[0] + h[j][1][i] * tau[1];
      }
    }
    put(&text, "force x = %.17g, y = %.17g, z = %.17g\n", F[0], F[1], F[2]);
    for (int j = 0; j < m; j++) {
      put(&text, "unilateral c%d: %g*x + %g*y + %g*z + %.17g*t^2 >= 0 { slip ", j, g[j][0], g[j][1],
          g[j][2], b[j] / 2);
      for (int d = 0; d < 2; d++)
        put(&text, "%s%g*x' + %g*y' + %g*z' + %.17g*t", d ? ", " : "", h[j][d][0], h[j][d][1],
            h[j][d][2], b_t[j][d]);
      put(&text, "; friction %g }\n", mu[j]);
    }
    subject s = ask(&text, &t);
    t.answers++;
    exists += decided(s.report, "acceleration_exists", "yes");
    if (decided(s.report, "acceleration_exists", "no")) blame(&t, "exists", text.text, NULL);
    if (decided(s.report, "acceleration_unique", "yes")) {
      const json_t *z = json_object_get(json_array_get(json_object_get(s.report, "solutions"), 0),
                                        "acceleration");
      if (!near(number(z, "x"), a[0], 1) || !near(number(z, "y"), a[1], 1) ||
          !near(number(z, "z"), a[2], 1))
        blame(&t, "another acceleration than the drawn one, and unique", text.text, NULL);
    }
    close_subject(&s);
  }
  conclude(&t);
  assert_true(exists * 10 >= t.models * 8);
}

// --- models that were wrong or ended the program ------------------------------------------------

static void remembered(void **unused)
{
  (void)unused;
  static const struct {
    const char *text, *question, *not ;
  } cases[] = {
      // the ray of one linear program was read as that of another
      {"coordinate q1, q2, q3, q4\n"
       "kinetic (0.375*q1'*q1' + 1.0*q2'*q2' + 0.125*q3'*q3' + 2.0*q4'*q4')/2\n"
       "force q2 = 1.5, q3 = -1.0, q4 = 1.0\n"
       "unilateral c0: 0.5*q3 >= 0 { slip -1.0*q2' + -1.5*q3' + 2.0*q4'; friction 0.5 }\n"
       "unilateral c1: -0.5*q3 + -1.1368683772161603e-13*q4 >= 0 { slip 2.0*q3' + 0.5*q4' + 2.0*t; "
       "friction 1.5 }\n",
       "mass_definite", "no"},
      // a determinant of the second order is not zero
      {"coordinate q1, q2, q3, q4\n"
       "kinetic (3.0*q1'*q1' + 0.375*q2'*q2' + -1.0*q2'*q4' + 1.0*q3'*q3' + 2.0*q4'*q4')/2\n"
       "bilateral c0: -0.5*q1 + 1.0*q4 = 0 { slip -1.0*q3' + 3.0*q4' + 2.0; friction 0.0 }\n"
       "unilateral c1: 0.5*q1 + 2.9802322387695312e-08*q3 + -1.0*q4 >= 0\n",
       "unique_for_every_load", "no"},
      // friction at its limit, in units that round
      {"coordinate q1, q2\n"
       "kinetic (11264.0*q1'*q1' + 0.000732421875*q2'*q2')/2\n"
       "force q1 = -32768.0\n"
       "bilateral c0: -0.125*q1 + -0.0003662109375*q2 = 0\n"
       "bilateral c1: 9.5367431640625e-07*q1 + -2.7939677238464355e-09*q2 = 0 { slip "
       "-1.862645149230957e-09*q2' + 2.0; friction 3.0 }\n",
       "unique_for_every_load", "yes"},
      // a velocity in the cones, in the units of another contact
      {"coordinate q1, q2, q3\n"
       "kinetic (1.0*q3'*q3')/2\n"
       "force q1 = 2.0, q2 = 1.0, q3 = 1.5\n"
       "unilateral c0: 2.0*q1 + 3.0*q2 >= 0 { slip -0.5*q3'; friction 0.125 }\n"
       "unilateral c1: -2.0*q1 + -3.0*q2 + -1.862645149230957e-09*q3 >= 0 { slip -0.5*q3'; "
       "friction "
       "2.0 }\n"
       "unilateral c2: 2.0*q1 + 3.0*q2 + 1.8917489796876907e-09*q3 >= 0 { slip 1.0*q1' + -0.5*q2' "
       "+ "
       "0.5*q3' + 2.0; friction 0.25 }\n",
       "step_solvable", "no"},
  };
  tally t = {0};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].text);
    page text = {.length = 0};
    put(&text, "%s", cases[k].text);
    subject s = ask(&text, &t);
    if (decided(s.report, cases[k].question, cases[k].not ))
      blame(&t, cases[k].question, text.text, NULL);
    close_subject(&s);
  }
  conclude(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_words),       cmocka_unit_test(stated_twice),
      cmocka_unit_test(newton_and_moreau), cmocka_unit_test(forged_in_space),
      cmocka_unit_test(remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
