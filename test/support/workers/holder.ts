/**
 * Holds a lock and writes to a fenced resource, even after it has lost the lock. The test stops and resumes this
 * process.
 */
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { LockClient } from "../../../server/locks/client/lock-client.ts";

const [url = "", key = "", lease = "0", resource = ""] = process.argv.slice(2);
const guard = readFileSync(new URL("../../../docs/guards/redis.lua", import.meta.url), "utf8");
const redis = new Redis(url);
const client = await LockClient.open(url);
const hold = await client.acquire(key, { leaseMs: Number(lease), owner: "worker" });
const report = (fact: Record<string, unknown>) => process.send?.(fact);
hold.signal.addEventListener("abort", () => report({ signal: true }));
report({ fence: hold.fence });

process.on("message", async (ask) => {
  if (ask === "assert") {
    try {
      hold.assertHeld();
      report({ assert: "held", signalled: hold.signal.aborted });
    } catch {
      report({ assert: "lost", signalled: hold.signal.aborted });
    }
  }
  if (ask === "write") {
    const written = await redis.eval(guard, 2, resource, `{${resource}}:fence`, String(hold.fence), "late");
    report({ write: written === 1 ? "written" : "refused" });
  }
  if (ask === "release") report({ release: (await hold.release()).outcome });
  if (ask === "end") process.exit(0);
});
