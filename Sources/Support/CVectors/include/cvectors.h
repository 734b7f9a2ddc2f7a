// Vector instructions that Swift does not have: a table of sixteen bytes, looked up sixteen times at once, and bits that say which of
// many bytes are wanted.
//
// Searches have the name of what they find. Those for tests do the same without vectors.
#ifndef CVECTORS_H
#define CVECTORS_H

#include <stddef.h>
#include <stdint.h>

// Pairs of bytes in eight groups. Bit g of lower[n][h] is set if the lower half of byte n of a pair in group g may be h; `upper` says
// the same of the upper half. A byte alone is found as a pair whose second byte may be any.
struct byte_search_pairs {
  uint8_t lower[2][16];
  uint8_t upper[2][16];
};

// The first place in `text` where a pair begins, or `count`. A zero counts as the byte behind the last one.
size_t byte_search_first_pair(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs);

// The same without vectors: for processors that have none of ours, and for tests.
size_t byte_search_first_pair_scalar(const uint8_t *text, size_t count, const struct byte_search_pairs *pairs);

// The first four bytes of texts that are searched for, in eight groups of texts. Bit g of lower[n][h] is set if the lower half of
// byte n of a text in group g is h; `upper` says the same of the upper half.
struct byte_search_beginnings {
  uint8_t lower[4][16];
  uint8_t upper[4][16];
};

// The first place where four bytes follow that may begin one of the texts, or `count`. All of them that do are found, and some more.
size_t byte_search_first_beginning(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings);

// The same without vectors.
size_t byte_search_first_beginning_scalar(const uint8_t *text, size_t count, const struct byte_search_beginnings *beginnings);

// The place of the first byte beyond ASCII, or `count`.
size_t byte_search_first_beyond_ascii(const uint8_t *text, size_t count);

// The same with the instructions that every processor has, for tests.
size_t byte_search_first_beyond_ascii_plain(const uint8_t *text, size_t count);

// The place behind the quote that ends a JSON string, or 0. `text` begins behind the quote that begins it.
size_t byte_search_string_end(const uint8_t *text, size_t count);

// The place behind the bracket that ends a JSON object or array, or 0. `text` begins behind the bracket that begins it. Strings are
// told from brackets, and nothing else is looked at: a brace may end an array.
size_t byte_search_container_end(const uint8_t *text, size_t count);

// Copies the bytes at the start of a JSON string that stand for themselves, in blocks: ASCII but controls, quotes and backslashes. Answers
// how many there are, or 0 for fewer than 32 bytes. Behind them, up to `count` bytes of `to` may be overwritten.
size_t json_copy_plain(const uint8_t *from, size_t count, uint8_t *to);

// Writes the letters of base64 (RFC 4648 4) for the first of `count` bytes, and answers for how many: a multiple of three, and none where
// the processor lacks the instructions. At most 27 bytes are left.
size_t base64_encode_most(const uint8_t *bytes, size_t count, uint8_t *letters);

#endif
