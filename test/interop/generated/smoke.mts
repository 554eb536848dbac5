import { client } from "./client/client.gen.js";
import { acquireLock, forceReleaseLock, getHold, getLock, releaseHold, renewHold } from "./client/index.js";
import type { ForceReleased, HeldProblem, Hold, LostProblem } from "./client/types.gen.js";

/** What an app does first with the client that was generated for it. */
const baseUrl = process.argv[2] ?? "";
const apiKey = process.env.LOCKKEEPER_API_KEY;
client.setConfig({ baseUrl, auth: () => apiKey });
// A key that must be encoded, and only once.
const path = { key: `lock:generated/${crypto.randomUUID()} é%2F` };

const hold = await acquire();
expect("the key", hold.key, path.key);
const held = { path: { holdId: hold.holdId } };
const { data: renewed } = await renewHold({ ...held, body: {}, throwOnError: true });
expect("the fence of a renewal", renewed.fence, hold.fence);
const { data: status } = await getHold({ ...held, throwOnError: true });
expect("whether it is held", status.held, true);

const earlier = await readPlainAsOf();
const { data: lock } = await getLock({ path, throwOnError: true });
const later = await readPlainAsOf();
const asOf: number = lock.asOf;
expect("whether asOf is an integer", Number.isSafeInteger(asOf), true);
expect(`whether ${earlier} <= ${asOf} <= ${later}`, earlier <= asOf && asOf <= later, true);
expect("the holder", lock.holders[0]?.holdId, hold.holdId);

const { error: refused, response } = await acquireLock({ path, body: { owner: "you" } });
// The compiler knows which facts come with which code.
if (refused?.code !== "held") throw new Error(`Two hold it: ${JSON.stringify(refused)}`);
const refusal: HeldProblem = refused;
expect("who holds it", refusal.holders[0]?.owner, "me");
expect("the status", response?.status, 409);

const body = { expectedVersion: lock.version ?? "", reason: "the smoke test" };
const { data } = await forceReleaseLock({ path, body, throwOnError: true });
const freed: ForceReleased = data;
expect("the outcome of the force-release", freed.outcome, "released");
const late = await renewHold({ ...held, body: {} });
if (late.error?.code !== "lost") throw new Error(`It was not lost: ${JSON.stringify(late)}`);
const lost: LostProblem = late.error;
expect("the key that was lost", lost.key, path.key);
expect("the status of the loss", late.response?.status, 410);

const again = await acquire();
expect("whether the fence rises", BigInt(again.fence) > BigInt(hold.fence), true);
const { data: released } = await releaseHold({
  path: { holdId: again.holdId },
  body: {},
  throwOnError: true,
});
expect("the outcome", released.outcome, "released");
console.log("smoke passed");

async function acquire(): Promise<Hold> {
  const { data } = await acquireLock({ path, body: { owner: "me", leaseMs: 60_000 }, throwOnError: true });
  return data;
}

/** Reads what the server sent, digit by digit. */
async function readPlainAsOf(): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${baseUrl}/api/v1/locks/${encodeURIComponent(path.key)}`, { headers });
  const [, digits] = /"asOf":(\d{13})[,}]/.exec(await answer.text()) ?? [];
  return Number(digits);
}

function expect(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}
