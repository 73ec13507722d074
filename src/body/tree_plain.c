// The forest in doubles: what is evaluated in every step.
#include "body/tree_pass.h"
