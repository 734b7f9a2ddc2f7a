#include "cbytesearch.h"

size_t byte_search_first_scalar(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  for (size_t place = 0; place < count; place++) {
    uint8_t byte = text[place];
    if (byte < 0x80 && (set->rows[byte & 0xF] >> (byte >> 4) & 1)) return place;
  }
  return count;
}

#if defined(__x86_64__)

#include <immintrin.h>

// SSSE3 is in every processor for servers since 2006, but not in the instructions that a compiler takes for granted.
__attribute__((target("ssse3"))) static size_t first_by_vectors(
    const uint8_t *text, size_t count, const struct byte_search_set *set) {
  const __m128i rows = _mm_loadu_si128((const __m128i *)set->rows);
  // By the upper half of a byte: its bit in a row. Bytes beyond ASCII have none.
  const __m128i bits = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i half = _mm_set1_epi8(0xF);
  size_t place = 0;
  for (; count - place >= 16; place += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(text + place));
    __m128i row = _mm_shuffle_epi8(rows, _mm_and_si128(bytes, half));
    __m128i bit = _mm_shuffle_epi8(bits, _mm_and_si128(_mm_srli_epi16(bytes, 4), half));
    __m128i strange = _mm_cmpeq_epi8(_mm_and_si128(row, bit), _mm_setzero_si128());
    unsigned members = ~(unsigned)_mm_movemask_epi8(strange) & 0xFFFF;
    if (members) return place + (size_t)__builtin_ctz(members);
  }
  return place + byte_search_first_scalar(text + place, count - place, set);
}

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return __builtin_cpu_supports("ssse3") ? first_by_vectors(text, count, set) : byte_search_first_scalar(text, count, set);
}

#else

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return byte_search_first_scalar(text, count, set);
}

#endif
