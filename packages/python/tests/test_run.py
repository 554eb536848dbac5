import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from lockkeeper import LockLost

from .support import ServerTest, force_release, python, read_lock


@unittest.skipUnless(os.name == "posix", "commands under a lock need POSIX")
class RunTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "log")

    # A grandchild writes, so that killing the command alone is not enough.
    def work(self):
        return ["sh", "-c", f"(while :; do echo $LOCK_FENCE >> {self.log}; sleep 0.05; done) & wait"]

    def count(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def assert_stopped(self):
        size = self.count()
        time.sleep(0.3)
        self.assertEqual(self.count(), size)

    def test_the_exit_status_is_that_of_the_command(self):
        self.assertEqual(self.client.run(self.key, ["sh", "-c", "exit 3"]), 3)
        self.assertEqual(self.client.run(self.key, ["sh", "-c", "kill -9 $$"]), -9)
        self.assertEqual(read_lock(self.key)["state"], "free")
        self.assertRaises(FileNotFoundError, self.client.run, self.key, ["/does/not/exist"])
        self.assertRaises(TypeError, self.client.run, self.key, "a string")
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_the_command_gets_the_fence_and_the_environment(self):
        with self.client.lock(self.key) as hold:
            script = f'echo "$LOCK_FENCE $OTHER $(pwd)" > {self.log}'
            environment = {**os.environ, "OTHER": "value"}
            self.assertEqual(hold.run(["sh", "-c", script], env=environment, cwd="/"), 0)
        with open(self.log) as file:
            self.assertEqual(file.read(), f"{hold.fence} value /\n")

    def test_what_the_command_left_running_is_killed_before_the_release(self):
        script = f"(while :; do echo x >> {self.log}; sleep 0.05; done) & sleep 0.3"
        self.assertEqual(self.client.run(self.key, ["sh", "-c", script]), 0)
        self.assertGreater(self.count(), 0)
        self.assert_stopped()

    def test_the_command_is_killed_when_the_lock_is_lost(self):
        def lose():
            while self.count() == 0:
                time.sleep(0.01)
            force_release(self.key)

        threading.Thread(target=lose).start()
        with self.assertRaises(LockLost):
            self.client.run(self.key, self.work(), lease_s=1.5)
        self.assert_stopped()

    def test_the_command_ends_when_its_parent_is_killed_or_stopped(self):
        for number in (signal.SIGKILL, signal.SIGSTOP):
            with self.subTest(number=number):
                program = f"import lockkeeper; lockkeeper.Client().run({self.key!r}, {self.work()!r}, lease_s=1)"
                parent = subprocess.Popen(python(program), stderr=subprocess.PIPE)
                self.addCleanup(parent.communicate)
                self.addCleanup(parent.kill)
                size = self.count()
                self.wait_until(lambda: self.count() > size)
                parent.send_signal(number)
                with self.client.lock(self.key, wait_s=10):
                    self.assert_stopped()
                if number == signal.SIGSTOP:
                    parent.send_signal(signal.SIGCONT)
                    self.assertIn(b"LockLost", parent.communicate(timeout=10)[1])

    def test_ctrl_c_kills_the_command_and_releases_the_lock(self):
        program = f"import lockkeeper; lockkeeper.Client().run({self.key!r}, {self.work()!r})"
        parent = subprocess.Popen(python(program), stderr=subprocess.PIPE)
        self.addCleanup(parent.communicate)
        self.wait_until(lambda: self.count() > 0)
        parent.send_signal(signal.SIGINT)
        parent.communicate(timeout=10)
        self.assertEqual(read_lock(self.key)["state"], "free")
        self.assert_stopped()

    def test_a_release_waits_until_the_command_has_ended(self):
        hold = self.client.acquire(self.key)
        runner = threading.Thread(target=hold.run, args=(["sleep", "0.5"],))
        runner.start()
        time.sleep(0.2)
        started_at = time.monotonic()
        self.assertEqual(hold.release(), "released")
        self.assertGreater(time.monotonic() - started_at, 0.1)
        runner.join()


if __name__ == "__main__":
    unittest.main()
