import socket
import time
import unittest
from collections import Counter

from lab.load import LoadFailed, percentile
from lab.origin import Origin
from lab.torture.drip import Drip, Slow
from lab.torture.floods import final_status
from lab.torture.scenario import Failed
from lab.torture.slowloris import HEADER_SECONDS, LATE_SECONDS, Dropped, check_dropped
from lab.torture.tunnels import in_parallel

ANSWER = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"


class Percentiles(unittest.TestCase):
    def test_of_counted_latencies(self):
        latencies = Counter({100: 98, 900: 1, 5000: 1})
        self.assertEqual([percentile(latencies, share) for share in (0.5, 0.98, 0.99, 1)], [100, 100, 900, 5000])

    def test_of_nothing_is_a_failure(self):
        with self.assertRaises(LoadFailed):
            percentile(Counter(), 0.99)


class DrippingClients(unittest.TestCase):
    def test_send_an_byte_at_a_time_and_come_again_when_they_were_dropped(self):
        received = []

        def handle(connection: socket.socket) -> None:
            while (data := connection.recv(100)) and not data.endswith(b"x"):
                received.append(data)
            connection.sendall(ANSWER)

        server = Origin(handle)
        self.addCleanup(server.close)
        with Drip([Slow(("127.0.0.1", server.port), b"GET ", b"x") for _ in range(3)], period=0.03, ramp=0) as drip:
            deadline = time.monotonic() + 20
            while len(drip.dropped) < 6 and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertGreaterEqual(len(drip.dropped), 6)
        self.assertIn(ANSWER, [drop.answer for drop in drip.dropped])
        self.assertEqual(set(received), {b"GET "})


class Drops(unittest.TestCase):
    head = Slow(("", 0), b"GET / HTTP/1.1\r\nX-Slow: ", b"a")

    def check(self, slow: Slow, seconds: float, answer: bytes = ANSWER, count: int = 1000) -> None:
        check_dropped([Dropped(slow, seconds, answer)] * count)

    def test_of_slow_heads_at_their_time_out_are_right(self):
        self.check(self.head, HEADER_SECONDS + 0.5)

    def test_that_come_early_or_late_or_without_an_answer_or_too_seldom_are_not(self):
        body = Slow(("", 0), b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"b")
        wrong = [
            (self.head, HEADER_SECONDS - 0.5), (self.head, HEADER_SECONDS + LATE_SECONDS + 0.5),
            (self.head, HEADER_SECONDS + 0.5, b""), (body, HEADER_SECONDS + 0.5), (self.head, HEADER_SECONDS + 0.5, ANSWER, 10),
        ]  # fmt: skip
        for case in wrong:
            with self.subTest(case), self.assertRaises(Failed):
                self.check(*case)


class FinalStatus(unittest.TestCase):
    def test_is_that_behind_all_interim_responses(self):
        self.assertEqual(final_status(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 9 + b"HTTP/1.1 502 Bad Gateway\r\n"), 502)
        self.assertEqual(final_status(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 1"), 0)


class InParallel(unittest.TestCase):
    def test_a_failure_of_one_is_a_failure(self):
        def act(number: int) -> None:
            if number == 7:
                raise Failed("the seventh")

        with self.assertRaisesRegex(Failed, "seventh"):
            in_parallel(20, act)
