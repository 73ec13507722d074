// Colours that readers with any kind of colour vision can tell apart.
#include <delassus/picture.h>

// Okabe and Ito's palette, arranged for lines on white and for areas beside each other.
enum {
  ORANGE = 0xE69F00,
  SKY_BLUE = 0x56B4E9,
  GREEN = 0x009E73,
  YELLOW = 0xF0E442,
  BLUE = 0x0072B2,
  VERMILION = 0xD55E00,
  PURPLE = 0xCC79A7,
};

static const unsigned lines[] = {BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, 0x444444};
enum { LINES = sizeof lines / sizeof lines[0], STROKES = 4 };

unsigned dls_colour_line(int index)
{
  return lines[index < 0 ? 0 : index % LINES];
}

int dls_strokes_line(int index)
{
  return index < 0 ? 0 : index / LINES % STROKES;
}

unsigned dls_colour_area(int index)
{
  static const unsigned areas[] = {SKY_BLUE, ORANGE, GREEN, YELLOW, PURPLE, BLUE, VERMILION};
  enum { COUNT = sizeof areas / sizeof areas[0] };
  return areas[index < 0 ? 0 : index % COUNT];
}

unsigned dls_colour_number(double place)
{
  // dark violet to yellow by way of blue and green, lightness rising evenly
  static const unsigned char stops[][3] = {{68, 1, 84},    {72, 36, 117},  {65, 68, 135},
                                           {53, 95, 141},  {42, 120, 142}, {33, 145, 140},
                                           {34, 168, 132}, {68, 191, 112}, {122, 209, 81},
                                           {189, 223, 38}, {253, 231, 37}};
  enum { LAST = sizeof stops / sizeof stops[0] - 1 };
  const double at = place >= 1 ? LAST : place > 0 ? place * LAST : 0;
  const int k = at >= LAST ? LAST - 1 : (int)at;
  unsigned colour = 0;
  for (int c = 0; c < 3; c++) {
    const double value = stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]);
    colour = colour << 8 | (unsigned)(value + 0.5);
  }
  return colour;
}
