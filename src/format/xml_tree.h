// XML files as a tree of elements, with the places of elements and attributes. The files are not
// trusted: entities are refused, size and depth bounded. Texts between elements are left out.
#ifndef DLS_FORMAT_XML_TREE_H
#define DLS_FORMAT_XML_TREE_H

#include "base/memory.h"
#include "format/file_place.h"

typedef struct dls_xml_attribute {
  const char *name, *value;
  dls_file_place place, name_place;  // of its value and its name in the file, or of the element
} dls_xml_attribute;

typedef struct dls_xml_element dls_xml_element;
struct dls_xml_element {
  const char *name;
  dls_file_place place;  // of the name
  int attributes;
  dls_xml_attribute *attribute;
  dls_xml_element *parent, *first, *next;
};

// What was read so far; all of it is in the arena. Starts with the arena alone.
typedef struct dls_xml {
  dls_arena *arena;
  size_t bytes;  // of all files
  int elements;
} dls_xml;

// The root of a file. name: how messages call it. DLS_ERR_MODEL, DLS_ERR_FILE, DLS_ERR_LIMIT or
// DLS_ERR_MEMORY with a message.
dls_status dls_xml_read(dls_xml *xml, const char *path, const char *name, dls_xml_element **root,
                        dls_message *message);

// NULL when there is none.
const dls_xml_attribute *dls_xml_find(const dls_xml_element *element, const char *name);
const dls_xml_element *dls_xml_child(const dls_xml_element *element, const char *name);

#endif
