import { isIP } from "node:net";
import { Redis, type RedisOptions } from "ioredis";
import { StartupError } from "../errors/startup-error.ts";
import { coalesceWrites } from "./coalesce-writes.ts";
import type { Commands } from "./commands.ts";
import { ConnectionErrors } from "./connection-errors.ts";
import { isNotMasterError, NeverSentError } from "./failure.ts";

/** The address of a Redis server, with a label that omits the password. */
export interface RedisAddress {
  readonly options: RedisOptions;
  /** The address without the credentials: `host:port/db`, or `/path db 0` for a socket. Safe to print. */
  readonly label: string;
  readonly db: number;
}

/** Parses a `redis://`, `rediss://` or `unix://` URL. @throws StartupError if the URL is invalid */
export function parseRedisAddress(url: string): RedisAddress {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new StartupError("REDIS_URL is not a URL; write it as redis://[user:password@]host:port[/db].");
  }
  const db = parseDatabase(parsed);
  const credentials = {
    ...(parsed.username === "" ? {} : { username: decodePart(parsed.username) }),
    ...(parsed.password === "" ? {} : { password: decodePart(parsed.password) }),
  };
  if (parsed.protocol === "unix:") {
    const path = decodePart(parsed.pathname);
    return { options: { path, db, ...credentials }, label: `${path} db ${db}`, db };
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1") || "127.0.0.1";
  const port = parsed.port === "" ? 6379 : Number(parsed.port);
  // A TLS server name must be a host name. Node warns about IP addresses.
  const tls = parsed.protocol === "rediss:" ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {};
  return {
    options: { host, port, db, ...credentials, ...tls },
    label: `${isIP(host) === 6 ? `[${host}]` : host}:${port}/${db}`,
    db,
  };
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StartupError("REDIS_URL has a % that does not begin a %XX escape; write a literal % as %25.");
  }
}

function parseDatabase(url: URL): number {
  const text =
    url.protocol === "unix:" ? (url.searchParams.get("db") ?? "") : url.pathname.replace(/^\//, "");
  if (text === "") return 0;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  // The message omits the input: if the password contains an unencoded /, the path of the URL is the end of the
  // password.
  throw new StartupError(
    "REDIS_URL names a database that is not a number; write it as redis://host:6379/0, and a / in a password as %2F.",
  );
}

/** Time limit for opening connections at startup, in ms. */
export const OPEN_TIMEOUT_MS = 5000;

/** Time, in ms, after which the outcome of a command without a reply is unknown. */
export const COMMAND_TIMEOUT_MS = 1000;

/**
 * Opens a connection that never resends a command, and never queues a command while disconnected.
 *
 * By default, ioredis resends commands that were in progress when a connection broke. A script whose reply was lost
 * would then run twice. `autoResendUnfulfilledCommands: false` prevents this, but without `maxRetriesPerRequest: 0`,
 * the promise of such a command would never settle. Callers repeat commands themselves, with the same request id.
 */
export function connect(address: RedisAddress, name: string, more: RedisOptions = {}): Redis {
  const redis = new Redis({
    ...address.options,
    connectionName: `lockkeeper:${name}`,
    // RESP2 needs no HELLO, which proxies and restricted users may refuse. Lockkeeper needs no feature of RESP3.
    protocol: 2,
    // CLIENT SETINFO needs a separate permission, and Redis does not support it before 7.2.
    disableClientInfo: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    connectTimeout: 2000,
    commandTimeout: COMMAND_TIMEOUT_MS,
    reconnectOnError: (error) => (isNotMasterError(error) ? 1 : false),
    retryStrategy: (attempt) => Math.min(5 * 2 ** Math.min(attempt, 10), 500) * (0.75 + Math.random() / 2),
    ...more,
  });
  // Each call that waits for the connection adds a listener. A thousand calls may wait at the same time.
  redis.setMaxListeners(0);
  // Each caller gets the failure from its own command. An 'error' event without a listener would terminate the process.
  redis.on("error", () => undefined);
  ConnectionErrors.watch(redis, address.label);
  redis.on("connect", () => coalesceWrites(redis.stream));
  return redis;
}

/** Resolves once the connection can send commands. Rejects if the signal aborts first or the connection is closed. */
export function waitUntilReady(
  redis: Pick<Commands, "status" | "on" | "off">,
  signal: AbortSignal,
): Promise<void> {
  if (redis.status === "ready") return Promise.resolve();
  if (redis.status === "end") return Promise.reject(new NeverSentError("The connection was closed"));
  return new Promise((resolve, reject) => {
    const settle = () => {
      redis.off("ready", ready);
      redis.off("end", ended);
      signal.removeEventListener("abort", aborted);
    };
    const ready = () => {
      settle();
      resolve();
    };
    const aborted = () => {
      settle();
      reject(signal.reason);
    };
    const ended = () => {
      settle();
      reject(new NeverSentError("The connection was closed"));
    };
    if (signal.aborted) return aborted();
    redis.on("ready", ready);
    redis.on("end", ended);
    signal.addEventListener("abort", aborted);
  });
}
