import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  buildCompanionKey,
  buildEventChannel,
  buildFencedCounterKey,
  buildWakeChannel,
} from "../../../server/formats/keys.ts";
import { readWithIncludes } from "../../../server/redis/script.ts";
import { ROOT } from "../root.ts";

export interface PlainAcquire {
  readonly token: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Request id, which makes a retry idempotent. */
  readonly id: string;
}

export interface PlainRelease {
  readonly token: string;
  readonly fence: string;
  readonly id: string;
}

/** The keys and arguments that the core passes to a script when it uses no optional feature. */
export interface PlainCall {
  readonly keys: readonly string[];
  readonly parameters: readonly string[];
}

/** The source of a Lockkeeper script, and a function that builds the arguments for calling it without the core. */
export interface PlainScript<Request> {
  readonly source: string;
  readonly sha: string;
  call(lock: string, request: Request): PlainCall;
}

const FORMATS = pathToFileURL(join(ROOT, "server/formats/"));
const COMPANION_MS = 600_000;
const NO_DIGEST = "-";
const NO_PRINCIPAL = "";
const EVENTS = buildEventChannel(0);

export function createAcquireScript(): PlainScript<PlainAcquire> {
  return {
    ...readSource("acquire"),
    call: (lock, { token, owner, leaseMs, id }) => ({
      keys: [lock, buildCompanionKey(lock), buildFencedCounterKey(lock)].map(String),
      parameters: [
        ...[token, leaseMs, id, NO_DIGEST, EVENTS],
        // Owner, principal and owner record.
        `${owner}\n${NO_PRINCIPAL}\n`,
        leaseMs + Math.max(COMPANION_MS, 2 * leaseMs),
      ].map(String),
    }),
  };
}

export function createReleaseScript(): PlainScript<PlainRelease> {
  return {
    ...readSource("release"),
    call: (lock, { token, fence, id }) => ({
      keys: [lock, buildCompanionKey(lock)].map(String),
      parameters: [token, fence, NO_PRINCIPAL, id, NO_DIGEST, buildWakeChannel(lock), EVENTS].map(String),
    }),
  };
}

function readSource(verb: "acquire" | "release") {
  const source = readWithIncludes(new URL(`${verb}.lua`, FORMATS), new URL("redisson/", FORMATS));
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

/** Parses the reply of acquire.lua. If `outcome` is not `granted`, the other fields are meaningless. */
export function parseGrantReply(reply: unknown) {
  const [outcome = "", now, count, fence = "", remainingMs, , token = ""] = splitReply(reply);
  const [asOf, times, left] = [now, count, remainingMs].map(Number);
  return { outcome, asOf, count: times, fence, remainingMs: left, token };
}

/** Parses the reply of release.lua. */
export function parseReleaseReply(reply: unknown) {
  const [outcome = "", now, count] = splitReply(reply);
  return { outcome, asOf: Number(now), count: Number(count) };
}

/**
 * Splits a reply into its fields. A script replies with tab-separated text in the plain case. Otherwise, such as after
 * the companion of a key has recorded about twenty recent pairs, the reply is an array.
 */
function splitReply(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.map(String) : String(reply).split("\t");
}
