import unittest

from lab.bench.pair import Costs


class PairedCosts(unittest.TestCase):
    def test_the_change_is_that_of_each_round_and_not_of_the_medians(self) -> None:
        """The machine was slower in the middle; one exchange of this build costs a tenth less all the time."""
        costs = Costs(other=[30, 50, 40, 30, 50, 40], this=[27, 45, 36, 27, 45, 36])
        self.assertEqual(costs.text("http2"), "http2    40.0 →   36.0 µs of CPU: -10.0% (-10.0% to -10.0%)")
