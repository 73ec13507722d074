// The model language: every error message at its place.
#include "language.h"

#include "cases.h"

// ---- errors, each with its place ----

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message, *hint;
} mistake;

// three good lines, so that the mistake stands alone in line 4
#define GOOD "coordinate x, y\nparameter m = 1\nkinetic m/2*(x'^2 + y'^2)\n"
#define CONTACTS "unilateral floor: y >= 0 { slip x'; friction 1 }\nbilateral rail: x = 0\n"

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
    {GOOD "let a = [x]\n", 4, 9, "found `[`", "x[1]"},
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
    {GOOD "let a = (x, y, 1, 2)\n", 4, 17, "expected an operator or `)`, found `,`", ""},
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
    // outputs and events
    {GOOD CONTACTS "output a = floor.gop\n", 6, 12, "a contact has no `gop`", "gap, rate"},
    {GOOD CONTACTS "output a = flor.gap\n", 6, 12, "unknown contact `flor`", "`floor`"},
    {GOOD CONTACTS "output a = rail.slip\n", 6, 12, "no slip velocity", ""},
    {GOOD CONTACTS "output a = rail.force_t1\n", 6, 12, "no slip velocity", ""},
    {GOOD CONTACTS "output a = floor.slip2\n", 6, 12, "one slip velocity only", ""},
    {GOOD CONTACTS "output a = 2*floor.gap'\n", 6, 14, "unknown name", ""},
    {GOOD "unilateral c: x >= 0 { slip x', y' }\noutput a = c.force_t\n", 5, 12, "two slip",
     "`c.force_t1`"},
    {GOOD "rolling c: x' = y\noutput b = c.rate, a = c.gap\n", 5, 24, "has no gap", "`c.rate`"},
    {GOOD "unilateral c: min(x, y) >= 0\noutput b = c.side2.gap, a = c.gap\n", 5, 29,
     "smallest of several", "`c.side1.gap`"},
    {GOOD "unilateral c: min(x, y) >= 0\noutput b = c.side3.gap\n", 5, 12, "unknown contact", ""},
    {GOOD "output x = 2\n", 4, 8, "`x` is a coordinate", "another name"},
    {GOOD "output t = 2\n", 4, 8, "`t` is time", "another name"},
    {GOOD "output step = 2\n", 4, 8, "the time step", "another name"},
    {GOOD "output a = b\n", 4, 12, "unknown name `b`", ""},
    {GOOD "output aa = x\noutput b = aa\n", 5, 12, "`aa` is an output", "let"},
    {GOOD "output a = 1, a = 2\n", 4, 15, "the output `a` is declared twice", "line 4"},
    {GOOD "output a\n", 4, 9, "expected `=` and an expression", ""},
    {GOOD "output = 2\n", 4, 8, "expected the name of an output", ""},
    {GOOD "output a' = 2\n", 4, 8, "has no `'`", ""},
    {GOOD "output a = (x, y)\n", 4, 12, "a number is needed", ""},
    {GOOD CONTACTS "let a = floor.gap\n", 6, 9, "unknown name `floor.gap`", ""},
    {GOOD "potential energy\n", 4, 11, "unknown name `energy`", ""},
    {GOOD "event e x = 0\n", 4, 9, "expected `:`", ""},
    {GOOD "event e: x >= 0\n", 4, 12, "an event is an equation", "event top"},
    {GOOD "event e: x\n", 4, 11, "an event is an equation", ""},
    {GOOD "event e: x =\n", 4, 13, "expected a number", ""},
    {GOOD "event e: x = 0 { stp }\n", 4, 18, "expected `stop`, `rising`, `falling` or `}`", ""},
    {GOOD "event e: x = 0 { rising; falling }\n", 4, 26, "exclude each other", ""},
    {GOOD "event e: x = 0 { rising; rising }\n", 4, 26, "said twice", ""},
    {GOOD "event e: x = 0 { stop\npotential x\n", 4, 16, "`{` is never closed", ""},
    {GOOD "event e: x = 0\nevent e: y = 0\n", 5, 7, "the event `e` is declared twice", "line 4"},
    {GOOD "event e: abs(x) = 1\n", 4, 10, "an event needs derivatives, but `abs`", ""},
    {GOOD "let k = sign(x)\nevent e: y = k\n", 5, 14, "an event needs derivatives", "`k`"},
    {GOOD "event e: m = 1\n", 4, 10, "depends on nothing that changes", ""},
    {GOOD CONTACTS "event e: floor.force_n = 1\n", 6, 10, "forces are not", "gaps"},
    {GOOD CONTACTS "event e: floor.gop = 1\n", 6, 10, "a contact has no `gop`", ""},
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
    {GOOD "bilateral c: x' = 1\n", 4, 14, "write `rolling` for one of velocities", ""},
    {GOOD "rolling c: x'^2 = 1\n", 4, 12, "a rolling constraint must be affine in the velocities",
     ""},
    {GOOD "rolling c: x' = x'*y'\n", 4, 17, "must be affine in the velocities", ""},
    {GOOD "rolling c: x = y\n", 4, 12, "depends on no velocity", ""},
    {GOOD "rolling c: x' - x' = 0\n", 4, 12, "depends on no velocity", ""},
    {GOOD "rolling c: abs(x)*x' = 0\n", 4, 12, "a constraint needs derivatives, but `abs`", ""},
    {GOOD "rolling c: x' >= 0\n", 4, 15, "a rolling constraint is an equation: expected `=`", ""},
    {GOOD "rolling c: x' == 0\n", 4, 15, "a rolling constraint is an equation: expected `=`", ""},
    {GOOD "rolling c: x' = 0 { slip y' }\n", 4, 19, "a rolling constraint has no block", "slip"},
    {GOOD "rolling c: x'\n", 4, 14, "the other side of the equation", ""},
    {GOOD "rolling c x' = 0\n", 4, 11, "expected `:`", ""},
    {GOOD "rolling c: x' = 0\nrestitution c = 1\n", 5, 13, "restitution needs a unilateral one",
     ""},
    {GOOD "unilateral c: x <= abs(y)\n", 4, 20, "a constraint needs derivatives, but `abs`",
     "the smallest of several"},
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

