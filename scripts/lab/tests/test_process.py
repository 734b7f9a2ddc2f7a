import os
import signal
import tempfile
import unittest
from pathlib import Path

from lab.process import Server, ServerFailed, wait_until


class ServerUnderMeasurement(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def start(self, script: str) -> Server:
        server = Server("script", ["bash", "-c", script], self.directory / "output.log")
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def test_processes_that_it_forked_are_counted_and_ended_with_it(self):
        server = self.start("trap '' TERM; sleep 600 & wait")
        self.assertTrue(wait_until(lambda: len(server.pids()) == 2, 20))
        forked = server.pids()[1]
        self.assertGreater(server.peak_resident_kib(), 0)
        self.assertGreater(server.proportional_kib(), 0)
        server.stop(seconds=0.05)
        self.assertTrue(wait_until(lambda: not os.path.exists(f"/proc/{forked}"), 20))

    def test_cpu_time_grows_with_work(self):
        server = self.start("while :; do :; done")
        self.assertTrue(wait_until(lambda: server.cpu_seconds() > 0.05, 20))

    def test_dying_at_the_start_is_told_with_the_log(self):
        server = self.start("echo address already in use; exit 3")
        with self.assertRaisesRegex(ServerFailed, "(?s)status 3.*already in use"):
            server.wait_for(lambda: False)

    def test_never_being_ready_is_told(self):
        with self.assertRaisesRegex(ServerFailed, "not ready"):
            self.start("sleep 600").wait_for(lambda: False, seconds=0.05)
