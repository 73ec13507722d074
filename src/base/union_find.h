// Which elements belong together: a forest whose trees are the classes. parent[i] = i to begin
// with.
#ifndef DLS_BASE_UNION_FIND_H
#define DLS_BASE_UNION_FIND_H

// The element that stands for the class of i.
static inline int dls_class_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Puts i and j into one class. What stands for a class is its smallest element.
static inline void dls_unite(int *parent, int i, int j)
{
  const int a = dls_class_of(parent, i), b = dls_class_of(parent, j);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

#endif
