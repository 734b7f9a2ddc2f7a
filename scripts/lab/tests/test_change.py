import unittest

from lab.change import Change, median_interval


class MedianInterval(unittest.TestCase):
    def test_few_rounds_say_little(self) -> None:
        self.assertEqual(median_interval([3, 1, 2]), (1, 3))

    def test_the_more_rounds_the_narrower(self) -> None:
        """The ranks of the usual tables."""
        for count, ranks in {6: (1, 6), 9: (2, 8), 15: (4, 12), 20: (6, 15)}.items():
            values = [float(value) for value in range(count, 0, -1)]
            self.assertEqual(median_interval(values), ranks)


class Changes(unittest.TestCase):
    def test_rounds_are_compared_each_with_its_own(self) -> None:
        """All are slower by a tenth, however fast the machine was."""
        self.assertEqual(str(Change.between([100, 200, 50], [90, 180, 45])), "-10.0% (-10.0% to -10.0%)")
