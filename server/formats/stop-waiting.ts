import type { WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import { buildWaitersKey, buildWritersKey } from "./keys.ts";
import { buildKindWakeChannel, formatWaiterId } from "./kind-keys.ts";

export interface StopWaitingRequest {
  readonly requestId: string;
  /** When it began to wait; `undefined` if no reply stated it. */
  readonly sinceMs: number | undefined;
  readonly owner: string;
  /** How long its place is kept for the same request id; 0 if it is not kept. */
  readonly keepMs: number;
  /** `lock` by default. */
  readonly kind?: WritableKind | undefined;
}

const stopWaitingScript = new Script<RedisArgument[], RedisArgument[], void>(
  new URL("stop-waiting.lua", import.meta.url),
  () => undefined,
);

/** Removes a waiter. Works for all formats, because waiters are stored in a separate key. */
export function stopWaiting(
  redis: Commands,
  channel: string,
  key: Key,
  waiter: StopWaitingRequest,
): Promise<void> {
  return stopWaitingScript.run(
    redis,
    waiter.kind === "write" ? [buildWaitersKey(key), buildWritersKey(key)] : [buildWaitersKey(key)],
    [
      ...[formatWaiterId(waiter.kind, waiter.requestId), waiter.sinceMs ?? "", waiter.owner, waiter.keepMs],
      ...[channel, toRedisArgument(key), buildKindWakeChannel(waiter.kind, key)],
      redis.publishesSharded ? "1" : "",
    ],
  );
}
