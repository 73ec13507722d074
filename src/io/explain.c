// `delassus explain`: finds a topic by the words of the report, and prints it.
#include "io/explain.h"

#include "io/json_print.h"
#include "base/text.h"

#include <jansson.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 12, WORDS = 200 };

int dls_topic_count(void)
{
  return DLS_QUESTION_COUNT + dls_number_topic_count;
}

const dls_topic *dls_topic_at(int index)
{
  if (index < 0 || index >= dls_topic_count()) return NULL;
  return index < DLS_QUESTION_COUNT ? &dls_question_topics[index]
                                    : &dls_number_topics[index - DLS_QUESTION_COUNT];
}

// ---- finding -----------------------------------------------------------------------------------

// Lower case words with one space between; up to `end`, which may be ';' or 0.
static const char *plain_words(const char *from, char end, char out[WORDS])
{
  size_t length = 0;
  bool space = false;
  for (; *from && *from != end; from++) {
    const unsigned char c = (unsigned char)*from;
    const bool upper = c >= 'A' && c <= 'Z';
    if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c < 0x80) {
      space = true;
      continue;
    }
    if (length + 3 > WORDS) continue;
    if (space && length) out[length++] = ' ';
    space = false;
    out[length++] = (char)(upper ? c - 'A' + 'a' : c);
  }
  out[length] = 0;
  return *from ? from + 1 : from;
}

// Does it contain the words, from the start of one to the end of one?
static bool contains(const char *text, const char *words)
{
  const size_t length = strlen(words);
  for (const char *at = text; length && (at = strstr(at, words)); at++)
    if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
  return false;
}

static bool starts_with(const char *text, const char *words)
{
  const size_t length = strlen(words);
  return strncmp(text, words, length) == 0 && (!text[length] || text[length] == ' ');
}

typedef enum manner { IS_NAME, IS_LINE, IS_OTHER, IN_NAME, IN_OTHER, HAS_PART } manner;

// How well a phrase of the report fits: 0 not at all; the longer the part, the better.
static size_t fits(const char *phrase, char end, manner how, const char *words, const char **next)
{
  char plain[WORDS];
  const char *after = plain_words(phrase, end, plain);
  if (next) *next = after;
  if (how == IN_NAME || how == IN_OTHER) return contains(plain, words);
  // a line of a report begins with what it is about
  if (how == HAS_PART)
    return !contains(words, plain) ? 0 : strlen(plain) + (starts_with(words, plain) ? WORDS : 0);
  return strcmp(plain, words) == 0;
}

static size_t topic_fits(const dls_topic *t, manner how, const char *words)
{
  if (how == IS_NAME || how == IN_NAME) return fits(t->name, 0, how, words, NULL);
  size_t best = how == IS_OTHER ? 0 : fits(t->line, 0, how, words, NULL);
  for (const char *at = t->also; how != IS_LINE && *at;) {
    const size_t other = fits(at, ';', how, words, &at);
    if (other > best) best = other;
  }
  return best;
}

static int count_words(const char *plain)
{
  int count = *plain != 0;
  for (; *plain; plain++) count += *plain == ' ';
  return count;
}

const dls_topic *dls_topic_find(const char *words, int *others, const dls_topic **first,
                                const dls_topic **second)
{
  enum { WHOLE_LINE = 3 };  // so many words may be a line of a report, with numbers in it
  char plain[WORDS];
  plain_words(words, 0, plain);
  *others = 0, *first = *second = NULL;
  const manner last = count_words(plain) >= WHOLE_LINE ? HAS_PART : IN_OTHER;
  for (manner how = IS_NAME; *plain && how <= last; how++) {
    size_t best = 0;
    for (int i = 0; i < dls_topic_count(); i++) {
      const size_t fit = topic_fits(dls_topic_at(i), how, plain);
      if (fit == 0 || fit < best) continue;
      if (fit > best) *others = 0;
      best = fit;
      if ((*others)++ == 0) *first = dls_topic_at(i);
      else if (*others == 2) *second = dls_topic_at(i);
    }
    if (*others) break;
  }
  const dls_topic *found = *others == 1 ? *first : NULL;
  if (found) *others = 0;
  return found;
}

// ---- printing ----------------------------------------------------------------------------------

static void paragraph(dls_text *text, const char *label, const char *words)
{
  dls_text_add(text, "  ");
  dls_text_pad(text, label, INDENT - 2);
  dls_text_wrap(text, words, INDENT, INDENT, WIDTH);
  dls_text_add(text, "\n");
}

static void one(dls_text *text, const dls_topic *t)
{
  dls_text_add(text, "%s: \"%s\"\n", t->name, t->line);
  paragraph(text, "Meaning", t->asks);
  paragraph(text, "Found by", t->how);
  paragraph(text, t->no ? "Yes" : "Witness", t->yes);
  if (t->no) paragraph(text, "No", t->no);
  dls_text_add(text, "  Theory    docs/theory.md, section %d", t->section);
  if (t->equation[0]) dls_text_add(text, ", eq. (%s)", t->equation);
  dls_text_add(text, "\n");
}

static void list(dls_text *text)
{
  dls_text_add(text,
               "delassus explain QUESTION: what a line of a report means, how it is found, what\n"
               "proves it. A name, or words of the report: delassus explain \"force closure\".\n");
  for (int i = 0; i < dls_topic_count(); i++) {
    const dls_topic *t = dls_topic_at(i);
    if (i == 0) dls_text_add(text, "\nQuestions\n");
    if (i == DLS_QUESTION_COUNT) dls_text_add(text, "\nNumbers and words\n");
    dls_text_add(text, "  %-27s  %s\n", t->name, t->brief);
  }
}

static dls_status finish(dls_text *text, char **out)
{
  if (text->failed) {
    dls_text_free(text);
    return DLS_ERR_MEMORY;
  }
  *out = text->data;
  return DLS_OK;
}

dls_status dls_topic_text(const dls_topic *topic, char **text)
{
  dls_text out = {0};
  *text = NULL;
  if (topic) one(&out, topic);
  else list(&out);
  return finish(&out, text);
}

static bool put(json_t *object, const char *key, json_t *value)
{
  return json_object_set_new(object, key, value) == 0;
}

// NULL without memory.
static json_t *one_json(const dls_topic *t)
{
  json_t *o = json_object();
  bool good = put(o, "name", json_string(t->name)) && put(o, "line", json_string(t->line)) &&
              put(o, "brief", json_string(t->brief)) &&
              put(o, "definition", json_string(t->asks)) &&
              put(o, "procedure", json_string(t->how));
  if (t->no) good = good && put(o, "yes", json_string(t->yes)) && put(o, "no", json_string(t->no));
  else good = good && put(o, "witness", json_string(t->yes));
  good = good && put(o, "section", json_integer(t->section)) &&
         put(o, "equation", t->equation[0] ? json_string(t->equation) : json_null());
  if (good) return o;
  json_decref(o);
  return NULL;
}

dls_status dls_topic_json(const dls_topic *topic, char **text)
{
  *text = NULL;
  json_t *o = topic ? one_json(topic) : json_object(), *all = topic ? NULL : json_array();
  bool good = o != NULL;
  for (int i = 0; !topic && good && i < dls_topic_count(); i++)
    good = json_array_append_new(all, one_json(dls_topic_at(i))) == 0;
  if (!topic && !(good && put(o, "topics", json_incref(all)))) good = false;
  json_decref(all);
  return dls_json_text(o, good, text);
}
