#include "cvectors.h"

#include <string.h>

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

// AVX2 is in nearly every processor since 2015, but not in the instructions that a compiler takes for granted.
#define AVX2 __attribute__((target("avx2,bmi")))

// A set, spread over vectors.
struct wide_set {
  __m256i rows, first, second;
};

// A bit for each of 32 bytes that is a member. One byte more is read, for the word.
AVX2 static inline __attribute__((always_inline)) unsigned members_of_32(const uint8_t *text, const struct wide_set *set) {
  // By the upper half of a byte: its bit in a row. Bytes beyond ASCII have none.
  const __m256i bits = _mm256_setr_epi8(
      1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i half = _mm256_set1_epi8(0xF), small = _mm256_set1_epi8(0x20);
  __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
  __m256i next = _mm256_loadu_si256((const __m256i *)(text + 1));
  __m256i row = _mm256_shuffle_epi8(set->rows, _mm256_and_si256(bytes, half));
  __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
  __m256i strange = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), _mm256_setzero_si256());
  __m256i words = _mm256_and_si256(
      _mm256_cmpeq_epi8(_mm256_or_si256(bytes, small), set->first),
      _mm256_cmpeq_epi8(_mm256_or_si256(next, small), set->second));
  return ~(unsigned)_mm256_movemask_epi8(strange) | (unsigned)_mm256_movemask_epi8(words);
}

AVX2 static size_t first_by_vectors(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  enum { SIZE = 32 };
  const struct wide_set wide = {
      .rows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)set->rows)),
      .first = _mm256_set1_epi8((char)set->word[0]),
      .second = _mm256_set1_epi8((char)set->word[1]),
  };
  if (count <= SIZE) {
    uint8_t padded[SIZE + 1] = {0};
    memcpy(padded, text, count);
    uint64_t members = members_of_32(padded, &wide) | UINT64_C(1) << count;
    return (size_t)__builtin_ctzll(members);
  }
  // The last vector overlaps the one before it, where no member is; it ends before the last byte, behind which nothing is read.
  for (size_t place = 0, last = count - SIZE - 1;; place = place + SIZE < last ? place + SIZE : last) {
    unsigned members = members_of_32(text + place, &wide);
    if (members) return place + (size_t)__builtin_ctz(members);
    if (place == last) return count - 1 + byte_search_first_scalar(text + count - 1, 1, set);
  }
}

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return __builtin_cpu_supports("avx2") ? first_by_vectors(text, count, set) : byte_search_first_scalar(text, count, set);
}

// Beginnings, spread over vectors.
struct wide_beginnings {
  __m256i lower[4], upper[4];
};

// The groups of 32 bytes that are byte `byte` of a beginning.
AVX2 static inline __attribute__((always_inline)) __m256i groups_of_32(
    const uint8_t *text, const struct wide_beginnings *beginnings, size_t byte) {
  const __m256i half = _mm256_set1_epi8(0xF);
  __m256i bytes = _mm256_loadu_si256((const __m256i *)(text + byte));
  return _mm256_and_si256(
      _mm256_shuffle_epi8(beginnings->lower[byte], _mm256_and_si256(bytes, half)),
      _mm256_shuffle_epi8(beginnings->upper[byte], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
}

// A bit for each of 32 places where a text may begin. Three bytes more are read.
AVX2 static inline __attribute__((always_inline)) unsigned beginnings_in_32(
    const uint8_t *text, const struct wide_beginnings *beginnings) {
  __m256i first = _mm256_and_si256(groups_of_32(text, beginnings, 0), groups_of_32(text, beginnings, 1));
  __m256i second = _mm256_and_si256(groups_of_32(text, beginnings, 2), groups_of_32(text, beginnings, 3));
  __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(first, second), _mm256_setzero_si256());
  return ~(unsigned)_mm256_movemask_epi8(none);
}

AVX2 static size_t first_beginning_by_vectors(
    const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  enum { SIZE = 32, MORE = 3 };
  if (count <= MORE) return count;
  struct wide_beginnings wide;
  for (size_t byte = 0; byte < 4; byte++) {
    wide.lower[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)beginnings->lower[byte]));
    wide.upper[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)beginnings->upper[byte]));
  }
  if (count < SIZE + MORE) {
    uint8_t padded[SIZE + MORE] = {0};
    memcpy(padded, text, count);
    unsigned places = beginnings_in_32(padded, &wide) & ((1u << (count - MORE)) - 1);
    return places ? (size_t)__builtin_ctz(places) : count;
  }
  // The last vector overlaps the one before it.
  for (size_t place = 0, last = count - SIZE - MORE;; place = place + SIZE < last ? place + SIZE : last) {
    unsigned places = beginnings_in_32(text + place, &wide);
    if (places) return place + (size_t)__builtin_ctz(places);
    if (place == last) return count;
  }
}

size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  return __builtin_cpu_supports("avx2") ? first_beginning_by_vectors(text, count, beginnings)
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
