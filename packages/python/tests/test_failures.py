import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest
from unittest import mock

from lockkeeper import Client, LockLost, Refused, Unavailable, UnknownOutcome

from .support import API_KEY, URL, ServerTest, count_waiters, python, read_lock


class FaultTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.proxy = self.start_proxy()
        self.proxied = Client(self.proxy.url, API_KEY, on_error=self.errors.append)

    def test_a_lost_response_of_an_acquire_makes_one_hold(self):
        for fault in ("lose_response", "drop", "bad_gateway"):
            with self.subTest(fault=fault):
                self.proxy.requests.clear()
                self.proxy.faults = {"acquire": [fault, fault]}
                with self.proxied.lock(self.key) as hold:
                    self.assertEqual(read_lock(self.key)["holders"][0]["fence"], hold.fence)
                acquires = [each for each in self.proxy.requests if each[0] == "acquire"]
                self.assertEqual(len(acquires), 3)
                self.assertEqual(len({idempotency_key for _, idempotency_key, _ in acquires}), 1)

    def test_a_lost_response_of_a_release_releases_once(self):
        for fault in ("lose_response", "drop", "bad_gateway"):
            with self.subTest(fault=fault):
                hold = self.proxied.acquire(self.key)
                self.proxy.faults = {"release": [fault]}
                self.assertEqual(hold.release(), "released")

    def test_renewals_survive_html_and_closed_connections(self):
        hold = self.proxied.acquire(self.key, lease_s=3)
        self.proxy.faults = {"renew": ["bad_gateway", "drop", "lose_response"]}
        time.sleep(4)
        hold.check()
        self.assertEqual(self.proxy.faults["renew"], [])
        self.assertGreaterEqual(len(self.errors), 3)
        self.assertEqual(hold.release(), "released")

    def test_a_hold_without_renewals_is_lost_before_redis_ends_it(self):
        hold = self.proxied.acquire(self.key, lease_s=2)
        self.proxy.always = "bad_gateway"
        self.assertTrue(hold.lost.wait(10))
        # Only the end of its lease may follow: `ended` is the moment between the deadline and the removal of the key.
        self.assertIn(read_lock(self.key)["state"], ("held", "ended", "free"))
        self.proxy.always = None
        # The threads still work for the next hold.
        with self.proxied.lock(f"{self.key}:next", lease_s=2) as later:
            time.sleep(3)
            later.check()

    def test_an_acquire_without_an_answer_has_an_unknown_outcome(self):
        self.proxy.always = "drop"
        started_at = time.monotonic()
        self.assertRaises(UnknownOutcome, self.proxied.acquire, self.key, lease_s=1)
        self.assertLess(time.monotonic() - started_at, 10)

    def test_an_unreachable_server_is_unavailable_and_the_next_one_is_used(self):
        dead = "http://127.0.0.1:1"
        with self.assertRaisesRegex(Unavailable, "127.0.0.1:1"):
            Client(dead, API_KEY).acquire(self.key)
        with Client([dead, URL], API_KEY).lock(self.key) as hold:
            hold.check()

    def test_a_wrong_url_is_reported_at_once(self):
        self.proxy.always = "not_found"
        with self.assertRaises(Refused) as raised:
            self.proxied.acquire(self.key)
        self.assertEqual((raised.exception.code, raised.exception.status), ("unexpected_response", 404))
        self.assertEqual(len(self.proxy.requests), 1)


class ThreadTest(ServerTest):
    def test_renewals_survive_a_callback_that_exits(self):
        def leave(_):
            sys.exit(1)

        proxy = self.start_proxy()
        proxy.faults = {"renew": ["bad_gateway"]}
        client = Client(proxy.url, API_KEY, on_error=leave)
        with self.assertLogs("lockkeeper") as logs, client.lock(self.key, lease_s=2) as hold:
            client.acquire(f"{self.key}:2", lease_s=0.5, renewal="manual", on_lost=leave)
            time.sleep(3)
            hold.check()
        for failure in ("on_error failed", "The function for the loss of"):
            self.assertIn(failure, "".join(logs.output))

    def test_a_signal_during_a_callback_in_the_main_thread_is_raised(self):
        hold = self.client.acquire(self.key, lease_s=1, renewal="manual")
        self.client._renewer.remove(hold)
        hold.on_lost(mock.Mock(side_effect=KeyboardInterrupt))
        hold._left_s = 0
        self.assertRaises(KeyboardInterrupt, hold.check)
        hold.release()

    def test_an_acquire_whose_thread_cannot_start_leaves_no_hold(self):
        start = threading.Thread.start
        for failing in ("lockkeeper-deadlines", "lockkeeper-renewals"):

            def refuse(thread, failing=failing):
                if thread.name == failing:
                    raise RuntimeError("can't start new thread")
                start(thread)

            client = Client(URL, API_KEY)
            with self.subTest(failing=failing):
                with mock.patch.object(threading.Thread, "start", refuse):
                    self.assertRaises(RuntimeError, client.acquire, self.key)
                    self.assertRaises(RuntimeError, client.acquire_all, [self.key, f"{self.key}:2"])
                self.assertEqual([read_lock(key)["state"] for key in (self.key, f"{self.key}:2")], ["free", "free"])
                self.assertEqual(client._renewer._holds, {})
                with client.lock(self.key, lease_s=1) as hold:
                    time.sleep(1.5)
                    hold.check()

    def test_the_next_hold_restarts_a_thread_that_ended_with_a_defect(self):
        with mock.patch.object(threading, "excepthook"), self.client.lock(self.key, lease_s=1) as hold:
            with mock.patch.object(hold, "find_renewal_delay_s", side_effect=ValueError):
                self.client._renewer.wake()
                self.wait_until(lambda: "lockkeeper-renewals" not in self.client._renewer._threads)
            with self.client.lock(f"{self.key}:next"):
                time.sleep(1.5)
                hold.check()


