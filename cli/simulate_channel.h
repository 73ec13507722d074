// What a picture of a motion can show: channels, each a number per row, chosen by --plot or by what
// the model has.
#ifndef CLI_SIMULATE_CHANNEL_H
#define CLI_SIMULATE_CHANNEL_H

#include "options.h"

#include <delassus/model.h>

enum { CHANNELS = 96, PHASES = 12, CHANNEL_NAME = 64, MOTIONS = 14, IMPULSES = 24 };

typedef enum channel_kind {
  CHANNEL_COORDINATE,
  CHANNEL_VELOCITY,
  CHANNEL_OUTPUT,
  CHANNEL_ENERGY,  // kinetic, potential, both
  CHANNEL_GAP,
  CHANNEL_RATE,
  CHANNEL_SLIP,
  CHANNEL_FORCE,    // means over columns
  CHANNEL_IMPULSE,  // percussions
} channel_kind;

typedef struct channel {
  channel_kind kind;
  int index;    // of a coordinate, output, energy, gap, slip or entry of dls_sample.impulse
  int contact;  // whose it is; -1: nobody's
  int part;     // of a contact's: 0 normal, 1 and 2 tangential
  bool angle;   // of coordinates and velocities
  bool hidden;  // in a phase picture only
  int group;    // number of the --plot that names it
  char name[CHANNEL_NAME];
} channel;

typedef struct plot_choice {
  bool chosen;  // by --plot
  int channels;
  channel channel[CHANNELS];
  int phases;
  struct {
    int x, y;
  } phase[PHASES];  // channels
} plot_choice;

// Each returns 0, or says what is wrong on standard error and returns an exit status.
int plot_choose(plot_choice *choice, const options *given, const dls_model *model,
                const dls_system *system);

#endif
