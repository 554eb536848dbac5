import { Redis } from "ioredis";
import { RELEASING, WORKING } from "./plan.ts";

// This process acquires no locks. It repeatedly reads which owner holds each key, and reports owners that hold only
// some of their keys. With a single Redis server, one script reads everything, so that each snapshot is consistent.

export interface CheckerPlan {
  readonly keys: readonly string[];
  /** URL of the Redis server that stores the marks of the workers. */
  readonly resource: string;
  /**
   * URLs of the servers that store the locks. The connections to cluster nodes do not follow redirections, so each key
   * is tried on all nodes.
   */
  readonly servers: readonly string[];
  readonly keysEach: number;
}

export interface CheckerReport {
  readonly snapshots: number;
  readonly violations: readonly string[];
}

/**
 * Maximum time in ms for which an owner may hold only some of its locks. With several servers, an attempt holds some
 * locks until it is refused and has withdrawn them.
 */
const PARTIAL_MS_MAX = 2000;

// KEYS: the lock keys. ARGV: their companions. Returns the owner of each lock, or an empty string if it is free.
const READ_OWNERS = `local owners = {}
for i, key in ipairs(KEYS) do
  local kept = redis.call('EXISTS', key) == 1 and redis.call('GET', ARGV[i]) or ''
  local lines, at = {}, 1
  for line in string.gmatch(kept .. '\\n', '([^\\n]*)\\n') do lines[at], at = line, at + 1 end
  owners[i] = lines[1] ~= '' and lines[11] or ''
end
return owners`;
const READ_ALL = `${READ_OWNERS.replace("return owners", "")}
return { redis.call('HGETALL', '${WORKING}'), owners, redis.call('SMEMBERS', '${RELEASING}') }`;

interface Snapshot {
  readonly working: ReadonlyMap<string, string>;
  /** Owner of each key, in the order of the keys. Empty if the key is free. */
  readonly owners: readonly string[];
  readonly releasing: ReadonlySet<string>;
}

const plan: CheckerPlan = JSON.parse(process.argv[2] ?? "{}");
const isSingle = plan.servers.length === 1;
const servers = plan.servers.map((url) => new Redis(url));
const resource = new Redis(plan.resource);
const companions = plan.keys.map((key) => `lockkeeper:hold:{${key}}`);
const violations = new Set<string>();
const partialSince = new Map<string, number>();
let isStopped = false;
let snapshots = 0;

const toMap = (flat: readonly string[]) =>
  new Map(flat.flatMap((field, at) => (at % 2 === 0 ? [[field, flat[at + 1] ?? ""] as const] : [])));

async function readSingle(): Promise<Snapshot> {
  const reply = (await servers[0]?.eval(
    READ_ALL,
    plan.keys.length,
    ...plan.keys,
    ...companions,
  )) as string[][];
  const [working = [], owners = [], releasing = []] = reply;
  return { working: toMap(working), owners, releasing: new Set(releasing) };
}

/** Reads the marks before and after the locks. Keeps only the marks that were present both times. */
async function readSeveral(): Promise<Snapshot> {
  const before = await resource.hgetall(WORKING);
  const owners = await Promise.all(plan.keys.map((key, at) => readOwner(key, companions[at] ?? "")));
  const after = await resource.hgetall(WORKING);
  const both = Object.entries(before).filter(([owner]) => owner in after);
  return { working: new Map(both), owners, releasing: new Set(await resource.smembers(RELEASING)) };
}

async function readOwner(key: string, companion: string): Promise<string> {
  for (const server of servers) {
    const owners = await server.eval(READ_OWNERS, 1, key, companion).catch(() => undefined);
    if (Array.isArray(owners)) return String(owners[0] ?? "");
  }
  return "";
}

function check({ working, owners, releasing }: Snapshot): void {
  for (const [owner, json] of working) {
    for (const key of JSON.parse(json) as string[]) {
      const holder = owners[plan.keys.indexOf(key)];
      if (holder !== owner)
        violations.add(`${owner} works with ${key}, which is held by ${JSON.stringify(holder)}`);
    }
  }
  const held = new Map<string, number>();
  for (const owner of owners) if (owner !== "") held.set(owner, (held.get(owner) ?? 0) + 1);
  for (const owner of partialSince.keys()) if (!held.has(owner)) partialSince.delete(owner);
  for (const [owner, count] of held) {
    const isPartial = owner.startsWith("group") && count < plan.keysEach && !releasing.has(owner);
    if (!isPartial) partialSince.delete(owner);
    else if (!partialSince.has(owner)) partialSince.set(owner, performance.now());
    const partialMs = performance.now() - (partialSince.get(owner) ?? performance.now());
    if (isPartial && (isSingle || partialMs > PARTIAL_MS_MAX))
      violations.add(`${owner} holds ${count} of ${plan.keysEach} locks`);
  }
}

async function run(): Promise<void> {
  while (!isStopped) {
    check(isSingle ? await readSingle() : await readSeveral());
    snapshots++;
  }
  const report: CheckerReport = { snapshots, violations: [...violations].slice(0, 20) };
  process.send?.(report, () => process.exit(0));
}

process.once("message", () => {
  isStopped = true;
});
process.send?.("ready");
await run();
