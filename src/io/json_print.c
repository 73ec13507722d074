#include "io/json_print.h"

enum { WIDTH = 150 };

static const size_t flags = JSON_ENCODE_ANY | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17);

static size_t compact_length(dls_text *text, json_t *value)
{
  const size_t length = json_dumpb(value, NULL, 0, flags);
  if (length == 0) text->failed = true;  // every value has at least one character
  return length;
}

static void put_compact(dls_text *text, json_t *value, size_t length)
{
  char *place = dls_text_reserve(text, length);
  if (place && json_dumpb(value, place, length, flags) != length) text->failed = true;
}

static void put_value(dls_text *text, json_t *value, int indent, size_t column);

static void put_object(dls_text *text, json_t *value, int indent)
{
  bool first = true;
  dls_text_add(text, "{");
  for (void *i = json_object_iter(value); i; i = json_object_iter_next(value, i)) {
    json_t *key = json_string(json_object_iter_key(i));
    dls_text_add(text, "%s\n%*s", first ? "" : ",", indent + 2, "");
    const size_t start = text->length;
    if (key) put_compact(text, key, compact_length(text, key));
    if (!key) text->failed = true;
    json_decref(key);
    dls_text_add(text, ": ");
    put_value(text, json_object_iter_value(i), indent + 2,
              (size_t)indent + 2 + text->length - start);
    first = false;
  }
  dls_text_add(text, "\n%*s}", indent, "");
}

// Scalars fill the lines; longer values start one each.
static void put_array(dls_text *text, json_t *value, int indent)
{
  size_t column = WIDTH;
  dls_text_add(text, "[");
  for (size_t i = 0; i < json_array_size(value); i++) {
    json_t *item = json_array_get(value, i);
    const bool scalar = !json_is_array(item) && !json_is_object(item);
    if (i) dls_text_add(text, ",");
    const size_t length = scalar ? compact_length(text, item) : 0;
    if (!scalar || column + length + 2 > WIDTH) {
      dls_text_add(text, "\n%*s", indent + 2, "");
      column = (size_t)indent + 2;
    } else {
      dls_text_add(text, " ");
      column++;
    }
    if (scalar) put_compact(text, item, length);
    else put_value(text, item, indent + 2, column);
    column += scalar ? length + 1 : WIDTH;
  }
  dls_text_add(text, "\n%*s]", indent, "");
}

static void put_value(dls_text *text, json_t *value, int indent, size_t column)
{
  if (text->failed) return;
  const size_t length = compact_length(text, value);
  if (column + length < WIDTH || !(json_is_array(value) || json_is_object(value)))
    put_compact(text, value, length);
  else if (json_is_array(value)) put_array(text, value, indent);
  else put_object(text, value, indent);
}

dls_status dls_json_text(json_t *value, bool good, char **text)
{
  dls_text out = {0};
  if (value && good) {
    put_value(&out, value, 0, 0);
    dls_text_add(&out, "\n");
  }
  json_decref(value);
  if (!value || !good || out.failed) {
    dls_text_free(&out);
    return DLS_ERR_MEMORY;
  }
  *text = out.data;
  return DLS_OK;
}
