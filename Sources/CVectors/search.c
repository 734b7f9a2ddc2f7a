#include "avx2.h"
#include "cvectors.h"

#include <string.h>

static int is_letter(uint8_t byte, uint8_t small) {
  return (byte | 0x20) == small;
}

// The first character that may be next to a joined one.
enum { LEAST_JOINED = '+' };

size_t byte_search_first_scalar(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  for (size_t place = 0; place < count; place++) {
    uint8_t byte = text[place];
    if (byte < 0x80 && (set->rows[byte & 0xF] >> (byte >> 4) & 1)) return place;
    for (size_t word = 0; place + 1 < count && word < BYTE_SEARCH_WORDS; word++) {
      if (is_letter(byte, set->first[word]) && is_letter(text[place + 1], set->second[word])) return place;
    }
    if (set->joined && byte == set->joined && place + 1 < count && text[place + 1] >= LEAST_JOINED && text[place + 1] < 0x80) {
      return place;
    }
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

// A set, spread over vectors.
struct wide_set {
  __m256i rows, first[BYTE_SEARCH_WORDS], second[BYTE_SEARCH_WORDS], joined, before_least;
};

// The members of the set. One byte more is read, for the words and for what is joined.
AVX2 static inline __attribute__((always_inline)) unsigned members_of_32(const uint8_t *text, const void *wanted) {
  const struct wide_set *set = wanted;
  // By the upper half of a byte: its bit in a row. Bytes beyond ASCII have none.
  const __m256i bits = _mm256_setr_epi8(
      1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i half = _mm256_set1_epi8(0xF), small = _mm256_set1_epi8(0x20);
  __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
  __m256i letters = _mm256_or_si256(bytes, small);
  __m256i after = _mm256_loadu_si256((const __m256i *)(text + 1));
  __m256i next = _mm256_or_si256(after, small);
  __m256i row = _mm256_shuffle_epi8(set->rows, _mm256_and_si256(bytes, half));
  __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
  __m256i strange = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), _mm256_setzero_si256());
  // As numbers, bytes beyond ASCII are less than all others.
  __m256i is_joined = _mm256_cmpgt_epi8(after, set->before_least);
  __m256i words = _mm256_and_si256(_mm256_cmpeq_epi8(bytes, set->joined), is_joined);
  for (size_t word = 0; word < BYTE_SEARCH_WORDS; word++) {
    __m256i first = _mm256_cmpeq_epi8(letters, set->first[word]), second = _mm256_cmpeq_epi8(next, set->second[word]);
    words = _mm256_or_si256(words, _mm256_and_si256(first, second));
  }
  return ~(unsigned)_mm256_movemask_epi8(strange) | (unsigned)_mm256_movemask_epi8(words);
}

AVX2 static size_t first_by_vectors(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  struct wide_set wide = {.rows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)set->rows))};
  for (size_t word = 0; word < BYTE_SEARCH_WORDS; word++) {
    wide.first[word] = _mm256_set1_epi8((char)set->first[word]);
    wide.second[word] = _mm256_set1_epi8((char)set->second[word]);
  }
  wide.joined = _mm256_set1_epi8((char)set->joined);
  wide.before_least = _mm256_set1_epi8(set->joined ? LEAST_JOINED - 1 : INT8_MAX);
  if (count == 0) return 0;
  // Behind the last byte nothing is read.
  size_t place = first_in(text, count, 1, &wide, members_of_32);
  return place < count - 1 ? place : place + byte_search_first_scalar(text + place, 1, set);
}

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return has_avx2() ? first_by_vectors(text, count, set) : byte_search_first_scalar(text, count, set);
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

// The places where a text may begin. Three bytes more are read.
AVX2 static inline __attribute__((always_inline)) unsigned beginnings_in_32(const uint8_t *text, const void *wanted) {
  const struct wide_beginnings *beginnings = wanted;
  __m256i first = _mm256_and_si256(groups_of_32(text, beginnings, 0), groups_of_32(text, beginnings, 1));
  __m256i second = _mm256_and_si256(groups_of_32(text, beginnings, 2), groups_of_32(text, beginnings, 3));
  __m256i none = _mm256_cmpeq_epi8(_mm256_and_si256(first, second), _mm256_setzero_si256());
  return ~(unsigned)_mm256_movemask_epi8(none);
}

AVX2 static size_t first_beginning_by_vectors(
    const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings) {
  enum { MORE = 3 };
  if (count <= MORE) return count;
  struct wide_beginnings wide;
  for (size_t byte = 0; byte < 4; byte++) {
    wide.lower[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)beginnings->lower[byte]));
    wide.upper[byte] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)beginnings->upper[byte]));
  }
  size_t place = first_in(text, count, MORE, &wide, beginnings_in_32);
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

size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set) {
  return byte_search_first_scalar(text, count, set);
}

#endif
