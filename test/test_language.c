// The model language: every error message at its place, the values of expressions, states, --set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <delassus/model.h>

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char ladder[] =
    "# Falling ladder: bilateral frictional contact with the wall, unilateral with the floor\n"
    "parameter m = 1, L = 2, g = 9.81, mu = 0.3\n"
    "let l = L/2\n"
    "coordinate x = l*sin(theta), y = l*cos(theta), theta = pi/4      # initial values\n"
    "kinetic   m/2*(x'^2 + y'^2) + (m*L^2/12)/2*theta'^2\n"
    "potential m*g*y\n"
    "bilateral  wall:  x - l*sin(theta) = 0  { slip y' - l*sin(theta)*theta';  friction mu }\n"
    "unilateral floor: y - l*cos(theta) >= 0 { slip x' + l*cos(theta)*theta';  friction mu;  "
    "restitution 0 }\n"
    "state falling: theta = pi/4, theta' = 1, x' = l*cos(theta)*theta', y' = "
    "-l*sin(theta)*theta'\n";

static dls_model *parse(const char *text)
{
  dls_model *model;
  static dls_diagnostics d;
  const dls_status status = dls_model_parse(text, strlen(text), &model, &d);
  if (status != DLS_OK) {
    char out[4000];
    dls_diagnostics_format(&d, "test", text, strlen(text), out, sizeof out);
    fail_msg("%s\n%s", dls_status_text(status), out);
  }
  assert_int_equal(d.total, 0);
  return model;
}

// A model with its system and room for a state.
typedef struct running {
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_message message;
} running;

static running run(const char *text)
{
  running r = {.model = parse(text)};
  assert_int_equal(dls_model_system(r.model, &r.system), DLS_OK);
  r.state.q = calloc((size_t)r.system->n + 1, sizeof(double));
  r.state.v = calloc((size_t)r.system->n + 1, sizeof(double));
  return r;
}

static void stop(running *r)
{
  free(r->state.q);
  free(r->state.v);
  dls_system_free(r->system);
  dls_model_free(r->model);
}

static void go_to(running *r, const char *at)
{
  const dls_status status = dls_model_state(r->system, at, &r->state, &r->message);
  if (status != DLS_OK) fail_msg("%s", r->message.text);
}

static void assert_near(double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-15 * (1 + fabs(expected))))
    fail_msg("%.17g is not %.17g", value, expected);
}

// ---- errors, each with its place ----

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message, *hint;
} mistake;

// three good lines, so that the mistake stands alone in line 4
#define GOOD "coordinate x, y\nparameter m = 1\nkinetic m/2*(x'^2 + y'^2)\n"

