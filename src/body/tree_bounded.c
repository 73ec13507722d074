// The forest in doubles with bounds of their rounding errors.
#define DLS_BOUNDED
#include "body/tree_pass.h"
