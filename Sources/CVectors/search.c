#include "cvectors.h"

static int is_letter(uint8_t byte, uint8_t small) {
  return (byte | 0x20) == small;
}

size_t byte_search_first_scalar(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  for (size_t place = 0; place < count; place++) {
    uint8_t byte = text[place];
    if (byte < 0x80 && (set->rows[byte & 0xF] >> (byte >> 4) & 1)) return place;
    if (is_letter(byte, set->word[0]) && place + 1 < count && is_letter(text[place + 1], set->word[1])) return place;
  }
  return count;
}

size_t byte_search_first_beginning_scalar(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  for (size_t place = 0; count - place >= 4; place++) {
    uint8_t groups = 0xFF;
    for (size_t byte = 0; byte < 4; byte++) {
      groups &= beginnings->lower[byte][text[place + byte] & 0xF] & beginnings->upper[byte][text[place + byte] >> 4];
    }
    if (groups) return place;
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
  const __m128i small = _mm_set1_epi8(0x20);
  const __m128i first = _mm_set1_epi8((char)set->word[0]), second = _mm_set1_epi8((char)set->word[1]);
  size_t place = 0;
  for (; count - place >= 16 + 1; place += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(text + place));
    __m128i next = _mm_loadu_si128((const __m128i *)(text + place + 1));
    __m128i row = _mm_shuffle_epi8(rows, _mm_and_si128(bytes, half));
    __m128i bit = _mm_shuffle_epi8(bits, _mm_and_si128(_mm_srli_epi16(bytes, 4), half));
    __m128i strange = _mm_cmpeq_epi8(_mm_and_si128(row, bit), _mm_setzero_si128());
    __m128i words = _mm_and_si128(
        _mm_cmpeq_epi8(_mm_or_si128(bytes, small), first), _mm_cmpeq_epi8(_mm_or_si128(next, small), second));
    unsigned members = (~(unsigned)_mm_movemask_epi8(strange) & 0xFFFF) | (unsigned)_mm_movemask_epi8(words);
    if (members) return place + (size_t)__builtin_ctz(members);
  }
  return place + byte_search_first_scalar(text + place, count - place, set);
}

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return __builtin_cpu_supports("ssse3") ? first_by_vectors(text, count, set)
                                         : byte_search_first_scalar(text, count, set);
}

// The groups of sixteen bytes that are byte `byte` of a beginning.
__attribute__((target("ssse3"), always_inline)) static inline __m128i groups_of(
    const uint8_t *text, const struct byte_search_beginnings *beginnings, size_t byte) {
  const __m128i half = _mm_set1_epi8(0xF);
  __m128i bytes = _mm_loadu_si128((const __m128i *)(text + byte));
  __m128i lower = _mm_loadu_si128((const __m128i *)beginnings->lower[byte]);
  __m128i upper = _mm_loadu_si128((const __m128i *)beginnings->upper[byte]);
  return _mm_and_si128(
      _mm_shuffle_epi8(lower, _mm_and_si128(bytes, half)),
      _mm_shuffle_epi8(upper, _mm_and_si128(_mm_srli_epi16(bytes, 4), half)));
}

__attribute__((target("ssse3"))) static size_t first_beginning_by_vectors(
    const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  size_t place = 0;
  for (; count - place >= 16 + 3; place += 16) {
    __m128i first = _mm_and_si128(groups_of(text + place, beginnings, 0), groups_of(text + place, beginnings, 1));
    __m128i second = _mm_and_si128(groups_of(text + place, beginnings, 2), groups_of(text + place, beginnings, 3));
    __m128i none = _mm_cmpeq_epi8(_mm_and_si128(first, second), _mm_setzero_si128());
    unsigned places = ~(unsigned)_mm_movemask_epi8(none) & 0xFFFF;
    if (places) return place + (size_t)__builtin_ctz(places);
  }
  return place + byte_search_first_beginning_scalar(text + place, count - place, beginnings);
}

size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  return __builtin_cpu_supports("ssse3") ? first_beginning_by_vectors(text, count, beginnings)
                                         : byte_search_first_beginning_scalar(text, count, beginnings);
}

#else

size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  return byte_search_first_beginning_scalar(text, count, beginnings);
}

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return byte_search_first_scalar(text, count, set);
}

#endif
