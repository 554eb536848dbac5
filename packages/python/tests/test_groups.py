import json
import threading
import time
import unittest

from lockkeeper import AsyncClient, Client, LockHeld, LockLost, Refused, UnknownOutcome, WaitTimeout

from .support import API_KEY, URL, ServerTest, call, force_release, read_lock

FORBIDDEN = {"code": "forbidden", "detail": "The API key may not release this hold."}


def fail_second_release(body):
    """Releases all holds of a batch but the second."""
    first, second, *others = body["holds"]
    status, value = call("POST", "/holds/release", {"holds": [first, *others]})
    value["results"].insert(1, {**second, "outcome": "refused", "problem": FORBIDDEN})
    return status, value


def refuse(_):
    return 403, FORBIDDEN


def hide_second_outcome(key):
    """Returns a fault: all holds of a batch are released under the key, but the outcome of the second is unknown."""

    def release(body):
        status, value = call("POST", "/holds/release", body, {"Idempotency-Key": key})
        hold_id = body["holds"][1]["holdId"]
        value["results"][1] = {"holdId": hold_id, "outcome": "unknown", "problem": {"code": "unknown_outcome"}}
        return status, value

    return release


class GroupTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.keys = [f"{self.key}:{name}" for name in ("b", "a", "c")]

    def states(self):
        return [read_lock(key)["state"] for key in self.keys]

    def test_a_group_holds_all_locks_and_releases_them(self):
        with self.client.acquire_all(self.keys, lease_s=5) as group:
            group.check()
            self.assertEqual([hold.key for hold in group], self.keys)
            self.assertEqual(group[self.keys[1]].key, self.keys[1])
            self.assertEqual(len({hold.fence for hold in group}), len(group))
            self.assertEqual(self.states(), ["held"] * 3)
            self.assertTrue(4 < group.remaining_s() <= 5)
        self.assertEqual(self.states(), ["free"] * 3)

    def test_all_or_none(self):
        with self.client.lock(self.keys[1]):
            with self.assertRaises(LockHeld) as raised:
                self.client.acquire_all(self.keys)
            self.assertEqual(raised.exception.facts["key"], self.keys[1])
            self.assertRaises(WaitTimeout, self.client.acquire_all, self.keys, wait_s=0.1)
            self.assertEqual(self.states(), ["free", "held", "free"])

    def test_a_wait_ends_when_all_are_free(self):
        first = self.client.acquire(self.keys[1])
        threading.Timer(0.2, first.release).start()
        with self.client.acquire_all(self.keys, wait_s=10) as group:
            group.check()

    def test_the_loss_of_one_is_the_loss_of_the_group(self):
        losses = []
        with self.assertRaises(LockLost):
            with self.client.acquire_all(self.keys, lease_s=3, on_lost=losses.append) as group:
                force_release(self.keys[2])
                self.assertTrue(group.lost.wait(5))
                self.assertRaises(LockLost, group.check)
        self.assertEqual(len(losses), 1)
        self.assertEqual(self.states(), ["free"] * 3)

    def test_a_group_is_renewed_and_its_release_survives_a_lost_response(self):
        proxy = self.start_proxy()
        proxy.faults = {"acquire": ["drop"], "renew": ["bad_gateway"], "release": ["lose_response"]}
        client = Client(proxy.url, API_KEY)
        with client.acquire_all(self.keys, lease_s=3) as group:
            time.sleep(4)
            group.check()
        self.assertEqual(self.states(), ["free"] * 3)

    def test_a_second_release_retries_only_the_release_that_failed(self):
        proxy = self.start_proxy()
        group = Client(proxy.url, API_KEY).acquire_all(self.keys)
        proxy.faults = {"release": [fail_second_release, refuse, refuse]}
        self.assertRaises(Refused, group.release)
        self.assertEqual(self.states(), ["free", "held", "free"])
        self.assertRaises(Refused, group.holds[1].release)
        self.assertEqual(group.release(), "released")
        self.assertEqual(self.states(), ["free"] * 3)
        self.assertEqual(json.loads(proxy.requests[-1][2]), {"holds": [{"holdId": group.holds[1].hold_id}]})
        sent = len(proxy.requests)
        self.assertEqual([group.release(), *(hold.release() for hold in group)], ["released"] * 4)
        self.assertEqual(len(proxy.requests), sent)
        self.assertFalse(group.lost.is_set())

    def test_a_hold_that_was_released_separately_is_not_released_again(self):
        with self.client.acquire_all(self.keys) as group:
            self.assertEqual(group[self.keys[1]].release(), "released")
            self.assertEqual(group.release(), "released")
        self.assertIsNone(group.loss)
        self.assertEqual(self.states(), ["free"] * 3)

    def test_a_release_without_an_answer_is_repeated_under_the_same_key(self):
        proxy = self.start_proxy()
        client = Client(proxy.url, API_KEY)
        hold, group = client.acquire(self.keys[0]), client.acquire_all(self.keys[1:])
        for release, retry in (lambda: hold.release(), lambda: hold.release(5)), (group.release, group.release):
            proxy.always = "lose_response"
            self.assertRaises(UnknownOutcome, release)
            proxy.always = None
            self.assertEqual(retry(), "released")
        self.assertEqual([hold.loss, group.loss], [None, None])
        self.assertEqual(self.states(), ["free"] * 3)

    def test_releases_of_a_group_and_of_its_holds_are_the_same_request(self):
        proxy = self.start_proxy()
        group = Client(proxy.url, API_KEY).acquire_all(self.keys)
        first, second, third = group.holds
        proxy.always = "lose_response"
        self.assertRaises(UnknownOutcome, first.release, 60)
        self.assertRaises(UnknownOutcome, group.release)
        proxy.always = None
        self.assertEqual([first.release(), second.release(60), group.release()], ["released"] * 3)
        self.assertIsNone(group.loss)
        self.assertEqual(self.states(), ["held", "free", "free"])  # the first one is reserved

    def test_a_release_with_an_unknown_outcome_is_repeated_under_the_same_key(self):
        proxy = self.start_proxy()
        group = Client(proxy.url, API_KEY).acquire_all(self.keys)
        proxy.faults = {"release": [hide_second_outcome(group._release_key)]}
        self.assertEqual(group.release(), "released")
        self.assertIsNone(group.loss)
        self.assertEqual(self.states(), ["free"] * 3)
        (_, first_key, _), (_, second_key, body) = proxy.requests[-2:]
        self.assertEqual(first_key, second_key)
        self.assertEqual(json.loads(body), {"holds": [{"holdId": group.holds[1].hold_id}]})

    def test_a_group_that_was_lost_before_its_block_does_not_run_it(self):
        proxy = self.start_proxy()

        def grant_late(body):
            status, value = call("POST", "/locks/acquire", body)
            value["holds"][1]["remainingMs"] = 0
            return status, value

        proxy.faults = {"acquire": [grant_late]}
        with self.assertRaises(LockLost), Client(proxy.url, API_KEY).acquire_all(self.keys):
            self.fail("the block runs")
        self.assertEqual(self.states(), ["free"] * 3)

    def test_a_command_gets_all_fences(self):
        with self.client.acquire_all(self.keys) as group:
            fences = " ".join(hold.fence for hold in group)
            self.assertEqual(group.run(["sh", "-c", f'test "$LOCK_FENCES" = "{fences}"']), 0)


class AsyncGroupTest(ServerTest, unittest.IsolatedAsyncioTestCase):
    async def test_a_group_in_a_coroutine(self):
        keys = [f"{self.key}:1", f"{self.key}:2"]
        async with await AsyncClient(URL, API_KEY).acquire_all(keys) as group:
            self.assertEqual([read_lock(key)["state"] for key in keys], ["held", "held"])
            self.assertEqual(group[keys[1]].key, keys[1])
        self.assertEqual([read_lock(key)["state"] for key in keys], ["free", "free"])

    async def test_a_second_release_in_a_coroutine_retries_the_release_that_failed(self):
        proxy = self.start_proxy()
        keys = [f"{self.key}:1", f"{self.key}:2"]
        group = await AsyncClient(proxy.url, API_KEY).acquire_all(keys)
        proxy.faults = {"release": [fail_second_release, refuse]}
        with self.assertRaises(Refused):
            await group.release()
        self.assertEqual([read_lock(key)["state"] for key in keys], ["free", "held"])
        self.assertEqual(await group.release(), "released")
        self.assertEqual([read_lock(key)["state"] for key in keys], ["free", "free"])


if __name__ == "__main__":
    unittest.main()
