import unittest

from lab.live import command
from lab.live.browsers import BROWSERS


class Figures(unittest.TestCase):
    def test_percentiles_are_values_that_occurred(self):
        self.assertEqual(command.percentile([3.0, 1.0, 2.0], 0.5), 2.0)
        self.assertEqual(command.percentile([float(value) for value in range(100)], 0.99), 99.0)

    def test_bodies_are_those_that_the_capture_has(self):
        entry = {"request": {"postData": {"text": "a"}}, "response": {"content": {"text": "bc"}}}
        self.assertEqual(command.bodies_of(entry), ["a", "bc"])
        self.assertEqual(command.bodies_of({"request": {}, "response": {"content": {"size": 7}}}), [])

    def test_verdicts_name_the_bound_and_keep_it(self):
        self.assertEqual(command.verdict_at_most("after", 150, 150, " ms"), ("after 150 ms (at most 150 ms)", True))
        self.assertEqual(command.verdict_at_most("is", 1.234, 1.2, "", 2), ("is 1.23 (at most 1.20)", False))
        self.assertEqual(command.verdict_at_least("frames:", 29.9, 30), ("frames: 30 (at least 30)", False))

    def test_each_browser_says_which_of_its_processes_has_the_page(self):
        for browser in BROWSERS.values():
            self.assertTrue(browser.page_process)
