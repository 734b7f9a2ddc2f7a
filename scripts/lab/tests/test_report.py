import json
import unittest
from collections import Counter

from lab.bench import report
from lab.bench.comparison import BULK, Bulk, Figures
from lab.load import Sample
from lab.tool import plain


def sample(rate: int, p99_us: int = 900) -> Sample:
    return Sample(rate * 2, 2.0, 100, p99_us, 0, 0)


def figures(rate: int, cpu: float | None = None, peak_mib: float | None = None, p99_us: int = 900) -> Figures:
    result = Figures(keep_alive=[sample(rate, p99_us)])
    result.cpu_us = [cpu] if cpu else []
    result.peak_resident_kib = int(peak_mib * 1024) if peak_mib else None
    return result


class Table(unittest.TestCase):
    def test_ratios_are_to_the_references_of_the_same_run(self):
        rows = report.rows({"direct": figures(1000), "tapeline": figures(600), "haproxy": figures(500)})
        self.assertEqual(rows["tapeline"]["ratio_to_direct"], 0.6)
        self.assertEqual(rows["tapeline"]["ratio_to_haproxy"], 1.2)

    def test_what_was_not_measured_is_a_dash_and_columns_stand_in_line(self):
        lines = report.table({"direct": figures(72000), "squid": Figures(failure="died")}).splitlines()
        self.assertEqual(lines[0].index("req/s") + len("req/s"), lines[1].index("72,000") + len("72,000"))
        self.assertEqual(lines[2].split(), ["squid"] + ["–"] * len(report.COLUMNS))


class Verdict(unittest.TestCase):
    def beside_haproxy(self, factor: float) -> list[bool]:
        """Rates of `factor` times their targets, and costs the other way round."""
        reference = figures(1000, cpu=20, p99_us=1000)
        own = figures(int(1000 * factor), cpu=22 / factor, peak_mib=63, p99_us=int(1000 / factor))
        reference.close, own.close = [sample(1000)], [sample(int(900 * factor))]
        reference.medium, own.medium = [sample(1000)], [sample(int(900 * factor))]
        own.idle_connection_kib = 3 / factor
        return [each for _, each in report.verdict({"haproxy": reference, "tapeline": own})]

    def test_targets_are_decided_by_the_medians(self):
        self.assertEqual(self.beside_haproxy(1), [True] * 8)
        self.assertEqual(self.beside_haproxy(0.99), [False] * 5 + [True, True, False])

    def test_memory_and_processor_time_have_bounds_of_their_own(self):
        missed = report.verdict({"tapeline": figures(499, cpu=30.1, peak_mib=64)})
        self.assertEqual([each for _, each in missed], [False, False])

    def test_an_exchange_that_was_answered_but_not_recorded_is_a_miss(self):
        tapeline = figures(500)
        tapeline.exchanges_sent = 10
        tapeline.recording = {"exchanges": 9, "bodies": 9, "bytes": 1}
        self.assertEqual([each for _, each in report.verdict({"tapeline": tapeline})], [False])

    def test_nothing_measured_decides_nothing(self):
        self.assertEqual(report.verdict({"tapeline": Figures(failure="not there")}), [])


class BulkVerdict(unittest.TestCase):
    def bulk(self, rate: float, cpu: float | None = 0.5) -> Figures:
        result = figures(10, peak_mib=40)
        for way in BULK:
            result.bulk[way] = [Bulk(rate, cpu), Bulk(rate * 3, cpu), Bulk(rate * 2, cpu)]
        return result

    def test_each_way_is_compared_with_haproxy(self):
        met = report.bulk_verdict({"haproxy": self.bulk(10), "tapeline": self.bulk(10)}, is_all=True)
        self.assertEqual([each for _, each in met], [True] * 5)
        missed = report.bulk_verdict({"haproxy": self.bulk(10), "tapeline": self.bulk(9)}, is_all=False)
        self.assertEqual([each for _, each in missed], [False] * 4)

    def test_medians_and_processor_time_are_in_the_table(self):
        row = report.rows({"direct": self.bulk(10, None)})["direct"]
        self.assertEqual((row["tunnel_up_mb_per_second"], row["tunnel_up_cpu_per_gib"]), (20, None))
        lines = report.table({"haproxy": self.bulk(10, 0.25)}, report.BULK_COLUMNS).splitlines()
        self.assertEqual(lines[1].split(), ["haproxy"] + ["20", "0.25"] * 4)

    def test_what_has_no_reference_is_not_decided(self):
        self.assertEqual(report.bulk_verdict({"tapeline": self.bulk(10)}, is_all=False), [])


class SecureVerdict(unittest.TestCase):
    def test_each_reference_has_its_own_target(self):
        others = {"direct": figures(1000), "martian": figures(300), "mitmdump": figures(40)}
        met = report.secure_verdict({**others, "tapeline": figures(450)})
        self.assertEqual([each for _, each in met], [True, True, True])
        missed = report.secure_verdict({**others, "tapeline": figures(389)})
        self.assertEqual([each for _, each in missed], [False, False, False])

    def test_a_reference_that_failed_decides_nothing(self):
        met = report.secure_verdict({"direct": figures(10), "martian": Figures(failure="no go"), "tapeline": figures(10)})
        self.assertEqual(len(met), 1)

    def test_streams_have_theirs(self):
        def verdict(row: report.Row) -> list[bool]:
            return [met for _, met in report.ratio_verdicts("HTTP/2", row, report.MULTIPLEXED_TARGETS)]

        self.assertEqual(verdict({"ratio_to_direct": 0.35, "ratio_to_mitmdump": 20.0}), [True, True])
        self.assertEqual(verdict({"ratio_to_direct": 0.34, "ratio_to_mitmdump": 19.9}), [False, False])
        self.assertEqual(verdict({"ratio_to_mitmdump": None}), [])


class Plain(unittest.TestCase):
    def test_figures_can_be_json(self):
        one = Sample(1, 1.0, 1, 1, 2, 3, latencies=Counter({7: 2}))
        self.assertEqual(json.loads(json.dumps(plain([one])))[0]["latencies"], {"7": 2})


class Remarks(unittest.TestCase):
    def test_failures_and_failed_requests_are_told(self):
        direct = figures(10)
        direct.close = [Sample(1, 1.0, 1, 1, 2, 3)]
        text = "\n".join(report.remarks({"direct": direct, "squid": Figures(failure="starting: died")}))
        self.assertIn("direct: 2 requests failed", text)
        self.assertIn("direct: closed 3 connections", text)
        self.assertIn("squid: starting: died", text)