// The lines of a message below its first: the line of the text and the marks.
static void check_marks(const char *last_line, int item, int column, const char *expected)
{
  char text[2000], out[4000];
  dls_model *model;
  dls_diagnostics d;
  snprintf(text, sizeof text, "%s%s\n", GOOD, last_line);
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  assert_true(item < d.count);
  assert_int_equal(d.item[item].column, column);
  d.item[0] = d.item[item];
  d.count = d.total = 1;
  d.item[0].hint[0] = '\0';
  dls_diagnostics_format(&d, "a", text, strlen(text), out, sizeof out);
  assert_string_equal(strchr(out, '\n') + 1, expected);
}

// Marks stand below what they mark on a terminal, where East Asian letters and pictures take two
// columns and accents none; the column in the message counts characters.
static void test_marks_of_wide_characters(void **unused)
{
  (void)unused;
  check_marks("potential 力力(x)", 0, 11, "    potential 力力(x)\n              ^~~~\n");
  check_marks("potential 力 + wrong", 1, 15,
              "    potential 力 + wrong\n                   ^~~~~\n");
  check_marks("potential 🎈 + 🎉🎉", 0, 11, "    potential 🎈 + 🎉🎉\n              ^~\n");
  check_marks("potential 🎈 + 🎉🎉", 1, 15, "    potential 🎈 + 🎉🎉\n                   ^~~~\n");
  // e with an accent is two characters in one column
  check_marks("potential e\u0301e\u0301 + wrong", 0, 11,
              "    potential e\u0301e\u0301 + wrong\n              ^~\n");
  check_marks("potential e\u0301e\u0301 + wrong", 1, 18,
              "    potential e\u0301e\u0301 + wrong\n                   ^~~~~\n");
  check_marks("potential 力e\u0301한🎈z", 0, 11,
              "    potential 力e\u0301한🎈z\n              ^~~~~~~~\n");
  check_marks("potential ｘ + ｶ", 0, 11, "    potential ｘ + ｶ\n              ^~\n");
  check_marks("potential ｘ + ｶ", 1, 15, "    potential ｘ + ｶ\n                   ^\n");
  // nothing to mark is marked all the same: an ideographic space counts as two, a joiner as none
  check_marks("potential x\u200b+ y", 0, 12, "    potential x\u200b+ y\n               ^\n");
  check_marks("potential x\u3000+ y", 0, 12, "    potential x\u3000+ y\n               ^~\n");
  // tabs stay tabs
  check_marks("\tpotential\t力 + wrong", 1, 16,
              "    \tpotential\t力 + wrong\n    \t         \t     ^~~~~\n");
  // what would steer the terminal is a question mark, in one column
  check_marks("potential x + \xe5 # \xc2\x9b", 0, 15,
              "    potential x + ? # ?\n                  ^\n");
  check_marks("potential x + \xc2\x9b", 0, 15, "    potential x + ?\n                  ^\n");
}

static int columns_before(const char *line, const char *place)
{
  int columns = 0;
  for (const char *c = line; c < place; c++) {
    if (((unsigned char)*c & 0xC0) == 0x80) continue;
    columns += *c == '\xE5' ? 2 : 1;  // the letter of these tests, but not the ellipsis
  }
  return columns;
}

// Lines are cut by columns too, with wide letters before and behind the place.
static void test_wide_long_line(void **unused)
{
  (void)unused;
  for (int before = 0; before < 60; before++) {
    at_case("before %d", before);
    char text[2000] = GOOD "parameter 力 = 1\npotential ";
    strcat(text, before % 2 ? "10" : "1");  // cuts in both halves of a letter
    for (int i = 0; i < before; i++) strcat(text, "+力");
    strcat(text, "+wrong");
    for (int i = 0; i < 60; i++) strcat(text, "+力");
    dls_model *model;
    dls_diagnostics d;
    char out[2000];
    assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
    assert_int_equal(d.total, 1);
    dls_diagnostics_format(&d, "a", text, strlen(text), out, sizeof out);
    const char *line = strchr(out, '\n') + 1, *end = strchr(line, '\n'), *marks = end + 1;
    assert_in_range(columns_before(line, end), 4 + 99, 4 + 103);
    const char *wrong = strstr(line, "wrong"), *caret = strchr(marks, '^');
    assert_true(wrong && wrong < end && caret);
    assert_int_equal(columns_before(line, wrong), caret - marks);
    assert_string_equal(caret, "^~~~~\n");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_several_errors),
      cmocka_unit_test(test_many_errors),    cmocka_unit_test(test_circle_in_state),
      cmocka_unit_test(test_format),         cmocka_unit_test(test_format_long_line),
      cmocka_unit_test(test_utf8_columns),   cmocka_unit_test(test_marks_of_wide_characters),
      cmocka_unit_test(test_wide_long_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
