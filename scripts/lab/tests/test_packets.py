import socket
import ssl
import struct
import tempfile
import unittest
from pathlib import Path

import hpack

from lab import machine
from lab.certificates import Certificates
from lab.http2 import codes
from lab.http2.codes import frame
from lab.packets import command, judgement, report, script
from lab.packets.capture import ACK, SYN, Capture, CaptureFailed, Packet, parse
from lab.packets.flows import Bytes, Torn, assemble
from lab.packets.judgement import Errors, judge, nanoseconds, percentile
from lab.packets.marks import NAMES, marks_of
from lab.packets.messages import exchanges
from lab.packets.tls import decrypt, expand_label, read_keys

SO_TIMESTAMPNS = 35
CLIENT, PROXY = ("127.0.0.2", 40_000), ("127.0.0.1", 8_080)
PROXY_END, ORIGIN = ("127.0.0.1", 50_000), ("127.0.0.1", 9_000)
REQUEST = b"POST http://h/exchange/7/1/2/3/4 HTTP/1.1\r\nContent-Length: 3\r\n\r\n"
ABOUT = {"processor": "p", "cores": 2, "memory_mib": 1, "system": "s", "kernel": "k", "commit": "c", "load_average": 0.5}
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class Wire:
    """Packets of a conversation, one a microsecond."""

    def __init__(self):
        self.packets: list[Packet] = []
        self.next: dict[tuple, int] = {}

    def open(self, client, server, sequence=0) -> None:
        self.send(client, server, flags=SYN, sequence=sequence)
        self.send(server, client, flags=SYN | ACK, sequence=sequence)
        self.send(client, server)

    def send(self, source, destination, payload=b"", flags=ACK, sequence=None) -> int:
        place = self.next.get((source, destination), 0) if sequence is None else sequence
        stamp = 1_000 * (len(self.packets) + 1)
        self.packets.append(Packet(stamp, source, destination, place % (1 << 32), flags, payload))
        self.next[source, destination] = place + len(payload) + (1 if flags & SYN else 0)
        return stamp


class Segments(unittest.TestCase):
    def test_packet_of_tcp(self):
        tcp = struct.pack("!HHIIBBHHH", 40_000, 80, 5, 6, 8 << 4, ACK, 0, 0, 0) + bytes(12) + b"data"
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, bytes([127, 0, 0, 2]), bytes([127, 0, 0, 1]))
        found = parse(9, head + tcp + b"beyond")
        self.assertEqual(found, Packet(9, ("127.0.0.2", 40_000), ("127.0.0.1", 80), 5, ACK, b"data"))
        self.assertIsNone(parse(9, head.replace(b"\x40\x06", b"\x40\x11") + tcp))

    def test_bytes_have_the_stamp_of_the_packet_that_first_had_them(self):
        for beginning in (0, (1 << 32) - 3):
            wire = Wire()
            wire.open(CLIENT, PROXY, beginning)
            first = wire.send(CLIENT, PROXY, b"abc")
            wire.send(CLIENT, PROXY, b"abc", sequence=beginning + 1)
            # What is sent again may bring more.
            second = wire.send(CLIENT, PROXY, b"cdef", sequence=beginning + 3)
            wire.send(CLIENT, PROXY, b"", sequence=beginning + 6)
            (flow,) = assemble(wire.packets)
            self.assertEqual(flow.sent.bytes.data, b"abcdef")
            self.assertEqual([flow.sent.bytes.came(offset) for offset in (0, 2, 3, 5)], [first, first, second, second])
            self.assertEqual((flow.sent.opened, flow.received.opened, flow.sent.answered), (1_000, 2_000, 3_000))

    def test_addresses_are_used_again(self):
        wire = Wire()
        for beginning in (5, 900):
            wire.open(CLIENT, PROXY, beginning)
            wire.send(CLIENT, PROXY, b"%d" % beginning)
        # The SYN of the same connection, sent again.
        wire.send(CLIENT, PROXY, flags=SYN, sequence=900)
        wire.send(CLIENT, PROXY, b"1", sequence=904)
        self.assertEqual([bytes(flow.sent.bytes.data) for flow in assemble(wire.packets)], [b"5", b"9001"])

    def test_hole_is_noticed(self):
        wire = Wire()
        wire.open(CLIENT, PROXY)
        wire.send(CLIENT, PROXY, b"abc", sequence=2)
        with self.assertRaises(Torn):
            assemble(wire.packets)

    def test_rest_keeps_its_stamps(self):
        stream = Bytes()
        stream.append(b"abc", 1, 2)
        stream.append(b"def", 3, 4)
        rest = stream.after(2)
        self.assertEqual((rest.data, rest.came(0), rest.began(1), rest.came(3)), (b"cdef", 2, 3, 4))
        with self.assertRaises(Torn):
            rest.came(4)


