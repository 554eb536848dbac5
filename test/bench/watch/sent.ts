import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { Monitor } from "./monitor.ts";

/** Matches the names of the server's Redis connections, but not those of the benchmarks. */
const OURS = /^lockkeeper:(?!bench)/;

export interface Sent {
  readonly seconds: number;
  /** Number of commands that the server's connections sent, without those that scripts called. */
  readonly commands: number;
  /** Number of commands, by connection name. */
  readonly byConnection: Readonly<Record<string, number>>;
  /** Number of commands, by command name, highest number first. */
  readonly byCommand: Readonly<Record<string, number>>;
}

/** Counts the commands that the server's connections send during `ms`. */
export async function measureSent(inspector: Redis, ms: number): Promise<Sent> {
  const names = await readConnections(inspector);
  const byConnection = new Map<string, number>();
  const byCommand = new Map<string, number>();
  const { host = "127.0.0.1", port = 6379 } = inspector.options;
  const monitor = await Monitor.open({ host, port }, ({ source, command }) => {
    const name = names.get(source);
    if (name === undefined) return;
    byConnection.set(name, (byConnection.get(name) ?? 0) + 1);
    byCommand.set(command, (byCommand.get(command) ?? 0) + 1);
  });
  const startedAt = performance.now();
  try {
    await Promise.race([sleep(ms), monitor.broken]);
  } finally {
    monitor.close();
  }
  const commands = [...byConnection.values()].reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = [...byCommand].sort(([, a], [, b]) => b - a);
  return {
    ...{ seconds, commands },
    byConnection: Object.fromEntries(byConnection),
    byCommand: Object.fromEntries(sorted),
  };
}

/** Reads the names of the server's connections, by address. */
async function readConnections(inspector: Redis): Promise<ReadonlyMap<string, string>> {
  const list = String(await inspector.client("LIST"));
  const clients = list.split("\n").map((line) => ({
    address: / addr=(\S+)/.exec(line)?.[1] ?? "",
    name: / name=(\S*)/.exec(line)?.[1] ?? "",
  }));
  const ours = clients.filter(({ name }) => OURS.test(name));
  if (ours.length === 0) throw new Error("No connection of ours is open");
  return new Map(ours.map(({ address, name }) => [address, name]));
}
