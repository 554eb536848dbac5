import { client } from "./client/client.gen.js";
import { acquireLock, getHold, getLock, releaseHold, renewHold } from "./client/index.js";

/** What an app does first with the client that was generated for it. */
client.setConfig({ baseUrl: process.argv[2] ?? "", auth: () => process.env.LOCKKEEPER_API_KEY });
// A key that must be encoded, and only once.
const path = { key: `lock:generated/${crypto.randomUUID()} é%2F` };

const { data: hold } = await acquireLock({
  path,
  body: { owner: "me", leaseMs: 60_000 },
  throwOnError: true,
});
expect("the key", hold.key, path.key);
const held = { path: { holdId: hold.holdId } };
const { data: renewed } = await renewHold({ ...held, body: {}, throwOnError: true });
expect("the fence of a renewal", renewed.fence, hold.fence);
const { data: status } = await getHold({ ...held, throwOnError: true });
expect("whether it is held", status.held, true);
const { error, response } = await acquireLock({ path, body: { owner: "you" } });
// The compiler knows which facts come with which code.
if (error === undefined || error.code !== "held") throw new Error(`Two hold it: ${JSON.stringify(error)}`);
expect("who holds it", error.holders[0]?.owner, "me");
expect("the status", response?.status, 409);
const { data: lock } = await getLock({ path, throwOnError: true });
expect("the holder", lock.holders[0]?.holdId, hold.holdId);
const { data: released } = await releaseHold({ ...held, body: {}, throwOnError: true });
expect("the outcome", released.outcome, "released");
console.log("smoke passed");

function expect(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}