static const mistake mistakes[] = {
    // the text
    {"", 1, 1, "the model is empty", "coordinate x"},
    {"# nothing but a comment\n", 1, 1, "the model is empty", "kinetic"},
    {"parameter m = 1\n", 1, 1, "no coordinate", "coordinate x"},
    {"coordinate x\n", 1, 12, "no kinetic energy", "kinetic"},
    {GOOD "let a = 1 \x01 + 2\n", 4, 11, "control character", ""},
    {GOOD "# a comment with \x02\n", 4, 18, "control character", ""},
    {GOOD "let a = \xff\n", 4, 9, "not valid UTF-8", "UTF-8"},
    {GOOD "let a = 1 ? 2\n", 4, 11, "no meaning", ""},
    {GOOD "let a = x×y\n", 4, 10, "no meaning", "`*`"},
    {GOOD "unilateral c: x ≥ 0\n", 4, 17, "no meaning", "`>=`"},
    {GOOD "unilateral c: x ≤ 0\n", 4, 17, "no meaning", "`<=`"},
    {GOOD "let a = x – y\n", 4, 11, "dash", "`-`"},
    {GOOD "let a = x²\n", 4, 10, "no meaning", "^2"},
    {GOOD "let a = x′\n", 4, 10, "no meaning", "velocity"},
    {GOOD "let a = x ** 2\n", 4, 11, "`**`", "x^2"},
    {GOOD "let a = !x\n", 4, 9, "`!`", "!="},
    {GOOD "let a = [x]\n", 4, 9, "square brackets", "("},
    {GOOD "let a = x '\n", 4, 11, "directly follow", ""},
    {GOOD "let a = x''\n", 4, 9, "second derivatives", ""},
    {"coordinate x\r\nkinetic x'^2\r\nlet a = x +\r\n", 3, 12, "found the end of the line", ""},
    {"coordinate x\r\nkinetic x'^2 # c\r\nlet a = (x # c\r\n + 1 # c\r\n) y", 5, 3, "missing", ""},
    {"coordinate x # c\rkinetic x'^2", 1, 17, "carriage return alone", "line feeds"},
    {"\xEF\xBB\xBFpotental x\r\n", 1, 1, "unknown statement", "`potential`"},
    // numbers
    {GOOD "let a = 1.2.3\n", 4, 9, "not a number", ""},
    {GOOD "let a = 1e\n", 4, 9, "not a number", ""},
    {GOOD "let a = 1e+ 3\n", 4, 9, "not a number", ""},
    {GOOD "let a = 0x10\n", 4, 9, "not a number", ""},
    {GOOD "let a = 2x\n", 4, 9, "not a number", "2*x"},
    {GOOD "let a = 1e999\n", 4, 9, "too large", ""},
    // expressions
    {GOOD "let a = x y\n", 4, 11, "operator is missing before `y`", "*"},
    {GOOD "let a = x (y)\n", 4, 9, "`x` is a coordinate, not a function", "x*("},
    {GOOD "let a = (x)(y)\n", 4, 12, "operator is missing before `(`", "*"},
    {GOOD "let a = x +\n", 4, 12, "expected a number, a name or `(`, found the end of the line",
     ""},
    {GOOD "let a = x +", 4, 12, "found the end of the text", ""},
    {GOOD "let a = * x\n", 4, 9, "found `*`", ""},
    {GOOD "let a = sin\n", 4, 9, "`sin` needs its arguments in brackets", "sin("},
    {GOOD "let a = if x\n", 4, 9, "`if` needs its arguments", "if(condition, a, b)"},
    {GOOD "let a = sin(x, y)\n", 4, 9, "`sin` takes 1 argument, not 2", ""},
    {GOOD "let a = atan2(x)\n", 4, 9, "`atan2` takes 2 arguments, not 1", ""},
    {GOOD "let a = sin()\n", 4, 9, "`sin` takes 1 argument, not 0", ""},
    {GOOD "let a = snh(x)\n", 4, 9, "unknown function `snh`", "`sinh`"},
    {GOOD "let a = gamma_of(x)\n", 4, 9, "unknown function", "functions: sin"},
    {GOOD "let a = (x, y)\n", 4, 11, "expected an operator or `)`, found `,`", ""},
    {GOOD "let a = ()\n", 4, 10, "expected a number, a name or `(`, found `)`", ""},
    {GOOD "let a = ((x + 1) + \npotential x\n", 4, 9, "`(` is never closed", "`)`"},
    {GOOD "let a = (x + y\n", 4, 9, "`(` is never closed", "`)`"},
    {GOOD "let a = (x + y\npotential x\n", 4, 9, "`(` is never closed", "`)`"},
    {GOOD "let a = x + y)\n", 4, 14, "closes nothing", ""},
    {GOOD "let a = max(x; y)\n", 4, 12, "`(` is never closed", ""},
    {GOOD "let a = x < y < 1\n", 4, 15, "cannot be chained", ""},
    {GOOD "let a = x = y\n", 4, 11, "expected an operator or the end of the statement", ""},
    {GOOD "let abc = 1\nlet d = abd\n", 5, 9, "unknown name `abd`", "`abc`"},
    {GOOD "potential X\n", 4, 11, "unknown name `X`", "`x`"},
    {GOOD "let a = z'\n", 4, 9, "unknown name `z`", ""},
    {GOOD "let a = m'\n", 4, 9, "`m` is a parameter; only coordinates have a velocity", ""},
    {GOOD "let a = t'\n", 4, 9, "`t` is time; only coordinates", ""},
    {GOOD "unilateral floor_1: x >= 0\nlet a = floor_1\n", 5, 9, "unknown name", "contact"},
    // statements
    {GOOD "potental x\n", 4, 1, "unknown statement `potental`", "`potential`"},
    {GOOD "k = 3\n", 4, 1, "unknown statement `k`", "parameter k"},
    {GOOD "zzzzzz x\n", 4, 1, "unknown statement", "statements: parameter"},
    {GOOD "= 3\n", 4, 1, "expected a statement", ""},
    {GOOD "slip x'\n", 4, 1, "belongs in the block", "{"},
    {GOOD "friction 0.3\n", 4, 1, "belongs in the block", "{"},
    {GOOD "potential x potential y\n", 4, 13, "operator is missing", "own line"},
    {GOOD "parameter k\n", 4, 12, "expected `=`", ""},
    {GOOD "parameter = 3\n", 4, 11, "expected the name of a parameter", ""},
    {GOOD "parameter k 3\n", 4, 13, "expected `=`", ""},
    {GOOD "coordinate z'\n", 4, 12, "has no `'`", "velocity"},
    {GOOD "coordinate z 1\n", 4, 14, "expected `=`, `,` or the end of the line", ""},
    {GOOD "object o: x y\n", 4, 13, "expected `,` or the end of the line", ""},
    {GOOD "unilateral c: x >= 0 { } y\n", 4, 26, "expected the end of the statement", ""},
    {GOOD "parameter x = 1\n", 4, 11, "the name `x` is declared twice", "line 1"},
    {GOOD "let m = 1\n", 4, 5, "the name `m` is declared twice", "line 2"},
    {GOOD "parameter t = 1\n", 4, 11, "`t` is time", ""},
    {GOOD "parameter pi = 3\n", 4, 11, "`pi` is a constant", ""},
    {GOOD "let sin = 3\n", 4, 5, "`sin` is a function", ""},
    {GOOD "unilateral c: x >= 0\nbilateral c: y = 0\n", 5, 11, "contact `c` is declared twice",
     "line 4"},
    {GOOD "state s: x = 1\nstate s: y = 1\n", 5, 7, "state `s` is declared twice", "line 4"},
    {GOOD "object o: x\nobject o: y\n", 5, 8, "object `o` is declared twice", "line 4"},
    {GOOD "force m = 1\n", 4, 7, "`m` is a parameter; `force` needs a coordinate", ""},
    {GOOD "force x' = 1\n", 4, 7, "without `'`", ""},
    {GOOD "force z = 1\n", 4, 7, "unknown coordinate `z`", ""},
    {GOOD "force x 1\n", 4, 9, "expected `=`", ""},
    {GOOD "velocity t = 1\n", 4, 10, "`t` is time; `velocity` needs a coordinate", ""},
    {GOOD "velocity x = 1\nvelocity x' = 2\n", 5, 10, "`x'` is given twice", "line 4"},
    {GOOD "exact x = t\nexact x = 2\n", 5, 7, "`x` is given twice", "line 4"},
    {GOOD "exact x = y\n", 4, 11, "function of t and the parameters, not `y`", ""},
    {GOOD "let d = x'\nexact x = d\n", 5, 11, "`d` depends on velocities", "line 4"},
    {GOOD "object o: x, x\n", 4, 14, "`x` twice", ""},
    {GOOD "object o: x, m\n", 4, 14, "`m` is a parameter; `object` needs a coordinate", ""},
    {GOOD "object o x\n", 4, 10, "expected `:`", ""},
    {GOOD "object o: 3\n", 4, 11, "expected the name of a coordinate", ""},
    {GOOD "state s x = 1\n", 4, 9, "expected `:`", ""},
    {GOOD "state s: x = 1, x = 2\n", 4, 17, "`x` is given twice", "line 4"},
    {GOOD "state s: m = 1\n", 4, 10, "`m` is a parameter; a state assigns", "--set"},
    {GOOD "state s: z = 1\n", 4, 10, "unknown name `z`", ""},
    {GOOD "state s: 1 = 1\n", 4, 10, "expected the name of a coordinate, found `1`", ""},
    {GOOD "restitution c = 0.5\n", 4, 13, "unknown contact `c`", ""},
    {GOOD "unilateral wall: x >= 0\nrestitution wal = 1\n", 5, 13, "unknown contact", "`wall`"},
    {GOOD "bilateral c: x = 0\nrestitution c = 0.5\n", 5, 13, "bilateral contact", ""},
    {GOOD "unilateral c: x >= 0\nrestitution c 0.5\n", 5, 15, "expected `=` or the name", ""},
    {GOOD "unilateral c: x >= 0\nrestitution c = 0\nrestitution c c = 1\n", 6, 19, "given twice",
     "line 5"},
    {GOOD "unilateral c: x >= 0 { restitution 0 }\nrestitution c = 0\n", 5, 17, "given twice",
     "line 4"},
    // definitions
    {GOOD "parameter k = x\n", 4, 15, "a parameter may use numbers and other parameters, not `x`",
     ""},
    {GOOD "let e = t\nparameter k = e\n", 5, 15, "`e` depends on time", "line 4"},
    {GOOD "parameter k = 1/0\n", 4, 15, "`k` is not a finite number", ""},
    {GOOD "parameter a = b, b = a\n", 4, 11, "circular definition: `a` needs `b`, which needs `a`",
     ""},
    {GOOD "let a = a + 1\n", 4, 5, "circular definition: `a` needs `a`", ""},
    {GOOD "let d = c\nlet c = z\ncoordinate z = d\n", 4, 5,
     "`d` needs `c`, which needs `z`, which needs `d`", ""},
    {GOOD "coordinate z = x'\n", 4, 16, "the initial value of a coordinate", ""},
    // energies
    {GOOD "kinetic x'^3\n", 4, 9, "at most quadratic", ""},
    {GOOD "kinetic x'^2 + y*sin(x')\n", 4, 18, "at most quadratic", ""},
    {GOOD "let p = x'^3\nkinetic p\n", 5, 9, "at most quadratic", "line 4"},
    {"coordinate x\nkinetic x^2\n", 2, 9, "contains no velocity", "x'"},
    {GOOD "kinetic abs(x)*y'^2\n", 4, 9, "kinetic energy needs derivatives, but `abs`", "forces"},
    {GOOD "potential x'\n", 4, 11, "potential energy must not depend on velocities", ""},
    {GOOD "let p = y'\npotential x + p\n", 5, 15, "must not depend on velocities", "line 4"},
    {GOOD "potential max(x, 0)\n", 4, 11, "potential energy needs derivatives, but `max`", ""},
    {GOOD "potential if(x < 0, x^2, 0)\n", 4, 16, "needs derivatives, but `<`", ""},
    {GOOD "let p = abs(x)\npotential 2*p\n", 5, 13, "needs derivatives",
     "`p` is defined at line 4"},
    {GOOD "dissipation abs(x')\n", 4, 13, "dissipation needs derivatives", ""},
    {GOOD "potential floor(t)*x\n", 4, 11, "but `floor`", ""},
    // contacts
    {GOOD "unilateral c x >= 0\n", 4, 14, "expected `:`", ""},
    {GOOD "unilateral : x >= 0\n", 4, 12, "expected the name of a contact", ""},
    {GOOD "unilateral c: x\n", 4, 16, "expected `>=`", ""},
    {GOOD "bilateral c: x\n", 4, 15, "expected `=`", ""},
    {GOOD "unilateral c: x = 0\n", 4, 17, "is an inequality: expected `>=`", "bilateral"},
    {GOOD "unilateral c: x > 0\n", 4, 17, "expected `>=`", ""},
    {GOOD "unilateral c: x < 0\n", 4, 17, "expected `<=`", ""},
    {GOOD "bilateral c: x >= 0\n", 4, 16, "is an equation: expected `=`", "unilateral"},
    {GOOD "bilateral c: x == 0\n", 4, 16, "expected `=`", ""},
    {GOOD "bilateral c: m = 1\n", 4, 14, "depends on no coordinate", ""},
    {GOOD "bilateral c: x - x = 1\n", 4, 14, "depends on no coordinate", ""},
    {GOOD "bilateral c: x' = 1\n", 4, 14, "velocity constraints are not supported", ""},
    {GOOD "unilateral c: x >= abs(y)\n", 4, 20, "a constraint needs derivatives, but `abs`", ""},
    {GOOD "bilateral c: x = 0 { slip y'^2 }\n", 4, 27, "affine in the velocities", ""},
    {GOOD "bilateral c: x = 0 { slip sign(y)*y' }\n", 4, 27, "a slip velocity needs derivatives",
     ""},
    {GOOD "bilateral c: x = 0 { slip y', x', y' }\n", 4, 35, "at most two", ""},
    {GOOD "bilateral c: x = 0 { slip y'; slip x' }\n", 4, 31, "`slip` is given twice", "slip a, b"},
    {GOOD "bilateral c: x = 0 { slip y'; friction 1; friction 1 }\n", 4, 43, "given twice", ""},
    {GOOD "bilateral c: x = 0 { friction 0.3 }\n", 4, 31, "friction needs a slip direction",
     "slip"},
    {GOOD "bilateral c: x = 0 { slip y'; friction -0.3 }\n", 4, 40, "cannot be negative", ""},
    {GOOD "unilateral c: x >= 0 { restitution -1 }\n", 4, 36, "cannot be negative", ""},
    {GOOD "bilateral c: x = 0 { slipp y' }\n", 4, 22, "expected `slip`", "`slip`"},
    {GOOD "bilateral c: x = 0 { 3 }\n", 4, 22, "expected `slip`", ""},
    {GOOD "bilateral c: x = 0 { slip y' friction 1 }\n", 4, 30, "operator is missing", ""},
    {GOOD "bilateral c: x = 0 { slip y'\npotential x\n", 4, 20, "`{` is never closed", "`}`"},
    {GOOD "bilateral c: x = 0 { slip (y'; friction 1 }\n", 4, 27, "`(` is never closed", ""},
    {GOOD "bilateral c: x = 0\n{ slip y' }\n", 5, 1, "expected a statement", ""},
    {GOOD "bilateral c: x = 0 }\n", 4, 20, "expected an operator or the end", ""},
};

