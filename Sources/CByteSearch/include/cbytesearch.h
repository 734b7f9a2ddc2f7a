// Vector instructions that Swift does not have: a table of sixteen bytes, looked up sixteen times at once.
#ifndef CBYTESEARCH_H
#define CBYTESEARCH_H

#include <stddef.h>
#include <stdint.h>

// A set of ASCII characters: bit h of rows[l] is set if the character 0xhl is a member.
struct byte_search_set {
  uint8_t rows[16];
};

// The place of the first member in `text`, or `count`.
size_t byte_search_first(const uint8_t *text, size_t count, const struct byte_search_set *set);

// The same without vectors: for processors that have none of ours, and for tests.
size_t byte_search_first_scalar(const uint8_t *text, size_t count, const struct byte_search_set *set);

#endif
