import unittest

from lockkeeper import AsyncClient, Client, LockHeld, Refused, UnknownOutcome
from lockkeeper._key import encode_key

from .support import API_KEY, URL, ServerTest, call, read_lock
from .support import encode_key as encode_bytes

#: Appended to a key that is unique to the test.
ENDINGS = (":https://example.com/a", ":dir/", ":a/b", ":~x", ":.", ":..", ":100%", ":%2F?#", ": +\"\\", ":锁:ä", ":\n")


class KeyTest(ServerTest):
    def test_every_key_can_be_locked(self):
        for ending in ENDINGS:
            with self.subTest(ending=ending):
                key = self.key + ending
                with self.client.lock(key) as hold:
                    self.assertEqual(hold.key, key)
                    self.assertEqual(read_lock(key)["holders"][0]["fence"], hold.fence)
                    self.assertRaises(LockHeld, self.client.acquire, key)
                self.assertEqual(read_lock(key)["state"], "free")

    def test_every_key_can_be_a_latch_and_a_semaphore(self):
        for ending in ENDINGS:
            with self.subTest(ending=ending):
                latch = self.client.latch(f"{self.key}:latch{ending}")
                self.assertTrue(latch.try_set_count(2))
                self.assertEqual([latch.count_down(), latch.get_count()], [1, 1])
                self.assertEqual(call("GET", f"/latches/{encode_bytes(latch.key)}")[1]["count"], 1)
                self.assertEqual(self.client.set_limit(f"{self.key}:semaphore{ending}", 3).available, 3)

    def test_a_key_with_a_leading_tilde_is_not_decoded(self):
        with self.assertRaises(Refused) as raised:
            self.client.acquire(encode_bytes(self.key))
        self.assertEqual(raised.exception.code, "key_not_allowed")
        self.assertEqual(read_lock(self.key)["state"], "free")

    def test_keys_are_encoded_as_one_path_segment(self):
        for key, segment in (
            ("lock:orders-7_a.b", "lock:orders-7_a.b"),
            ("lock:dir/", "~bG9jazpkaXIv"),
            ("~x", "~fng"),
            (".", "~Lg"),
            ("..", "~Li4"),
            ("lock:a\n", "~bG9jazphCg"),
            ("ä", "~w6Q"),
        ):
            with self.subTest(key=key):
                self.assertEqual(encode_key(key), segment)

    def test_a_response_for_another_key_is_an_unknown_outcome(self):
        proxy = self.start_proxy()
        client = Client(proxy.url, API_KEY)
        for other in ({"key": "lock:other"}, {"keyBase64": "bG9jazr/"}):
            key = f"{self.key}:{next(iter(other))}"

            def acquire_one(body):
                status, value = call("POST", f"/locks/{encode_bytes(key)}/acquire", body)
                return status, {**value, **other}

            def acquire_all(body):
                status, value = call("POST", "/locks/acquire", body)
                return status, {**value, "holds": [{**value["holds"][0], **other}, *value["holds"][1:]]}

            with self.subTest(other=other):
                proxy.faults["acquire"] = [acquire_one, acquire_all]
                with self.assertRaisesRegex(UnknownOutcome, "another key"):
                    client.acquire(key, lease_s=1)
                keys = [f"{key}:1", f"{key}:2"]
                with self.assertRaisesRegex(UnknownOutcome, "other holds"):
                    client.acquire_all(keys, lease_s=1)


class AsyncKeyTest(ServerTest, unittest.IsolatedAsyncioTestCase):
    async def test_every_key_can_be_locked(self):
        client = AsyncClient(URL, API_KEY)
        for ending in ENDINGS:
            with self.subTest(ending=ending):
                key = self.key + ending
                async with client.lock(key) as hold:
                    self.assertEqual(hold.key, key)
                    self.assertEqual(read_lock(key)["state"], "held")
                latch = client.latch(f"{self.key}:latch{ending}")
                self.assertTrue(await latch.try_set_count(1))


if __name__ == "__main__":
    unittest.main()
