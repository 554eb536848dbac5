import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from .support import WITHIN_S, ServerTest, call, force_release, read_lock

PAGE = os.path.join(os.path.dirname(__file__), "../../../docs/recipes.md")


def read_recipe(name):
    with open(PAGE, encoding="utf-8") as file:
        (text,) = re.findall(rf"^```py title={re.escape(name)}\n(.*?)^```$", file.read(), re.M | re.S)
    return text


class RecipeTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, name, *arguments, change=lambda text: text):
        # A file of its own: an earlier process may not have read the last one yet.
        path = os.path.join(self.folder, f"{time.monotonic_ns()}-{name}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(change(read_recipe(name)))
        output = open(f"{path}.output", "w+", encoding="utf-8")
        self.addCleanup(output.close)
        process = subprocess.Popen(
            [sys.executable, path, *arguments], stdout=output, stderr=subprocess.STDOUT, cwd=self.folder
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.path = output.name
        return process

    def read(self, process):
        with open(process.path, encoding="utf-8") as file:
            return file.read()

    def finish(self, process):
        status = process.wait(WITHIN_S)
        return status, self.read(process)

    def test_the_cron_job_does_not_overlap(self):
        def work_longer(text):
            return text.replace("flush=True)", "flush=True); __import__('time').sleep(0.3)")

        first = self.start("report.py", change=work_longer)
        self.wait_until(lambda: "page 1" in self.read(first))
        status, output = self.finish(self.start("report.py"))
        self.assertEqual(status, 1)
        self.assertIn("the previous run is still active", output)
        status, output = self.finish(first)
        self.assertEqual(status, 0)
        self.assertRegex(output, r"^page 1 with fence \d+\npage 2 with fence \d+\npage 3 with fence \d+\n$")
        self.assertEqual(self.finish(self.start("report.py"))[0], 0)

    def test_the_work_is_done_once_per_period(self):
        if read_lock("lock:period:invoices")["state"] == "held":
            force_release("lock:period:invoices")  # of an earlier run
        outputs = [self.finish(self.start("once_per_period.py"))[1] for _ in range(3)]
        self.assertRegex(outputs[0], r"^sending invoices with fencing token \d+\n$")
        self.assertEqual(outputs[1:], ["done in this period\n"] * 2)
        self.assertEqual(read_lock("lock:period:invoices")["state"], "held")

    def test_the_rate_is_limited(self):
        status, output = self.finish(self.start("rate_limit.py"))
        self.assertEqual(status, 0, output)
        self.assertEqual(len(re.findall(r"^\d+ sending mail \d+$", output, re.M)), 12)
        # The rest of the second is a reservation, with another owner.
        path = "/history?key=lock:rate:*&type=acquired&order=oldest_first"
        grants = [each for each in call("GET", path)[1]["items"] if "reserve" not in each["owner"]]
        last = {}
        for event in grants:
            self.assertGreaterEqual(event["at"] - last.get(event["key"], 0), 1000)
            last[event["key"]] = event["at"]
        self.assertLessEqual(len(last), 5)

    def test_a_candidate_leads_when_the_leader_loses_the_lock_is_killed_or_stopped(self):
        def find_fences(process):
            return list(dict.fromkeys(map(int, re.findall(r"with fence (\d+)", self.read(process)))))

        def shorten(text):
            return text.replace("lease_s=10", "lease_s=3").replace("lost.wait(1)", "lost.wait(0.1)")

        first = self.start("leader.py", change=shorten)
        self.wait_until(lambda: find_fences(first))
        second = self.start("leader.py", change=shorten)
        self.wait_until(lambda: (read_lock("lock:leader:prices")["waiters"]["count"] or 0) > 0)
        force_release("lock:leader:prices")
        self.wait_until(lambda: find_fences(second))
        self.wait_until(lambda: "not leading" in self.read(first))
        second.kill()
        self.wait_until(lambda: len(find_fences(first)) == 2)
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(WITHIN_S), 143)
        self.assertEqual(read_lock("lock:leader:prices")["state"], "free")
        fences = [find_fences(first)[0], find_fences(second)[0], find_fences(first)[1]]
        self.assertEqual(fences, sorted(fences))

    def test_locks_in_opposite_order_are_acquired_together(self):
        keys = ["lock:account:1", "lock:account:2"]
        programs = [self.start("several_locks.py", *keys[::step]) for step in (1, -1, 1, -1)]
        for program in programs:
            status, output = self.finish(program)
            self.assertEqual(status, 0, output)
            self.assertRegex(output, r"^transfer from lock:account:\d to lock:account:\d with fences \d+ and \d+\n$")


if __name__ == "__main__":
    unittest.main()
