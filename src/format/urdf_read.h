// From the root element of a URDF file to a mechanism.
#ifndef DLS_FORMAT_URDF_READ_H
#define DLS_FORMAT_URDF_READ_H

#include "format/draft.h"

// NULL when the reader fails.
dls_import *dls_urdf_read(dls_file_reading *reading, const dls_xml_element *root);

// Adds a rule for each pair of links that overlap at the reference, and notes how many there are.
void dls_urdf_part_overlaps(dls_file_reading *reading, dls_draft *draft);

#endif
