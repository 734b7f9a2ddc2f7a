import unittest

from lab.gate.callgrind import Function
from lab.gate.flame import Profile
from lab.gate.order import LEAST, listing

PROGRAM = "/opt/tapeline"


def profile(**own: float) -> Profile:
    made = Profile()
    made.own.update({Function(PROGRAM, name.replace("__", "'")): cost for name, cost in own.items()})
    return made


class Listing(unittest.TestCase):
    def test_what_takes_more_comes_first(self):
        self.assertEqual(listing([profile(a=10, b=30, c=20)], PROGRAM), ["b", "c", "a"])

    def test_each_exchange_counts_as_much_as_another(self):
        self.assertEqual(listing([profile(a=60, b=40), profile(b=9000, a=1000)], PROGRAM), ["b", "a"])

    def test_a_function_that_calls_itself_has_one_line(self):
        self.assertEqual(listing([profile(a=30, b=20, b__2=20)], PROGRAM), ["b", "a"])

    def test_what_takes_little_is_left_out(self):
        self.assertEqual(listing([profile(a=LEAST, b=LEAST - 1)], PROGRAM), ["a"])

    def test_libraries_and_names_that_do_not_last_are_left_out(self):
        made = profile(a=10)
        made.own[Function("/usr/lib/libc.so.6", "memcpy")] = 50
        made.own[Function(PROGRAM, "local.llvm.123")] = 50
        made.own[Function(PROGRAM, "0x1234")] = 50
        self.assertEqual(listing([made], PROGRAM), ["a"])
