import asyncio
import time
import unittest

from lockkeeper import AsyncClient, LockHeld, LockLost

from .support import API_KEY, URL, BlockedRenewal, ServerTest, count_waiters, force_release, grant_late, read_lock


class AsyncTest(ServerTest, unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        super().setUp()
        self.client = AsyncClient(URL, API_KEY, on_error=self.errors.append)

    async def test_a_block_holds_renews_and_releases(self):
        async with self.client.lock(self.key, lease_s=2) as hold:
            await asyncio.sleep(3)
            hold.check()
            await hold.renew()
            await hold.verify()
            with self.assertRaises(LockHeld):
                await self.client.acquire(self.key)
        self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_a_writer_becomes_a_reader(self):
        async with self.client.lock(self.key, kind="write") as hold:
            hold_id = hold.hold_id
            await hold.downgrade()
            self.assertEqual(hold.kind, "read")
            self.assertNotEqual(hold.hold_id, hold_id)
        self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_a_loss_cancels_the_block_and_is_raised(self):
        started_at = time.monotonic()
        with self.assertRaises(LockLost):
            async with self.client.lock(self.key, lease_s=1.5):
                force_release(self.key)
                await asyncio.sleep(30)
        self.assertLess(time.monotonic() - started_at, 10)
        await asyncio.sleep(0)  # The task itself is not cancelled.

    async def test_a_hold_that_was_lost_before_its_block_does_not_run_it(self):
        proxy = self.start_proxy()
        proxy.faults = {"acquire": [grant_late(self.key)]}
        with self.assertRaises(LockLost):
            async with AsyncClient(proxy.url, API_KEY).lock(self.key):
                self.fail("the block runs")
        self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_a_release_during_a_renewal_does_not_cancel_the_task(self):
        proxy = self.start_proxy()
        client = AsyncClient(proxy.url, API_KEY)
        renewal = BlockedRenewal()
        proxy.faults = {"renew": [renewal]}
        hold = await client.acquire(self.key, lease_s=1.5)
        async with hold:
            await asyncio.to_thread(renewal.started.wait, 10)
            self.assertEqual(await hold.release(), "released")
            renewal.may_end.set()
            await asyncio.to_thread(renewal.ended.wait, 10)
            await asyncio.sleep(0.2)
        self.assertIsNone(hold.loss)

    async def test_a_cancelled_block_releases_the_lock(self):
        entered = asyncio.Event()

        async def work():
            async with self.client.lock(self.key):
                entered.set()
                await asyncio.sleep(30)

        task = asyncio.create_task(work())
        await entered.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_a_cancelled_wait_leaves_the_queue(self):
        async with self.client.lock(self.key):
            waiting = asyncio.create_task(self.client.acquire(self.key, wait_s=30))
            while count_waiters(self.key) == 0:
                await asyncio.sleep(0.01)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
        self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_a_grant_that_arrives_after_the_cancellation_is_released(self):
        for delay_s in (0, 0.001, 0.002, 0.003, 0.005, 0.008):
            acquiring = asyncio.create_task(self.client.acquire(self.key))
            await asyncio.sleep(delay_s)
            acquiring.cancel()
            try:
                await (await acquiring).release()
            except asyncio.CancelledError:
                pass
            self.assertEqual(read_lock(self.key)["state"], "free")

    async def test_many_waiting_tasks_do_not_keep_releases_waiting(self):
        entered = []

        async def work():
            async with self.client.lock(self.key, wait_s=30):
                entered.append(None)

        async with self.client.lock(self.key):
            tasks = [asyncio.create_task(work()) for _ in range(60)]
            await asyncio.sleep(0.5)
        await asyncio.gather(*tasks)
        self.assertEqual(len(entered), 60)

    async def test_a_cancelled_run_kills_the_command_and_releases_the_lock(self):
        task = asyncio.create_task(self.client.run(self.key, ["sleep", "30"]))
        while read_lock(self.key)["state"] == "free":
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        task.cancel()
        started_at = time.monotonic()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertLess(time.monotonic() - started_at, 5)
        self.assertEqual(read_lock(self.key)["state"], "free")
        self.assertEqual(await self.client.run(self.key, ["sh", "-c", "exit 3"]), 3)


if __name__ == "__main__":
    unittest.main()