static void test_mistakes(void **unused)
{
  (void)unused;
  int failures = 0;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    const mistake *e = &mistakes[i];
    dls_model *model;
    dls_diagnostics d;
    const dls_status status = dls_model_parse(e->text, strlen(e->text), &model, &d);
    char out[8000];
    dls_diagnostics_format(&d, "test", e->text, strlen(e->text), out, sizeof out);
    const dls_diagnostic *item = &d.item[0];
    if (status != DLS_ERR_MODEL || model || d.total != 1 || d.count != 1 || item->line != e->line ||
        item->column != e->column || item->length < 1 || !strstr(item->message, e->message) ||
        !strstr(item->hint, e->hint)) {
      print_error("expected %d:%d: %s / %s in\n%s\n%s", e->line, e->column, e->message, e->hint,
                  e->text, out);
      failures++;
      dls_model_free(model);
    }
  }
  assert_int_equal(failures, 0);
}

static void check_errors(const char *text, int count, const int lines[])
{
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  char out[8000];
  dls_diagnostics_format(&d, "test", text, strlen(text), out, sizeof out);
  if (d.total != count) fail_msg("expected %d errors\n%s", count, out);
  for (int i = 0; i < d.count; i++) {
    if (d.item[i].line != lines[i]) fail_msg("expected line %d\n%s", lines[i], out);
  }
}

