import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";

/** Connections of ours are named so; the benchmarks' own are no part of the server. */
const OURS = /^lockkeeper:(?!bench)/;

export interface Sent {
  readonly seconds: number;
  /** Commands that our connections sent; those that scripts call are not counted. */
  readonly commands: number;
  /** By the connection's name. */
  readonly byConnection: Readonly<Record<string, number>>;
  /** By what was sent, most often first. */
  readonly byCommand: Readonly<Record<string, number>>;
}

/** Listens to all that Redis is sent for a while, and counts what was ours. */
export async function sentWithin(look: Redis, ms: number): Promise<Sent> {
  const names = await connectionsOf(look);
  const byConnection = new Map<string, number>();
  const byCommand = new Map<string, number>();
  const monitor = await look.monitor();
  const startedAt = performance.now();
  monitor.on("monitor", (_: string, [command = ""]: string[], source: string) => {
    const name = names.get(source);
    if (name === undefined) return;
    byConnection.set(name, (byConnection.get(name) ?? 0) + 1);
    const word = command.toLowerCase();
    byCommand.set(word, (byCommand.get(word) ?? 0) + 1);
  });
  await sleep(ms);
  monitor.disconnect();
  const commands = [...byConnection.values()].reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = [...byCommand].sort(([, a], [, b]) => b - a);
  return {
    ...{ seconds, commands },
    byConnection: Object.fromEntries(byConnection),
    byCommand: Object.fromEntries(sorted),
  };
}

/** Names of our connections by their address. */
async function connectionsOf(look: Redis): Promise<ReadonlyMap<string, string>> {
  const list = String(await look.client("LIST"));
  const clients = list.split("\n").map((line) => ({
    address: / addr=(\S+)/.exec(line)?.[1] ?? "",
    name: / name=(\S*)/.exec(line)?.[1] ?? "",
  }));
  const ours = clients.filter(({ name }) => OURS.test(name));
  if (ours.length === 0) throw new Error("No connection of ours is open");
  return new Map(ours.map(({ address, name }) => [address, name]));
}
