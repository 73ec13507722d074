// delassus explain: words of a report -> what they mean.
#include "commands.h"
#include "message.h"
#include "results.h"

#include <delassus/explain.h>

#include <stdlib.h>

const option explain_options[] = {
    {"--json", NULL, false, "print one JSON object instead of the text"},
    {"-o", "FILE", true,
     "write the result to FILE: .json for JSON, .txt for the text; may be\nrepeated"},
    {"--quiet", NULL, false, "do not print the text; the exit status tells"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int explain_option_count = sizeof explain_options / sizeof explain_options[0];

// "force closure" may come as one word of the call or as two.
static int join_words(const options *given, buffer *words)
{
  for (int i = 0; i < given->word_count; i++)
    buffer_add(words, "%s%s", i ? " " : "", given->words[i]);
  return words->failed ? complain("out of memory") : 0;
}

static int unknown(const char *words, int others, const dls_topic *first, const dls_topic *second)
{
  if (others > 1) {
    complain("explain %s: %d topics have these words", words, others);
    add_line("did you mean %s or %s?%s", first->name, second->name,
             others > 2 ? " delassus explain lists all" : "");
    return EXIT_WRONG;
  }
  const int count = dls_topic_count();
  const char **known = calloc((size_t)count, sizeof *known);
  if (!known) return complain("out of memory");
  for (int i = 0; i < count; i++) known[i] = dls_topic_at(i)->name;
  complain("explain %s: nothing of that name is known", words);
  if (!suggest(words, known, count)) add_line("delassus explain lists what is");
  free(known);
  return EXIT_WRONG;
}

static int make_json(const void *topic, product *out)
{
  const dls_status status = dls_topic_json(topic, &out->report);
  return status == DLS_OK ? 0 : complain("explain: %s", dls_status_text(status));
}

static int make_text(const void *topic, bool colour, product *out)
{
  (void)colour;
  const dls_status status = dls_topic_text(topic, &out->report);
  return status == DLS_OK ? 0 : complain("explain: %s", dls_status_text(status));
}

static const result_forms forms = {.json = make_json, .text = make_text};

int run_explain(const options *given)
{
  buffer words = {0};
  const dls_topic *topic = NULL, *first = NULL, *second = NULL;
  int others = 0;
  int status = check_out(given, ".json or .txt");
  if (!status) status = join_words(given, &words);
  if (!status && given->word_count > 0) {
    topic = dls_topic_find(words.text, &others, &first, &second);
    if (!topic) status = unknown(words.text, others, first, second);
  }
  if (!status) status = write_results(given, &forms, topic);
  buffer_free(&words);
  return status;
}
