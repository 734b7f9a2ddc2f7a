import unittest

from lab.torture.answers import Answers, Violation

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nT: t\r\n\r\n"


def read(data: bytes, *requests: tuple[bytes, int], size: int | None = None) -> Answers:
    answers = Answers(list(requests))
    for start in range(0, len(data), size or len(data)):
        answers.receive(data[start : start + (size or len(data))])
    return answers


class AnswersTests(unittest.TestCase):
    def test_pipelined_answers_in_any_pieces(self):
        data = OK + CHUNKED + b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 204 \r\n\r\n" + OK
        for size in (1, 2, 3, 7, 50, 1000):
            answers = read(data, *[(b"GET", 1)] * 4, size=size)
            self.assertEqual([(each.status, each.body, each.complete) for each in answers.all],
                             [(200, b"ok", True), (200, b"abcd", True), (204, b"", True), (200, b"ok", True)])  # fmt: skip
            self.assertEqual(answers.finished[2].interim, [100])

    def test_a_missing_end_is_seen(self):
        for message in (OK, CHUNKED):
            for end in range(message.index(b"\r\n\r\n") + 4, len(message)):
                self.assertFalse(read(message[:end], (b"GET", 1)).all[0].complete)

    def test_the_end_of_the_connection_completes_what_has_no_other(self):
        answers = read(b"HTTP/1.1 200 OK\r\n\r\nabc", (b"GET", 0))
        self.assertFalse(answers.all[0].complete)
        answers.end()
        self.assertEqual((answers.all[0].body, answers.all[0].complete), (b"abc", True))

    def test_head_has_no_content_and_what_follows_a_tunnel_is_opaque(self):
        answers = read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + OK, (b"HEAD", 1), (b"GET", 1))
        self.assertEqual([each.body for each in answers.finished], [b"", b"ok"])
        self.assertEqual(read(b"HTTP/1.1 200 OK\r\n\r\n\0\1", (b"CONNECT", 1)).opaque, b"\0\1")
        self.assertEqual(read(b"HTTP/1.1 101 x\r\n\r\n\0\1", (b"GET", 1), size=1).opaque, b"\0\1")

    def test_what_is_no_response_is_a_violation(self):
        for data, minor in (
            (b"ok", 1), (b"HTTP/1.0 200 OK\r\n\r\n", 1), (b"HTTP/1.1 200\r\n\r\n", 1), (b"HTTP/1.1 099 x\r\n\r\n", 1),
            (b"HTTP/1.1 200 OK\r\nX : y\r\n\r\n", 1), (b"HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n", 1),
            (b"HTTP/1.1 200 OK\r\nX: y\nZ: z\r\n\r\n", 1), (b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n", 1),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 01\r\n\r\n", 1),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 1),
            (b"HTTP/1.1 204 x\r\nContent-Length: 0\r\n\r\n", 1),
            (CHUNKED, 0), (b"HTTP/1.1 100 x\r\n\r\n", 0), (OK + b"more", 1),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", 1),
        ):  # fmt: skip
            with self.assertRaises(Violation, msg=data):
                read(data, (b"GET", minor), (b"GET", minor))
