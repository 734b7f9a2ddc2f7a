import random
import unittest

from lab.torture import case, grammar
from lab.torture.case import Ending, Kind, Ports, Through
from lab.torture.reference import Rest
from lab.torture.tokens import Token, tokens_in

PORTS = Ports(*(b"127.1.2.3:2000%d" % number for number in range(1, 5)), b"127.0.0.1:30000", "127.1.2.3", 20_005)
SEED = 7


def made(count: int) -> list[case.Case]:
    return [case.make(number, number, SEED, PORTS) for number in range(count)]


class Tokens(unittest.TestCase):
    def test_are_found_anywhere_and_only_whole(self):
        token = Token(123_456, 7)
        data = token.encoded(SEED)
        other = Token(1, 2)
        self.assertEqual(list(tokens_in(b"x" + data + data + other.encoded(SEED) + data + b"y", SEED)), [token, other])
        for index in range(2, len(data) - 1):
            changed = data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :]
            self.assertEqual(list(tokens_in(changed, SEED)), [], changed)
        self.assertEqual(list(tokens_in(data, SEED + 1)), [])


class Cases(unittest.TestCase):
    def test_the_same_number_is_the_same_case(self):
        for number in range(0, 200, 7):
            first, second = case.make(number, number, SEED, PORTS), case.make(number, number, SEED, PORTS)
            self.assertEqual(first.segments, second.segments)
            self.assertEqual([each.segments for each in first.exchanges], [each.segments for each in second.exchanges])
        self.assertNotEqual(case.make(1, 1, SEED, PORTS).data, case.make(1, 1, SEED + 1, PORTS).data)

    def test_pieces_are_the_whole(self):
        for each in made(300):
            self.assertEqual(b"".join(piece for piece in each.segments if isinstance(piece, bytes)), each.data)

    def test_what_is_valid_is_read_as_it_was_meant(self):
        """The grammar and the reference are two opinions about the same rules."""
        seen = 0
        for each in made(1000):
            if each.kind not in (Kind.VALID, Kind.REPLY):
                continue
            seen += 1
            self.assertIn(each.reading.rest, (Rest.NOTHING, Rest.UNREAD))
            methods = [exchange.request.method for exchange in each.exchanges]
            self.assertEqual([request.method for request in each.reading.requests], methods)
            for request, exchange in zip(each.reading.requests, each.exchanges, strict=True):
                self.assertEqual(bool(request.body), exchange.request.has_body)
        self.assertGreater(seen, 400)

    def test_everything_of_an_exchange_has_its_token_and_no_other_cases(self):
        for each in made(500):
            data = each.data + b"".join(piece for exchange in each.exchanges for piece in exchange.segments)
            self.assertEqual({token.case for token in tokens_in(data, SEED)} - {each.number}, set())
            for exchange in each.exchanges if each.kind is Kind.VALID else []:
                self.assertIn(exchange.mark, exchange.request.data)
                if exchange.reply:
                    self.assertIn(exchange.mark, exchange.reply.head)

    def test_every_kind_comes_up(self):
        cases = made(1500)
        self.assertEqual({each.kind for each in cases}, set(Kind))
        self.assertEqual({each.through for each in cases}, set(Through))
        self.assertEqual({each.ending for each in cases}, set(Ending))
        self.assertEqual({each.reading.rest for each in cases}, set(Rest))
        unsound = [exchange for each in cases for exchange in each.exchanges if not exchange.is_sound]
        self.assertTrue(any(exchange.is_cut for exchange in unsound) and any(not exchange.is_cut for exchange in unsound))

    def test_what_may_be_two_responses_has_an_origin_of_its_own(self):
        for each in made(1500):
            in_pieces = [exchange for exchange in each.exchanges if not exchange.is_sound and len(exchange.segments) > 1]
            self.assertLessEqual(len(in_pieces), 1)
            for exchange in in_pieces:
                self.assertIn(b"%d" % each.own_port, exchange.request.data)


class Grammar(unittest.TestCase):
    def test_chunks_are_the_content(self):
        draw = random.Random(1)
        for size in (0, 1, 5, 300, 5000):
            content = draw.randbytes(size)
            request = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + grammar.chunked(draw, content)
            self.assertEqual(case.reference.read(request).requests[0].body, content)
