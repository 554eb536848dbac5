import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { argumentOf, Script } from "../../redis/script.ts";
import { pairOf, wakeChannelOf } from "../keys.ts";
import type { FreeAsk, FreeTerms } from "../lock-format.ts";
import { FORMATS } from "../lock-writer.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { type ForceReleaseReply, forceReleaseReplyOf } from "../script-replies.ts";
import { isUnnamed } from "./detect-redisson.ts";
import { leasesOf } from "./reader-leases.ts";
import {
  fairQueueOf,
  latchChannelOf,
  permitsKeyOf,
  readWriteChannelOf,
  semaphoreChannelOf,
} from "./redisson-keys.ts";
import { valueAndOwnerOf, writerOf } from "./redisson-owner.ts";

type Keys = RedisArgument[];

const script = (name: string) =>
  new Script<Keys, Keys, ForceReleaseReply>(new URL(name, import.meta.url), forceReleaseReplyOf);
const freeHolders = script("force-release-holders.lua");
const freeEntries = script("force-release-entries.lua");
const freePermits = script("force-release-permits.lua");
const freeCounter = script("force-release-counter.lua");

/** What the operator is told, and what may be done. */
export function termsOf(seen: HeldObservation): FreeTerms {
  if (!isUnnamed(seen)) return seen.kind === "semaphore" || seen.kind === "multi" ? { holdOff: false } : {};
  if (seen.confidence === "possible") {
    return {
      never: {
        why: "While nobody waits for it, Redis does not tell whether this number is a semaphore, a latch or a counter: what frees the one breaks the other.",
        instead: "Look again when somebody waits, or change it with the app that made it.",
      },
    };
  }
  if (seen.kind === "latch") {
    return { holdOff: false, why: "The latch is opened for all who wait, whatever is left to count down." };
  }
  return {
    holdOff: false,
    why: "One permit is given back, because Redis does not tell who has the others. If its holder is alive and gives it back, too, the semaphore has one permit more than before.",
  };
}

/** Frees what was seen as Redisson would: see each script. */
export function free(
  redis: Commands,
  channel: string,
  seen: HeldObservation,
  ask: FreeAsk,
): Promise<ForceReleaseReply> {
  if (isUnnamed(seen)) return freeNumber(redis, channel, seen, ask);
  if (seen.kind === "semaphore") return freeOut(redis, channel, seen, ask);
  if (seen.kind === "multi") return freeValues(redis, channel, seen, ask);
  if (seen.kind === "read" || seen.kind === "write" || seen.holders.length > 1) {
    return freeParts(redis, channel, seen, ask);
  }
  const [{ owner, fence }] = seen.holders;
  const { by, reason, holdOff } = ask;
  const request = { owner, fence, by, reason, holdOff };
  const run = (queue: Keys) => FORMATS.redisson.forceRelease(redis, channel, seen.key, request, queue);
  return orWithout(run, fairQueueOf(seen.key));
}

const whoOf = ({ by, reason }: FreeAsk) => JSON.stringify({ by, reason });
const shardedOf = ({ publishesSharded }: Commands) => (publishesSharded ? "1" : "");

/** Of several holders one or all. */
function wantedOf({ holders }: HeldObservation, { holder }: FreeAsk): readonly SeenHolder[] {
  return holder === undefined ? holders : [holder];
}

/** A user who may see the locks alone frees without what Redisson keeps beside them; nothing ran by then. */
async function orWithout<Reply>(run: (beside: Keys) => Promise<Reply>, beside: Keys): Promise<Reply> {
  try {
    return await run(beside);
  } catch (error) {
    if (beside.length === 0 || !(error instanceof Error) || !error.message.startsWith("NOPERM")) throw error;
    return await run([]);
  }
}

function freeParts(redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) {
  const { key, kind, holders } = seen;
  const mode = kind === "read" || kind === "write" ? kind : "";
  const one = holders.length > 1 ? ask.holder : undefined;
  const freed = one === undefined ? holders : [one];
  const [wake, message] = mode === "" ? [wakeChannelOf(key), "0"] : [readWriteChannelOf(key), "1"];
  const { holdOff } = ask;
  const reserved = holdOff && (mode === "" ? holdOff.owner : writerOf(holdOff.owner));
  const all = leasesOf(seen);
  const isFreed = ({ reader }: { reader: SeenHolder }) => freed.some(({ owner }) => owner === reader.owner);
  const theirs = all.filter(isFreed).flatMap(({ leases }) => leases);
  const others = all.filter((each) => !isFreed(each)).flatMap(({ leases }) => leases);
  const run = (leases: Keys) =>
    freeHolders.run(
      redis,
      [...pairOf(key), ...leases],
      [
        ...[mode, one?.owner ?? "", freed.find(({ fence }) => fence !== null)?.fence ?? ""],
        ...[whoOf(ask), wake, message, channel, shardedOf(redis)],
        ...[holdOff?.holdOffMs ?? "", reserved ?? "", leases.length === 0 ? 0 : theirs.length],
        ...holders.flatMap(({ owner, count }) => [owner, count]),
      ],
    );
  return orWithout(run, [...theirs, ...others]);
}

function freeValues(redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) {
  const entries = wantedOf(seen, ask).map(({ owner }) => valueAndOwnerOf(owner) ?? [owner, ""]);
  return freeEntries.run(
    redis,
    [argumentOf(seen.key)],
    [
      ...[ask.holder === undefined ? "all" : "one", whoOf(ask), wakeChannelOf(seen.key)],
      ...[channel, shardedOf(redis), ...entries.flat()],
    ],
  );
}

function freeOut(redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) {
  const { key } = seen;
  const permits = wantedOf(seen, ask).flatMap(({ owner }) => [Buffer.from(owner, "hex"), owner]);
  return freePermits.run(
    redis,
    [argumentOf(key), permitsKeyOf(key)],
    [
      ...[ask.holder === undefined ? "all" : "one", whoOf(ask), semaphoreChannelOf(key)],
      ...[channel, shardedOf(redis), ...permits],
    ],
  );
}

function freeNumber(redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) {
  const { key, kind, permits } = seen;
  const [{ owner, count }] = seen.holders;
  const isLatch = kind === "latch";
  return freeCounter.run(
    redis,
    [argumentOf(key)],
    [
      ...[isLatch ? "latch" : "semaphore", isLatch ? count : (permits?.available ?? 0), owner],
      ...[whoOf(ask), isLatch ? latchChannelOf(key) : semaphoreChannelOf(key), channel, shardedOf(redis)],
    ],
  );
}
