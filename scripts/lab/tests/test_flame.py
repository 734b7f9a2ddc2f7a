import unittest

from lab.gate.callgrind import Function
from lab.gate.flame import Graph, Profile, kind, read

PROGRAM, CRYPTO = "/opt/tapeline", "/usr/lib/libcrypto.so.3"
# A thread calls `work` twice; `work` calls itself, and a library by way of a thunk.
OUTPUT = f"""\
positions: instr
events: Ir
ob=(1) /usr/lib/libc.so.6
fn=(1) clone
0x10 5
cob=(2) {PROGRAM}
cfn=(2) work
calls=2 0x20
0x13 300
ob=(2)
fn=(2)
0x20 100
cfn=(2)
calls=1 0x20
0x24 50
cfn=(3) closure #1
calls=1 0x30
0x28 200
fn=(3)
0x30 20
cob=(3) {CRYPTO}
cfn=(4) encrypt
calls=1 0x40
0x34 180
ob=(3)
fn=(4)
0x40 180
"""
CLONE, WORK = Function("/usr/lib/libc.so.6", "clone"), Function(PROGRAM, "work")
CLOSURE, ENCRYPT = Function(PROGRAM, "closure #1"), Function(CRYPTO, "encrypt")


def graph(profile: Profile) -> Graph:
    return Graph(profile, {function: function.name for function in (CLONE, WORK, CLOSURE, ENCRYPT)})


class Flames(unittest.TestCase):
    def test_reads_names_by_number_and_costs_of_calls_apart(self):
        profile = read(OUTPUT.splitlines())
        self.assertEqual(profile.own, {CLONE: 5, WORK: 100, CLOSURE: 20, ENCRYPT: 180})
        self.assertEqual(profile.calls, {(CLONE, WORK): 300, (WORK, WORK): 50, (WORK, CLOSURE): 200, (CLOSURE, ENCRYPT): 180})

    def test_a_long_run_less_a_short_one_for_each_exchange_more(self):
        short, long = Profile(), Profile()
        short.own.update({WORK: 100, CLONE: 9})
        long.own.update({WORK: 500, CLONE: 8, ENCRYPT: 40})
        self.assertEqual(long.minus(short, 4).own, {WORK: 100, ENCRYPT: 10})

    def test_frames_leave_out_what_only_passes_a_call_on(self):
        (thread,) = graph(read(OUTPUT.splitlines())).frames
        self.assertEqual((thread.function, thread.cost), (WORK, 300))
        (inner,) = thread.frames
        self.assertEqual(inner.function, ENCRYPT)
        self.assertAlmostEqual(inner.cost, 180)

    def test_a_cost_is_shared_among_callers_as_they_called(self):
        profile = Profile()
        left, right = Function(PROGRAM, "left"), Function(PROGRAM, "right")
        profile.own.update({ENCRYPT: 90})
        profile.calls.update({(CLONE, left): 30, (CLONE, right): 60, (left, ENCRYPT): 30, (right, ENCRYPT): 60})
        names = {function: function.name for function in (CLONE, ENCRYPT, left, right)}
        frames = {frame.function: frame.frames[0].cost for frame in Graph(profile, names).frames}
        self.assertEqual(frames, {left: 30, right: 60})

    def test_kinds(self):
        for name, library, expected in [
            ("swift_retain", PROGRAM, "references"),
            ("_int_malloc", "/usr/lib/libc.so.6", "allocator"),
            ("swift_allocObject", PROGRAM, "allocator"),
            ("__memcpy_avx_unaligned_erms", "/usr/lib/libc.so.6", "copies"),
            ("swift_getGenericMetadata", PROGRAM, "Swift"),
            ("encrypt", CRYPTO, "OpenSSL"),
            ("nghttp2_session_mem_recv", "/usr/lib/libnghttp2.so.14", "nghttp2"),
            ("EventLoop.run()", PROGRAM, "tapeline"),
        ]:
            self.assertEqual(kind(Function(library, name), name), expected, name)
