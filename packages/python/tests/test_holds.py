import contextlib
import math
import threading
import time
import unittest
from unittest import mock

import lockkeeper
from lockkeeper import LockHeld, LockkeeperError, LockLost, Refused, WaitTimeout

from .support import API_KEY, URL, BlockedRenewal, ServerTest, call, force_release, grant_late, read_lock


class HoldTest(ServerTest):
    def test_a_block_holds_the_lock_and_releases_it(self):
        with self.client.lock(self.key, lease_s=5, record={"service": "test"}) as hold:
            hold.check()
            holder = read_lock(self.key)["holders"][0]
            self.assertEqual(holder["fence"], hold.fence)
            self.assertEqual(holder["record"]["service"], "test")
            self.assertIn("host", holder["record"])
            self.assertTrue(4 < hold.remaining_s() <= 5)
        self.assertEqual(read_lock(self.key)["state"], "free")
        self.assertEqual(hold.remaining_s(), 0)
        self.assertRaises(LockLost, hold.check)
        self.assertIsNone(hold.loss)

    def test_an_exception_releases_the_lock_and_is_raised(self):
        with self.assertRaisesRegex(ValueError, "the work failed"):
            with self.client.lock(self.key):
                raise ValueError("the work failed")
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_permits_of_a_semaphore_are_shared_up_to_the_limit(self):
        first = self.client.acquire(self.key, kind="semaphore", permits=2, limit=3)
        with self.client.lock(self.key, kind="semaphore", limit=3):
            self.assertRaises(LockHeld, self.client.acquire, self.key, kind="semaphore")
        self.assertEqual(first.release(), "released")

    def test_readers_share_a_lock_and_exclude_a_writer(self):
        with self.client.lock(self.key, kind="read"), self.client.lock(self.key, kind="read"):
            self.assertRaises(LockHeld, self.client.acquire, self.key, kind="write")
        with self.client.lock(self.key, kind="write"):
            self.assertRaises(LockHeld, self.client.acquire, self.key, kind="read", yields_to_writers=False)

    def test_a_downgraded_hold_is_renewed_and_released_as_a_reader(self):
        proxy = self.start_proxy()
        client = lockkeeper.Client(proxy.url, API_KEY)
        with client.lock(self.key, kind="write", lease_s=1.2) as hold:
            before = (hold.hold_id, hold.fence)
            proxy.faults["downgrade"] = ["lose_response"]
            hold.downgrade()
            self.assertEqual([hold.kind, hold.fence], ["read", before[1]])
            self.assertNotEqual(hold.hold_id, before[0])
            sent = [key for verb, key, _ in proxy.requests if verb == "downgrade"]
            self.assertEqual((len(sent), len(set(sent))), (2, 1))
            with self.client.lock(self.key, kind="read"):
                time.sleep(1.5)
            hold.verify()
            self.assertRaises(Refused, hold.downgrade)
            self.assertFalse(hold.is_uncertain)
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_a_hold_whose_downgrade_is_unknown_is_released(self):
        proxy = self.start_proxy()
        hold = lockkeeper.Client(proxy.url, API_KEY).acquire(self.key, kind="write", lease_s=1.2)
        proxy.faults["downgrade"] = ["lose_response"] * 9

        def downgrade():
            with contextlib.suppress(LockkeeperError):
                hold.downgrade()

        downgrading = threading.Thread(target=downgrade)
        downgrading.start()
        self.wait_until(lambda: read_lock(self.key)["kind"] == "read")
        proxy.faults.clear()
        self.assertEqual(hold.release(), "released")
        downgrading.join()
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_a_release_releases_the_reader_of_a_downgrade_that_stays_unknown(self):
        proxy = self.start_proxy()
        hold = lockkeeper.Client(proxy.url, API_KEY).acquire(self.key, kind="write", lease_s=60)
        proxy.faults["downgrade"] = [lambda body: (503, {"code": "not_replicated", "detail": "No replica."})]
        self.assertRaises(LockkeeperError, hold.downgrade)
        proxy.faults["downgrade"] = ["lose_response"] * 99
        self.assertEqual(hold.release(), "released")
        self.assertIsNone(hold.loss)
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_options_of_kinds_are_checked(self):
        self.assertRaises(TypeError, self.client.acquire, self.key, permits="2")
        self.assertRaises(TypeError, self.client.acquire, self.key, yields_to_writers=1)
        for options in ({"kind": "fair"}, {"limit": 3}):
            self.assertRaises(ValueError, self.client.acquire_all, [self.key], **options)

    def test_the_fence_increases(self):
        fences = []
        for _ in range(3):
            with self.client.lock(self.key) as hold:
                fences.append(int(hold.fence))
        self.assertEqual(fences, sorted(set(fences)))

    def test_a_held_lock_is_refused_with_its_holder(self):
        with self.client.lock(self.key, owner="first"):
            with self.assertRaises(LockHeld) as raised:
                self.client.acquire(self.key)
            self.assertEqual(raised.exception.facts["holders"][0]["owner"], "first")
            with self.assertRaises(WaitTimeout) as raised:
                self.client.acquire(self.key, wait_s=0.05)
            self.assertEqual((raised.exception.code, raised.exception.status), ("timeout", 409))

    def test_a_wait_ends_with_the_release(self):
        first = self.client.acquire(self.key)
        threading.Timer(0.2, first.release).start()
        with self.client.lock(self.key, wait_s=math.inf) as second:
            self.assertGreater(int(second.fence), int(first.fence))

    def test_a_hold_is_renewed_beyond_its_lease(self):
        with self.client.lock(self.key, lease_s=1.5) as hold:
            time.sleep(3)
            hold.check()
            self.assertEqual(read_lock(self.key)["holders"][0]["fence"], hold.fence)

    def test_many_holds_are_renewed_together(self):
        proxy = self.start_proxy()
        client = lockkeeper.Client(proxy.url, API_KEY)
        holds = [client.acquire(f"{self.key}:{number}", lease_s=3) for number in range(30)]
        proxy.requests.clear()
        time.sleep(3.5)
        for hold in holds:
            hold.check()
        renewals = len(proxy.requests)
        for hold in holds:
            self.assertEqual(hold.release(), "released")
        self.assertLess(renewals, 12)

    def test_a_manual_hold_is_lost_at_its_deadline(self):
        losses = []
        hold = self.client.acquire(self.key, lease_s=1, renewal="manual", on_lost=losses.append)
        hold.renew(2)
        self.assertTrue(hold.lost.wait(5))
        self.assertIs(losses[0], hold.loss)
        self.assertRaisesRegex(LockLost, "its lease ended", hold.check)
        # Its lease ends in Redis a moment later.
        self.assertIn(hold.release(), ("released", "not_held"))
        late = []
        hold.on_lost(late.append)
        self.assertEqual(late, losses)

    def test_a_force_release_is_noticed_at_the_next_renewal(self):
        losses = []
        with self.assertRaises(LockLost):
            with self.client.lock(self.key, lease_s=3, on_lost=losses.append) as hold:
                force_release(self.key)
                started_at = time.monotonic()
                self.assertTrue(hold.lost.wait(5))
                self.assertLess(time.monotonic() - started_at, 2)
                self.assertRaises(LockLost, hold.check)
        self.assertEqual(len(losses), 1)

    def test_an_exception_of_the_work_wins_over_the_loss(self):
        with self.assertRaises(ValueError):
            with self.client.lock(self.key, lease_s=5) as hold:
                force_release(self.key)
                self.assertRaises(LockLost, hold.verify)
                raise ValueError
        self.assertIsNotNone(hold.loss)

    def test_the_loss_that_the_release_finds_is_raised(self):
        with self.assertRaises(LockLost):
            with self.client.lock(self.key):
                force_release(self.key)

    def test_a_release_during_a_renewal_reports_no_loss(self):
        proxy = self.start_proxy()
        renewal, losses = BlockedRenewal(), []
        proxy.faults = {"renew": [renewal]}
        client = lockkeeper.Client(proxy.url, API_KEY)
        with client.lock(self.key, lease_s=3, on_lost=losses.append) as hold, client.lock(f"{self.key}:2", lease_s=3):
            self.assertTrue(renewal.started.wait(10))
            self.assertEqual(hold.release(), "released")
            renewal.may_end.set()
            # The thread applies the first renewal before it sends the second.
            self.wait_until(lambda: [verb for verb, _, _ in proxy.requests].count("renew") == 2)
        self.assertEqual((losses, hold.loss, hold.lost.is_set()), ([], None, False))

    def test_a_verification_during_a_release_reports_no_loss(self):
        proxy = self.start_proxy()
        hold = lockkeeper.Client(proxy.url, API_KEY).acquire(self.key)

        def release_first(_):
            self.assertEqual(hold.release(), "released")
            return 200, {"held": False}

        proxy.faults = {hold.hold_id: [release_first]}
        with self.assertRaisesRegex(LockLost, "it was released"):
            hold.verify()
        self.assertIsNone(hold.loss)

    def test_a_hold_that_was_lost_before_its_block_does_not_run_it(self):
        proxy = self.start_proxy()
        proxy.faults = {"acquire": [grant_late(self.key)]}
        client = lockkeeper.Client(proxy.url, API_KEY)
        with self.assertRaisesRegex(LockLost, "its lease ended"):
            with client.lock(self.key):
                self.fail("the block runs")
        self.assertEqual(read_lock(self.key)["state"], "free")
        proxy.faults = {"acquire": [grant_late(self.key)]}
        self.assertRaises(LockLost, client.run, self.key, ["true"])

    def test_a_release_can_reserve_the_lock(self):
        self.assertEqual(self.client.acquire(self.key).release(reserved_s=5), "released")
        self.assertRaises(LockHeld, self.client.acquire, self.key)

    def test_an_invalid_reservation_releases_nothing_and_does_not_prevent_the_release(self):
        keys = [self.key, self.key + ":2"]
        with self.client.acquire_all(keys) as group:
            for reserved_s, error in ((0, ValueError), (1e6, ValueError), ("60", TypeError)):
                self.assertRaises(error, group.holds[0].release, reserved_s=reserved_s)
            self.assertEqual(read_lock(self.key)["state"], "held")
        self.assertEqual([read_lock(key)["state"] for key in keys], ["free", "free"])

    def test_lock_decorates_a_function(self):
        @self.client.lock(self.key)
        def work():
            return read_lock(self.key)["state"]

        self.assertEqual([work(), work()], ["held", "held"])
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_locks_exclude_each_other(self):
        counter = [0]

        def add():
            for _ in range(10):
                with self.client.lock(self.key, wait_s=30):
                    seen = counter[0]
                    time.sleep(0.002)
                    counter[0] = seen + 1

        threads = [threading.Thread(target=add) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counter, [50])