// Several mistakes, in the order of the text, each once.
static void test_several_errors(void **unused)
{
  (void)unused;
  check_errors("parameter a = 1 +\n"
               "coordinate x = b\n"
               "kinetic x'^3\n"
               "potential sin x\n"
               "potential b + b + c*b\n"
               "force x = a\n"
               "state s: q = 1, p = q\n",
               7, (const int[]){1, 2, 3, 4, 5, 7, 7});
  // a declaration that failed does not make its names unknown
  check_errors(GOOD "paramter a = 1, b = 2\npotential a*x + b\n", 1, (const int[]){4});
  check_errors(GOOD "parameter a = sin(1, b = 2, c = 3\npotential a*x + b + c\n", 1,
               (const int[]){4});
  check_errors(GOOD "coordinate u = )\npotential u\nforce u = 1\nstate s: u = 2\n", 1,
               (const int[]){4});
  check_errors(GOOD "unilatral w: x >= 0\nrestitution w = 1\n", 1, (const int[]){4});
  check_errors(GOOD "parameter a = 1/0, b = a, c = b\npotential c*x\n", 1, (const int[]){4});
  // an error in a block does not hide what follows
  check_errors(GOOD "unilateral c: x >= 0 {\n  slip y' +* 2\n  frction 0.3\n  restitution 1\n}\n"
                    "potential x'\n",
               3, (const int[]){5, 6, 9});
  // brackets that span lines
  check_errors(GOOD "potential (x +\n y z +\n x)\npotential x'\n", 2, (const int[]){5, 7});
}

static void test_many_errors(void **unused)
{
  (void)unused;
  char text[4000] = "";
  size_t used = 0;
  for (int i = 0; i < 50; i++) used += (size_t)sprintf(text + used, "potential u%d\n", i);
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, used, &model, &d), DLS_ERR_MODEL);
  assert_int_equal(d.total, 50);
  assert_int_equal(d.count, DLS_DIAGNOSTICS_MAX);
  for (int i = 0; i < d.count; i++) assert_int_equal(d.item[i].line, i + 1);
  char out[20000];
  dls_diagnostics_format(&d, "m", text, used, out, sizeof out);
  assert_non_null(strstr(out, "50 errors, 30 of them not shown"));
}

static void test_circle_in_state(void **unused)
{
  (void)unused;
  check_errors(GOOD "state s: x = y, y = x\nstate r: x = y\n", 1, (const int[]){4});
  check_errors("coordinate x = sin(a), a = 1\nkinetic x'^2 + a'^2\nstate s: a = x\n"
               "state r: a = x, x = 2\n",
               1, (const int[]){3});
}

static void test_format(void **unused)
{
  (void)unused;
  const char text[] = "coordinate x, theta\nparameter m = 1\n\tkinetic m/2*(x'^2 + thta'^2)\n";
  dls_model *model;
  dls_diagnostics d;
  char out[1000];
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  const size_t length = dls_diagnostics_format(&d, "a.dls", text, strlen(text), out, sizeof out);
  assert_string_equal(out, "a.dls:3:22: error: unknown name `thta`\n"
                           "    \tkinetic m/2*(x'^2 + thta'^2)\n"
                           "    \t                    ^~~~\n"
                           "    did you mean `theta`?\n");
  assert_int_equal(length, strlen(out));
  // the same length however small the room; always ended
  char small[10];
  assert_int_equal(dls_diagnostics_format(&d, "a.dls", text, strlen(text), small, 10), length);
  assert_string_equal(small, "a.dls:3:2");
  assert_int_equal(dls_diagnostics_format(&d, "a.dls", text, strlen(text), NULL, 0), length);
}

static void test_format_long_line(void **unused)
{
  (void)unused;
  char text[2000] = GOOD "potential ";
  for (int i = 0; i < 60; i++) strcat(text, "x + ");
  strcat(text, "wrong");
  for (int i = 0; i < 60; i++) strcat(text, " + y");
  dls_model *model;
  dls_diagnostics d;
  char out[2000];
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  dls_diagnostics_format(&d, "a", text, strlen(text), out, sizeof out);
  const char *line = strchr(out, '\n') + 1, *caret = strchr(line, '\n') + 1;
  assert_true(caret - line < 120);
  // the ellipsis before takes three bytes for one character
  const long column = strchr(caret, '^') - caret + 2;
  assert_memory_equal(line + column, "wrong", 5);
  assert_memory_equal(line + 4, "…", 3);
  assert_memory_equal(caret - 4, "…\n", 4);
}

static void test_utf8_columns(void **unused)
{
  (void)unused;
  const char text[] = "coordinate φ, x\nkinetic φ'^2 + x'^2\npotential φ·φ − ψ\n";
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
  assert_int_equal(d.item[0].column, 17);
  assert_int_equal(d.item[0].length, 1);
}

// ---- values ----

typedef struct value {
  const char *text;
  double value;
} value;

