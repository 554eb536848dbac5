import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { type FileSettings, LOCKABLE_BY_DEFAULT, readConfigFile, WATCHED_BY_DEFAULT } from "./config-file.ts";
import { formatRules, list } from "./config-lists.ts";
import type { Retention } from "./history/event-index.ts";
import type { Where } from "./locks/backend.ts";
import { URL_BEGINNING, URL_SCHEMES, whereOfUrl } from "./locks/where-url.ts";
import { StartupError } from "./startup-error.ts";
import type { TargetSettings } from "./targets/settings.ts";

const port = z.coerce
  .number("must be a port number from 0 to 65535")
  .int("must be a whole number")
  .min(0)
  .max(65_535);

const DAY_MS = 86_400_000;
const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const ROOT_KEY_LENGTH = "must have 32 to 512 characters";

const CONFIG_FILE = "lockkeeper.config.json";

const redisUrl = z
  .string()
  .regex(URL_BEGINNING, `must begin with ${URL_SCHEMES.slice(0, -1).join(", ")} or ${URL_SCHEMES.at(-1)}`);

const otlpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

const Environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  REDIS_URL: redisUrl.optional(),
  REDIS_SERVER_BIN: z.string().optional(),
  LOCKKEEPER_CONFIG: z.string().optional(),
  LOCKKEEPER_HOME_URL: redisUrl.optional(),
  LOCKKEEPER_TARGET: z.string().max(64, "must have 64 characters or fewer").default("default"),
  LOCKKEEPER_WATCH: list(WATCHED_BY_DEFAULT.join(",")),
  LOCKKEEPER_LOCKABLE: list(LOCKABLE_BY_DEFAULT.join(",")),
  LOCKKEEPER_FORMATS: formatRules,
  LOCKKEEPER_NOTIFICATIONS: z.enum(["off", "set"], "must be off or set").default("off"),
  LOCKKEEPER_ROOT_KEY: z.string().min(32, ROOT_KEY_LENGTH).max(512, ROOT_KEY_LENGTH).optional(),
  LOCKKEEPER_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .optional(),
  LOCKKEEPER_INSECURE_HTTP: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  LOCKKEEPER_DOOR: z.enum(["fast", "next"], "must be fast or next").default("fast"),
  LOCKKEEPER_CACHE_DIR: z.string().default(".cache"),
  LOCKKEEPER_REDIS_PORT: port.default(6399),
  LOCKKEEPER_STREAMS_MAX: z.coerce
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .default(1000),
  LOCKKEEPER_LOCKS_MAX: z.coerce
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .default(1_000_000),
  LOCKKEEPER_HISTORY_MAX: z.coerce
    .number("must be a whole number from 1000 to 10000000")
    .int("must be a whole number")
    .min(1000, "must be 1000 or more")
    .max(10_000_000, "must be 10000000 or less")
    .default(50_000),
  LOCKKEEPER_HISTORY_DAYS: z.coerce
    .number("must be a number of days")
    .positive("must be more than 0")
    .max(3650, "must be 3650 or less")
    .default(7),
  LOCKKEEPER_METRICS: z.enum(["off", "key", "open"], "must be off, key or open").default("key"),
  LOCKKEEPER_METRICS_PATTERNS: z.coerce
    .number("must be a whole number from 0 to 100")
    .int("must be a whole number")
    .min(0, "must be 0 or more")
    .max(100, "must be 100 or less")
    .default(0),
  LOCKKEEPER_LOG: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("warn"),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().default("lockkeeper"),
  OTEL_SDK_DISABLED: z.string().optional(),
  NODE_ENV: z.string().optional(),
  npm_lifecycle_event: z.string().optional(),
});

/** What the process was asked to be. Read once; nothing else reads the environment. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Where browsers reach us, when a proxy stands in front. */
  readonly publicUrl: string | undefined;
  readonly insecureHttp: boolean;
  readonly door: "fast" | "next";
  readonly mode: "production" | "development";
  /** Started by npm, whose death must end us as well. */
  readonly startedByNpm: boolean;
  /** In their order; the first is the one that is meant when none is named. */
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
  /** Who says so: a target of the environment has to be there at the start. */
  readonly targetsFrom: "environment" | "file";
  /** Where our own facts are kept; undefined: at the first target, if it may be written to. */
  readonly home: Where | undefined;
  readonly redisServerBin: string | undefined;
  readonly embeddedRedisPort: number;
  readonly cacheDir: string;
  /** How many tabs and readers of events may be open at once. */
  readonly streamsMax: number;
  /** Locks of a target that are kept in the picture. */
  readonly locksMax: number;
  /** How much of a target's history is kept. */
  readonly history: Retention;
  /** Who may read /metrics: whoever has an API key, or anyone. */
  readonly metrics: "off" | "key" | "open";
  /** Of how many patterns of keys a target Prometheus is told. */
  readonly metricsPatterns: number;
  /** Where spans of the verbs are sent to, and in whose name; undefined: nowhere. */
  readonly tracing: { readonly url: string; readonly service: string } | undefined;
  readonly rootKey: string | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Who a link made at this terminal logs in. */
  readonly operatorName: string;
}

