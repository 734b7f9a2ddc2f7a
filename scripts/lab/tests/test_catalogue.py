"""The catalogue against a relay that changes nothing: a hazard that passes it unseen would pass every proxy unseen."""

import socket
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from lab.compare import contenders, listing
from lab.compare.case import Case, read_cases
from lab.compare.judgement import Deed, judge
from lab.compare.observation import Observation
from lab.compare.peers import ScriptedOrigin, converse
from lab.origin import Origin
from lab.tool import ROOT

CASES = read_cases()
TABLES = ROOT / "docs/generated/comparison.md"
DIFFERENCES = ROOT / "docs/conformance/beside-other-proxies.md"
# What is wrong here is done by a proxy, or left undone: passing bytes on cannot show it.
NEEDS_A_PROXY = {
    "request: %0d%0a in the target decoded",
    "request: fields that nobody sent",
    "request: Via of the client lost",
    "request: chunked body that is cut off",
    "request: chunked body without its last chunk",
    "request: body shorter than its Content-Length",
    "request: Connection: content-length",
    "request: Connection: transfer-encoding",
    "request: Connection: host",
    "request: a POST is not sent twice",
    "request: TRACE reflects credentials",
    "response: chunked body that is cut off",
    "response: chunked body without its last chunk",
    "response: body shorter than its Content-Length",
    "response: reset within the body",
    "response: cut-off chunked body to HTTP/1.0, keep-alive",
    "response: nothing at all",
    "response: the connection ends within the head",
    "response: Connection: content-length",
}


# It has no end that a relay could wait for.
ENDLESS = {"request: a header block that never ends"}


def relay_to(port: int) -> Origin:
    """Carries bytes from one side to the other and back, as they are."""

    def relay(client: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", port)) as origin:
            back = threading.Thread(target=carry, args=(origin, client))
            back.start()
            carry(client, origin)
            back.join()

    return Origin(relay)


def carry(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
    except OSError:
        pass
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def relayed(case: Case) -> Observation:
    origin = ScriptedOrigin(case.answers)
    relay = relay_to(origin.port)
    with origin, relay:
        received = converse(relay.authority, case.script_for(origin.port, relay.authority, b""), case.methods)
    return Observation(origin.received(), received, case.methods)


class Catalogue(unittest.TestCase):
    def test_names_are_unique_and_rules_have_sections(self):
        names = [case.key for case in CASES]
        self.assertEqual(len(names), len(set(names)))
        for case in CASES:
            self.assertRegex(case.rule, r"^RFC \d{4} \d+(\.\d+)*$", case.name)

    def test_the_document_has_the_table_of_these_cases(self):
        document = TABLES.read_text()
        proxies = [contender.name for contender in contenders.ALL]
        for about, title in ((False, "Requests"), (True, "Responses")):
            heading = "| Case | Rule | " + " | ".join(proxies)
            listed = document.split(f"## {title}\n\n{heading}", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
            cases = [case for case in CASES if case.about_response is about]
            names = [listing.table([case], {case.key: {}}, proxies).splitlines()[-1].split(" – ")[0] for case in cases]
            self.assertEqual([line[: len(name)] for line, name in zip(listed, names)], names)
            self.assertEqual(len(listed), len(names))

    def test_the_document_explains_every_difference(self):
        document = " ".join(DIFFERENCES.read_text().split())
        for case in CASES:
            if case.difference:
                self.assertTrue(f"*{case.name}*" in document, f"{case.name} is not explained in {DIFFERENCES}")

    def test_a_relay_passes_every_hazard_on(self):
        hazards = [case for case in CASES if case.hazard and case.key not in ENDLESS]
        with ThreadPoolExecutor(24) as pool:
            deeds = {case.key: judge(case, seen).deed for case, seen in zip(hazards, pool.map(relayed, hazards))}
        harmless = {key for key, deed in deeds.items() if deed is not Deed.UNCHANGED}
        self.assertEqual(sorted(harmless - NEEDS_A_PROXY), [])
        self.assertEqual(sorted(NEEDS_A_PROXY - harmless), [], "a relay does show these")
