import unittest
from types import SimpleNamespace

from lab.torture.answers import Answers
from lab.torture.case import Case, Ending, Exchange, Kind, Through
from lab.torture.examination import complaints
from lab.torture.grammar import Outgoing, Reply
from lab.torture.reference import read
from lab.torture.tokens import Token

SEED = 3


def exchange(number: int, index: int, method: bytes = b"GET") -> Exchange:
    token = Token(number, index)
    mark = token.encoded(SEED)
    data = b"%b http://h/%b HTTP/1.1\r\nHost: h\r\n\r\n" % (method, mark)
    head = b"HTTP/1.1 200 OK\r\nX-Mark: %b\r\nContent-Length: %d\r\n\r\n" % (mark, len(mark))
    return Exchange(token, mark, Outgoing(method, data, 1, False, False), Reply(200, head, mark, mark, "length"), [head + mark])


class Complaints(unittest.TestCase):
    def setUp(self):
        self.exchanges = [exchange(5, 0), exchange(5, 1)]
        self.whole = b"".join(each.segments[0] for each in self.exchanges)

    def complaints(self, received: bytes, has_ended: bool = False, kind: Kind = Kind.VALID) -> list[str]:
        data = b"".join(each.request.data for each in self.exchanges)
        made = Case(5, kind, Through.NOTHING, self.exchanges, data, [data], Ending.ORDERLY, None, None, read(data))
        answers = Answers([(request.method, request.minor) for request in made.reading.requests])
        answers.receive(received)
        client = SimpleNamespace(
            case=made, received=received, answers=answers, violation=None, has_ended=has_ended, was_reset=False
        )
        return list(complaints(client, SEED))

    def assert_complaint(self, what: str, received: bytes, **more):
        self.assertRegex("\n".join(self.complaints(received, **more)), what)

    def test_what_is_right_is_right(self):
        self.assertEqual(self.complaints(self.whole), [])

    def test_bytes_of_another_connection(self):
        self.assert_complaint("other connections", self.whole.replace(self.exchanges[1].mark, Token(6, 1).encoded(SEED)))

    def test_answers_in_another_order(self):
        first, second = (each.segments[0] for each in self.exchanges)
        self.assert_complaint("holds", second + first)
        self.assert_complaint("holds", second + first, kind=Kind.REQUEST)

    def test_an_answer_that_is_missing(self):
        self.assert_complaint("1 answers to 2", self.exchanges[0].segments[0], has_ended=True)

    def test_an_answer_too_many(self):
        self.assert_complaint("3 answers", self.whole + self.exchanges[1].segments[0])

    def test_another_body(self):
        self.assert_complaint("the body is another", self.whole[:-1] + b"Z")

    def test_another_status(self):
        self.assert_complaint("404 instead of 200", self.whole.replace(b"200", b"404", 1))

    def test_a_cut_response_that_looks_whole(self):
        self.exchanges[0].is_cut, self.exchanges[0].is_sound = True, False
        self.assert_complaint("made to look whole", self.whole)

    def test_a_502_only_for_what_cannot_be_repeated(self):
        failure = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
        self.assert_complaint("502 instead of 200", failure + self.exchanges[1].segments[0])
        self.exchanges[0] = exchange(5, 0, b"POST")
        self.assertEqual(self.complaints(failure + self.exchanges[1].segments[0]), [])
