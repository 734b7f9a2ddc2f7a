#include "avx2.h"
#include "cvectors.h"

#if defined(__x86_64__)

#include <immintrin.h>

// Twenty-four bytes at a time, by the method of Mula and Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions" (2018).
AVX2 static size_t encode_by_vectors(const uint8_t *bytes, size_t count, uint8_t *letters) {
  // Each group of three bytes becomes four: the second, the first, the third, and the second again.
  const __m256i spread = _mm256_setr_epi8(
      1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10,
      1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
  // From a value of six bits to its letter, by the range that the value is in: a to z, ten digits, plus, slash, A to Z.
  const __m256i distances = _mm256_setr_epi8(
      71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0,
      71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
  size_t place = 0;
  // Both halves are read as sixteen bytes, of which twelve are used.
  for (; count - place >= 12 + 16; place += 24, letters += 32) {
    __m128i front = _mm_loadu_si128((const __m128i *)(bytes + place));
    __m128i back = _mm_loadu_si128((const __m128i *)(bytes + place + 12));
    __m256i groups = _mm256_shuffle_epi8(_mm256_set_m128i(back, front), spread);
    // A multiplication shifts each sixteen bits by a distance of their own.
    __m256i odd = _mm256_mulhi_epu16(
        _mm256_and_si256(groups, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
    __m256i even = _mm256_mullo_epi16(
        _mm256_and_si256(groups, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
    __m256i values = _mm256_or_si256(odd, even);
    // 0 for small letters, 1 to 10 for digits, 11 and 12 for the signs, 13 for capitals.
    __m256i ranges = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    __m256i capitals = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
    ranges = _mm256_or_si256(ranges, _mm256_and_si256(capitals, _mm256_set1_epi8(13)));
    __m256i text = _mm256_add_epi8(values, _mm256_shuffle_epi8(distances, ranges));
    _mm256_storeu_si256((__m256i *)letters, text);
  }
  return place;
}

size_t base64_encode_most(const uint8_t *bytes, size_t count, uint8_t *letters) {
  return has_avx2() ? encode_by_vectors(bytes, count, letters) : 0;
}

#else

size_t base64_encode_most(const uint8_t *bytes, size_t count, uint8_t *letters) {
  (void)bytes, (void)count, (void)letters;
  return 0;
}

#endif
