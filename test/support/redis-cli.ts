import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { buildServerEnvironment, type RedisServerBinary } from "../../server/redis/embedded/server-binary.ts";

const execFileAsync = promisify(execFile);

export interface CliTarget {
  binary: Pick<RedisServerBinary, "path" | "libraryPath">;
  port: number;
  url: string;
  password?: string | undefined;
}

/** Runs a command with redis-cli and returns its output. */
export async function runRedisCli(target: CliTarget, args: string[]): Promise<string> {
  const path = ["redis-cli", "valkey-cli"]
    .map((name) => join(dirname(target.binary.path), name))
    .find((candidate) => existsSync(candidate));
  return path === undefined ? runWithClient(target, args) : runCli(path, target, args);
}

async function runCli(path: string, target: CliTarget, args: string[]): Promise<string> {
  const password = target.password === undefined ? [] : ["-a", target.password, "--no-auth-warning"];
  const all = ["-h", "127.0.0.1", "-p", String(target.port), ...password, ...args];
  const { stdout } = await execFileAsync(path, all, {
    env: buildServerEnvironment(target.binary),
    timeout: 10_000,
  });
  return stdout.replace(/\n+$/, "");
}

/** Runs a command with a client library instead of redis-cli, for machines without redis-cli. */
export async function runWithClient(target: CliTarget, [command = "", ...args]: string[]): Promise<string> {
  const client = new Redis(target.url, { lazyConnect: true, retryStrategy: () => null, protocol: 2 });
  client.on("error", () => {});
  try {
    await client.connect();
    return formatReply(await client.call(command, ...args)).replace(/\n+$/, "");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    client.disconnect();
  }
}

function formatReply(reply: unknown): string {
  if (Array.isArray(reply)) return reply.map(formatReply).join("\n");
  return reply === null || reply === undefined ? "" : String(reply);
}
