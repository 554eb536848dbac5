import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { StartupError } from "../../server/errors/startup-error.ts";
import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
import {
  parseRedisLocation,
  URL_SCHEME_PATTERN,
  URL_SCHEMES,
} from "../../server/locks/backends/redis-location.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import type { CliEnvironment } from "./environment.ts";

/** Options of every command that can use a server. */
export interface ServerOptions {
  readonly server?: string;
  readonly apiKeyFile?: string;
  readonly target?: string;
}

/** Option of every command that can read Redis without a server. */
export interface RedisOption {
  readonly redis?: string;
}

/** A Lockkeeper server, with the API key and the target to use. */
export interface ServerConnection {
  readonly kind: "server";
  /** Base URL of the server, without a trailing slash. */
  readonly url: string;
  /** `undefined` if no API key is set. */
  readonly apiKey: string | undefined;
  /** The target that the user named; `undefined` for the default target of the server. */
  readonly target: string | undefined;
}

/** A Redis deployment that is used without a server. */
export interface RedisConnection {
  readonly kind: "redis";
  readonly where: RedisLocation;
  /** The option or variable that contains the URL, for error messages. */
  readonly setting: "--redis" | "REDIS_URL";
}

export function addServerOptions(command: Command): Command {
  return command
    .option("--server <url>", "URL of the Lockkeeper server (default: LOCKKEEPER_URL)", parseServerUrl)
    .option("--api-key-file <file>", "file with the API key (default: the key in LOCKKEEPER_API_KEY)")
    .option("--target <name>", "target on the server (default: its first target)");
}

export function addRedisOption(command: Command): Command {
  return command.option("--redis <url>", "URL of a Redis to use without a server (default: REDIS_URL)");
}

/**
 * Chooses the server or the Redis deployment that a command uses. Options take precedence over `LOCKKEEPER_URL`, which
 * takes precedence over `REDIS_URL`.
 *
 * @throws CliError if neither a server nor a Redis deployment is given, if both `--server` and `--redis` are given, or
 * if the URL or the API key file is invalid
 */
export function chooseConnection(
  options: ServerOptions & RedisOption,
  environment: CliEnvironment,
): ServerConnection | RedisConnection {
  const { server, redis } = options;
  if (server !== undefined && redis !== undefined)
    throw new CliError("--server and --redis exclude each other. Give one of them.", EXIT_CODES.failure);
  if (redis !== undefined) return createRedisConnection(redis, "--redis");
  if (server !== undefined || environment.serverUrl !== undefined) return chooseServer(options, environment);
  if (environment.redisUrl !== undefined) return createRedisConnection(environment.redisUrl, "REDIS_URL");
  throw new CliError(
    "No server and no Redis given. Use a Lockkeeper server with --server URL (or LOCKKEEPER_URL) and LOCKKEEPER_API_KEY, or a Redis without a server with --redis URL (or REDIS_URL).",
    EXIT_CODES.failure,
  );
}

/**
 * Chooses the server for a command that cannot run without a server.
 *
 * @throws CliError if no server is given, or if `LOCKKEEPER_URL` or the API key file is invalid
 */
export function chooseServer(options: ServerOptions, environment: CliEnvironment): ServerConnection {
  const url = options.server ?? environment.serverUrl;
  if (url === undefined) {
    throw new CliError(
      "No server given. Set --server URL (or LOCKKEEPER_URL), and the API key in LOCKKEEPER_API_KEY or with --api-key-file FILE.",
      EXIT_CODES.failure,
    );
  }
  return {
    kind: "server",
    url: options.server ?? parseEnvironmentUrl(url),
    apiKey: options.apiKeyFile === undefined ? environment.apiKey : readApiKeyFile(options.apiKeyFile),
    target: options.target,
  };
}

function createRedisConnection(url: string, setting: RedisConnection["setting"]): RedisConnection {
  if (!URL_SCHEME_PATTERN.test(url))
    throw new CliError(`${setting} must start with ${URL_SCHEMES.join(", ")}.`, EXIT_CODES.failure);
  try {
    return { kind: "redis", where: parseRedisLocation(url), setting };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new CliError(error.message.replace(/^REDIS_URL/, setting), EXIT_CODES.failure);
  }
}

/**
 * Validates the URL of a server and removes trailing slashes.
 *
 * @throws InvalidArgumentError if the URL is invalid. The message omits the URL, because the URL can contain a password
 */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be an http:// or https:// URL.");
  if (url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("It must not contain a user or password. Set LOCKKEEPER_API_KEY.");
  if (url.search !== "" || url.hash !== "")
    throw new InvalidArgumentError("It must not contain a query or fragment.");
  return url.href.replace(/\/+$/, "");
}

function parseEnvironmentUrl(text: string): string {
  try {
    return parseServerUrl(text);
  } catch (error) {
    throw new CliError(
      `LOCKKEEPER_URL is invalid. ${error instanceof Error ? error.message : error}`,
      EXIT_CODES.failure,
    );
  }
}

function readApiKeyFile(file: string): string {
  const content = readTextFile(file).trim();
  if (/^[\x21-\x7e]{1,512}$/.test(content)) return content;
  throw new CliError(`The API key file ${file} must contain one line with the key.`, EXIT_CODES.failure);
}

function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(`Could not read the API key file ${file} (${code}).`, EXIT_CODES.failure);
  }
}
