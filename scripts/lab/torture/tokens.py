"""Tokens: every exchange has one, in its target, its fields, its body and its response. Where one turns up tells whose bytes
went there."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

_PATTERN = re.compile(rb"tk([0-9a-f]{7})([0-9a-f]{2})([0-9a-f]{8})z")


class Token(NamedTuple):
    """Which exchange of which case, that is, of which client connection."""

    case: int
    index: int

    def encoded(self, seed: int) -> bytes:
        plain = b"%07x%02x" % (self.case, self.index)
        return b"tk%b%08xz" % (plain, _check(plain, seed))


def tokens_in(data: bytes, seed: int) -> Iterator[Token]:
    """Those that somebody made, once each: what a mutation has hit has a wrong check. A body is its token, thousands of times."""
    for case, index, check in dict.fromkeys(_PATTERN.findall(data)):
        if int(check, 16) == _check(case + index, seed):
            yield Token(int(case, 16), int(index, 16))


def _check(plain: bytes, seed: int) -> int:
    return zlib.crc32(plain, seed & 0xFFFFFFFF)
