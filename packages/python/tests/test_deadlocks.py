import asyncio
import threading
import unittest

from lockkeeper import AsyncClient, Client, Deadlock, Refused

from .support import API_KEY, URL, ServerTest, count_waiters

WAIT_S = 30


class DeadlockTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.a, self.b = f"{self.key}:a", f"{self.key}:b"

    def start(self, work):
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.addCleanup(thread.join, WAIT_S)

    def test_the_youngest_wait_that_chose_it_is_refused_with_the_cycle(self):
        first, second = self.client.acquire(self.a, owner="first"), self.client.acquire(self.b, owner="second")

        def wait():
            with self.client.lock(self.b, wait_s=WAIT_S, owner="first", holding=[first]):
                first.release()

        self.start(wait)
        self.wait_until(lambda: count_waiters(self.b) == 1)
        with self.assertRaises(Deadlock) as raised:
            self.client.acquire(
                self.a, wait_s=WAIT_S, owner="second", holding=[second.hold_id], on_deadlock="refuse"
            )
        self.assertEqual(raised.exception.code, "deadlock")
        steps = {(step["owner"], step["key"]) for step in raised.exception.cycle}
        self.assertEqual(steps, {("first", self.b), ("second", self.a)})
        second.release()

    def test_blocks_declare_the_holds_around_them(self):
        other = self.client.acquire(self.b)
        refused = []

        def wait():
            with self.client.lock(f"{self.key}:outer"), self.client.acquire_all([self.a]):
                try:
                    self.client.acquire(self.b, wait_s=WAIT_S, on_deadlock="refuse")
                except Deadlock as error:
                    refused.append(error)

        self.start(wait)
        self.wait_until(lambda: count_waiters(self.b) == 1)
        with self.client.lock(self.a, wait_s=WAIT_S, holding=[other]):
            other.release()
        self.wait_until(lambda: refused)

    def test_holds_that_have_ended_and_those_of_other_clients_are_not_declared(self):
        proxy = self.start_proxy()
        client = Client(proxy.url, API_KEY)
        proxied = client.acquire(f"{self.key}:proxied")
        with self.client.lock(self.a), client.lock(self.b), client.lock(f"{self.key}:ended") as ended, proxied:
            ended.release()
            client.acquire(f"{self.key}:first", wait_s=1).release()
            client.acquire(f"{self.key}:second").release()
            first, second = [body for verb, _, body in proxy.requests if verb == "acquire"][-2:]
            self.assertIn(proxied.hold_id.encode(), first)
            self.assertEqual(first.count(b'"h1.'), 2)
            # A call that does not wait declares nothing.
            self.assertNotIn(b"holding", second)
        client.acquire(f"{self.key}:third", wait_s=1).release()
        self.assertIn(b'"holding": []', [body for verb, _, body in proxy.requests if verb == "acquire"][-1])

    def test_options_are_checked(self):
        for options in ({"holding": "h1.x"}, {"holding": [1]}, {"holding": {}}):
            with self.assertRaises(TypeError):
                self.client.acquire(self.key, **options)
        with self.assertRaises(ValueError):
            self.client.acquire(self.key, on_deadlock="abort")
        for options in ({"holding": []}, {"on_deadlock": "refuse"}):
            with self.assertRaises(ValueError):
                self.client.acquire_all([self.key], **options)
        with self.assertRaises(Refused) as raised:
            self.client.acquire(self.key, wait_s=1, holding=["h1.x"])
        self.assertEqual(raised.exception.code, "invalid_hold_id")


class AsyncDeadlockTest(ServerTest, unittest.IsolatedAsyncioTestCase):
    async def test_blocks_declare_the_holds_around_them(self):
        client = AsyncClient(URL, API_KEY)
        a, b = f"{self.key}:a", f"{self.key}:b"

        async def hold_both(outer, inner):
            async with client.lock(outer):
                ready.append(outer)
                while len(ready) < 2:
                    await asyncio.sleep(0.01)
                async with client.lock(inner, wait_s=WAIT_S, on_deadlock="refuse"):
                    return "done"

        ready = []
        tasks = [asyncio.create_task(hold_both(a, b)), asyncio.create_task(hold_both(b, a))]
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), WAIT_S)
        self.assertEqual([type(each) for each in results if each != "done"], [Deadlock])
        hold = await client.acquire(a, wait_s=1)
        await hold.release()


if __name__ == "__main__":
    unittest.main()