static const value values[] = {
    {"1 + 2*3", 7},
    {"(1 + 2)*3", 9},
    {"2 - 3 - 4", -5},
    {"2 − 3 − 4", -5},
    {"24/4/2", 3},
    {"24/4*2", 12},
    {"2·3", 6},
    {"2^3^2", 512},
    {"-2^2", -4},
    {"(-2)^2", 4},
    {"2^-1", 0.5},
    {"2^-2^2", 0.0625},
    {"2*-3", -6},
    {"- -3", 3},
    {"1 - -1", 2},
    {"1 < 2", 1},
    {"1 + 1 < 2", 0},
    {"2 <= 2", 1},
    {"3 > 2", 1},
    {"2 >= 3", 0},
    {"2 == 2", 1},
    {"2 != 2", 0},
    {"if(1 < 2, 10, 20)", 10},
    {"if(1 > 2, 10, 20)", 20},
    {"min(3, 2)", 2},
    {"max(3, 2)", 3},
    {"abs(-3)", 3},
    {"sign(-2)", -1},
    {"sign(0)", 0},
    {"floor(-1.5)", -2},
    {"sqrt(16)", 4},
    {"log(exp(2))", 2},
    {"log2(8)", 3},
    {"atan2(1, 1)*4", 3.14159265358979323846},
    {"pi", 3.14159265358979323846},
    {"sin(0.5)^2 + cos(0.5)^2", 1},
    {"tan(0.5)*cos(0.5)/sin(0.5)", 1},
    {"asin(1)*2", 3.14159265358979323846},
    {"acos(-1)", 3.14159265358979323846},
    {"atan(1)*4", 3.14159265358979323846},
    {"cosh(1) + sinh(1)", 2.71828182845904523536},
    {"tanh(0)", 0},
    {".5", 0.5},
    {"5.", 5},
    {"1e3", 1000},
    {"1E-3", 0.001},
    {"1.5e+2", 150},
    {"0.1", 0.1},
    {"9007199254740993", 9007199254740992.0},
    {"179769313486231570000000000000000000000e270", 1.7976931348623157e308},
    {"0.00000000000000000000000000000000000000000001e44", 1},
    {"123456789012345678901234567890e-29", 1.23456789012345678901234567890},
    {"4.9e-324", 4.9e-324},
    {"1e-9999", 0},
    {"0e99999999999999999999", 0},
    {"(1\n + 2) # comment\n", 3},
};

static void test_values(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, "coordinate x = %s\nkinetic x'^2\n", values[i].text);
    running r = run(text);
    go_to(&r, NULL);
    if (!(fabs(r.state.q[0] - values[i].value) <= 4e-16 * fabs(values[i].value)))
      fail_msg("%s = %.17g, not %.17g", values[i].text, r.state.q[0], values[i].value);
    stop(&r);
  }
}

// The graph computes what the evaluator does: forces against initial values.
static void test_values_in_force(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, "coordinate x\nkinetic x'^2/2\nforce x = %s\n", values[i].text);
    running r = run(text);
    dls_values *at;
    assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
    assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                     DLS_OK);
    if (!(fabs(at->F[0] + values[i].value) <= 1e-15 * fabs(values[i].value)))
      fail_msg("force %s = %.17g", values[i].text, -at->F[0]);
    dls_values_free(at);
    stop(&r);
  }
}

static void test_locale(void **unused)
{
  (void)unused;
  const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
    found = setlocale(LC_NUMERIC, names[i]) && *localeconv()->decimal_point == ',';
  running r = run("coordinate x = 1.25e1\nkinetic x'^2\n");
  go_to(&r, "");
  assert_true(r.state.q[0] == 12.5);
  stop(&r);
  setlocale(LC_NUMERIC, "C");
  if (!found) skip();
}

static void test_ladder(void **unused)
{
  (void)unused;
  running r = run(ladder);
  assert_string_equal(dls_model_title(r.model), "Falling ladder: bilateral frictional contact with "
                                                "the wall, unilateral with the floor");
  assert_int_equal(dls_model_parameter_count(r.model), 4);
  assert_string_equal(dls_model_parameter_name(r.model, 1), "L");
  assert_null(dls_model_parameter_name(r.model, 4));
  assert_int_equal(dls_model_state_count(r.model), 1);
  assert_string_equal(dls_model_state_name(r.model, 0), "falling");
  assert_int_equal(r.system->n, 3);
  assert_int_equal(r.system->m, 2);
  assert_int_equal(r.system->slips, 2);
  assert_string_equal(r.system->coordinates[2], "theta");
  assert_string_equal(r.system->contacts[1].name, "floor");
  assert_int_equal(r.system->contacts[0].kind, DLS_BILATERAL);
  assert_int_equal(r.system->contacts[1].kind, DLS_UNILATERAL);

  const double root = sqrt(0.5);
  go_to(&r, "falling");
  assert_near(r.state.q[0], root);
  assert_near(r.state.q[1], root);
  assert_near(r.state.q[2], atan(1));
  assert_near(r.state.v[0], root);
  assert_near(r.state.v[1], -root);
  assert_near(r.state.v[2], 1);
  assert_near(r.state.t, 0);

  // at this state: M, F, gaps, slips by hand; G has one column per contact
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(
      r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, &r.message), DLS_OK);
  assert_near(at->F[0], 0);
  assert_near(at->F[1], 9.81);
  assert_near(at->h[0], 0);
  assert_near(at->h[1], 0);
  assert_near(at->h_dot[0], 0);
  assert_near(at->slip[0], -2 * root);
  assert_near(at->slip[1], 2 * root);
  assert_near(at->friction[0], 0.3);
  assert_near(at->friction[1], 0.3);
  // b_n of the wall: d2/dt2 of -l sin(theta) at constant theta' is l sin(theta) theta'^2
  assert_near(at->b_n[0], root);
  assert_near(at->b_n[1], root);
  assert_int_equal(r.system->mass.p[3], 3);
  assert_near(at->M[0], 1);
  assert_near(at->M[2], 4.0 / 12);
  dls_values_free(at);
  stop(&r);
}

// What a state leaves out keeps its initial value, which follows the state's coordinates.
static void test_reevaluation(void **unused)
{
  (void)unused;
  running r = run(ladder);
  go_to(&r, "theta = 0.5");
  assert_near(r.state.q[0], sin(0.5));
  assert_near(r.state.q[1], cos(0.5));
  go_to(&r, " theta = x, x = 0.25, x' = 2*y', y' = t, t = 1 + 2 ");
  assert_near(r.state.q[0], 0.25);
  assert_near(r.state.q[2], 0.25);
  assert_near(r.state.v[0], 6);
  assert_near(r.state.t, 3);
  assert_int_equal(dls_model_set(r.system, "L", "4", &r.message), DLS_OK);
  go_to(&r, "theta = 0.5");
  assert_near(r.state.q[0], 2 * sin(0.5));
  go_to(&r, "falling");
  assert_near(r.state.v[0], 2 * sqrt(0.5));
  stop(&r);
}

