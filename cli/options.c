#include "options.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 64 };

void options_free(options *parsed)
{
  free(parsed->given);
  free(parsed->words);
  *parsed = (options){0};
}

const char *options_value(const options *parsed, const char *name, int index)
{
  for (int i = 0; i < parsed->given_count; i++)
    if (strcmp(parsed->table[parsed->given[i].option].name, name) == 0 && index-- == 0)
      return parsed->given[i].value ? parsed->given[i].value : "";
  return NULL;
}

bool options_has(const options *parsed, const char *name)
{
  return options_value(parsed, name, 0) != NULL;
}

// The option that `length` characters name; -1 when there is none.
static int find(const options *o, const char *name, size_t length)
{
  for (int i = 0; i < o->table_size; i++)
    if (strncmp(o->table[i].name, name, length) == 0 && o->table[i].name[length] == 0) return i;
  return -1;
}

static int unknown(const options *o, const char *argument, size_t length)
{
  const char *names[TABLE_MAX];
  char word[TABLE_MAX];
  const int count = o->table_size < TABLE_MAX ? o->table_size : TABLE_MAX;
  for (int i = 0; i < count; i++) names[i] = o->table[i].name;
  const size_t kept = length < sizeof word ? length : sizeof word - 1;
  memcpy(word, argument, kept);
  word[kept] = 0;

  complain("unknown option %.*s", (int)length, argument);
  if (!suggest(word, names, count)) add_line("-h lists the options");
  return EXIT_WRONG;
}

static bool is_option(const options *o, const char *argument)
{
  return argument[0] == '-' && argument[1] && find(o, argument, strcspn(argument, "=")) >= 0;
}

// Takes argv[*i] as an option, and argv[*i + 1] as its value when it stands there.
static int take(options *o, int argc, char **argv, int *i)
{
  const char *argument = argv[*i];
  const bool is_long = argument[1] == '-';
  const size_t length = is_long ? strcspn(argument, "=") : 2;
  const int k = find(o, argument, length);
  if (k < 0) return unknown(o, argument, is_long ? length : strlen(argument));

  const option *known = &o->table[k];
  const char *attached = argument[length] == 0 ? NULL : argument + length + (is_long ? 1 : 0);
  const char *value = NULL;
  if (!known->value && attached) {
    if (!is_long) return unknown(o, argument, strlen(argument));
    return complain("%s takes no value", known->name);
  }
  if (known->value) {
    if (!known->repeats && options_has(o, known->name))
      return complain("%s is given twice", known->name);
    value = attached;
    if (!value && *i + 1 < argc && !is_option(o, argv[*i + 1])) value = argv[++*i];
    if (!value) return complain("%s needs a value: %s %s", known->name, known->name, known->value);
  }
  o->given[o->given_count++] = (given_option){.option = k, .value = value};
  return 0;
}

int options_parse(options *out, const option *table, int table_size, int argc, char **argv)
{
  const size_t room = argc > 0 ? (size_t)argc : 1;
  *out = (options){.argc = argc,
                   .argv = argv,
                   .table = table,
                   .table_size = table_size,
                   .given = calloc(room, sizeof *out->given),
                   .words = calloc(room, sizeof *out->words)};
  if (!out->given || !out->words) return complain("out of memory");

  bool ended = false;
  for (int i = 0; i < argc; i++) {
    if (!ended && strcmp(argv[i], "--") == 0) {
      ended = true;
    } else if (!ended && argv[i][0] == '-' && argv[i][1]) {
      const int wrong = take(out, argc, argv, &i);
      if (wrong) return wrong;
    } else {
      out->words[out->word_count++] = argv[i];
    }
  }
  return 0;
}

int options_number(const options *o, const char *name, double least, double most,
                   const char *expected, double *number)
{
  const char *text = options_value(o, name, 0);
  if (!text) return 0;
  char *end = NULL;
  const double x = strtod(text, &end);
  if (end == text || *end || !(x >= least) || !(x <= most))
    return complain("%s %s: expected %s", name, text, expected);
  *number = x;
  return 0;
}

int options_count(const options *o, const char *name, long least, long most, long *count)
{
  const char *text = options_value(o, name, 0);
  if (!text) return 0;
  char *end = NULL;
  const long n = strtol(text, &end, 10);
  if (end == text || *end || n < least || n > most)
    return complain("%s %s: expected a whole number from %ld to %ld", name, text, least, most);
  *count = n;
  return 0;
}
