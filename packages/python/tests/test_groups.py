import threading
import time
import unittest

from lockkeeper import AsyncClient, Client, LockHeld, LockLost, WaitTimeout

from .support import API_KEY, URL, ServerTest, force_release, read_lock


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


if __name__ == "__main__":
    unittest.main()
