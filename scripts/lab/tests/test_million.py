import unittest

from lab.bench.million import EXCHANGES, Endurance


def endurance(residents: list[int], recorded: int = EXCHANGES, listed: int = EXCHANGES, seconds: float = 30) -> Endurance:
    step = EXCHANGES // len(residents)
    samples = [(step * (number + 1), resident) for number, resident in enumerate(residents)]
    return Endurance(samples, max(residents), EXCHANGES, seconds, {"exchanges": recorded}, listed)


class Verdict(unittest.TestCase):
    def unmet(self, result: Endurance) -> list[str]:
        return [text for text, met in result.verdict() if not met]

    def test_flat_whole_and_fast_is_met(self):
        self.assertEqual(self.unmet(endurance([20_000, 27_000, 24_000, 28_000])), [])

    def test_growth_is_missed(self):
        self.assertRegex(self.unmet(endurance([20_000, 25_000, 30_000]))[0], "moved")

    def test_a_lost_exchange_is_missed(self):
        self.assertEqual(len(self.unmet(endurance([20_000] * 10, recorded=EXCHANGES - 1, listed=EXCHANGES - 1))), 1)

    def test_what_cannot_be_read_again_is_missed(self):
        self.assertRegex(self.unmet(endurance([20_000] * 10, listed=1))[0], "read again")

    def test_slowness_is_missed(self):
        self.assertRegex(self.unmet(endurance([20_000] * 10, seconds=101))[0], "exchanges/s")
