// What the statements share. They read tokens and fill the source; a statement that fails returns
// false after reporting its error.
#ifndef DLS_MODEL_STATEMENT_H
#define DLS_MODEL_STATEMENT_H

#include "model/parser.h"

typedef struct dls_reader {
  dls_parser *p;
  dls_source *s;
} dls_reader;

// Room for one more item in a list of the source: evaluates to the place, or NULL.
#define DLS_ADD(c, list)                                                                       \
  (((c)->s->list.items = dls_reader_grow(c, (c)->s->list.items, (c)->s->list.count,            \
                                         &(c)->s->list.capacity, sizeof *(c)->s->list.items)), \
   (c)->p->status ? NULL : &(c)->s->list.items[(c)->s->list.count++])

void *dls_reader_grow(dls_reader *c, void *items, int count, ptrdiff_t *capacity, size_t size);

// At the first word of a line that can only start a statement of its own.
bool dls_reader_at_statement(const dls_parser *p, bool in_block);
bool dls_is_block_word(dls_keyword keyword);

// Skips the rest of a line that failed in a contact's block.
void dls_reader_skip_line(dls_reader *c);
// Whether an item of a block ends here: at `;`, `}` or the end of the line; an error otherwise.
bool dls_reader_item_ends(dls_reader *c);

// Reads a name that is to be declared; -1 after an error.
int dls_reader_name(dls_reader *c, const char *what, unsigned *at);
bool dls_reader_colon(dls_reader *c);
void dls_reader_twice(dls_reader *c, int word, unsigned at, const char *what, unsigned first);

bool dls_read_statements(dls_reader *c);  // up to the end of the text, or of the loop
bool dls_read_restitution(dls_reader *c);
bool dls_read_friction(dls_reader *c);
bool dls_read_contact(dls_reader *c, dls_keyword keyword);
bool dls_read_loop(dls_reader *c);
bool dls_read_draw(dls_reader *c);
bool dls_read_outputs(dls_reader *c);
bool dls_read_event(dls_reader *c);
bool dls_read_body(dls_reader *c, bool fixed);
bool dls_read_joint(dls_reader *c);
bool dls_read_rule(dls_reader *c);
bool dls_read_gravity(dls_reader *c, const dls_token *word);
bool dls_read_import(dls_reader *c);
bool dls_read_torque(dls_reader *c);
bool dls_read_body_point(dls_reader *c, int let);
// force or torque NAME = (x, y, z)
bool dls_add_body_term(dls_reader *c, const dls_assignment *a, bool torque);

#endif