/** @throws StartupError naming the variable, or the place in the file, that is wrong and what it may be. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  argv: readonly string[] = process.argv,
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartupError(`${String(issue?.path[0])} ${issue?.message}.`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.LOCKKEEPER_PUBLIC_URL,
    insecureHttp: env.LOCKKEEPER_INSECURE_HTTP === "1",
    door: env.LOCKKEEPER_DOOR,
    mode: argv.includes("--dev") ? "development" : "production",
    startedByNpm: env.npm_lifecycle_event !== undefined,
    ...targetsOf(env, given),
    redisServerBin: env.REDIS_SERVER_BIN,
    embeddedRedisPort: env.LOCKKEEPER_REDIS_PORT,
    cacheDir: resolve(env.LOCKKEEPER_CACHE_DIR.replace(/^~(?=\/)/, homedir())),
    streamsMax: env.LOCKKEEPER_STREAMS_MAX,
    locksMax: env.LOCKKEEPER_LOCKS_MAX,
    history: { most: env.LOCKKEEPER_HISTORY_MAX, ms: env.LOCKKEEPER_HISTORY_DAYS * DAY_MS },
    metrics: env.LOCKKEEPER_METRICS,
    metricsPatterns: env.LOCKKEEPER_METRICS_PATTERNS,
    tracing: tracingOf(env),
    rootKey: env.LOCKKEEPER_ROOT_KEY,
    logLevel: env.LOCKKEEPER_LOG,
    operatorName: accountName(),
  };
}

type Env = z.output<typeof Environment>;
type Given = Readonly<Record<string, string | undefined>>;

/** What the configuration file says as well, so that both at once would leave open which counts. */
const OF_ONE_TARGET = [
  "REDIS_URL",
  "LOCKKEEPER_TARGET",
  "LOCKKEEPER_WATCH",
  "LOCKKEEPER_LOCKABLE",
  "LOCKKEEPER_FORMATS",
  "LOCKKEEPER_NOTIFICATIONS",
];

function targetsOf(env: Env, given: Given): Pick<Config, "targets" | "targetsFrom" | "home"> {
  const file = fileOf(env, given);
  const home =
    env.LOCKKEEPER_HOME_URL === undefined
      ? undefined
      : whereOfVariable("LOCKKEEPER_HOME_URL", env.LOCKKEEPER_HOME_URL);
  if (file === undefined) return { targets: [targetOf(env)], targetsFrom: "environment", home };
  return { targets: file.targets, targetsFrom: "file", home: home ?? file.home };
}

function fileOf(env: Env, given: Given): FileSettings | undefined {
  const path = resolve(env.LOCKKEEPER_CONFIG ?? CONFIG_FILE);
  if (env.LOCKKEEPER_CONFIG === undefined && !existsSync(path)) return undefined;
  const file = readConfigFile(path, given);
  const both = OF_ONE_TARGET.filter((name) => given[name] !== undefined);
  if (file.home !== undefined && env.LOCKKEEPER_HOME_URL !== undefined) both.push("LOCKKEEPER_HOME_URL");
  if (both.length === 0) return file;
  const what = both.length === 1 ? `${both[0]} is` : `${both.join(", ")} are`;
  throw new StartupError(
    `${what} set, and ${path} says the same things; say it in the file alone, or start without the file.`,
  );
}

function targetOf(env: Env): TargetSettings {
  const { LOCKKEEPER_TARGET: name, LOCKKEEPER_LOCKABLE: lockable } = env;
  const watch = [...new Set([...env.LOCKKEEPER_WATCH, ...lockable])];
  return {
    name,
    label: name,
    environment: undefined,
    where: env.REDIS_URL === undefined ? undefined : whereOfVariable("REDIS_URL", env.REDIS_URL),
    setting: "REDIS_URL",
    policy: { watch, lockable, readOnly: false, notifications: env.LOCKKEEPER_NOTIFICATIONS },
    formatRules: env.LOCKKEEPER_FORMATS,
  };
}

/** @throws StartupError */
function whereOfVariable(name: string, url: string): Where {
  try {
    return whereOfUrl(url);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(error.message.replace(/^REDIS_URL/, name));
  }
}

export function embeddedRedisDir(config: Config): string {
  return join(config.cacheDir, "redis");
}

/** Where browsers find the console. */
export function consoleUrl({ publicUrl, host }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, "");
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "admin";
  }
}

/** Next and React choose their production build by this variable, whatever the shell had set. */
export function settleNodeEnv({ mode }: Config): void {
  Object.assign(process.env, { NODE_ENV: mode, NEXT_TELEMETRY_DISABLED: "1" });
}

/** By the variables that all of OpenTelemetry goes by. The SDK itself reads the headers that they name. */
function tracingOf(env: z.output<typeof Environment>): Config["tracing"] {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED === "true") return undefined;
  return { url, service: env.OTEL_SERVICE_NAME };
}
