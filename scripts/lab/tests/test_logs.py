import tempfile
import unittest
from pathlib import Path

from lab.soak.logs import Collector, kind, read

EMPTY = '{"log": {"version": "1.2", "pages": [], "entries": []}}'


class Files(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        for name, text in (("recording.har", EMPTY), ("recording-1.har", '{"log": {'), ("recording-2.har", EMPTY)):
            (self.directory / name).write_text(text)

    def test_one_that_does_not_parse_is_damage(self):
        self.assertEqual(read(self.directory / "recording.har").damage, [])
        self.assertIn("recording-1.har: does not parse", read(self.directory / "recording-1.har").damage[0])

    def test_those_that_are_whole_are_deleted_and_the_newest_is_left_until_the_end(self):
        collector = Collector(self.directory)
        self.addCleanup(collector.close)
        collector.collect()
        for result in collector.in_progress.values():
            result.result()
        collector.collect()
        self.assertEqual(collector.found.files, 2)
        self.assertEqual(sorted(file.name for file in self.directory.iterdir()), ["recording-1.har", "recording-2.har"])

    def test_at_the_end_all_are_read(self):
        collector = Collector(self.directory)
        self.addCleanup(collector.close)
        collector.collect(all_of_them=True)
        self.assertEqual((collector.found.files, len(collector.found.damage)), (3, 1))


class Kinds(unittest.TestCase):
    def test_are_named_by_the_path(self):
        self.assertEqual(kind({"method": "GET", "url": "http://127.0.0.1:1/small?n=3"}), "small")
        self.assertEqual(kind({"method": "CONNECT", "url": "http://127.0.0.1:1/"}), "CONNECT")
