/** Holds a lock and writes into a fenced register while it believes to; stopped and resumed by its test. */
import { LockClient } from "../../locks/lock-client.ts";

const [url = "", key = "", lease = "0"] = process.argv.slice(2);
const client = await LockClient.open(url);
const hold = await client.acquire(key, { leaseMs: Number(lease), owner: "worker" });
const tell = (fact: Record<string, unknown>) => process.send?.(fact);
hold.signal.addEventListener("abort", () => tell({ signal: true }));
tell({ fence: hold.fence });

process.on("message", async (ask) => {
  if (ask === "assert") {
    try {
      hold.assertHeld();
      tell({ assert: "held", signalled: hold.signal.aborted });
    } catch {
      tell({ assert: "lost", signalled: hold.signal.aborted });
    }
  }
  if (ask === "release") tell({ release: (await hold.release()).outcome });
  if (ask === "end") process.exit(0);
});
