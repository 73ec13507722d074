// Which body hangs on which: the joints of the text that make the forest, and those that close
// loops. Depends on the statements alone, never on their numbers.
//
// In the order of the text a joint makes the forest unless its bodies are connected already, by
// joints before it, or both with what is fixed. What is connected with the fixed hangs on that;
// else the first body of the text is the root, and free. A joint of the kind `free` leads from
// something fixed to a root.
#ifndef DLS_MODEL_BODY_FOREST_H
#define DLS_MODEL_BODY_FOREST_H

#include "base/memory.h"
#include "model/source.h"

typedef struct dls_body_forest {
  int bodies;      // all
  int *parent;     // of all: the body that it hangs on, or DLS_WORLD
  int *joint;      // of all: the joint statement that it hangs by; -1: none
  bool *reversed;  // of all: it is the first body of that joint
  bool *free;      // of all: a root that nothing holds
  int *order;      // all bodies, each after its parent, else as in the text
  bool *closes;    // of the joint statements
} dls_body_forest;

// The statements must be without errors.
dls_status dls_body_forest_make(const dls_source *source, dls_arena *arena,
                                dls_body_forest *forest);

#endif
