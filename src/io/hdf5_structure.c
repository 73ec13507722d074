// Superblock, object headers, groups. See the HDF5 File Format Specification, version 3.0: sections
// II.A (superblock), III.A.1 (B-trees), III.B-D (symbol tables, local heaps), IV.A.1 (headers).
#include "io/hdf5_structure.h"

#include <stdio.h>
#include <string.h>

enum {
  LONGEST_PLACE = 100,
  HEADER = 16,  // bytes before the first message of an object header
  MOST_BLOCKS = 100,
  SYMBOL = 40,  // bytes of an entry of a symbol table
  SOFT_LINK = 2,
};

uint64_t dls_hdf5_value(const unsigned char *data, size_t bytes)
{
  uint64_t value = 0;
  for (size_t k = bytes; k > 0; k--) value = value << 8 | data[k - 1];
  return value;
}

const unsigned char *dls_hdf5_bytes(const dls_hdf5 *h, uint64_t address, uint64_t count)
{
  return address <= h->size && count <= h->size - address ? h->data + address : NULL;
}

static bool damaged(dls_hdf5 *h, const char *place, const char *what)
{
  return dls_hdf5_fail(h, DLS_ERR_FILE, place, "damaged: %s", what);
}

static bool newer(dls_hdf5 *h, const char *place, const char *what)
{
  return dls_hdf5_fail(
      h, DLS_ERR_FILE, place,
      "%s of a newer form of HDF5, which is not read; h5repack makes a file that is", what);
}

// ---- superblock --------------------------------------------------------------------------------

// It is at the beginning, or at 512, 1024, 2048, ... behind something else; addresses count from
// it.
bool dls_hdf5_superblock(dls_hdf5 *h)
{
  static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
  uint64_t begin = 0;
  const unsigned char *s;
  while ((s = dls_hdf5_bytes(h, begin, sizeof signature)) && memcmp(s, signature, 8) != 0)
    begin = begin ? 2 * begin : 512;
  if (!s) return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "not an HDF5 file");
  h->data += begin;
  h->size -= begin;
  s = dls_hdf5_bytes(h, 0, 100);
  if (!s) return damaged(h, NULL, "it ends in the superblock");
  if (s[8] > 1) return newer(h, NULL, "a superblock");
  if (s[13] != 8 || s[14] != 8)
    return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "its addresses do not have 8 bytes");
  const unsigned char *addresses = s + (s[8] == 0 ? 24 : 28);
  const uint64_t base = dls_hdf5_value(addresses, 8), end = dls_hdf5_value(addresses + 16, 8);
  if (base != 0 && base != begin) return damaged(h, NULL, "its base address");
  if (end - base > h->size || end < base)
    return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "truncated: %llu of %llu bytes are there",
                         (unsigned long long)h->size, (unsigned long long)(end - base));
  h->size = end - base;
  h->root = dls_hdf5_value(addresses + 40, 8);
  return true;
}

// ---- object headers ----------------------------------------------------------------------------

static void keep(dls_hdf5_object *o, unsigned type, dls_hdf5_piece piece)
{
  switch (type) {
  case DLS_HDF5_DATASPACE: o->dataspace = piece; break;
  case DLS_HDF5_DATATYPE: o->datatype = piece; break;
  case DLS_HDF5_LAYOUT: o->layout = piece; break;
  case DLS_HDF5_EXTERNAL: o->external = piece; break;
  case DLS_HDF5_FILTERS: o->filters = piece; break;
  case DLS_HDF5_SYMBOL_TABLE: o->symbols = piece; break;
  case DLS_HDF5_LINK_INFO:
  case DLS_HDF5_LINK: o->links = piece; break;
  default: break;
  }
}

// The messages of one block; where it goes on is added to the list of blocks.
static bool read_block(dls_hdf5 *h, const char *place, uint64_t *next, int *blocks, int which,
                       dls_hdf5_object *o)
{
  const uint64_t size = next[2 * which + 1];
  const unsigned char *m = dls_hdf5_bytes(h, next[2 * which], size);
  if (!m) return damaged(h, place, "an object header outside the file");
  for (uint64_t left = size; left >= 8;) {
    const unsigned type = (unsigned)dls_hdf5_value(m, 2);
    const uint64_t length = dls_hdf5_value(m + 2, 2);
    if (length > left - 8) return damaged(h, place, "a message longer than its header");
    if (type == DLS_HDF5_CONTINUED) {
      if (length < 16 || *blocks == MOST_BLOCKS) return damaged(h, place, "its object header");
      next[2 * *blocks] = dls_hdf5_value(m + 8, 8);
      next[2 * *blocks + 1] = dls_hdf5_value(m + 16, 8);
      ++*blocks;
    } else {
      keep(o, type, (dls_hdf5_piece){m + 8, (size_t)length, (m[4] & 2) != 0});
    }
    m += 8 + length;
    left -= 8 + length;
  }
  return true;
}

