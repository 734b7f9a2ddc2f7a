import unittest

from lab.compare import listing
from lab.compare.case import Case
from lab.compare.judgement import DIED, Deed, Outcome, findings, judge
from lab.compare.observation import Observation
from lab.compare.peers import Received
from lab.compare.predicates import arrives, both_framings, predicate

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
REFUSAL = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


def seen(arrived: list[bytes], data: bytes, *, closed: bool = False, silent: bool = False) -> Observation:
    return Observation(arrived, Received(data, closed, silent=silent), [b"GET"])


class RequestOutcomes(unittest.TestCase):
    case = Case("both", "RFC 9112 6.1", hazard=both_framings)

    def test_what_reached_the_origin_decides(self):
        both = b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        one = b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\na"
        self.assertEqual(judge(self.case, seen([both], OK)).deed, Deed.UNCHANGED)
        self.assertEqual(judge(self.case, seen([one], OK)).deed, Deed.NORMALISED)
        self.assertEqual(judge(self.case, seen([one[:-1]], b"", closed=True)).text(), "refused: left incomplete")
        self.assertEqual(judge(self.case, seen([], REFUSAL)).text(), "refused: 400")
        self.assertEqual(judge(self.case, seen([], b"", closed=True)).text(), "refused: closes")
        self.assertEqual(judge(self.case, seen([], b"", silent=True)).text(), "refused: stalls")


class ResponseOutcomes(unittest.TestCase):
    case = Case("x", "RFC 9112 6.3", hazard=predicate({"at_client": "evil"}), about_response=True)

    def test_what_reached_the_client_decides(self):
        self.assertEqual(judge(self.case, seen([], OK.replace(b"OK", b"evil"))).deed, Deed.UNCHANGED)
        self.assertEqual(judge(self.case, seen([], OK)).deed, Deed.NORMALISED)
        self.assertEqual(judge(self.case, seen([], OK[:-1], closed=True)).text(), "refused: cut off")

    def test_an_error_may_quote_what_was_wrong(self):
        error = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 13\r\n\r\nevil was here"
        self.assertEqual(judge(self.case, seen([], error)).text(), "refused: 502")


class Findings(unittest.TestCase):
    hazard = Case("h", "RFC 9112 6.1", hazard=arrives)
    explained = Case("e", "RFC 9112 6.1", hazard=arrives, difference="because")
    service = Case("s", "RFC 9112 6.1", service=arrives)

    def found(self, case: Case, ours: Outcome, theirs: Outcome) -> list[tuple[list[str], bool]]:
        outcomes = {case.key: {"tapeline": ours, "squid": theirs}}
        return [(each.others, each.is_explained) for each in findings([case], outcomes)]

    def test_only_where_another_does_better(self):
        refused, passed = Outcome(Deed.REFUSED, "400"), Outcome(Deed.UNCHANGED, "")
        self.assertEqual(self.found(self.hazard, passed, refused), [(["squid"], False)])
        self.assertEqual(self.found(self.explained, passed, refused), [(["squid"], True)])
        self.assertEqual(self.found(self.hazard, passed, passed), [])
        self.assertEqual(self.found(self.hazard, refused, passed), [])

    def test_what_has_to_work_counts_the_other_way(self):
        served, refused = Outcome(Deed.SERVED, ""), Outcome(Deed.NOT_SERVED, "400")
        self.assertEqual(self.found(self.service, refused, served), [(["squid"], False)])
        self.assertEqual(self.found(self.service, served, refused), [])

    def test_to_die_is_never_as_good_as_the_others(self):
        self.assertEqual(self.found(self.hazard, DIED, Outcome(Deed.UNCHANGED, "")), [([], False)])


class Table(unittest.TestCase):
    def test_bars_do_not_end_cells_and_missing_proxies_are_dashes(self):
        case = Case("a|b", "RFC 9112 6.1", hazard=arrives)
        outcomes = {case.key: {"tapeline": Outcome(Deed.REFUSED, "400")}}
        row = listing.table([case], outcomes, ["tapeline", "squid"]).splitlines()[-1]
        self.assertEqual(row, "| a\\|b | 9112 6.1 | refused: 400 | – |")

    def test_the_tables_take_the_place_of_those_before(self):
        document = f"a\n{listing.BEGIN}old\n\n{listing.END}\nb\n"
        self.assertEqual(listing.into_document(document, "new"), f"a\n{listing.BEGIN}new\n\n{listing.END}\nb\n")
