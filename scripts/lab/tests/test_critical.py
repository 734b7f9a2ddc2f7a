import unittest

from lab.critical.judge import Case, noise, verdicts
from lab.critical.pages import PageMaker
from lab.critical.programs import ProgramMaker
from lab.critical.scenario import Step


def paths(step: Step) -> list[str]:
    own = [step[1]] if step[0] in ("get", "post", "retry") else []
    return own + [path for part in step[1:] if isinstance(part, list) for path in paths(part)]


class GeneratedScenarios(unittest.TestCase):
    def test_a_seed_makes_the_same_program_again_and_every_request_has_a_reply(self) -> None:
        for number in range(40):
            made, again = (ProgramMaker(9, number).scenario() for _ in range(2))
            self.assertEqual(made, again)
            self.assertLessEqual(set(paths(made.steps)), set(made.replies))
        self.assertNotEqual(ProgramMaker(9, 1).scenario().steps, ProgramMaker(8, 1).scenario().steps)

    def test_a_page_names_its_parts(self) -> None:
        page = PageMaker(9, 1).scenario()
        document = page.replies[page.document].body
        self.assertTrue(all(path in document for path in page.replies if "picture" in path or "style" in path))


class JudgedCases(unittest.TestCase):
    def test_what_is_named_must_gain_as_much_as_anything_else_but_for_noise(self) -> None:
        self.assertTrue(Case("a", "", True, predicted=300, gained=290, most=300).names_the_right)
        self.assertFalse(Case("a", "", True, predicted=300, gained=100, most=300).names_the_right)
        self.assertTrue(Case("a", "", True, predicted=300, gained=280, most=280).knows_the_gain)
        self.assertFalse(Case("a", "", True, predicted=300, gained=250, most=250).knows_the_gain)

    def test_runs_that_seem_longer_without_an_exchange_show_the_noise(self) -> None:
        self.assertEqual(noise(3, {1: 100, 2: -10, 3: -20, 4: -30}), 20)
        self.assertEqual(noise(3, {1: 100}), 3)

    def test_one_false_word_is_a_miss(self) -> None:
        cases = [Case("a", "", True, predicted=10, gained=10, most=10, spared=4) for _ in range(20)]
        self.assertTrue(all(met for _, met in verdicts("programs", cases)))
        cases[0].wronged.append("#3")
        self.assertFalse(all(met for _, met in verdicts("programs", cases)))


if __name__ == "__main__":
    unittest.main()
