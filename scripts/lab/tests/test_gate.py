import tempfile
import unittest
from pathlib import Path

from lab.gate.callgrind import total
from lab.gate.command import ATTEMPTS, least, verdict
from lab.process import ServerFailed


class Counts:
    """A scenario that costs what it is told."""

    def __init__(self, *counts: float):
        self.counts = list(counts)

    def count(self, program: Path, directory: Path) -> float:
        return self.counts.pop(0)


def measure(scenario: Counts, figure: float | None) -> float:
    with tempfile.TemporaryDirectory() as directory:
        return least(scenario, Path("tapeline"), Path(directory), figure)


class Verdicts(unittest.TestCase):
    def test_two_per_cent_more_is_met(self):
        self.assertTrue(verdict("list", 102, 100)[1])

    def test_more_than_that_is_missed(self):
        self.assertFalse(verdict("list", 102.1, 100)[1])

    def test_less_is_met(self):
        self.assertTrue(verdict("list", 50, 100)[1])

    def test_a_scenario_without_a_figure_is_missed(self):
        self.assertFalse(verdict("list", 1, None)[1])


class Measuring(unittest.TestCase):
    def test_a_count_within_the_figure_is_taken_once(self):
        scenario = Counts(101, 90)
        self.assertEqual(measure(scenario, 100), 101)
        self.assertEqual(scenario.counts, [90])

    def test_a_count_that_is_too_high_is_taken_again(self):
        self.assertEqual(measure(Counts(110, 100), 100), 100)

    def test_the_least_of_counts_that_are_too_high(self):
        self.assertEqual(measure(Counts(*range(110, 110 - ATTEMPTS, -1)), 100), 111 - ATTEMPTS)

    def test_without_a_figure_there_is_one_count(self):
        self.assertEqual(measure(Counts(7), None), 7)


class Totals(unittest.TestCase):
    def test_the_total_of_a_file(self):
        self.assertEqual(total("events: Ir\nsummary: 1234\n\nfn=(1) main\n1 5\n"), 1234)

    def test_a_file_without_one_is_a_failure(self):
        with self.assertRaises(ServerFailed):
            total("events: Ir\n")
