// The independent parts of a model: coordinates and contacts that no energy, force, constraint or
// law couples. Time and parameters couple nothing.                                   eq (par.1)
#ifndef DLS_MODEL_PARTITION_H
#define DLS_MODEL_PARTITION_H

// What a statement depends on, besides the number of a part.
enum { DLS_PART_NONE = -1, DLS_PART_SEVERAL = -2 };

// Parts are numbered in the order of their first coordinates. The arrays belong to the model.
typedef struct dls_partition {
  int parts;
  int *coordinate_part;  // n
  int *contact_part;     // m
  int *local;            // n: the number of the coordinate in its part
  int lets;
  int *let_order;  // each after those that it uses
  int *let_part;   // per let: a part, or one of the above
  int *term_part;  // per term, likewise; of forces: that of their coordinate
} dls_partition;

#endif
