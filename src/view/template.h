// The page, made from viewer/ when the library is built; empty where that was not possible.
#ifndef DLS_VIEW_TEMPLATE_H
#define DLS_VIEW_TEMPLATE_H

#include <stddef.h>

extern const unsigned char dls_view_template[];
extern const size_t dls_view_template_size;  // up to 16: there is no page

#endif
