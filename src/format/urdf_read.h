// From the root element of a URDF file to a mechanism.
#ifndef DLS_FORMAT_URDF_READ_H
#define DLS_FORMAT_URDF_READ_H

#include "format/draft.h"

// NULL when the reader fails.
dls_import *dls_urdf_read(dls_file_reading *reading, const dls_xml_element *root);

#endif
