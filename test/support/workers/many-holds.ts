/** Holds the locks `<prefix>:<n>` through the HTTP client and renews them until the process is killed. */
import { LockkeeperClient } from "../../../lib/client/lockkeeper-client.ts";

const task: unknown = JSON.parse(process.argv[2] ?? "{}");
const { url, apiKey, prefix, leaseMs, count } = task as {
  readonly url: string;
  readonly apiKey: string;
  readonly prefix: string;
  readonly leaseMs: number;
  readonly count: number;
};
const client = new LockkeeperClient({ url, apiKey });
await Promise.all(Array.from({ length: count }, (_, n) => client.acquire(`${prefix}:${n}`, { leaseMs })));
process.on("disconnect", () => process.exit());
process.send?.("holding");
