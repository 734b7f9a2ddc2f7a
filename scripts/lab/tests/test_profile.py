import unittest

from lab.gate.profile import EXCHANGES, LEAST, Counts, read, text_address, trimmed, unsymbolized
from lab.process import ServerFailed

PROGRAM = "/opt/tapeline"
# `main` runs two instructions; the second calls `work` three times, and a library once.
OUTPUT = f"""\
positions: instr
events: Ir
ob=(1) {PROGRAM}
fn=(1) main
0x1000 4
0x1004 4
cfn=(2) work
calls=3 0x2000
0x1004 30
cob=(2) /usr/lib/libc.so.6
cfn=(3) write
calls=1 0x9000
0x1004 50
ob=(2)
fn=(3)
0x9000 50
cob=(1)
cfn=(2)
calls=1 0x2000
0x9000 10
ob=(1)
fn=(2)
0x2000 30
"""
SEGMENTS = """\
  Type           Offset   VirtAddr           PhysAddr           FileSiz  MemSiz   Flg Align
  LOAD           0x000000 0x0000000000000000 0x0000000000000000 0x66dc30 0x66dc30 R   0x1000
  LOAD           0x66dc30 0x000000000066ec30 0x000000000066ec30 0x105fcb0 0x105fcb0 R E 0x1000
  LOAD           0x16cd8e0 0x00000000016cf8e0 0x00000000016cf8e0 0x088610 0x088720 RW  0x1000
"""


class Counting(unittest.TestCase):
    def test_counts_what_the_program_runs_itself_and_whom_it_calls_within(self):
        counts = read(OUTPUT.splitlines(), PROGRAM)
        self.assertEqual(counts.runs, {0x1000: 4, 0x1004: 4, 0x2000: 30})
        self.assertEqual(counts.calls, {(0x1004, 0x2000): 3})

    def test_a_long_run_less_a_short_one_for_some_exchanges(self):
        short, long = Counts(), Counts()
        short.runs.update({1: 10, 2: 7, 3: 5})
        long.runs.update({1: 30, 2: 7, 3: 4, 4: 40})
        long.calls.update({(1, 2): 10})
        found = long.minus(short, EXCHANGES * 2)
        self.assertEqual((found.runs, found.calls), ({1: 10, 4: 20}, {(1, 2): 5}))


class Writing(unittest.TestCase):
    def test_addresses_are_told_from_where_the_code_begins(self):
        counts = Counts()
        counts.runs.update({0x1010: 8, 0x1001: 7})
        counts.calls.update({(0x1010, 0x1001): 3})
        self.assertEqual(unsymbolized(counts, 0x1000), "2\n1-1:7\n10-10:8\n1\n10->1:3\n")

    def test_code_begins_at_the_page_of_its_segment(self):
        self.assertEqual(text_address(SEGMENTS), 0x66E000)

    def test_a_program_without_code_is_a_failure(self):
        with self.assertRaises(ServerFailed):
            text_address(SEGMENTS.replace("R E", "R  "))

    def test_what_takes_little_is_left_out_with_all_that_belongs_to_it(self):
        enough = EXCHANGES * LEAST
        kept = f"hot:{enough}:1\n 1: 5\n 2: inner:{enough}:0\n  1: 4\n"
        left = f"cold:{enough - 1}:1\n 1: 5\n 2: inner:{enough}:0\n"
        last = f"Swift runtime failure: overflow:{enough}:0\n 0: 1\n"
        self.assertEqual(trimmed(kept + left + last), kept + last)
