#include "cvectors.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// Sixty-four bytes at a time: Clang makes instructions of this for any processor that has vectors.
typedef uint8_t block __attribute__((vector_size(64)));
typedef bool truths __attribute__((ext_vector_type(64)));

// What a block leaves open for the next one.
struct state {
  uint64_t depth;
  bool is_in_string;
  // A backslash in a string was the last byte.
  bool is_escaped;
};

// Where one of the blocks says that the value ends: the place behind it, or 0.
typedef size_t find_end(const block *bytes, struct state *state);

// A bit for each byte that is `wanted` once the bits of `either` are set in it.
INLINE uint64_t bits(const block *bytes, uint8_t either, uint8_t wanted) {
  truths are_wanted = __builtin_convertvector((*bytes | either) == wanted, truths);
  uint64_t word;
  memcpy(&word, &are_wanted, sizeof word);
  return word;
}

// For each bit, whether the number of bits up to it is odd: what is between quotes, with the first of each pair.
INLINE uint64_t odd_prefixes(uint64_t bits) {
  for (int distance = 1; distance < 64; distance *= 2) bits ^= bits << distance;
  return bits;
}

// The quotes that begin or end a string. Outside of strings a backslash means nothing.
static uint64_t unescaped(uint64_t quotes, uint64_t backslashes, struct state *state) {
  uint64_t marks = quotes | backslashes, ends = 0;
  if (state->is_escaped) marks &= ~UINT64_C(1);
  state->is_escaped = false;
  bool is_in_string = state->is_in_string;
  while (marks) {
    uint64_t mark = marks & -marks;
    marks ^= mark;
    if (quotes & mark) {
      ends |= mark;
      is_in_string = !is_in_string;
    } else if (is_in_string) {
      marks &= ~(mark << 1);
      state->is_escaped = mark >> 63;
    }
  }
  return ends;
}

INLINE uint64_t string_ends(const block *bytes, struct state *state) {
  uint64_t quotes = bits(bytes, 0, '"');
  uint64_t backslashes = bits(bytes, 0, '\\');
  return backslashes || state->is_escaped ? unescaped(quotes, backslashes, state) : quotes;
}

INLINE size_t string_end(const block *bytes, struct state *state) {
  uint64_t ends = string_ends(bytes, state);
  return ends ? (size_t)__builtin_ctzll(ends) + 1 : 0;
}

INLINE size_t container_end(const block *bytes, struct state *state) {
  uint64_t strings = odd_prefixes(string_ends(bytes, state)) ^ -(uint64_t)state->is_in_string;
  state->is_in_string = strings >> 63;
  // Brackets and braces differ in one bit.
  uint64_t opening = bits(bytes, 0x20, '{') & ~strings;
  uint64_t closing = bits(bytes, 0x20, '}') & ~strings;
  uint64_t closed = (uint64_t)__builtin_popcountll(closing);
  if (closed < state->depth) {
    state->depth += (uint64_t)__builtin_popcountll(opening) - closed;
    return 0;
  }
  for (uint64_t brackets = opening | closing; brackets; brackets &= brackets - 1) {
    if (opening & brackets & -brackets) {
      state->depth++;
    } else if (--state->depth == 0) {
      return (size_t)__builtin_ctzll(brackets) + 1;
    }
  }
  return 0;
}

INLINE size_t search(
    const uint8_t *text, size_t count, struct state state, find_end *find) {
  block bytes;
  size_t start = 0;
  for (; count - start >= sizeof bytes; start += sizeof bytes) {
    memcpy(&bytes, text + start, sizeof bytes);
    size_t end = find(&bytes, &state);
    if (end) return start + end;
  }
  bytes = (block){0};
  memcpy(&bytes, text + start, count - start);
  size_t end = find(&bytes, &state);
  return end ? start + end : 0;
}

// What a value is when its first byte has been passed.
static const struct state in_string = {.is_in_string = true};
static const struct state in_container = {.depth = 1};

size_t byte_search_string_end(const uint8_t *text, size_t count) { return search(text, count, in_string, string_end); }

size_t byte_search_container_end(const uint8_t *text, size_t count) {
  return search(text, count, in_container, container_end);
}