static bool read_object(dls_hdf5 *h, const char *place, uint64_t address, dls_hdf5_object *o)
{
  *o = (dls_hdf5_object){0};
  const unsigned char *head = dls_hdf5_bytes(h, address, HEADER);
  if (!head) return damaged(h, place, "an object header outside the file");
  if (memcmp(head, "OHDR", 4) == 0) return newer(h, place, "an object header");
  if (head[0] != 1) return damaged(h, place, "no object header");
  uint64_t next[2 * MOST_BLOCKS] = {address + HEADER, dls_hdf5_value(head + 8, 4)};
  int blocks = 1;
  for (int k = 0; k < blocks; k++)
    if (!read_block(h, place, next, &blocks, k, o)) return false;
  return true;
}

// ---- groups ------------------------------------------------------------------------------------

// A look for a name in a group.
typedef struct search {
  dls_hdf5 *h;
  const char *place, *name;
  size_t length;              // of the name
  const unsigned char *heap;  // names of the group
  uint64_t heap_size;
  uint64_t budget;  // nodes that may still be looked at: no more than a file has room for
  const unsigned char *found;  // entry of the symbol table
} search;

static bool search_symbols(search *s, uint64_t address)
{
  const unsigned char *node = dls_hdf5_bytes(s->h, address, 8);
  if (!node || memcmp(node, "SNOD", 4) != 0) return damaged(s->h, s->place, "a symbol table");
  const uint64_t count = dls_hdf5_value(node + 6, 2);
  const unsigned char *entry = dls_hdf5_bytes(s->h, address + 8, count * SYMBOL);
  if (!entry) return damaged(s->h, s->place, "a symbol table outside the file");
  for (uint64_t k = 0; k < count && !s->found; k++, entry += SYMBOL) {
    const uint64_t name = dls_hdf5_value(entry, 8);
    if (name >= s->heap_size || s->heap_size - name <= s->length) continue;
    if (memcmp(s->heap + name, s->name, s->length) == 0 && !s->heap[name + s->length])
      s->found = entry;
  }
  return true;
}

// level: of the node that is expected; -1 for any. Levels decrease, so that this ends.
static bool search_tree(search *s, uint64_t address, int level)
{
  const unsigned char *node = dls_hdf5_bytes(s->h, address, 24);
  if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != 0 || (level >= 0 && node[5] != level) ||
      node[5] > 20)
    return damaged(s->h, s->place, "the tree of a group");
  const uint64_t count = dls_hdf5_value(node + 6, 2);
  const unsigned char *child = dls_hdf5_bytes(s->h, address + 24, 16 * count + 8);
  if (!child) return damaged(s->h, s->place, "the tree of a group outside the file");
  if (count > s->budget) return damaged(s->h, s->place, "the tree of a group has no end");
  s->budget -= count;
  for (uint64_t k = 0; k < count && !s->found; k++, child += 16) {
    const uint64_t next = dls_hdf5_value(child + 8, 8);
    if (!(node[5] == 0 ? search_symbols(s, next) : search_tree(s, next, node[5] - 1))) return false;
  }
  return true;
}

// The entry of the first `length` characters of name in a group; NULL also after a failure.
static const unsigned char *look_up(dls_hdf5 *h, const char *place, const dls_hdf5_object *group,
                                    const char *name, size_t length)
{
  const uint64_t tree = dls_hdf5_value(group->symbols.data, 8);
  const unsigned char *heap = dls_hdf5_bytes(h, dls_hdf5_value(group->symbols.data + 8, 8), 32);
  search s = {.h = h, .place = place, .name = name, .length = length, .budget = h->size / 8};
  if (heap && memcmp(heap, "HEAP", 4) == 0) {
    s.heap_size = dls_hdf5_value(heap + 8, 8);
    s.heap = dls_hdf5_bytes(h, dls_hdf5_value(heap + 24, 8), s.heap_size);
  }
  if (!s.heap) damaged(h, place, "the names of a group");
  else search_tree(&s, tree, -1);
  return h->status == DLS_OK ? s.found : NULL;
}

static bool check_group(dls_hdf5 *h, const char *place, const dls_hdf5_object *o)
{
  if (o->links.data) return newer(h, place, "a group");
  if (!o->symbols.data || o->symbols.size < 16)
    return dls_hdf5_fail(h, DLS_ERR_FILE, place, "expected a group");
  return true;
}

int dls_hdf5_find(dls_hdf5 *h, const char *place, dls_hdf5_object *object)
{
  char part[LONGEST_PLACE] = "/";
  if (h->status != DLS_OK || !read_object(h, part, h->root, object)) return -1;
  for (const char *name = place + 1, *end; *name; name = *end ? end + 1 : end) {
    end = name + strcspn(name, "/");
    if (!check_group(h, part, object)) return -1;
    snprintf(part, sizeof part, "%.*s", (int)(end - place), place);
    const unsigned char *entry = look_up(h, part, object, name, (size_t)(end - name));
    if (!entry) return h->status == DLS_OK ? 0 : -1;
    if (dls_hdf5_value(entry + 16, 4) == SOFT_LINK) {
      dls_hdf5_fail(h, DLS_ERR_FILE, part, "a soft link, expected the object itself");
      return -1;
    }
    if (!read_object(h, part, dls_hdf5_value(entry + 8, 8), object)) return -1;
  }
  return 1;
}
