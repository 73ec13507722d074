// A report made by hand, and ways to look at what is printed.
#ifndef TEST_REPORT_CASE_H
#define TEST_REPORT_CASE_H

#include <delassus/report.h>

#include <jansson.h>

enum { MANY = 60, LEAVES = 3 };

// A block on three legs and a rail, with room for every other case.
typedef struct report_case {
  double q[MANY], v[MANY], z[MANY], eigenvalues[MANY];
  const char *coordinates[MANY], *bilateral[MANY], *unilateral[MANY];
  dls_contact contacts[MANY];
  int bilateral_contact[MANY], unilateral_contact[MANY];
  double lambda_b[MANY], lambda_u[MANY], a_u[MANY];
  double low_b[MANY], high_b[MANY], low_u[MANY], high_u[MANY];
  double singular[MANY], A_c[MANY * MANY], W[MANY * MANY], angles[MANY * MANY];
  double cancel_b[MANY], cancel_u[MANY], direction[MANY];
  int pivots[2];
  char names[MANY][16];
  double H[MANY * MANY], b_t[MANY], mu[MANY], tau[MANY], low_t[MANY], high_t[MANY], extra[MANY];
  int first[MANY + 1];
  unsigned char modes[LEAVES][MANY];
  dls_friction friction;
  dls_leaf leaf[LEAVES];
  dls_solution solution[6];
  dls_contact_state state;
  dls_check check;
  dls_report report;
} report_case;

// The case of the running test.
extern report_case *f;

int set_up(void **state);
int tear_down(void **state);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

// n coordinates, m_b + m_u closed contacts.
void use_sizes(int n, int m_b, int m_u);

// Friction at left (planar), middle (spatial) and the rail; right stays without.
void use_friction(void);

// Free both with dls_report_text_free.
char *text_of(bool colour);
char *json_text(void);
json_t *json_of(void);

// The value at a path such as "solutions/0/forces"; fails when there is none.
json_t *at(json_t *value, const char *path);
const char *string_at(json_t *value, const char *path);
double number_at(json_t *value, const char *path);
bool has(json_t *value, const char *key);

void contains(const char *text, const char *part);
void lacks(const char *text, const char *part);
// At most 100 characters wide; returns the number of lines.
int measure(const char *text);

#endif
