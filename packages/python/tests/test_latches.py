import asyncio
import threading
import unittest

from lockkeeper import AsyncClient, Client, LockHeld, Refused, WaitTimeout, _transport

from .support import API_KEY, URL, ServerTest, call


class LatchTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.latch = self.client.latch(self.key)

    def test_a_latch_is_set_once_and_opens_at_zero(self):
        self.assertEqual([self.latch.get_count(), self.latch.try_set_count(2)], [0, True])
        self.assertFalse(self.latch.try_set_count(5))
        self.assertEqual([self.latch.get_count(), self.latch.count_down()], [2, 1])
        waiting = threading.Thread(target=self.latch.wait, daemon=True)
        waiting.start()
        self.assertEqual(self.latch.count_down(), 0)
        waiting.join(15)
        self.assertFalse(waiting.is_alive())
        self.latch.wait(0)
        self.assertEqual(self.latch.count_down(), 0)

    def test_a_wait_ends_after_its_time(self):
        self.latch.try_set_count(3)
        for wait_s in (0, 0.05):
            with self.assertRaises(WaitTimeout) as raised:
                self.latch.wait(wait_s)
            self.assertEqual([raised.exception.code, raised.exception.facts["count"]], ["timeout", 3])

    def test_a_wait_that_is_sent_in_parts_does_not_miss_an_opening(self):
        self.addCleanup(setattr, _transport, "WAIT_PART_S_MAX", _transport.WAIT_PART_S_MAX)
        _transport.WAIT_PART_S_MAX = 0.02
        proxy = self.start_proxy()
        self.latch.try_set_count(1)
        forward = proxy.handle

        def open_between_two_parts(handler):
            if len(proxy.requests) == 2:
                self.latch.count_down()
                self.latch.try_set_count(1)
            forward(handler)

        proxy.handle = open_between_two_parts
        Client(proxy.url, API_KEY).latch(self.key).wait(15)
        self.assertEqual(self.latch.get_count(), 1)

    def test_a_wait_is_sent_in_the_query_without_a_body(self):
        proxy = self.start_proxy()
        Client(proxy.url, API_KEY, target="default").latch(self.key).wait(15)
        self.assertEqual(proxy.requests, [(self.key, None, b"")])

    def test_a_change_whose_response_is_lost_counts_once(self):
        proxy = self.start_proxy()
        latch = Client(proxy.url, API_KEY).latch(self.key)
        proxy.faults[latch.key] = ["lose_response"]
        proxy.faults["count-down"] = ["lose_response"]
        self.assertTrue(latch.try_set_count(3))
        self.assertEqual([latch.count_down(), self.latch.get_count()], [2, 2])

    def test_a_key_of_another_kind_is_refused(self):
        with self.client.lock(self.key):
            for change in (lambda: self.latch.try_set_count(1), self.latch.count_down):
                with self.assertRaises(Refused) as raised:
                    change()
                self.assertEqual(raised.exception.code, "kind_conflict")

    def test_arguments_are_checked(self):
        self.assertRaises(TypeError, self.client.latch, "")
        self.assertRaises(TypeError, self.latch.try_set_count, True)
        self.assertRaises(TypeError, self.client.set_limit, self.key, "3")
        self.assertRaises(ValueError, self.latch.wait, -1)
        self.assertRaises(Refused, self.latch.try_set_count, 0)


class SemaphoreTest(ServerTest):
    def test_the_limit_is_set_and_a_refusal_has_the_permits(self):
        permits = self.client.set_limit(self.key, 2)
        self.assertEqual([permits.limit, permits.available, permits.acquired], [2, 2, 0])
        with self.client.lock(self.key, kind="semaphore", permits=2):
            self.assertEqual(self.client.set_limit(self.key, 1).available, -1)
            for wait_s in (0, 0.05):
                with self.assertRaises(LockHeld) as raised:
                    self.client.acquire(self.key, kind="semaphore", wait_s=wait_s)
                self.assertEqual(raised.exception.permits, {"available": -1, "total": 1})
        with self.client.lock(f"{self.key}:plain"), self.assertRaises(LockHeld) as raised:
            self.client.acquire(f"{self.key}:plain")
        self.assertIsNone(raised.exception.permits)


class AsyncLatchTest(ServerTest, unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        super().setUp()
        self.client = AsyncClient(URL, API_KEY)
        self.latch = self.client.latch(self.key)

    async def test_a_latch_is_set_counted_down_and_waited_for(self):
        self.assertTrue(await self.latch.try_set_count(2))
        self.assertEqual([await self.latch.count_down(), await self.latch.get_count()], [1, 1])
        with self.assertRaises(WaitTimeout):
            await self.latch.wait(0.05)
        waiting = asyncio.create_task(self.latch.wait())
        await asyncio.sleep(0)
        self.assertEqual(await self.latch.count_down(), 0)
        await asyncio.wait_for(waiting, 15)

    async def test_a_cancelled_wait_ends_at_once(self):
        await self.latch.try_set_count(1)
        waiting = asyncio.create_task(self.latch.wait())
        while len(asyncio.all_tasks()) < 2:
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)
        waiting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, 15)
        self.assertEqual(call("GET", f"/latches/{self.key}")[1]["count"], 1)

    async def test_a_limit_is_set(self):
        self.assertEqual((await self.client.set_limit(self.key, 4)).available, 4)


if __name__ == "__main__":
    unittest.main()