static void test_velocities_and_time(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2*t, y\nvelocity x = 3, y' = x' + x\nkinetic x'^2 + y'^2\n"
                  "state later: t = 5\n");
  go_to(&r, NULL);
  assert_near(r.state.v[0], 3);
  assert_near(r.state.v[1], 3);
  go_to(&r, "later");
  assert_near(r.state.t, 5);
  assert_near(r.state.q[0], 10);
  assert_near(r.state.v[1], 13);
  stop(&r);
}

static double force_of(running *r)
{
  dls_values *at;
  assert_int_equal(dls_values_create(r->system, &at), DLS_OK);
  assert_int_equal(
      r->system->evaluate(r->system->self, 0, r->state.q, r->state.v, at, NULL, &r->message),
      DLS_OK);
  const double force = -at->F[0];
  dls_values_free(at);
  return force;
}

static void test_set(void **unused)
{
  (void)unused;
  running r = run("parameter I = m*h^2, m = 2, k = 1/m\nlet h = m + c\nparameter c = 1\n"
                  "coordinate x\nkinetic x'^2/2\nforce x = I\nlet e = x\n");
  assert_near(force_of(&r), 18);
  assert_int_equal(dls_model_set(r.system, "m", "1", &r.message), DLS_OK);
  assert_near(force_of(&r), 4);
  assert_int_equal(dls_model_set(r.system, "c", "2*m + pi - pi", &r.message), DLS_OK);
  assert_near(force_of(&r), 9);
  // a parameter that was set no longer follows
  assert_int_equal(dls_model_set(r.system, "I", "h", &r.message), DLS_OK);
  assert_near(force_of(&r), 3);
  assert_int_equal(dls_model_set(r.system, "m", "5", &r.message), DLS_OK);
  assert_near(force_of(&r), 3);

  // another system of the model has the values of the text
  dls_system *other;
  assert_int_equal(dls_model_system(r.model, &other), DLS_OK);
  running second = r;
  second.system = other;
  assert_near(force_of(&second), 18);
  dls_system_free(other);

  const struct {
    const char *name, *value;
    dls_status status;
    const char *message;
  } wrong[] = {
      {"M", "1", DLS_ERR_ARGUMENT, "did you mean `m`"},
      {"zzz", "1", DLS_ERR_ARGUMENT, "unknown parameter `zzz`"},
      {"x", "1", DLS_ERR_ARGUMENT, "--at"},
      {"h", "1", DLS_ERR_ARGUMENT, "`let`"},
      {"", "1", DLS_ERR_ARGUMENT, "unknown parameter"},
      {"m", "x", DLS_ERR_ARGUMENT, "numbers and parameters only\n    x\n    ^"},
      {"m", "e", DLS_ERR_ARGUMENT, "numbers and parameters only"},
      {"m", "t", DLS_ERR_ARGUMENT, "numbers and parameters only"},
      {"m", "1 +", DLS_ERR_ARGUMENT, "expected a number"},
      {"m", "1 2", DLS_ERR_ARGUMENT, "operator is missing"},
      {"m", "nope", DLS_ERR_ARGUMENT, "unknown name `nope`"},
      {"m", "", DLS_ERR_ARGUMENT, "expected a number"},
      {"m", "1e999", DLS_ERR_ARGUMENT, "too large"},
      {"m", "0", DLS_ERR_NUMBER, "`k`"},
      {"c", "1/0", DLS_ERR_NUMBER, "`c`"},
      {"c", NULL, DLS_ERR_ARGUMENT, "needed"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const dls_status status = dls_model_set(r.system, wrong[i].name, wrong[i].value, &r.message);
    if (status != wrong[i].status || !strstr(r.message.text, wrong[i].message))
      fail_msg("%s = %s: %s", wrong[i].name, wrong[i].value, r.message.text);
    assert_near(force_of(&r), 3);
  }
  assert_int_equal(dls_model_set(r.system, "m", "1/0", NULL), DLS_ERR_NUMBER);
  stop(&r);
}

static void test_state_mistakes(void **unused)
{
  (void)unused;
  running r = run(ladder);
  go_to(&r, "falling");
  const double before = r.state.v[0];
  const struct {
    const char *at;
    dls_status status;
    const char *message;
  } wrong[] = {
      {"fallin", DLS_ERR_ARGUMENT,
       "unknown state `fallin`; did you mean `falling`?\n  states: falling"},
      {"falling , x = 1", DLS_ERR_ARGUMENT,
       "`falling` is a state; give a state or assignments, not both"},
      {"falling, ", DLS_ERR_ARGUMENT, "unknown state `falling,`"},
      {"quite another", DLS_ERR_ARGUMENT, "\n  states: falling"},
      {"thet = 1", DLS_ERR_ARGUMENT,
       "unknown name `thet`\n    thet = 1\n    ^~~~\n    did you mean `theta`?"},
      {"theta = 1, thet' = 1", DLS_ERR_ARGUMENT, "did you mean `theta`?"},
      {"m = 1", DLS_ERR_ARGUMENT, "--set"},
      {"l = 1", DLS_ERR_ARGUMENT, "a state assigns"},
      {"theta = 1, theta = 2", DLS_ERR_ARGUMENT, "given twice"},
      {"theta = 1 theta' = 2", DLS_ERR_ARGUMENT, "operator is missing"},
      {"theta = 1; x = 2", DLS_ERR_ARGUMENT, "expected an operator, `,`"},
      {"theta == 1", DLS_ERR_ARGUMENT, "expected `=`"},
      {"= 1", DLS_ERR_ARGUMENT, "expected the name of a coordinate"},
      {"theta = asin(x)", DLS_ERR_ARGUMENT, "circular"},
      {"theta = theta", DLS_ERR_ARGUMENT, "circular"},
      {"theta = log(0)", DLS_ERR_NUMBER, "`x`"},
      {"theta' = 1/0", DLS_ERR_NUMBER, "`theta'`"},
      {"t = 0/0", DLS_ERR_NUMBER, "`t`"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const dls_status status = dls_model_state(r.system, wrong[i].at, &r.state, &r.message);
    if (status != wrong[i].status || !strstr(r.message.text, wrong[i].message))
      fail_msg("%s: %s", wrong[i].at, r.message.text);
    assert_true(r.state.v[0] == before);
  }
  assert_int_equal(dls_model_state(r.system, "nope", &r.state, NULL), DLS_ERR_ARGUMENT);
  stop(&r);
}

// ---- what statements mean ----

static void test_terms_add_up(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2\nkinetic x'^2/2\nkinetic x'^2/2\npotential x\npotential 3*x\n"
                  "force x = 1\nforce x = 4*x'\ndissipation x'^2/2\nvelocity x = 1\n");
  go_to(&r, NULL);
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                   DLS_OK);
  assert_near(at->M[0], 2);
  assert_near(at->F[0], 4 + 1 - 5);
  dls_values_free(at);
  stop(&r);
}