class Captures(unittest.TestCase):
    def test_packet_is_stamped_once_and_before_its_receiver_has_it(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            try:
                with Capture("127.0.0.9", port) as capture, socket.create_connection(("127.0.0.1", port)) as client:
                    server, _ = listener.accept()
                    with server:
                        server.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
                        arrivals = [self.arrival(client, server)]
                        # The kernel begins to stamp a moment after the first socket has asked it to.
                        while arrivals[-1] is None and len(arrivals) < 10_000:
                            arrivals.append(self.arrival(client, server))
                        arrivals += [self.arrival(client, server) for _ in range(50)]
            except CaptureFailed as failure:
                self.skipTest(str(failure))
        captured = [packet.stamp for packet in capture.packets if packet.payload]
        self.assertEqual(len(captured), len(arrivals))
        pairs = [(sent, arrived) for sent, arrived in zip(captured, arrivals, strict=True) if arrived]
        self.assertGreater(len(pairs), 50)
        self.assertEqual([(sent, arrived) for sent, arrived in pairs if sent > arrived], [])

    def arrival(self, client: socket.socket, server: socket.socket) -> int | None:
        """The receiver's stamp of a byte, from TCP."""
        client.sendall(b"a")
        _, messages, _, _ = server.recvmsg(1, socket.CMSG_SPACE(16))
        if not messages:
            return None
        seconds, nanoseconds = struct.unpack("qq", messages[0][2])
        return seconds * 1_000_000_000 + nanoseconds


class Messages(unittest.TestCase):
    def streams(self, pieces) -> Bytes:
        stream = Bytes()
        for number, piece in enumerate(pieces):
            stream.append(piece, 10 * number, 10 * number + 1)
        return stream

    def test_http1(self):
        requests = self.streams([REQUEST[:5], REQUEST[5:], b"ab", b"c" + REQUEST.replace(b"/7/", b"/8/") + b"abc"])
        responses = self.streams([RESPONSE + b"1", b"234" + RESPONSE, b"1234"])
        first, second = exchanges(requests, responses)
        self.assertEqual((first.number, second.number), (7, 8))
        self.assertEqual(vars(first.request), {"began": 0, "first": 1, "head": 11, "last": 31})
        self.assertEqual(vars(second.response), {"began": 10, "first": 11, "head": 11, "last": 21})

    def test_http2(self):
        encoder, answers = hpack.Encoder(), hpack.Encoder()

        def head(number: int) -> bytes:
            return encoder.encode([(":method", "GET"), (":path", f"/exchange/{number}/1")])

        block = head(7)
        requests = self.streams(
            [
                codes.PREFACE + frame(codes.SETTINGS, 0, 0),
                frame(codes.HEADERS, 0, 1, block[:2]),
                frame(codes.CONTINUATION, codes.END_HEADERS, 1, block[2:]),
                frame(codes.HEADERS, codes.END_HEADERS | codes.END_STREAM, 3, head(8)),
                frame(codes.DATA, codes.END_STREAM, 1, b"abc"),
            ]
        )
        responses = self.streams(
            [
                frame(codes.HEADERS, codes.END_HEADERS, 3, answers.encode([(":status", "103")])),
                frame(codes.HEADERS, codes.END_HEADERS, 3, answers.encode([(":status", "200")])),
                frame(codes.HEADERS, codes.END_HEADERS | codes.END_STREAM, 1, answers.encode([(":status", "204")])),
                frame(codes.DATA, 0, 3, b"abc"),
                frame(codes.HEADERS, codes.END_HEADERS | codes.END_STREAM, 3, answers.encode([("x-end", "yes")])),
            ]
        )
        first, second = exchanges(requests, responses)
        self.assertEqual((first.number, second.number), (7, 8))
        self.assertEqual(vars(first.request), {"began": 10, "first": 11, "head": 21, "last": 41})
        self.assertEqual(vars(first.response), {"began": 20, "first": 21, "head": 21, "last": 21})
        self.assertEqual(vars(second.response), {"began": 10, "first": 11, "head": 11, "last": 41})


class Secrets(unittest.TestCase):
    def test_label_of_the_standard(self):
        # RFC 8448, section 3: the server's handshake traffic secret and its key.
        secret = bytes.fromhex("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
        self.assertEqual(expand_label(secret, "key", 16, "sha256").hex(), "3fce516009c21727d0f2e4e86ee403bc")

    def test_connection_is_read_by_its_keys(self):
        with tempfile.TemporaryDirectory() as place:
            certificates, keys = Certificates(Path(place) / "made"), Path(place) / "keys"
            certificates.make()
            client = ssl.create_default_context(cafile=str(certificates.root))
            client.keylog_filename = str(keys)
            sent, received = self.converse(client, certificates.server_context())
            ours, theirs = decrypt(sent, received, read_keys(keys))
            self.assertEqual((ours.bytes.data, theirs.bytes.data), (b"a request", b"an answer"))
            # A record is in two packets: a reader has its bytes with the second, and its writer let it go with the first.
            self.assertEqual(ours.bytes.came(0) - ours.bytes.began(0), 1)
            assert ours.finished and theirs.finished
            self.assertLess(theirs.hello, theirs.finished)
            self.assertLess(theirs.finished, ours.finished)
            self.assertLess(ours.finished, ours.bytes.began(0))
            with self.assertRaises(Torn):
                decrypt(sent, received, {})

    def converse(self, client: ssl.SSLContext, server: ssl.SSLContext) -> tuple[Bytes, Bytes]:
        """A handshake and a message each way; a stamp for each half of what one end says at once."""
        ends = [(ssl.MemoryBIO(), ssl.MemoryBIO()) for _ in range(2)]
        peers = [client.wrap_bio(*ends[0], server_hostname="localhost"), server.wrap_bio(*ends[1], server_side=True)]
        streams, clock = (Bytes(), Bytes()), 0

        def carry(side: int) -> None:
            nonlocal clock
            data = ends[side][1].read()
            for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
                clock += 1
                streams[side].append(piece, clock, clock)
            ends[1 - side][0].write(data)

        pending = [0, 1]
        while pending:
            for side in list(pending):
                try:
                    peers[side].do_handshake()
                    pending.remove(side)
                except ssl.SSLWantReadError:
                    pass
                carry(side)
        for side, text in enumerate((b"a request", b"an answer")):
            peers[side].write(text)
            carry(side)
        return streams


class Marks(unittest.TestCase):
    def exchange(self) -> Wire:
        wire = Wire()
        wire.open(CLIENT, PROXY)
        wire.send(CLIENT, PROXY, REQUEST)
        wire.open(PROXY_END, ORIGIN)
        wire.send(PROXY_END, ORIGIN, REQUEST)
        wire.send(CLIENT, PROXY, b"abc")
        wire.send(PROXY_END, ORIGIN, b"abc")
        wire.send(ORIGIN, PROXY_END, RESPONSE)
        wire.send(PROXY, CLIENT, RESPONSE)
        wire.send(ORIGIN, PROXY_END, b"1234")
        wire.send(PROXY, CLIENT, b"1234")
        return wire

    def test_both_connections_give_the_marks_of_an_exchange(self):
        found = marks_of(assemble(self.exchange().packets), PROXY, {})
        expected = {
            "accepted": 3, "requestFirstByte": 4, "requestHeadEnd": 4, "connectStart": 5, "connectEnd": 6, "sentFirst": 8,
            "requestLastByte": 9, "sentLast": 10, "responseFirstByte": 11, "responseHeadEnd": 11, "deliveredFirst": 12,
            "responseLastByte": 13, "deliveredLast": 14,
        }  # fmt: skip
        self.assertEqual(found, {7: {name: 1_000 * stamp for name, stamp in expected.items()}})
        self.assertLessEqual(set(expected), set(NAMES))

    def entry(self, late: dict[str, int]) -> dict:
        """As it should be, from 4 µs after 1970 on, but for what is late, in microseconds."""
        wire = marks_of(assemble(self.exchange().packets), PROXY, {})[7]
        events = {name: stamp // 1_000 - 4 + late.get(name, 0) for name, stamp in wire.items()}
        return {
            "request": {"url": "http://h/exchange/7/1"},
            "startedDateTime": "1970-01-01T00:00:00.000004Z",
            "timings": {"send": 0.002, "wait": 0.001, "receive": 0.002},
            "_events": events,
            "_clock": "wire",
        }

    def test_errors_are_ours_minus_the_packets(self):
        packets = marks_of(assemble(self.exchange().packets), PROXY, {})
        found = judge([self.entry({"responseFirstByte": 60, "connectStart": -3})], packets)
        self.assertEqual(found.marks["responseFirstByte"].values, [60])
        self.assertEqual(found.marks["connectStart"].values, [-3])
        self.assertEqual(
            {name for name, errors in found.marks.items() if errors.values != [0]}, {"responseFirstByte", "connectStart"}
        )
        self.assertEqual(
            {name: round(errors.values[0], 6) for name, errors in found.phases.items()}, dict.fromkeys(judgement.PHASES, 0)
        )

    def test_what_the_entry_doubts_is_counted_apart(self):
        packets = marks_of(assemble(self.exchange().packets), PROXY, {})
        entry = self.entry({"responseFirstByte": 900})
        entry["_clock"] = {"loop": ["responseFirstByte"]}
        found = judge([entry], packets)
        self.assertEqual((found.marks["responseFirstByte"].values, found.marks["responseFirstByte"].doubtful), ([], [900]))
        self.assertEqual({name for name, errors in found.phases.items() if errors.doubtful}, {"wait", "receive"})
        del entry["_clock"]
        doubted = {name for name, errors in judge([entry], packets).marks.items() if errors.doubtful}
        self.assertEqual(doubted, {name for name in packets[7] if name in judgement.ARRIVALS})
        run = report.Run("idle", "One client.", 50, 100, {"HTTP/2": found})
        self.assertTrue(all(met for _, met in run.verdicts()))
        self.assertIn(f"| `responseFirstByte` | 1 | 100.0% {'| – ' * 10}|", report.tables([run], ABOUT))
        # A doubtful mark may be late, not early.
        found.marks["responseFirstByte"].doubtful.append(-report.EARLY_BOUND - 1)
        self.assertFalse(all(met for _, met in run.verdicts()))

    def test_what_is_missing_is_a_failure(self):
        packets = marks_of(assemble(self.exchange().packets), PROXY, {})
        entry = self.entry({})
        for entries in ([], [entry, entry]):
            with self.assertRaises(Torn):
                judge(entries, packets)
        del entry["_events"]["sentLast"]
        with self.assertRaises(Torn):
            judge([entry], packets)


class Figures(unittest.TestCase):
    def test_percentiles_are_values(self):
        self.assertEqual(percentile([float(value) for value in range(1, 101)], 0.99), 99)
        self.assertEqual(percentile([3.0], 0.99), 3)
        errors = Errors([-200.0, *[1.0] * 98, 30.0])
        self.assertEqual((errors.median, errors.p99, errors.largest), (1, 30, -200))
        self.assertEqual(errors.histogram(), [98, 0, 0, 1, 0, 1, 0])

    def test_dates_keep_their_microseconds(self):
        self.assertEqual(nanoseconds("2026-11-23T01:29:08.727085Z"), 1_795_397_348_727_085_000)

    def test_verdicts_and_tables_name_the_worst(self):
        judged = judgement.Judgement(2, {"tlsEnd": Errors([3.0, 80.0]), "sentFirst": Errors([1.0])}, {"wait": Errors([1.0])})
        run = report.Run("idle", "One client.", 50, 100, {"HTTP/2": judged})
        (marks, marks_met), (_, phases_met), (_, order_met) = run.verdicts()
        self.assertIn("worst is tlsEnd, 80 µs", marks)
        self.assertEqual((marks_met, phases_met, order_met), (False, True, True))
        judged.marks["sentFirst"].values.append(-report.EARLY_BOUND - 1)
        self.assertTrue(run.verdicts()[2][1])
        judged.marks["requestLastByte"] = judged.marks.pop("sentFirst")
        self.assertFalse(run.verdicts()[2][1])
        self.assertIn("| `tlsEnd` | 2 | – | 3 | 80 | 80 | 50.0% | – | – | – | 50.0% | – | – |", report.tables([run], ABOUT))

    def test_time_that_was_stolen_is_told_and_takes_the_run_its_verdict(self):
        with tempfile.TemporaryDirectory() as directory:
            stat = Path(directory, "stat")
            stat.write_text("cpu  10 0 10 80 0 0 0 5 7 7\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
            theft = machine.Theft(stat)
            stat.write_text("cpu  60 0 20 115 0 0 0 10 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n")
            self.assertEqual(theft.share(), 0.05)
        run = report.Run("idle", "One client.", 50, 100, {}, stolen=0.05)
        self.assertTrue(run.is_disturbed)
        self.assertIn("Other machines had 5.0% of the processors' time.", report.tables([run], ABOUT))
        self.assertFalse(report.Run("idle", "One client.", 50, 100, {}, stolen=0.01).is_disturbed)
        # A bound that was kept was kept.
        bad = judgement.Judgement(1, {"tlsEnd": Errors([80.0])}, {"wait": Errors([1.0])})
        good = judgement.Judgement(1, {"tlsEnd": Errors([1.0])}, {"wait": Errors([1.0])})
        for judged, stolen, status in ((good, 0.5, 0), (bad, 0.5, command.UNJUDGED), (bad, 0.0, 1)):
            self.assertEqual(command.status([report.Run("idle", "", 50, 100, {"HTTP/2": judged}, stolen=stolen)]), status)


class Script(unittest.TestCase):
    def test_path_says_all_to_the_origin(self):
        plan = script.plan(7)
        pauses, parts = script.played(plan.path)
        self.assertEqual([round(pause * 1e6) for pause in pauses], list(plan.pauses))
        self.assertEqual(sum(map(len, parts)), plan.size)
        self.assertEqual(plan, script.plan(7))
        self.assertEqual(judgement.number_in(f"http://h:1{plan.path}"), 7)

    def test_half_of_the_clients_pause_behind_their_handshake(self):
        pauses = [script.plan(number).client_pause for number in range(0, 3_000, script.EXCHANGES_EACH)]
        self.assertLess(max(pauses), script.LONGEST_PAUSE_US)
        self.assertTrue(120 < pauses.count(0) < 180, pauses.count(0))
