"""The odd messages: each is what a refusal of tapeline is about, served to clients, or sent to servers."""

from __future__ import annotations

from dataclasses import dataclass

OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: 5\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


@dataclass(frozen=True)
class Case:
    """A message by the name of the refusal and what is odd."""

    refusal: str
    name: str
    message: bytes


def _head(*lines: bytes, start: bytes = OK, body: bytes = b"hello") -> bytes:
    return start + b"".join(lines) + b"\r\n" + body


def _chunks(body: bytes, *lines: bytes, start: bytes = OK) -> bytes:
    return _head(*(lines or (CHUNKED,)), start=start, body=body)


# The content is `hello`, by any reading that a reader may defend.
RESPONSES = [
    Case("", "nothing", _head(LENGTH)),
    Case("several-content-lengths", "equal Content-Length, two lines", _head(LENGTH, LENGTH)),
    Case("invalid-content-length", "equal Content-Length, one line", _head(b"Content-Length: 5, 5\r\n")),
    Case("several-content-lengths", "Content-Length 5 and 3", _head(LENGTH, b"Content-Length: 3\r\n")),
    Case("invalid-content-length", "Content-Length: +5", _head(b"Content-Length: +5\r\n")),
    Case("invalid-content-length", "Content-Length: 5;", _head(b"Content-Length: 5;\r\n")),
    Case("invalid-content-length", "Content-Length empty", _head(b"Content-Length:\r\n")),
    Case("invalid-content-length", "Content-Length: -1", _head(b"Content-Length: -1\r\n")),
    Case("both-framings", "Transfer-Encoding and Content-Length: 5", _chunks(b"5\r\nhello\r\n0\r\n\r\n", CHUNKED, LENGTH)),
    Case("repeated-chunked", "chunked in two lines", _chunks(b"5\r\nhello\r\n0\r\n\r\n", CHUNKED, CHUNKED)),
    Case(
        "repeated-chunked",
        "chunked, chunked in one line",
        _chunks(b"5\r\nhello\r\n0\r\n\r\n", b"Transfer-Encoding: chunked, chunked\r\n"),
    ),
    Case(
        "unchunked-transfer-encoding",
        "Transfer-Encoding: identity",
        _head(b"Transfer-Encoding: identity\r\n", LENGTH),
    ),
    Case("unchunked-transfer-encoding", "Transfer-Encoding: identity, no length", _head(b"Transfer-Encoding: identity\r\n")),
    Case("unknown-transfer-coding", "foo, chunked", _chunks(b"5\r\nhello\r\n0\r\n\r\n", b"Transfer-Encoding: foo, chunked\r\n")),
    Case(
        "transfer-encoding-in-http10",
        "chunks in HTTP/1.0",
        _chunks(b"5\r\nhello\r\n0\r\n\r\n", start=b"HTTP/1.0 200 OK\r\n"),
    ),
    Case("invalid-chunk-size", "blanks after a chunk's size", _chunks(b"5  \r\nhello\r\n0 \r\n\r\n")),
    Case("invalid-chunk-size", "blanks before a chunk's size", _chunks(b" 5\r\nhello\r\n0\r\n\r\n")),
    Case("invalid-chunk-size", "0x before a chunk's size", _chunks(b"0x5\r\nhello\r\n0\r\n\r\n")),
    Case("chunk-size-overflow", "a chunk's size of 20 digits", _chunks(b"00000000000000000005\r\nhello\r\n0\r\n\r\n")),
    Case("bare-line-feed", "LF alone in chunks", _chunks(b"5\nhello\n0\n\n")),
    Case("invalid-chunk-end", "nothing after a chunk's content", _chunks(b"5\r\nhello0\r\n\r\n")),
    Case(
        "chunk-extension-too-long", "a chunk extension of 5,000 bytes", _chunks(b"5;" + b"x" * 5000 + b"\r\nhello\r\n0\r\n\r\n")
    ),
    Case("bare-line-feed", "LF alone in the trailers", _chunks(b"5\r\nhello\r\n0\r\nX: y\n\n")),
    Case("invalid-field-value", "NUL in a value", _head(b"X: a\0b\r\n", LENGTH)),
    Case("", "another control in a value", _head(b"X: a\x01b\r\n", LENGTH)),
    Case("bare-carriage-return", "CR in a value", _head(b"X: a\rb\r\n", LENGTH)),
    Case("odd-field-name", "a blank in a name", _head(b"X Y: a\r\n", LENGTH)),
    Case("invalid-field-name", "a parenthesis in a name", _head(b"X(Y): a\r\n", LENGTH)),
    Case("odd-field-name", "obs-text in a name", _head(b"X\xc3\xbc: a\r\n", LENGTH)),
    Case("invalid-field-name", "a line without a colon", _head(b"garbage\r\n", LENGTH)),
    Case("invalid-field-name", "an empty name", _head(b": a\r\n", LENGTH)),
    Case("blank-before-first-field", "a blank before the first field", _head(b" X: a\r\n", LENGTH)),
    Case("invalid-status-line", "status 99", _head(LENGTH, start=b"HTTP/1.1 99 Odd\r\n")),
    Case("invalid-status-line", "status 20", _head(LENGTH, start=b"HTTP/1.1 20 OK\r\n")),
    Case("invalid-status-line", "status 2000", _head(LENGTH, start=b"HTTP/1.1 2000 OK\r\n")),
    Case("invalid-status-line", "two spaces before the status", _head(LENGTH, start=b"HTTP/1.1  200 OK\r\n")),
    Case("invalid-status-line", "a letter behind the status", _head(LENGTH, start=b"HTTP/1.1 200OK\r\n")),
    Case("invalid-version", "http/1.1 in lower case", _head(LENGTH, start=b"http/1.1 200 OK\r\n")),
    Case("invalid-version", "HTTP/1.10", _head(LENGTH, start=b"HTTP/1.10 200 OK\r\n")),
    Case("invalid-version", "an empty line before the head", b"\r\n" + _head(LENGTH)),
    Case("invalid-version", "ICY 200 OK", _head(LENGTH, start=b"ICY 200 OK\r\n")),
    Case("invalid-version", "HTTP/0.9", b"hello"),
    Case("unsupported-version", "HTTP/2.0 in a status line", _head(LENGTH, start=b"HTTP/2.0 200 OK\r\n")),
    Case("header-block-too-large", "fields of 128 KiB", _head(*[b"X-%d: %s\r\n" % (i, b"v" * 1000) for i in range(128)], LENGTH)),
    Case("header-block-too-large", "fields of 600 KiB", _head(*[b"X-%d: %s\r\n" % (i, b"v" * 6000) for i in range(100)], LENGTH)),
    Case("too-many-fields", "250 fields", _head(*[b"X-%d: v\r\n" % i for i in range(250)], LENGTH)),
    Case("too-many-fields", "6,000 fields", _head(*[b"X-%d: v\r\n" % i for i in range(6000)], LENGTH)),
    Case("status-line-too-long", "a reason of 20,000 bytes", _head(LENGTH, start=b"HTTP/1.1 200 " + b"x" * 20000 + b"\r\n")),
    Case("too-many-informational-responses", "200 times 103", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 200 + _head(LENGTH)),
    Case("trailers-too-large", "trailers of 20,000 bytes", _chunks(b"5\r\nhello\r\n0\r\nX: " + b"v" * 20000 + b"\r\n\r\n")),
    Case("bare-line-feed", "LF alone in the head", b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
    Case("line-folding", "a folded value", _head(b"X: a\r\n b\r\n", LENGTH)),
    Case("blank-before-colon", "a blank before a colon", _head(b"X : a\r\n", LENGTH)),
]

_GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
_POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"

# Each is followed by a second request: the statuses tell how many requests the server has read.
REQUESTS = [
    Case("", "nothing", _POST + LENGTH + b"\r\nhello"),
    Case("several-content-lengths", "equal Content-Length, two lines", _POST + LENGTH + LENGTH + b"\r\nhello"),
    Case("invalid-content-length", "equal Content-Length, one line", _POST + b"Content-Length: 5, 5\r\n\r\nhello"),
    Case("several-content-lengths", "Content-Length 5 and 3", _POST + LENGTH + b"Content-Length: 3\r\n\r\nhello"),
    Case("invalid-content-length", "Content-Length: +5", _POST + b"Content-Length: +5\r\n\r\nhello"),
    Case("both-framings", "Transfer-Encoding and Content-Length", _POST + CHUNKED + LENGTH + b"\r\n5\r\nhello\r\n0\r\n\r\n"),
    Case("repeated-chunked", "chunked in two lines", _POST + CHUNKED + CHUNKED + b"\r\n5\r\nhello\r\n0\r\n\r\n"),
    Case("repeated-chunked", "chunked, chunked", _POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    Case(
        "unchunked-transfer-encoding",
        "Transfer-Encoding: identity",
        _POST + b"Transfer-Encoding: identity\r\n" + LENGTH + b"\r\nhello",
    ),
    Case(
        "transfer-encoding-in-http10",
        "chunks in HTTP/1.0",
        b"POST / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n" + CHUNKED + b"\r\n5\r\nhello\r\n0\r\n\r\n",
    ),
    Case("underscore-framing", "Content_Length", _POST + b"Content_Length: 5\r\n\r\n"),
    Case("underscore-framing", "Transfer_Encoding", _POST + LENGTH + b"Transfer_Encoding: chunked\r\n\r\nhello"),
    Case("invalid-chunk-size", "blanks after a chunk's size", _POST + CHUNKED + b"\r\n5  \r\nhello\r\n0\r\n\r\n"),
    Case("bare-line-feed", "LF alone in chunks", _POST + CHUNKED + b"\r\n5\nhello\n0\n\n"),
    Case("bare-line-feed", "LF alone in the head", b"GET / HTTP/1.1\nHost: localhost\n\n"),
    Case("bare-carriage-return", "CR in a value", _GET + b"X: a\rb\r\n\r\n"),
    Case("line-folding", "a folded value", _GET + b"X: a\r\n b\r\n\r\n"),
    Case("blank-before-colon", "a blank before a colon", _GET + b"X : a\r\n\r\n"),
    Case("blank-before-first-field", "a blank before the first field", b"GET / HTTP/1.1\r\n X: a\r\nHost: localhost\r\n\r\n"),
    Case("invalid-field-name", "a parenthesis in a name", _GET + b"X(Y): a\r\n\r\n"),
    Case("invalid-field-name", "a line without a colon", _GET + b"garbage\r\n\r\n"),
    Case("invalid-field-value", "NUL in a value", _GET + b"X: a\0b\r\n\r\n"),
    Case("invalid-field-value", "a control in a value", _GET + b"X: a\x01b\r\n\r\n"),
    Case("missing-host", "no Host", b"GET / HTTP/1.1\r\n\r\n"),
    Case("several-hosts", "two equal Host", _GET + b"Host: localhost\r\n\r\n"),
    Case("invalid-host", "a Host in UTF-8", b"GET / HTTP/1.1\r\nHost: b\xc3\xbccher.example\r\n\r\n"),
    Case("invalid-request-line", "two spaces in the request line", b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Case("invalid-request-line", "two empty lines before it", b"\r\n\r\n" + _GET + b"\r\n"),
    Case("invalid-target", "a blank in the target", b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Case("invalid-version", "HTTP/1.10", b"GET / HTTP/1.10\r\nHost: localhost\r\n\r\n"),
    Case("request-line-too-long", "a target of 20,000 bytes", b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Case(
        "header-block-too-large",
        "fields of 128 KiB",
        _GET + b"".join(b"X-%d: %s\r\n" % (i, b"v" * 1000) for i in range(128)) + b"\r\n",
    ),
    Case("too-many-fields", "250 fields", _GET + b"".join(b"X-%d: v\r\n" % i for i in range(250)) + b"\r\n"),
    Case("unknown-expectation", "Expect: other", _GET + b"Expect: other\r\n\r\n"),
]
