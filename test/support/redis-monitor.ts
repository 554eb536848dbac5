import { Redis } from "ioredis";

/** A recording of the commands that MONITOR reports. */
export interface RedisMonitor {
  /** The commands so far with their arguments, including those from scripts. */
  readonly commands: readonly (readonly string[])[];
  /** Lists the commands so far that Redis classifies as writes. */
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
    // MONITOR reports commands in order, so all earlier commands have been recorded when this one is.
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
