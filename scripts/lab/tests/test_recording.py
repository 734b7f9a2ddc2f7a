import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from lab.bench import recording
from lab.nginx import MARKER


class Occurrences(unittest.TestCase):
    def test_texts_on_the_edge_of_blocks_are_counted_once(self):
        text = b"xxabcabcxabcab"
        with tempfile.NamedTemporaryFile() as file:
            Path(file.name).write_bytes(text)
            for size in range(1, len(text) + 1):
                with self.subTest(block=size), patch.object(recording, "BLOCK_SIZE", size):
                    self.assertEqual(recording.count_occurrences(Path(file.name), [b"abc", b"x"]), [3, 3])


class Census(unittest.TestCase):
    def test_files_of_one_recording_are_added(self):
        entry = f'{{"timings":{{}},"text":"{MARKER} text"}}'
        with tempfile.TemporaryDirectory() as name:
            files = [Path(name) / "a.har", Path(name) / "b.har"]
            files[0].write_text(entry * 2)
            files[1].write_text(entry)
            data = len(entry) * 3
            self.assertEqual(recording.census(files), {"exchanges": 3, "bodies": 3, "bytes": data, "files": 2})

    def test_no_file_is_no_recording(self):
        self.assertIsNone(recording.census([]))
