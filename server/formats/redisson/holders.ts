import { type Companion, holderOf } from "../companion.ts";
import type { SeenHolder } from "../observation.ts";

/** As in shape.lua: what is a lock goes to every open page. */
const OWNER_BYTES_MAX = 1024;
const REDISSON_OWNER = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:\d+$/i;
const RESERVED_OWNER = /^lockkeeper:reserve:/;

/** Empty when the hash is not a lock of this kind: a read/write lock has a `mode`, somebody's data other fields. */
export function holdersOf(fields: readonly string[], told: Companion | undefined): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const owner = fields[at] ?? "";
    const count = fields[at + 1] ?? "";
    const ours = owner === told?.owner;
    const isForeign =
      owner.length <= OWNER_BYTES_MAX && (REDISSON_OWNER.test(owner) || RESERVED_OWNER.test(owner));
    if (!/^[1-9]\d{0,14}$/.test(count) || !(ours || isForeign)) return [];
    holders.push(holderOf(owner, Number(count), ours ? told : undefined));
  }
  return holders;
}
