import unittest
from collections import Counter

from lab.soak import verdict
from lab.soak.logs import Contents
from lab.soak.samples import Sample


def sample(seconds: float, **figures: float) -> Sample:
    still = {
        "resident_kib": 20 << 10, "proportional_kib": 10 << 10, "descriptors": 100, "cpu_seconds": seconds / 10, "in_flight": 0,
        "client_connections": 0, "queue_exchanges": 0, "queue_bytes": 0, "exchanges": 0, "dropped": 0, "lost": 0,
        "loop_lag_us": 20,
        "requests": 1500, "p50_us": 400, "p99_us": 2000, "failures": 0,
    }  # fmt: skip
    return Sample(seconds=seconds, **{**still, **figures})


def run(minutes: int, **figures) -> list[Sample]:
    """A sample every five seconds; figures are functions of the hours that have passed."""
    return [
        sample(second, **{name: value(second / 3600) for name, value in figures.items()})
        for second in range(5, minutes * 60 + 1, 5)
    ]


class Memory(unittest.TestCase):
    def test_that_stays_is_flat(self):
        self.assertTrue(verdict.memory(run(60))[1])

    def test_that_grows_by_two_mebibytes_an_hour_is_found_out(self):
        text, met = verdict.memory(run(60, resident_kib=lambda hours: int((20 + 2 * hours) * 1024)))
        self.assertFalse(met)
        self.assertIn("+2.00 MiB an hour", text)

    def test_that_filled_up_in_the_first_half_and_stays_is_flat(self):
        self.assertTrue(verdict.memory(run(60, resident_kib=lambda hours: int(min(20 + 40 * hours, 30) * 1024)))[1])

    def test_scatter_is_no_slope(self):
        self.assertTrue(verdict.memory(run(20, resident_kib=lambda hours: (20 << 10) + int(hours * 3600) % 7 * 512))[1])

    def test_a_minute_is_judged_by_what_it_grew_in_all(self):
        text, met = verdict.memory(run(1, resident_kib=lambda hours: int((20 + 60 * hours) * 1024)))
        self.assertTrue(met)
        self.assertIn("too short", text)
        self.assertFalse(verdict.memory(run(1, resident_kib=lambda hours: int((20 + 2000 * hours) * 1024)))[1])


class Descriptors(unittest.TestCase):
    def test_that_leak_are_found_out(self):
        self.assertTrue(verdict.descriptors(run(10))[1])
        self.assertFalse(verdict.descriptors(run(10, descriptors=lambda hours: 100 + int(hours * 600)))[1])


class Latency(unittest.TestCase):
    def test_that_rises_is_found_out(self):
        self.assertTrue(verdict.latency(run(10))[1])
        self.assertFalse(verdict.latency(run(10, p50_us=lambda hours: 400 + hours * 6000))[1])


class Recorded(unittest.TestCase):
    def test_each_kind_has_to_be_there_as_often_as_it_was_sent(self):
        found = Contents(files=1, entries=5, kinds=Counter(small=3, CONNECT=2))
        self.assertTrue(verdict.all_recorded(Counter(small=3, tunnel=2), run(1), found)[1])
        text, met = verdict.all_recorded(Counter(small=4, tunnel=2), run(1), found)
        self.assertFalse(met)
        self.assertIn("{'small': 1}", text)

    def test_what_was_dropped_is_a_loss(self):
        found = Contents(files=1, entries=3, kinds=Counter(small=3))
        self.assertFalse(verdict.all_recorded(Counter(small=3), run(1, dropped=lambda hours: 1), found)[1])


class Table(unittest.TestCase):
    def test_covers_the_whole_run_in_few_rows(self):
        lines = verdict.table(run(60)).splitlines()
        self.assertEqual(len(lines), 13)
        self.assertTrue(lines[-1].split()[0] == "60.0" and lines[-1].split()[1] == "300")