static void test_contacts(void **unused)
{
  (void)unused;
  running r = run("coordinate x = 2, y\nparameter mu = 0.4\nkinetic x'^2 + y'^2\n"
                  "unilateral floor: x <= 5 {\n  slip y' + 1,\n    y'\n\n  friction\n  mu\n"
                  "  restitution max(0, 1 - abs(x)) }   # ends here\n"
                  "unilateral wall: y >= 0\nunilateral top: 7 >= y\n"
                  "restitution wall floor = mu/2\nrestitution wall = 0.25\n"
                  "object b: y, x\nexact x = 2*t, x' = mu\n");
  go_to(&r, NULL);
  dls_values *at;
  assert_int_equal(dls_values_create(r.system, &at), DLS_OK);
  assert_int_equal(r.system->evaluate(r.system->self, 0, r.state.q, r.state.v, at, NULL, NULL),
                   DLS_OK);
  assert_int_equal(r.system->contacts[0].slips, 2);
  assert_near(at->h[0], 3);
  assert_near(at->h[2], 7);
  assert_near(at->slip[0], 1);
  assert_near(at->friction[0], 0.4);
  assert_near(at->restitution[0], 0);
  assert_near(at->restitution[1], 0.25);
  dls_values_free(at);

  int row, column;
  double number;
  assert_int_equal(dls_model_restitution_count(r.model), 2);
  assert_int_equal(dls_model_restitution(r.system, 0, &r.state, &row, &column, &number), DLS_OK);
  assert_int_equal(row, 1);
  assert_int_equal(column, 0);
  assert_near(number, 0.2);
  assert_int_equal(dls_model_restitution(r.system, 2, &r.state, &row, &column, &number),
                   DLS_ERR_ARGUMENT);

  const int *members;
  assert_int_equal(dls_model_object_count(r.model), 1);
  assert_string_equal(dls_model_object_name(r.model, 0), "b");
  assert_int_equal(dls_model_object_coordinates(r.model, 0, &members), 2);
  assert_int_equal(members[0], 1);
  assert_int_equal(members[1], 0);

  double q[2] = {-1, -1}, v[2] = {-1, -1};
  unsigned char known[2];
  assert_int_equal(dls_model_exact(r.system, 3, q, v, known), DLS_OK);
  assert_int_equal(known[0], 3);
  assert_int_equal(known[1], 0);
  assert_near(q[0], 6);
  assert_near(v[0], 0.4);
  assert_near(q[1], -1);
  stop(&r);
}

static void test_allowed(void **unused)
{
  (void)unused;
  const char *good[] = {
      "coordinate x\nkinetic 0\n",
      "coordinate x\nkinetic x'^2/2 + t*x' + x\n",             // rheonomic
      "coordinate x\nkinetic x'^2 + (x'^3 - x'^3)\n",          // after simplification
      "parameter a = 2\ncoordinate x\nkinetic abs(a)*x'^2\n",  // of a parameter only
      "parameter a = 2\ncoordinate x\nkinetic if(a > 1, x'^2, 2*x'^2)\n",
      "coordinate x\nkinetic x'^2\nforce x = if(x < 0, -x, 0)\n",
      "coordinate x\nkinetic x'^2\nlet a = abs(x)\nforce x = a\n",
      "kinetic x'^2\ncoordinate x = a\nlet a = b\nparameter b = 3\n",
      "coordinate state\nkinetic state'^2\nstate state: state = 1\n",
      "coordinate force\nkinetic force'^2\nforce force = 1\n",
      "\xEF\xBB\xBF# title\r\ncoordinate x\r\nkinetic x'^2\r\nunilateral c: x >= 0 {\r\n}\r\n",
      "coordinate x # a\n\n\nkinetic ( # b\n x'^2\n)",
      "coordinate über_x, 座標\nkinetic über_x'^2 + 座標'^2\n",
      "coordinate x\nkinetic x'^2\nbilateral c: x = sin(t) { slip x' - t }\n",
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) dls_model_free(parse(good[i]));
  dls_model *model = parse(good[10]);
  assert_string_equal(dls_model_title(model), "title");
  dls_model_free(model);
  model = parse(good[0]);
  assert_string_equal(dls_model_title(model), "");
  dls_model_free(model);
}

