/**
 * Waits for the locks and latches that the benchmark process releases or opens.
 *
 * Usage: `node --import tsx kinds-waiter.ts REDIS_URL`
 */
import { openCore } from "../core/ours.ts";
import type { BenchKind } from "../kinds/contender.ts";
import { waitOnce } from "../kinds/ours.ts";

const [url = ""] = process.argv.slice(2);
const core = await openCore(url);

process.on("message", async ({ kind, key }: { kind: BenchKind; key: string }) => {
  process.send?.({ ms: await waitOnce(core, kind, key) });
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
