import { Redis } from "ioredis";

/** What MONITOR shows of a Redis. */
export interface RedisMonitor {
  /** The commands so far, with their arguments, including those of scripts. */
  readonly commands: readonly (readonly string[])[];
  /** The commands so far that Redis counts as writes. */
  listWrites(): Promise<string[]>;
  stop(): void;
}

export async function startMonitor(url: string): Promise<RedisMonitor> {
  const redis = new Redis(url);
  const monitor = await redis.monitor();
  const commands: string[][] = [];
  monitor.on("monitor", (_time, args: string[]) => void commands.push(args));
  const stop = () => {
    monitor.disconnect();
    redis.disconnect();
  };
  const listWrites = async () => {
    // Everything that was sent before this reply has been shown by now.
    const mark = `shown-${commands.length}`;
    await redis.echo(mark);
    while (!commands.some((args) => args.includes(mark)))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const names = [...new Set(commands.map(([name = ""]) => name.toLowerCase()))];
    const infos = (await redis.call("COMMAND", "INFO", ...names)) as ([string, number, string[]] | null)[];
    const writes = new Set(infos.flatMap((info) => (info?.[2].includes("write") ? [info[0]] : [])));
    return commands.flatMap((args) => (writes.has(String(args[0]).toLowerCase()) ? [args.join(" ")] : []));
  };
  return { commands, listWrites, stop };
}
