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

export interface PlainRequest {
  readonly lock: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Of the request. */
  readonly id: string;
}

/** A script of ours as anyone could call it, with the keys and arguments that the core gives its plain case. */
export interface PlainScript {
  readonly source: string;
  readonly sha: string;
  call(ask: PlainRequest): { readonly keys: readonly string[]; readonly parameters: readonly string[] };
}

const FORMATS = pathToFileURL(join(ROOT, "server/formats/"));
const COMPANION_MS = 600_000;
const NO_DIGEST = "-";
const EVENTS = buildEventChannel(0);

export function createPlainScript(verb: "acquire" | "release"): PlainScript {
  const source = readWithIncludes(new URL(`${verb}.lua`, FORMATS), new URL("redisson/", FORMATS));
  const sha = createHash("sha1").update(source).digest("hex");
  return { source, sha, call: verb === "acquire" ? buildAcquireCall : buildReleaseCall };
}

function buildAcquireCall({ lock, owner, leaseMs, id }: PlainRequest) {
  const companionMs = leaseMs + Math.max(COMPANION_MS, 2 * leaseMs);
  return {
    keys: [lock, buildCompanionKey(lock), buildFencedCounterKey(lock)].map(String),
    parameters: [owner, leaseMs, id, NO_DIGEST, "1", "", EVENTS, companionMs].map(String),
  };
}

function buildReleaseCall({ lock, owner, id }: PlainRequest) {
  return {
    keys: [lock, buildCompanionKey(lock)].map(String),
    parameters: [owner, id, NO_DIGEST, buildWakeChannel(lock), EVENTS].map(String),
  };
}
