// Values of attributes.
#include "format/reading.h"

#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *dls_reading_text(const dls_xml_element *element, const char *name)
{
  const dls_xml_attribute *a = dls_xml_find(element, name);
  return a ? a->value : NULL;
}

void dls_reading_require(dls_file_reading *reading, const dls_xml_element *element,
                         const char *name)
{
  if (!dls_xml_find(element, name))
    dls_reading_fail(reading, element, NULL, "`%.60s` needs `%s`", element->name, name);
}

const char *dls_reading_required(dls_file_reading *reading, const dls_xml_element *element,
                                 const char *name)
{
  const char *text = dls_reading_text(element, name);
  if (text && *text) return text;
  dls_reading_fail(reading, element, text ? name : NULL, "`%.60s` needs `%s`", element->name, name);
  return "";
}

// The next word of the text: its length, 0 at the end; *text moves behind it.
static size_t next_word(const char **text, const char **word)
{
  const char *s = *text;
  while (is_space(*s)) s++;
  *word = s;
  while (*s && !is_space(*s)) s++;
  *text = s;
  return (size_t)(s - *word);
}

// Where a part of the value stands in the file, as long as nothing in it was replaced.
static dls_file_place part_of(const dls_xml_attribute *a, const char *part, size_t length)
{
  dls_file_place place = a->place;
  const size_t at = (size_t)(part - a->value), all = strlen(a->value);
  if (all != place.length || at + length > all) return place;
  place.at += at;
  place.length = length;
  return place;
}

static bool read_word(dls_file_reading *reading, const dls_xml_attribute *a, const char *word,
                      size_t length, double *out)
{
  char text[80];
  if (length < sizeof text) {
    memcpy(text, word, length);
    text[length] = 0;
    if (dls_decimal_read(text, out)) return true;
  }
  dls_reading_fail_place(reading, part_of(a, word, length),
                         "`%s` must have finite numbers: `%.*s` is none", a->name,
                         (int)(length < 60 ? length : 60), word);
  return false;
}

static int count_words(const char *text)
{
  int count = 0;
  for (const char *word; next_word(&text, &word) > 0;) count++;
  return count;
}

static int read_all(dls_file_reading *reading, const dls_xml_attribute *a, int count, double *out)
{
  const char *text = a->value, *word;
  for (int k = 0; k < count; k++) {
    const size_t length = next_word(&text, &word);
    double x;
    if (!read_word(reading, a, word, length, &x)) return 0;
    out[k] = x;
  }
  return count;
}

int dls_reading_numbers(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                        int least, int most, double *out)
{
  const dls_xml_attribute *a = dls_xml_find(element, name);
  if (!a || reading->status) return 0;
  const int count = count_words(a->value);
  if (count < least || count > most) {
    if (least == most)
      dls_reading_fail(reading, element, name, "`%s` needs %d number%s, not %d", name, most,
                       most == 1 ? "" : "s", count);
    else
      dls_reading_fail(reading, element, name, "`%s` needs %d to %d numbers, not %d", name, least,
                       most, count);
    return 0;
  }
  return read_all(reading, a, count, out);
}

int dls_reading_all_numbers(dls_file_reading *reading, const dls_xml_element *element,
                            const char *name, double **out)
{
  const dls_xml_attribute *a = dls_xml_find(element, name);
  if (!a || reading->status) return 0;
  const int count = count_words(a->value);
  *out = dls_reading_work(reading, count, sizeof **out);
  return *out ? read_all(reading, a, count, *out) : 0;
}

bool dls_reading_number(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                        double *out)
{
  return dls_reading_numbers(reading, element, name, 1, 1, out) == 1;
}

bool dls_reading_int(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                     int *out)
{
  double x;
  if (!dls_reading_number(reading, element, name, &x)) return false;
  if (x != floor(x) || fabs(x) > 2147483647) {
    dls_reading_fail(reading, element, name, "`%s` must be an integer", name);
    return false;
  }
  *out = (int)x;
  return true;
}

bool dls_reading_word(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                      const char *const *words, int *out)
{
  const dls_xml_attribute *a = dls_xml_find(element, name);
  if (!a || reading->status) return false;
  for (int k = 0; words[k]; k++) {
    if (strcmp(a->value, words[k]) != 0) continue;
    *out = k;
    return true;
  }
  char list[200] = "";
  size_t length = 0;
  for (int k = 0; words[k] && length + strlen(words[k]) + 6 <= sizeof list; k++) {
    const char *between = k == 0 ? "" : words[k + 1] ? ", " : " or ";
    length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", between, words[k]);
  }
  dls_reading_fail(reading, element, name, "`%s` must be %s, not `%.40s`%s", name, list, a->value,
                   dls_reading_suggest(a->value, words).text);
  return false;
}

bool dls_reading_bool(dls_file_reading *reading, const dls_xml_element *element, const char *name,
                      bool *out)
{
  static const char *const words[] = {"false", "true", NULL};
  int value;
  if (!dls_reading_word(reading, element, name, words, &value)) return false;
  *out = value == 1;
  return true;
}
