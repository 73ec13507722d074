// How near two words are, for "did you mean".
#ifndef DLS_BASE_WORD_DISTANCE_H
#define DLS_BASE_WORD_DISTANCE_H

enum { DLS_NEAREST_LENGTH = 40 };  // longer words are near to nothing

// Damerau-Levenshtein distance (neighbours may swap) of words of at most DLS_NEAREST_LENGTH bytes;
// anything above the limit may come back as limit + 1.
int dls_word_distance(const char *a, int a_length, const char *b, int b_length, int limit);

// The distance up to which a word of that length is worth a suggestion.
int dls_word_reach(int length);

#endif
