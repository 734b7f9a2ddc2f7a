import unittest

from lab.compare.case import passed, refused_requests
from lab.torture import reference
from lab.torture.answers import Answers
from lab.torture.reference import Rest

HOST = b"Host: h\r\n"
GET = b"GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"


def post(fields: bytes, content: bytes = b"") -> bytes:
    return b"POST http://h/p HTTP/1.1\r\nHost: h\r\n" + fields + b"\r\n" + content


class Reading(unittest.TestCase):
    def assert_rest(self, data: bytes, rest: Rest, count: int = 0):
        reading = reference.read(data)
        self.assertEqual((reading.rest, len(reading.requests)), (rest, count), data)

    def test_requests_follow_one_another(self):
        self.assert_rest(GET + GET + GET, Rest.NOTHING, 3)
        self.assert_rest(b"\r\n" + GET + b"\r\n" + GET, Rest.NOTHING, 2)
        self.assert_rest(b"\r\n\r\n" + GET, Rest.INVALID)

    def test_every_prefix_is_incomplete_or_nothing(self):
        message = post(b"Transfer-Encoding: chunked\r\n", b"3;a=b\r\nabc\r\n0\r\nT: t\r\n\r\n")
        for end in range(3, len(message)):
            self.assertEqual(reference.read(message[:end]).rest, Rest.INCOMPLETE, message[:end])
        self.assertEqual(reference.read(message).requests[0].body, b"abc")

    def test_what_is_read_in_two_ways_is_invalid(self):
        for fields in (
            b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", b"Content-Length: 3\r\nContent-Length: 03\r\n",
            b"Content-Length: +3\r\n", b"Content-Length: 3, 3\r\n", b"Content-Length:\r\n", b"Content-Length: 0x3\r\n",
            b"Content-Length:\xa03\r\n", b"Content-Length : 3\r\n", b"Transfer-Encoding: xchunked\r\n",
            b"Transfer-Encoding: chunked, chunked\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
            b"Transfer-Encoding:\x0bchunked\r\n", b"X: y\r\n folded\r\n", b"X: y\nZ: z\r\n", b"X: \0\r\n", b": y\r\n",
            b"no colon\r\n", b"Host: i\r\n", b"Content-Length: 99999999999999999999\r\n",
        ):  # fmt: skip
            self.assert_rest(post(fields, b"abc"), Rest.INVALID)

    def test_a_target_has_the_form_that_its_method_allows(self):
        for line, rest in (
            (b"GET h/ HTTP/1.1", Rest.INVALID), (b"GET * HTTP/1.1", Rest.INVALID), (b"OPTIONS * HTTP/1.1", Rest.NOTHING),
            (b"CONNECT h HTTP/1.1", Rest.INVALID), (b"CONNECT h:1 HTTP/1.1", Rest.OPAQUE),
            (b"\x05ET / HTTP/1.1", Rest.OPAQUE), (b"\x16ET / HTTP/1.1", Rest.OPAQUE),
            (b"CONNECT h:0 HTTP/1.1", Rest.INVALID), (b"GET http:///x HTTP/1.1", Rest.INVALID),
            (b"GET  http://h/ HTTP/1.1", Rest.INVALID), (b"GET http://h/ HTTP/2.0", Rest.INVALID),
            (b"GET http://u:p@h:1/ HTTP/1.1", Rest.NOTHING), (b"GET http://h%00/ HTTP/1.1", Rest.NOTHING),
            (b"GET http://h%0/ HTTP/1.1", Rest.INVALID),
        ):  # fmt: skip
            self.assertEqual(reference.read(line + b"\r\n" + HOST + b"\r\n").rest, rest, line)

    def test_what_the_client_ends_is_read_no_further(self):
        self.assert_rest(b"GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n" + GET, Rest.UNREAD, 1)
        self.assert_rest(b"GET http://h/ HTTP/1.0\r\n\r\n" + GET, Rest.UNREAD, 1)
        self.assert_rest(b"GET http://h/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + GET, Rest.NOTHING, 2)

    def test_bounds(self):
        self.assert_rest(b"GET http://h/" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: h\r\n\r\n", Rest.INVALID)
        self.assert_rest(post(b"X: y\r\n" * 10_001), Rest.INVALID)
        self.assert_rest(post(b"Transfer-Encoding: chunked\r\n", b"1;" + b"a" * (1 << 20) + b"\r\nx\r\n0\r\n\r\n"), Rest.INVALID)
        self.assert_rest(b"A" * 2_100_000, Rest.INVALID)

    def test_origins_get_the_path_alone(self):
        for method, target, wanted in (
            (b"GET", b"http://h", b"/"), (b"OPTIONS", b"http://h", b"*"), (b"GET", b"HTTP://u@h:1?q#f", b"/?q"),
            (b"GET", b"/a#b", b"/a"), (b"GET", b"http://h/a/../b?x=[", b"/a/../b?x=["),
        ):  # fmt: skip
            self.assertEqual(reference.origin_form(method, target), wanted)


class Refusals(unittest.TestCase):
    def test_what_tapeline_refuses_this_reader_refuses_too(self):
        requests = list(refused_requests())
        accepted = [data[:300] for data in requests if reference.read(data).rest not in (Rest.INVALID, Rest.OPAQUE)]
        self.assertEqual(accepted, [])
        self.assertGreater(len(requests), 200)


class Passage(unittest.TestCase):
    def test_what_tapeline_forwards_this_reader_reads_the_same_before_and_after(self):
        requests = list(passed("requests"))
        self.assertGreater(len(requests), 60)
        for each in requests:
            reading = reference.read(each.data)
            self.assertIn(reading.rest, (Rest.NOTHING, Rest.UNREAD), each.data[:300])
            (request,) = reading.requests
            if each.becomes is not None:
                (arrived,) = reference.read(each.becomes).requests
                self.assertEqual(arrived.signature, request.signature)
            if each.content is not None:
                self.assertEqual(request.body, each.content.partition(b"|")[0])

    def test_what_tapeline_relays_is_without_a_fault(self):
        responses = [each for each in passed("responses") if each.becomes is not None]
        self.assertGreater(len(responses), 25)
        for each in responses:
            answers = Answers([(each.method, each.minor)])
            answers.receive(each.becomes)
            answers.end()
            (answer,) = answers.all
            self.assertEqual(answers.opaque, b"")
            if each.content is not None:
                self.assertEqual(answer.body, each.content)
