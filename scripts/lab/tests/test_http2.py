import socket
import threading
import unittest

from lab import load
from lab.http2 import codes
from lab.http2.codes import Code, frame
from lab.http2.endpoint import Endpoint, Stream
from lab.http2.hostile import catalogue
from lab.http2.hostile.attack import Attack, flood, new_entry, text, verdict
from lab.http2.peer import Peer
from lab.http2.spec.case import BOTH, CLIENT, connection_error, stream_error
from lab.http2.spec.command import ALL, FORGIVEN

H2LOAD = """starting benchmark...
Application protocol: h2
finished in 2.00s, 500.00 req/s, 1.00MB/s
requests: 1000 total, 1010 started, 1000 done, 998 succeeded, 2 failed, 0 errored, 0 timeout
"""


class Frames(unittest.TestCase):
    def test_length_may_be_a_lie(self):
        self.assertEqual(frame(codes.PING, codes.ACK, 0, b"12345678"), b"\0\0\x08\x06\x01\0\0\0\0" + b"12345678")
        self.assertEqual(frame(codes.DATA, 0, 1, b"", length=5)[:3], b"\0\0\x05")

    def test_texts_of_hpack_have_every_length(self):
        self.assertEqual(text(b"a" * 126)[:1], b"\x7e")
        self.assertEqual(text(b"a" * 127)[:2], b"\x7f\x00")
        self.assertEqual(text(b"a" * 1337)[:3], b"\x7f\xba\x09")
        peer = Peer(socket.socket())
        self.assertEqual(peer.decoder.decode(new_entry(b"x", b"v" * 4000)), [("x", "v" * 4000)])
        peer.close()


class Gathering(unittest.TestCase):
    def test_what_is_written_together_leaves_at_the_end(self):
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        peer = Peer(ours)
        with peer.together():
            peer.raw(codes.PING, 0, 0, bytes(8))
            peer.raw(codes.PING, 0, 0, bytes(8))
            self.assertRaises(BlockingIOError, theirs.recv, 1)
        self.assertEqual(len(theirs.recv(100)), 2 * (9 + 8))
        peer.close()
        theirs.close()


class Conversation(unittest.TestCase):
    """Two peers, back to back; the second does `act` in a thread."""

    def peers(self, act) -> Peer:
        ours, theirs = socket.socketpair()
        client, server = Peer(ours), Peer(theirs, is_client=False)

        def serve() -> None:
            if server.handshake():
                act(server)
            server.close()

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(client.close)
        self.assertTrue(client.handshake())
        return client

    def test_error_of_the_connection_needs_its_code(self):
        def leave(server: Peer) -> None:
            server.raw(codes.GOAWAY, 0, 0, bytes(7) + b"\x01")

        self.assertIsNone(connection_error(Code.PROTOCOL_ERROR).complaint(self.peers(leave)))
        self.assertIn("PROTOCOL_ERROR", connection_error(Code.FRAME_SIZE_ERROR).complaint(self.peers(leave)) or "")

    def test_reset_does_not_do_for_a_connection(self):
        def reset(server: Peer) -> None:
            server.reset(1, Code.STREAM_CLOSED)
            server.wait_for(lambda _: False, 5)

        client = self.peers(reset)
        self.assertIsNone(stream_error(Code.STREAM_CLOSED).complaint(client))
        client = self.peers(reset)
        self.assertIsNotNone(connection_error(Code.STREAM_CLOSED).complaint(client))

    def test_flood_stops_when_it_is_told_to(self):
        def refuse(server: Peer) -> None:
            server.wait_for(lambda came: came.name == "PING")
            server.raw(codes.GOAWAY, 0, 0, bytes(7) + b"\x0b")
            server.wait_for(lambda _: False, 5)

        client = self.peers(refuse)
        sent = flood(client, lambda _: frame(codes.PING, 0, 0, bytes(8)), 1_000_000)
        self.assertLess(sent, 1_000_000)
        attack = Attack("pings", lambda *_: None)
        self.assertEqual(verdict(attack, client, 1), ("GOAWAY ENHANCE_YOUR_CALM", None))
        self.assertIsNotNone(verdict(Attack("pings", lambda *_: None, frozenset({Code.PROTOCOL_ERROR})), client, 1)[1])


class Endpoints(unittest.TestCase):
    def test_content_passes_windows_in_both_directions(self):
        ours, theirs = socket.socketpair()
        client, server = Endpoint(ours), Endpoint(theirs, is_client=False)
        content = bytes(range(256)) * 2_000

        def answer(stream: Stream) -> None:
            if stream.is_complete:
                server.answer(stream, [(":status", "200")], bytes(stream.content), [("x-end", "yes")])

        def serve() -> None:
            server.begin()
            server.run(answer, lambda: False, 20)

        thread = threading.Thread(target=serve)
        thread.start()
        client.begin()
        streams = [client.open(client.peer.fields(method="POST"), content) for _ in range(3)]
        self.assertTrue(client.run(lambda _: None, lambda: all(stream.is_over for stream in streams), 20))
        for stream in streams:
            self.assertEqual((bytes(stream.content), stream.trailers), (content, [("x-end", "yes")]))
        client.close()
        thread.join()
        server.close()


class Catalogues(unittest.TestCase):
    def test_titles_and_names_are_unique(self):
        for leg in BOTH:
            titles = [case.title for case in ALL if leg in case.legs]
            self.assertEqual(len(titles), len(set(titles)), [each for each in titles if titles.count(each) > 1])
        for attacks in (catalogue.CLIENT, catalogue.ORIGIN):
            names = [attack.name for attack in attacks]
            self.assertEqual(len(names), len(set(names)))

    def test_only_cases_that_exist_are_forgiven(self):
        for leg, forgiven in FORGIVEN.items():
            self.assertLessEqual(forgiven, {case.title for case in ALL if leg in case.legs})

    def test_there_are_as_many_cases_as_h2spec_has(self):
        self.assertGreaterEqual(sum(CLIENT in case.legs for case in ALL), 146)
        self.assertGreaterEqual(sum("origin" in case.legs for case in ALL), 57)


class ResultOfH2load(unittest.TestCase):
    def test_answers_and_latencies(self):
        sample = load.parse_h2load(H2LOAD, "1\t200\t10\n2\t200\t30\n")
        self.assertEqual((sample.requests, sample.rate, sample.failed, sample.p99_us), (998, 499.0, 2, 30))

    def test_another_protocol_is_a_failure(self):
        with self.assertRaises(load.LoadFailed):
            load.parse_h2load(H2LOAD.replace("h2\n", "http/1.1\n"), "1\t200\t10\n")
