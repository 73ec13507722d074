#include "format/mjcf_read.h"

#include "format/mjcf.h"

dls_import *dls_mjcf_read(dls_file_reading *reading, dls_xml_element *root)
{
  static void (*const steps[])(dls_mjcf *) = {
      dls_mjcf_read_compiler, dls_mjcf_read_defaults, dls_mjcf_read_meshes,  dls_mjcf_read_bodies,
      dls_mjcf_weigh,         dls_mjcf_add_bodies,    dls_mjcf_add_contacts, dls_mjcf_add_closures,
      dls_mjcf_add_tendons,   dls_mjcf_add_actuators, dls_mjcf_tune,         dls_mjcf_add_states,
  };
  dls_mjcf *m = dls_reading_work(reading, 1, sizeof *m);
  if (!m) return NULL;
  *m = (dls_mjcf){.reading = reading, .root = root};
  dls_mjcf_include(reading, root);
  if (!reading->status) dls_mjcf_check(reading, root);
  for (int k = 0; k < dls_count_of(steps) && !reading->status; k++) steps[k](m);
  return reading->status ? NULL : dls_draft_finish(reading, &m->draft);
}