static void test_nul(void **unused)
{
  (void)unused;
  dls_model *model;
  dls_diagnostics d;
  const char text[] = "coordinate x\nkinetic x'^2\n\0potential x\n";
  assert_int_equal(dls_model_parse(text, sizeof text - 1, &model, &d), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
  assert_int_equal(d.item[0].column, 1);
  // the text need not end in a zero byte: nothing behind its length is read
  char *exact = malloc(12);
  memcpy(exact, "coordinate x", 12);
  assert_int_equal(dls_model_parse(exact, 12, &model, NULL), DLS_ERR_MODEL);
  free(exact);
  assert_int_equal(dls_model_parse(NULL, 0, &model, &d), DLS_ERR_MODEL);
  assert_int_equal(dls_model_parse(NULL, 1, &model, &d), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_model_parse("", 0, NULL, &d), DLS_ERR_ARGUMENT);
}

// ---- hostile texts ----

typedef struct buffer {
  char *text;
  size_t length, capacity;
} buffer;

static void append(buffer *b, const char *piece)
{
  const size_t size = strlen(piece);
  if (b->length + size > b->capacity) {
    b->capacity = 2 * (b->length + size) + 1000;
    b->text = realloc(b->text, b->capacity);
    assert_non_null(b->text);
  }
  memcpy(b->text + b->length, piece, size);
  b->length += size;
}

static void repeat(buffer *b, const char *piece, int count)
{
  for (int i = 0; i < count; i++) append(b, piece);
}

static void test_nesting(void **unused)
{
  (void)unused;
  const struct {
    const char *open, *close;
    int deep;
    dls_status status;
  } cases[] = {
      {"(", ")", 200, DLS_OK},
      {"(", ")", 257, DLS_ERR_MODEL},
      {"(", "", 100000, DLS_ERR_MODEL},
      {"-", "", 200, DLS_OK},
      {"-", "", 100000, DLS_ERR_MODEL},
      {"2^", "", 100000, DLS_ERR_MODEL},
      {"sin(", ")", 200, DLS_OK},
      {"sin(", ")", 100000, DLS_ERR_MODEL},
      {"f(", ")", 100000, DLS_ERR_MODEL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    buffer b = {0};
    append(&b, "coordinate x\nkinetic x'^2\nforce x = ");
    repeat(&b, cases[i].open, cases[i].deep);
    append(&b, "1");
    repeat(&b, cases[i].close, cases[i].deep);
    dls_model *model;
    dls_diagnostics d;
    assert_int_equal(dls_model_parse(b.text, b.length, &model, &d), cases[i].status);
    if (cases[i].status == DLS_ERR_MODEL) {
      assert_int_equal(d.total, 1);
      assert_non_null(strstr(d.item[0].message, "nested deeper than 256"));
    }
    dls_model_free(model);
    free(b.text);
  }
}

static dls_status parse_buffer(buffer *b, dls_diagnostics *d, double *seconds)
{
  dls_model *model;
  const clock_t start = clock();
  const dls_status status = dls_model_parse(b->text, b->length, &model, d);
  *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  dls_model_free(model);
  free(b->text);
  *b = (buffer){0};
  return status;
}

static void test_long_chains(void **unused)
{
  (void)unused;
  buffer b = {0};
  append(&b, "parameter a = 1\ncoordinate x\nkinetic x'^2\npotential x");
  for (int i = 0; i < 100000; i++) {
    char term[40];
    snprintf(term, sizeof term, " + %d.5*x", i);
    append(&b, term);
  }
  append(&b, "\nforce x = 1");
  repeat(&b, "*a", 100000);
  append(&b, "\ncoordinate y = 0");
  repeat(&b, " - 1", 100000);
  append(&b, "\n");
  dls_diagnostics d;
  double seconds;
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_OK);
  assert_true(seconds < 60);

  // a chain of definitions in the worst order
  append(&b, "coordinate x = c0\nkinetic x'^2\n");
  for (int i = 0; i < 100000; i++) {
    char line[60];
    snprintf(line, sizeof line, "let c%d = c%d + 1\n", i, i + 1);
    append(&b, line);
  }
  append(&b, "let c100000 = 0\n");
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_OK);
  assert_true(seconds < 60);

  // the same as one circle
  append(&b, "coordinate x = c0\nkinetic x'^2\n");
  for (int i = 0; i < 100000; i++) {
    char line[60];
    snprintf(line, sizeof line, "let c%d = c%d + 1\n", i, (i + 1) % 100000);
    append(&b, line);
  }
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
  assert_non_null(strstr(d.item[0].message, "100000 in all"));
}

static void test_many_statements(void **unused)
{
  (void)unused;
  const char *lines[] = {"parameter p%d = 1\n",      "let p%d = x\n",
                         "potential u%d\n",          "state s%d: x = 1\n",
                         "nonsense%d here\n",        "parameter same = 1\n",
                         "unilateral c%d: x >= 1\n", "restitution same same = 1\n",
                         "kinetic x'^3\n",           "(((\n",
                         "potential abs(x)\n",       "object o%d: x\n",
                         "let p%d = 1 +\n"};
  for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
    buffer b = {0};
    append(&b, "coordinate x\nkinetic x'^2\nunilateral same: x >= 0\n");
    for (int i = 0; i < 200000; i++) {
      char line[60];
      // the formats are the table's own
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
      snprintf(line, sizeof line, lines[k], i);
#pragma GCC diagnostic pop
      append(&b, line);
    }
    dls_diagnostics d;
    double seconds;
    parse_buffer(&b, &d, &seconds);
    if (seconds > 30) fail_msg("%s took %g s", lines[k], seconds);
  }
}

static void test_text_limit(void **unused)
{
  (void)unused;
  const size_t length = (16u << 20) + 1;
  char *text = malloc(length);
  assert_non_null(text);
  memset(text, ' ', length);
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, length, &model, &d), DLS_ERR_LIMIT);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 1);
  assert_int_equal(dls_model_parse(text, length - 1, &model, &d), DLS_ERR_MODEL);
  free(text);
}

// A small text can ask for very many derivatives: a dense mass matrix of 5000 coordinates.
static void test_graph_limit(void **unused)
{
  (void)unused;
  buffer b = {0};
  char piece[40];
  append(&b, "coordinate x");
  for (int i = 0; i < 5000; i++) {
    snprintf(piece, sizeof piece, ", c%d", i);
    append(&b, piece);
  }
  append(&b, "\nkinetic (x'");
  for (int i = 0; i < 5000; i++) {
    snprintf(piece, sizeof piece, " + sin(c%d)*c%d'", i, i);
    append(&b, piece);
  }
  append(&b, ")^2\n");
  dls_diagnostics d;
  double seconds;
  assert_int_equal(parse_buffer(&b, &d, &seconds), DLS_ERR_LIMIT);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 1);
  assert_non_null(strstr(d.item[0].message, "too large"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_several_errors),
      cmocka_unit_test(test_many_errors),
      cmocka_unit_test(test_circle_in_state),
      cmocka_unit_test(test_format),
      cmocka_unit_test(test_format_long_line),
      cmocka_unit_test(test_utf8_columns),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_values_in_force),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_reevaluation),
      cmocka_unit_test(test_velocities_and_time),
      cmocka_unit_test(test_set),
      cmocka_unit_test(test_state_mistakes),
      cmocka_unit_test(test_terms_add_up),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_allowed),
      cmocka_unit_test(test_nul),
      cmocka_unit_test(test_nesting),
      cmocka_unit_test(test_long_chains),
      cmocka_unit_test(test_many_statements),
      cmocka_unit_test(test_text_limit),
      cmocka_unit_test(test_graph_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
