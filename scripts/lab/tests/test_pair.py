import unittest

from lab.bench.pair import Figures


class PairedFigures(unittest.TestCase):
    def test_the_change_is_that_of_each_round_and_not_of_the_medians(self) -> None:
        """The machine was slower in the middle; one exchange of this build costs a tenth less all the time."""
        figures = Figures("µs of CPU", other=[30, 50, 40, 30, 50, 40], this=[27, 45, 36, 27, 45, 36])
        self.assertEqual(figures.text("http2"), "http2      40.0 →     36.0 µs of CPU: -10.0% (-10.0% to -10.0%)")

    def test_rates_are_compared_in_the_same_way(self) -> None:
        figures = Figures("requests/s", other=[20000.0, 10000.0], this=[21000.0, 10500.0])
        self.assertEqual(figures.text("http1"), "http1  15,000.0 → 15,750.0 requests/s: +5.0% (+5.0% to +5.0%)")