class ProcessTest(ServerTest):
    HOLD = """
import sys, time, lockkeeper
if "exit" in sys.argv: lockkeeper.exit_on_signals()
with lockkeeper.Client().lock({key!r}, lease_s={lease_s}) as hold:
    print(hold.fence, flush=True)
    while True:
        hold.check()
        time.sleep(0.02)
"""

    def start(self, lease_s, *arguments):
        program = self.HOLD.format(key=self.key, lease_s=lease_s)
        process = subprocess.Popen(
            [*python(program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.fence = process.stdout.readline()
        return process

    def test_the_lease_ends_after_kill_9_and_the_next_one_acquires(self):
        process = self.start(2)
        process.kill()
        killed_at = time.monotonic()
        with self.client.lock(self.key, wait_s=10) as hold:
            self.assertGreater(int(hold.fence), int(self.fence))
            self.assertLess(time.monotonic() - killed_at, 4)

    def test_a_process_that_was_stopped_beyond_its_lease_reports_the_loss(self):
        process = self.start(1)
        process.send_signal(signal.SIGSTOP)
        with self.client.lock(self.key, wait_s=10):
            process.send_signal(signal.SIGCONT)
            _, complaints = process.communicate(timeout=10)
        self.assertIn("LockLost", complaints)

    def test_sigterm_and_ctrl_c_release_the_lock(self):
        for arguments, number, status in (
            (["exit"], signal.SIGTERM, 143),
            (["exit"], signal.SIGINT, 130),
            ([], signal.SIGINT, -signal.SIGINT),
        ):
            with self.subTest(number=number, arguments=arguments):
                process = self.start(30, *arguments)
                process.send_signal(number)
                process.communicate(timeout=10)
                self.assertEqual(process.returncode, status)
                self.assertEqual(read_lock(self.key)["state"], "free")

    def test_an_interrupted_wait_leaves_nothing_behind(self):
        first = self.client.acquire(self.key)
        program = self.HOLD.format(key=self.key, lease_s=30).replace("lease_s=30", "wait_s=30")
        process = subprocess.Popen(python(program), stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.wait_until(lambda: count_waiters(self.key) > 0)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        first.release()
        self.assertEqual(read_lock(self.key)["state"], "free")

    @unittest.skipUnless(hasattr(os, "fork"), "no fork on this system")
    def test_a_fork_neither_renews_nor_releases_the_hold_of_its_parent(self):
        with self.client.lock(self.key, lease_s=10) as hold:
            child = os.fork()
            if child == 0:
                os._exit(self._check_in_fork(hold))
            _, status = os.waitpid(child, 0)
            self.assertEqual(status, 0)
            hold.check()
            self.assertEqual(read_lock(self.key)["holders"][0]["fence"], hold.fence)

    def _check_in_fork(self, hold):
        try:
            for method in (hold.check, hold.release, hold.renew):
                try:
                    method()
                    return 1
                except LockLost as error:
                    if error.facts["key"] != self.key:
                        return 4
            with hold:
                pass
            if self.client._renewer._holds or threading.active_count() != 1:
                return 2
            with self.client.lock(f"{self.key}:fork", lease_s=2) as own:
                time.sleep(3)
                own.check()
            return 0
        except BaseException:
            traceback.print_exc()
            return 3


class SecretTest(ServerTest):
    def test_the_api_key_is_in_no_representation_message_or_pickle(self):
        client = Client("http://127.0.0.1:1", "lk_secret")
        texts = [repr(client), repr(vars(client)), repr(vars(client._transport))]
        try:
            client.acquire(self.key)
        except Unavailable as error:
            texts += [repr(error), "".join(traceback.format_exception(type(error), error, error.__traceback__))]
        self.assertNotIn("lk_secret", "".join(texts))
        self.assertRaises(TypeError, pickle.dumps, client)

    def test_urls_with_a_password_and_malformed_keys_are_refused_without_repeating_them(self):
        for url, key in (("http://me:hush@host", "lk_a"), ("ftp://host", "lk_a"), (URL, "lk_ hush"), (URL, "")):
            with self.subTest(url=url), self.assertRaises(ValueError) as raised:
                Client(url, key)
            self.assertNotIn("hush", str(raised.exception))

    def test_server_texts_are_printable(self):
        with self.assertRaises(Refused) as raised:
            self.client.acquire("other:\x1b[31m\n")
        self.assertTrue(str(raised.exception).isprintable())


if __name__ == "__main__":
    logging.disable()
    unittest.main()
