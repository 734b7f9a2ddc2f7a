#include "cvectors.h"

#include <stdbool.h>
#include <string.h>

// Clang makes instructions of this for any processor that has vectors.
typedef uint8_t block __attribute__((vector_size(32)));
typedef int8_t numbers __attribute__((vector_size(32)));
typedef bool truths __attribute__((ext_vector_type(32)));

// A bit for each byte that is a quote, a backslash, a control or beyond ASCII: as numbers, the last two are less than a blank.
static inline uint32_t specials(const block *bytes) {
  truths are_special = __builtin_convertvector((*bytes == '"') | (*bytes == '\\') | (*(const numbers *)bytes < 0x20), truths);
  uint32_t bits;
  memcpy(&bits, &are_special, sizeof bits);
  return bits;
}

size_t json_copy_plain(const uint8_t *from, size_t count, uint8_t *to) {
  block bytes;
  if (count < sizeof bytes) return 0;
  // The last block overlaps the one before it.
  for (size_t place = 0, last = count - sizeof bytes;;) {
    memcpy(&bytes, from + place, sizeof bytes);
    memcpy(to + place, &bytes, sizeof bytes);
    uint32_t found = specials(&bytes);
    if (found) return place + (size_t)__builtin_ctz(found);
    if (place == last) return count;
    place = place + sizeof bytes < last ? place + sizeof bytes : last;
  }
}