class RefusalTest(ServerTest):
    def test_wrong_options_send_nothing(self):
        cases = (
            ({"lease": 5}, TypeError),
            ({"wait_s": "5"}, TypeError),
            ({"wait_s": -1}, ValueError),
            ({"lease_s": math.nan}, ValueError),
            ({"renewal": "never"}, ValueError),
            ({"on_lost": 1}, TypeError),
        )
        for options, expected in cases:
            with self.subTest(options=options):
                self.assertRaises(expected, self.client.acquire, self.key, **options)
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_refusals_name_their_code(self):
        for client, key, code in (
            (lockkeeper.Client(URL, "lk_wrong"), self.key, "unauthenticated"),
            (self.client, "other:key", "key_not_allowed"),
        ):
            with self.subTest(code=code), self.assertRaises(LockkeeperError) as raised:
                client.acquire(key)
            self.assertIsInstance(raised.exception, Refused)
            self.assertEqual(raised.exception.code, code)

    def test_a_release_request_is_accepted(self):
        requests = []
        hold = self.client.acquire(self.key, lease_s=3, on_release_requested=requests.append)
        self.assertEqual(_request_release(self.key)[0], 200)
        self.wait_until(lambda: requests)
        self.assertEqual(requests[0].reason, "deploy")
        requests[0].accept("in a moment")
        requested = read_lock(self.key)["holders"][0]["releaseRequested"]
        self.assertEqual((requested["state"], requested["answerText"]), ("accepted", "in a moment"))
        time.sleep(1.2)
        self.assertEqual(hold.release(), "released")
        self.assertEqual(len(requests), 1)

    def test_a_release_request_whose_thread_cannot_start_arrives_with_the_next_renewal(self):
        requests, start = [], threading.Thread.start
        failures = [RuntimeError("can't start new thread")]

        def fail_once(thread):
            if thread.name == "lockkeeper-request" and failures:
                raise failures.pop()
            start(thread)

        with self.client.lock(self.key, lease_s=1.5, on_release_requested=requests.append) as hold:
            with mock.patch.object(threading.Thread, "start", fail_once):
                self.assertEqual(_request_release(self.key)[0], 200)
                self.wait_until(lambda: requests)
            hold.check()
        self.assertEqual((failures, [error.code for error in self.errors]), ([], ["internal"]))

    def test_a_release_request_is_refused_and_a_defect_of_the_handler_is_logged(self):
        def handle(request):
            request.refuse("ends in two minutes")
            raise ValueError("a defect")

        with self.client.lock(self.key, lease_s=3) as hold:
            self.assertEqual(_request_release(self.key)[1]["code"], "release_request_unsupported")
            with self.assertLogs("lockkeeper") as logs:
                hold.on_release_requested(handle)
                _request_release(self.key)
                self.wait_until(lambda: "a defect" in "".join(logs.output))
            requested = read_lock(self.key)["holders"][0]["releaseRequested"]
            self.assertEqual((requested["state"], requested["answerText"]), ("refused", "ends in two minutes"))


def _request_release(key):
    body = {"expectedVersion": read_lock(key)["version"], "reason": "deploy"}
    return call("POST", f"/locks/{key}/request-release", body)


if __name__ == "__main__":
    unittest.main()
