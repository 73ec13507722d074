#include "format/xml_tree.h"

#include "base/file.h"
#include "base/message.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_BYTES = 1 << 26,     // of all files together
  MOST_DEPTH = 200,         // of elements in elements
  MOST_ELEMENTS = 1 << 19,  // a hundred robots of the largest kind
  MOST_ATTRIBUTES = 1 << 10
};

typedef struct reading {
  dls_xml *xml;
  XML_Parser parser;
  dls_file_text *source;
  dls_xml_element *root, *open, *last;  // last: the newest child of the open one
  size_t blank;                         // bytes before the first that is none
  int depth;
  dls_status status;
  dls_message *message;
} reading;

static void stop(reading *r, dls_status status)
{
  r->status = status;
  XML_StopParser(r->parser, XML_FALSE);
}

static dls_file_place place_at(const reading *r, size_t at, size_t length)
{
  return (dls_file_place){.source = r->source, .at = at, .length = length};
}

static size_t here(const reading *r)
{
  const XML_Index at = XML_GetCurrentByteIndex(r->parser);
  return r->blank + (at > 0 ? (size_t)at : 0);
}

static void out_of_memory(reading *r)
{
  dls_fail(r->message, DLS_ERR_MEMORY, "out of memory");
  stop(r, DLS_ERR_MEMORY);
}

static void refuse(reading *r, size_t at, const char *why)
{
  dls_file_place_fail(r->message, DLS_ERR_MODEL, place_at(r, at, 1), "%s", why);
  stop(r, DLS_ERR_MODEL);
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Where the values of a start tag's attributes are, in their order: the text has been found well
// formed. Leaves them at the name when the text is not in an encoding of single bytes.
static void find_values(const reading *r, dls_xml_element *e, size_t at)
{
  const char *text = r->source->text;
  const size_t length = r->source->length;
  for (int k = 0; k < e->attributes; k++) {
    while (at < length && is_space(text[at])) at++;
    const size_t name = at;
    while (at < length && text[at] != '=' && text[at] != '>') at++;
    if (at >= length || text[at] != '=') return;
    e->attribute[k].name_place = place_at(r, name, strlen(e->attribute[k].name));
    at++;
    while (at < length && is_space(text[at])) at++;
    if (at >= length || (text[at] != '"' && text[at] != '\'')) return;
    const char quote = text[at++];
    const size_t begin = at;
    while (at < length && text[at] != quote) at++;
    if (at >= length) return;
    e->attribute[k].place = place_at(r, begin, at - begin);
    at++;
  }
}

static bool fill_attributes(reading *r, dls_xml_element *e, const char **pairs)
{
  int count = 0;
  while (pairs[2 * count] && count <= MOST_ATTRIBUTES) count++;
  if (count > MOST_ATTRIBUTES) {
    refuse(r, here(r), "this element has too many attributes");
    return false;
  }
  e->attributes = count;
  e->attribute = dls_arena_alloc(r->xml->arena, count, sizeof *e->attribute);
  if (!e->attribute) return false;
  for (int k = 0; k < count; k++) {
    const char *name = pairs[2 * k], *value = pairs[2 * k + 1];
    e->attribute[k] = (dls_xml_attribute){
        .name = dls_arena_copy(r->xml->arena, name, strlen(name)),
        .value = dls_arena_copy(r->xml->arena, value, strlen(value)),
        .place = e->place,
        .name_place = e->place,
    };
    if (!e->attribute[k].name || !e->attribute[k].value) return false;
  }
  find_values(r, e, e->place.at + e->place.length);
  return true;
}

static void XMLCALL start_element(void *self, const char *name, const char **pairs)
{
  reading *r = self;
  if (r->status) return;
  if (++r->depth > MOST_DEPTH) {
    refuse(r, here(r), "elements are nested too deeply");
    return;
  }
  if (++r->xml->elements > MOST_ELEMENTS) {
    dls_file_place_fail(r->message, DLS_ERR_LIMIT, place_at(r, here(r), 1), "too many elements");
    stop(r, DLS_ERR_LIMIT);
    return;
  }
  dls_xml_element *e = dls_arena_alloc(r->xml->arena, 1, sizeof *e);
  const char *copy = dls_arena_copy(r->xml->arena, name, strlen(name));
  if (!e || !copy) {
    out_of_memory(r);
    return;
  }
  e->name = copy;
  e->place = place_at(r, here(r) + 1, strlen(name));
  e->parent = r->open;
  if (!fill_attributes(r, e, pairs)) {
    if (!r->status) out_of_memory(r);
    return;
  }
  if (!r->open) r->root = e;
  else if (r->last) r->last->next = e;
  else r->open->first = e;
  r->open = e;
  r->last = NULL;
}

static void XMLCALL end_element(void *self, const char *name)
{
  (void)name;
  reading *r = self;
  if (r->status) return;
  r->depth--;
  r->last = r->open;
  r->open = r->open->parent;
}

// A model needs none, and they can grow to any size.
static void XMLCALL declare_entity(void *self, const char *name, int is_parameter,
                                   const char *value, int length, const char *base,
                                   const char *system, const char *public, const char *notation)
{
  (void)name, (void)is_parameter, (void)value, (void)length;
  (void)base, (void)system, (void)public, (void)notation;
  reading *r = self;
  if (!r->status) refuse(r, here(r), "entities are not supported");
}

static dls_status parse(reading *r)
{
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, start_element, end_element);
  XML_SetEntityDeclHandler(r->parser, declare_entity);
  // files in the wild have blank lines before the declaration
  while (r->blank < r->source->length && is_space(r->source->text[r->blank])) r->blank++;
  const enum XML_Status done = XML_Parse(r->parser, r->source->text + r->blank,
                                         (int)(r->source->length - r->blank), XML_TRUE);
  if (r->status) return r->status;
  if (done == XML_STATUS_OK && r->root) return DLS_OK;
  const enum XML_Error error = XML_GetErrorCode(r->parser);
  if (error == XML_ERROR_NO_MEMORY) return dls_fail(r->message, DLS_ERR_MEMORY, "out of memory");
  return dls_file_place_fail(r->message, DLS_ERR_MODEL, place_at(r, here(r), 1),
                             "this is not XML: %s", XML_ErrorString(error));
}

