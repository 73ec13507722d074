// From the root element of an MJCF file to a mechanism.
#ifndef DLS_FORMAT_MJCF_READ_H
#define DLS_FORMAT_MJCF_READ_H

#include "format/draft.h"

// NULL when the reader fails.
dls_import *dls_mjcf_read(dls_file_reading *reading, dls_xml_element *root);

#endif
