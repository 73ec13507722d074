// The laws between the velocity u of a contact and its force r, normal first: what a contact may
// obey in the incremental problem.
#ifndef DELASSUS_LAW_H
#define DELASSUS_LAW_H

#include <delassus/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// Tangential friction of size F: |r_T| <= F, and r_T = -F u_T / |u_T| where u_T is not 0.
//
//   cone               0 <= u_N, orthogonal to r_N >= 0, and friction of size mu r_N: Coulomb's law
//   equation           u = 0, r of any sign
//   unilateral         0 <= u_N, orthogonal to r_N >= 0, and r_T = 0: a cone with mu = 0
//   bilateral cone     u_N = 0, and friction of size mu |r_N|
//   sliding            0 <= u_N, orthogonal to r_N >= 0, and r_T = -mu |r_N| direction: where the
//                      direction of the slip is known, as among accelerations
//   bilateral sliding  u_N = 0, and r_T = -mu |r_N| direction
//   bounded friction   0 <= u_N, orthogonal to r_N >= 0, and friction of size bound
//   bilateral bounded  u_N = 0, and friction of size bound
//
// Natural maps: eq (law.1)
#define DLS_LAW_LIST(X)                             \
  X(DLS_LAW_CONE, "cone")                           \
  X(DLS_LAW_EQUATION, "equation")                   \
  X(DLS_LAW_UNILATERAL, "unilateral")               \
  X(DLS_LAW_BILATERAL_CONE, "bilateral cone")       \
  X(DLS_LAW_SLIDING, "sliding")                     \
  X(DLS_LAW_BILATERAL_SLIDING, "bilateral sliding") \
  X(DLS_LAW_BOUNDED, "bounded friction")            \
  X(DLS_LAW_BILATERAL_BOUNDED, "bilateral bounded")

typedef enum dls_law {
#define DLS_LAW_CODE(code, name) code,
  DLS_LAW_LIST(DLS_LAW_CODE)
#undef DLS_LAW_CODE
} dls_law;

enum { DLS_LAW_COUNT = DLS_LAW_BILATERAL_BOUNDED + 1 };

// Sets of laws are sums of these.
#define DLS_LAW_BIT(law) (1U << (law))
#define DLS_LAWS_ALL ((1U << DLS_LAW_COUNT) - 1)

DLS_API const char *dls_law_name(int law);  // NULL: there is no such law

#ifdef __cplusplus
}
#endif
#endif