// The text of a file, in the arena.
static dls_status read_source(dls_xml *xml, const char *path, const char *name,
                              dls_file_text **source, dls_message *message)
{
  char *text = NULL;
  size_t length = 0;
  const dls_status status = dls_file_read(path, MOST_BYTES - xml->bytes, &text, &length, message);
  if (status) return status;
  xml->bytes += length;
  *source = dls_arena_alloc(xml->arena, 1, sizeof **source);
  const char *copy = dls_arena_copy(xml->arena, text, length);
  const char *path_copy = dls_arena_copy(xml->arena, name, strlen(name));
  free(text);
  if (!*source || !copy || !path_copy) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  **source = (dls_file_text){.path = path_copy, .text = copy, .length = length};
  return DLS_OK;
}

dls_status dls_xml_read(dls_xml *xml, const char *path, const char *name, dls_xml_element **root,
                        dls_message *message)
{
  reading r = {.xml = xml, .message = message};
  dls_status status = read_source(xml, path, name, &r.source, message);
  if (status) return status;
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  status = parse(&r);
  XML_ParserFree(r.parser);
  *root = status ? NULL : r.root;
  return status;
}

const dls_xml_attribute *dls_xml_find(const dls_xml_element *element, const char *name)
{
  for (int k = 0; k < element->attributes; k++) {
    if (strcmp(element->attribute[k].name, name) == 0) return &element->attribute[k];
  }
  return NULL;
}

const dls_xml_element *dls_xml_child(const dls_xml_element *element, const char *name)
{
  for (const dls_xml_element *e = element->first; e; e = e->next) {
    if (strcmp(e->name, name) == 0) return e;
  }
  return NULL;
}
