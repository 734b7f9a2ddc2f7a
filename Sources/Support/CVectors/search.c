#include "avx2.h"
#include "cvectors.h"

#include <string.h>

size_t byte_search_first_pair_scalar(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs) {
  for (size_t place = 0; place < count; place++) {
    uint8_t groups = 0xFF;
    for (size_t byte = 0; byte < 2; byte++) {
      uint8_t value = place + byte < count ? text[place + byte] : 0;
      groups &= pairs->lower[byte][value & 0xF] & pairs->upper[byte][value >> 4];
    }
    if (groups) return place;
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

size_t byte_search_first_beyond_ascii_plain(const uint8_t *text, size_t count) {
  size_t place = 0;
  while (place < count && text[place] < 0x80) place++;
  return place;
}

#if defined(__x86_64__)

#include <immintrin.h>

enum { SIZE = 32, MOST_MORE = 3 };

// A bit for each of 32 places that is wanted. Some bytes behind them are read, too.
typedef unsigned look_at_32(const uint8_t *text, const void *wanted);

// The first place that is wanted among those that have `more` bytes behind them, or their number. The text has as many at least.
AVX2 static inline __attribute__((always_inline)) size_t first_in(
    const uint8_t *text, size_t count, size_t more, const void *wanted, look_at_32 *look) {
  size_t places = count - more;
  if (places < SIZE) {
    uint8_t padded[SIZE + MOST_MORE] = {0};
    memcpy(padded, text, count);
    return (size_t)__builtin_ctz(look(padded, wanted) | 1u << places);
  }
  // The last vector overlaps the one before it, where no place is wanted.
  for (size_t place = 0, last = places - SIZE;; place = place + SIZE < last ? place + SIZE : last) {
    unsigned found = look(text + place, wanted);
    if (found) return place + (size_t)__builtin_ctz(found);
    if (place == last) return places;
  }
}

// What one byte has to be, for eight groups: by its lower half and by its upper half.
struct wide_groups {
  __m256i lower, upper;
};

AVX2 static inline __attribute__((always_inline)) struct wide_groups widened(const uint8_t *lower, const uint8_t *upper) {
  return (struct wide_groups){
      .lower = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)lower)),
      .upper = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)upper)),
  };
}

// The groups that each of 32 bytes fits.
AVX2 static inline __attribute__((always_inline)) __m256i groups_of_32(const uint8_t *text, const struct wide_groups *groups) {
  const __m256i half = _mm256_set1_epi8(0xF);
  __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
  return _mm256_and_si256(
      _mm256_shuffle_epi8(groups->lower, _mm256_and_si256(bytes, half)),
      _mm256_shuffle_epi8(groups->upper, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
}

// A bit for each of 32 bytes that has a group.
AVX2 static inline __attribute__((always_inline)) unsigned grouped(__m256i groups) {
  return ~(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256()));
}

// The places where a pair begins. One byte more is read.
AVX2 static inline __attribute__((always_inline)) unsigned pairs_in_32(const uint8_t *text, const void *wanted) {
  const struct wide_groups *pairs = wanted;
  return grouped(_mm256_and_si256(groups_of_32(text, &pairs[0]), groups_of_32(text + 1, &pairs[1])));
}

AVX2 static size_t first_pair_by_vectors(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs) {
  if (count == 0) return 0;
  const struct wide_groups wide[2] = {widened(pairs->lower[0], pairs->upper[0]), widened(pairs->lower[1], pairs->upper[1])};
  // Behind the last byte nothing is read.
  size_t place = first_in(text, count, 1, wide, pairs_in_32);
  return place < count - 1 ? place : place + byte_search_first_pair_scalar(text + place, 1, pairs);
}

size_t byte_search_first_pair(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs) {
  return has_avx2() ? first_pair_by_vectors(text, count, pairs) : byte_search_first_pair_scalar(text, count, pairs);
}

// The places where a text may begin. Three bytes more are read.
AVX2 static inline __attribute__((always_inline)) unsigned beginnings_in_32(const uint8_t *text, const void *wanted) {
  const struct wide_groups *beginnings = wanted;
  __m256i first = _mm256_and_si256(groups_of_32(text, &beginnings[0]), groups_of_32(text + 1, &beginnings[1]));
  __m256i second = _mm256_and_si256(groups_of_32(text + 2, &beginnings[2]), groups_of_32(text + 3, &beginnings[3]));
  return grouped(_mm256_and_si256(first, second));
}

AVX2 static size_t first_beginning_by_vectors(
    const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  enum { MORE = 3 };
  if (count <= MORE) return count;
  struct wide_groups wide[4];
  for (size_t byte = 0; byte < 4; byte++) wide[byte] = widened(beginnings->lower[byte], beginnings->upper[byte]);
  size_t place = first_in(text, count, MORE, wide, beginnings_in_32);
  return place < count - MORE ? place : count;
}

size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  return has_avx2() ? first_beginning_by_vectors(text, count, beginnings)
                    : byte_search_first_beginning_scalar(text, count, beginnings);
}

// The bytes beyond ASCII.
AVX2 static inline __attribute__((always_inline)) unsigned beyond_ascii_in_32(const uint8_t *text, const void *wanted) {
  (void)wanted;
  return (unsigned)_mm256_movemask_epi8(_mm256_loadu_si256((const __m256i *)text));
}

AVX2 static size_t first_beyond_ascii_by_vectors(const uint8_t *text, size_t count) {
  return first_in(text, count, 0, NULL, beyond_ascii_in_32);
}

size_t byte_search_first_beyond_ascii(const uint8_t *text, size_t count) {
  return has_avx2() ? first_beyond_ascii_by_vectors(text, count) : byte_search_first_beyond_ascii_plain(text, count);
}

#else

size_t byte_search_first_beyond_ascii(const uint8_t *text, size_t count) {
  return byte_search_first_beyond_ascii_plain(text, count);
}

size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  return byte_search_first_beginning_scalar(text, count, beginnings);
}

size_t byte_search_first_pair(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs) {
  return byte_search_first_pair_scalar(text, count, pairs);
}

#endif
