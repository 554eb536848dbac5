import asyncio
import logging
import os
import re
import textwrap
import threading
import unittest

import lockkeeper

from .support import API_KEY, ServerTest, call, force_release, read_lock

GUIDE = os.path.join(os.path.dirname(__file__), "../../../docs/python.md")


def read_blocks():
    with open(GUIDE, encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


def ask_for_release(key, reason):
    body = {"expectedVersion": read_lock(key)["version"], "reason": reason}
    status, answer = call("POST", f"/locks/{key}/request-release", body)
    assert status == 200, answer


class GuideTest(ServerTest):
    def test_the_examples_of_the_guide_run(self):
        blocks = read_blocks()
        self.assertGreaterEqual(len(blocks), 10)
        for block in blocks:
            with self.subTest(block=block.splitlines()[0]):
                given = {
                    **vars(lockkeeper),
                    "asyncio": asyncio,
                    "client": self.client,
                    "cart": {},
                    "delete_from_redis": force_release,
                    "logger": logging.getLogger("test"),
                    "stopping": threading.Event(),
                    "ask_for_release": ask_for_release,
                }
                self.run_block(block.replace("lk_…", API_KEY), given)

    def run_block(self, block, given):
        if "exit_on_signals()" in block:
            compile(block, GUIDE, "exec")
        elif "await " in block:
            exec(f"async def main():\n{textwrap.indent(block, '    ')}", given)
            asyncio.run(given["main"]())
        else:
            exec(block, given)


if __name__ == "__main__":
    unittest.main()
