import copy
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from lab.har import Damaged, check
from lab.kill9 import check_order
from lab.nginx import SMALL_BODY
from lab.proxy import in_order

ENTRY = {
    "pageref": "page_1",
    "startedDateTime": "2026-01-01T00:00:00.000000Z",
    "time": 1.5,
    "request": {
        "method": "GET", "url": "http://127.0.0.1/small.txt", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
        "queryString": [], "headersSize": 60, "bodySize": 0,
    },
    "response": {
        "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "redirectURL": "",
        "content": {"size": 1024, "mimeType": "text/plain", "text": SMALL_BODY}, "headersSize": 80, "bodySize": 1024,
    },
    "cache": {},
    "timings": {"blocked": 0.25, "dns": -1, "connect": -1, "ssl": -1, "send": 0.25, "wait": 0.75, "receive": 0.25},
}  # fmt: skip


def har(*entries: dict) -> str:
    return json.dumps({"log": {"version": "1.2", "pages": [{"id": "page_1"}], "entries": list(entries)}})


class Check(unittest.TestCase):
    def setUp(self):
        self.entry = copy.deepcopy(ENTRY)

    def assert_damaged(self, text: str, why: str):
        with self.assertRaisesRegex(Damaged, why):
            check(text)

    def test_whole_entries_are_counted(self):
        self.assertEqual(check(har()).entries, [])
        self.assertEqual(len(check(har(ENTRY, ENTRY)).entries), 2)

    def test_a_file_cut_anywhere_is_damaged(self):
        whole = har(ENTRY)
        for end in range(0, len(whole), 7):
            self.assert_damaged(whole[:end], "does not parse")

    def test_a_missing_member_is_named(self):
        del self.entry["response"]["content"]
        self.assert_damaged(har(ENTRY, self.entry), "entry 1.*content")

    def test_time_must_be_the_sum_of_the_phases(self):
        self.entry["time"] = 1.6
        self.assert_damaged(har(self.entry), "not the sum")

    def test_a_body_that_is_not_the_origins_is_damage_unless_the_entry_says_so(self):
        self.entry["response"]["content"]["text"] = SMALL_BODY[:-1]
        self.assert_damaged(har(self.entry), "body")
        self.entry["response"]["content"]["_truncated"] = 1
        self.assertEqual(len(check(har(self.entry)).entries), 1)

    def test_a_page_that_is_not_there_is_damage(self):
        self.entry["pageref"] = "page_2"
        self.assert_damaged(har(self.entry), "page")

    def test_a_body_in_a_file_is_there_and_is_what_its_name_says(self):
        with tempfile.TemporaryDirectory() as path:
            name = hashlib.sha256(SMALL_BODY.encode()).hexdigest()
            del self.entry["response"]["content"]["text"]
            self.entry["response"]["content"]["_file"] = name
            with self.assertRaisesRegex(Damaged, "not there"):
                check(har(self.entry), Path(path))
            (Path(path) / name).write_text(SMALL_BODY[:-1])
            with self.assertRaisesRegex(Damaged, "name"):
                check(har(self.entry), Path(path))
            (Path(path) / name).write_text(SMALL_BODY)
            self.assertEqual(len(check(har(self.entry), Path(path)).entries), 1)


class CheckOrder(unittest.TestCase):
    def entries(self, *turns: tuple[int, int]) -> list[dict]:
        return [{"request": {"url": f"http://127.0.0.1/small.txt?thread={thread}&turn={turn}"}} for thread, turn in turns]

    def test_threads_advance_by_themselves(self):
        check_order(self.entries((0, 2), (1, 1), (1, 2), (0, 3), (1, 3)))

    def test_a_hole_is_damage(self):
        for turns in [(1, 2)], [(1, 1), (1, 3)], [(1, 1), (2, 1), (1, 1)]:
            with self.assertRaisesRegex(Damaged, "thread 1"):
                check_order(self.entries(*turns))

    def test_a_hole_that_the_file_counts_is_none(self):
        entries = self.entries((1, 1), (1, 4), (2, 1), (2, 3))
        check_order(entries, dropped=3)
        with self.assertRaisesRegex(Damaged, "3 exchanges are missing, and 2"):
            check_order(entries, dropped=2)

    def test_files_follow_one_another_by_number(self):
        names = ["recording-10.har", "recording.har", "recording-2.har"]
        self.assertEqual(
            [file.name for file in in_order([Path(name) for name in names])],
            ["recording.har", "recording-2.har", "recording-10.har"],
        )
