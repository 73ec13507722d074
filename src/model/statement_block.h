// What the statements about bodies share.
#ifndef DLS_MODEL_STATEMENT_BLOCK_H
#define DLS_MODEL_STATEMENT_BLOCK_H

#include "model/statement.h"

bool dls_reader_is(const dls_parser *p, const char *word);  // at this word

// { line; line ... }, each read by `line`, at the `{`. A line that fails is skipped, and *broken
// set. False when nothing more can be read here.
bool dls_read_block(dls_reader *c, bool (*line)(dls_reader *c, void *of), void *of, bool *broken);

// EXPR, EXPR ... behind a word; a list of exactly three may also be one vector.
bool dls_read_numbers(dls_reader *c, const dls_token *word, int least, int most,
                      const char *expected, dls_number_list *list);
// Three numbers; the word `follows` may stand behind them.
bool dls_read_numbers_before(dls_reader *c, const dls_token *word, const char *follows,
                             const char *expected, dls_number_list *list);
// (x, y, z), or another vector, and nothing else
bool dls_read_vector(dls_reader *c, const dls_token *word, dls_number_list *list);
// position X, Y, Z   rotation ...; at the word
bool dls_read_placement(dls_reader *c, const dls_token *word, dls_placement_statement *place);
bool dls_read_file(dls_reader *c, const char **file, unsigned *at, unsigned *length);
bool dls_read_body_name(dls_reader *c, dls_body_name *name, bool any);

#endif
