import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { CpuRate } from "../api/http/cpu-budgets.ts";
import type { Rate, RateLimitOptions } from "../api/http/rate-limits.ts";
import type { HoldQuota } from "../auth/hold-quota.ts";
import { StartupError } from "../errors/startup-error.ts";
import type { AuditRetention } from "../history/audit/audit-store.ts";
import type { EventRetention } from "../history/events/event-index.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import { parseRedisLocation } from "../locks/backends/redis-location.ts";
import { TrustedProxies } from "../network/trusted-proxies.ts";
import type { TargetSettings } from "../targets/target-settings.ts";
import { type FileSettings, readConfigFile } from "./config-file.ts";
import { type EnvironmentValues, EnvironmentVariables, type LOG_LEVELS } from "./config-variables.ts";
import { assertKnownVariables, dropServiceLinks } from "./variable-names.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** More than one process answers: no app that is well meets it. */
const DEFAULT_CALLER_RATE: Rate = { perSecond: 20_000, burst: 40_000 };
const DEFAULT_ADDRESS_RATE: Rate = { perSecond: 20, burst: 400 };
/** Milliseconds of processor time: half of one core in the long run. */
const DEFAULT_READ_CPU_MS: Rate = { perSecond: 500, burst: 5000 };
const CONFIG_FILE = "lockkeeper.config.json";

/** What the process was asked to be. Read once; nothing else reads the environment. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Where browsers reach us, when a proxy stands in front. */
  readonly publicUrl: string | undefined;
  /** What stands before every address; "" at the root of the host. */
  readonly basePath: string;
  /** Networks of proxies whose word about the client is taken. */
  readonly trustedProxies: TrustedProxies;
  readonly insecureHttp: boolean;
  readonly apiAdapter: "node" | "next";
  readonly mode: "production" | "development";
  /** Started by npm, whose death must end us as well. */
  readonly startedByNpm: boolean;
  /** In their order; the first is the one that is meant when none is named. */
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
  /** Who says so: a target of the environment has to be there at the start. */
  readonly targetsSource: "environment" | "file";
  /** Where our own facts are kept; undefined: at the first target, if it may be written to. */
  readonly home: RedisLocation | undefined;
  readonly redisServerBin: string | undefined;
  readonly embeddedRedisPort: number;
  readonly cacheDir: string;
  /** How many tabs and readers of events may be open at once. */
  readonly streamsMax: number;
  /** How many of them one caller may have. */
  readonly streamsPerCallerMax: number;
  /** How many requests of one caller may wait for locks at once. */
  readonly waitersMax: number;
  /** How much one caller may keep in Redis, unless its API key has limits of its own. */
  readonly holdQuota: HoldQuota;
  readonly connectionsMax: number;
  readonly rateLimits: RateLimitOptions;
  /** For how long we answer on after the signal to stop, not ready any more. */
  readonly drainMs: number;
  /** Locks of a target that are kept in the picture. */
  readonly locksMax: number;
  /** How much of a target's history is kept. */
  readonly history: EventRetention;
  /** How much of the audit is kept. */
  readonly audit: AuditRetention;
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
  /** An admin who is made where there is no operator. */
  readonly firstOperator: { readonly name: string; readonly password: string } | undefined;
  /** For how long a browser stays logged in: at most, and while it is not used. */
  readonly sessions: { readonly longestMs: number; readonly idleMs: number };
}

/** @throws StartupError naming the variable (also one that is unknown), or the place in the file, that is wrong and what it may be. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  argv: readonly string[] = process.argv,
): Config {
  const links = dropServiceLinks(environment);
  const given = Object.fromEntries(Object.entries(links).filter(([, value]) => value !== ""));
  const parsed = EnvironmentVariables.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartupError(`${String(issue?.path[0])} ${issue?.message}.`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    publicUrl: env.LOCKKEEPER_PUBLIC_URL,
    basePath: env.LOCKKEEPER_BASE_PATH ?? "",
    trustedProxies: new TrustedProxies(env.LOCKKEEPER_TRUSTED_PROXIES),
    insecureHttp: env.LOCKKEEPER_INSECURE_HTTP === "1",
    apiAdapter: env.LOCKKEEPER_HTTP_ADAPTER,
    mode: argv.includes("--dev") ? "development" : "production",
    startedByNpm: env.npm_lifecycle_event !== undefined,
    ...readTargets(env, given),
    redisServerBin: env.REDIS_SERVER_BIN,
    embeddedRedisPort: env.LOCKKEEPER_REDIS_PORT,
    cacheDir: resolve(env.LOCKKEEPER_CACHE_DIR.replace(/^~(?=\/)/, homedir())),
    streamsMax: env.LOCKKEEPER_STREAMS_MAX,
    streamsPerCallerMax: env.LOCKKEEPER_STREAMS_PER_CALLER_MAX,
    waitersMax: env.LOCKKEEPER_WAITERS_MAX,
    holdQuota: {
      holdsMax: env.LOCKKEEPER_HOLDS_PER_CALLER_MAX,
      bytesMax: env.LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX,
    },
    connectionsMax: env.LOCKKEEPER_CONNECTIONS_MAX,
    rateLimits: {
      perCaller: resolveRate(env.LOCKKEEPER_RATE_LIMIT, DEFAULT_CALLER_RATE),
      perAddress: resolveRate(env.LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED, DEFAULT_ADDRESS_RATE),
      readCpu: toCpuRate(resolveRate(env.LOCKKEEPER_READ_CPU_MS, DEFAULT_READ_CPU_MS)),
      sendsHeaders: env.LOCKKEEPER_RATE_LIMIT !== undefined,
    },
    drainMs: env.LOCKKEEPER_DRAIN_MS,
    locksMax: env.LOCKKEEPER_LOCKS_MAX,
    history: { most: env.LOCKKEEPER_HISTORY_MAX, ms: env.LOCKKEEPER_HISTORY_DAYS * DAY_MS },
    audit: { most: env.LOCKKEEPER_AUDIT_MAX, ms: env.LOCKKEEPER_AUDIT_DAYS * DAY_MS },
    metrics: env.LOCKKEEPER_METRICS,
    metricsPatterns: env.LOCKKEEPER_METRICS_PATTERNS,
    tracing: readTracingConfig(env),
    rootKey: env.LOCKKEEPER_ROOT_KEY,
    logLevel: env.LOCKKEEPER_LOG,
    operatorName: env.LOCKKEEPER_OPERATOR ?? getAccountName(),
    firstOperator: readFirstOperator(env),
    sessions: {
      longestMs: env.LOCKKEEPER_SESSION_HOURS * HOUR_MS,
      idleMs: env.LOCKKEEPER_SESSION_IDLE_MINUTES * MINUTE_MS,
    },
  };
}

function resolveRate(given: Rate | "off" | undefined, fallback: Rate): Rate | undefined {
  return given === "off" ? undefined : (given ?? fallback);
}

function toCpuRate(rate: Rate | undefined): CpuRate | undefined {
  return rate && { msPerSecond: rate.perSecond, burstMs: rate.burst };
}

function readFirstOperator(env: EnvironmentValues): Config["firstOperator"] {
  const { LOCKKEEPER_OPERATOR: name, LOCKKEEPER_OPERATOR_PASSWORD: password } = env;
  if (password === undefined) return undefined;
  if (name !== undefined) return { name, password };
  throw new StartupError("LOCKKEEPER_OPERATOR_PASSWORD is set; LOCKKEEPER_OPERATOR must say whose it is.");
}

type GivenVariables = Readonly<Record<string, string | undefined>>;

/** What the configuration file says as well, so that both at once would leave open which counts. */
const SINGLE_TARGET_VARIABLES = [
  "REDIS_URL",
  "LOCKKEEPER_TARGET",
  "LOCKKEEPER_WATCH",
  "LOCKKEEPER_LOCKABLE",
  "LOCKKEEPER_FORMATS",
  "LOCKKEEPER_RUNBOOKS",
  "LOCKKEEPER_NOTIFICATIONS",
];

function readTargets(
  env: EnvironmentValues,
  given: GivenVariables,
): Pick<Config, "targets" | "targetsSource" | "home"> {
  const file = readConfiguredFile(env, given);
  const home =
    env.LOCKKEEPER_HOME_URL === undefined
      ? undefined
      : parseLocationVariable("LOCKKEEPER_HOME_URL", env.LOCKKEEPER_HOME_URL);
  if (file === undefined)
    return { targets: [readEnvironmentTarget(env)], targetsSource: "environment", home };
  return { targets: file.targets, targetsSource: "file", home: home ?? file.home };
}

function readConfiguredFile(env: EnvironmentValues, given: GivenVariables): FileSettings | undefined {
  const path = resolve(env.LOCKKEEPER_CONFIG ?? CONFIG_FILE);
  if (env.LOCKKEEPER_CONFIG === undefined && !existsSync(path)) {
    assertKnownVariables(given, new Set());
    return undefined;
  }
  const file = readConfigFile(path, given);
  assertKnownVariables(given, file.references);
  const both = SINGLE_TARGET_VARIABLES.filter((name) => given[name] !== undefined);
  if (file.home !== undefined && env.LOCKKEEPER_HOME_URL !== undefined) both.push("LOCKKEEPER_HOME_URL");
  if (both.length === 0) return file;
  const what = both.length === 1 ? `${both[0]} is` : `${both.join(", ")} are`;
  throw new StartupError(
    `${what} set, and ${path} says the same things; say it in the file alone, or start without the file.`,
  );
}

function readEnvironmentTarget(env: EnvironmentValues): TargetSettings {
  const { LOCKKEEPER_TARGET: name, LOCKKEEPER_LOCKABLE: lockable } = env;
  const watch = [...new Set([...env.LOCKKEEPER_WATCH, ...lockable])];
  return {
    name,
    label: name,
    environment: undefined,
    where: env.REDIS_URL === undefined ? undefined : parseLocationVariable("REDIS_URL", env.REDIS_URL),
    setting: "REDIS_URL",
    policy: { watch, lockable, readOnly: false, notifications: env.LOCKKEEPER_NOTIFICATIONS },
    formatRules: env.LOCKKEEPER_FORMATS,
    runbooks: env.LOCKKEEPER_RUNBOOKS,
  };
}

/** @throws StartupError */
function parseLocationVariable(name: string, url: string): RedisLocation {
  try {
    return parseRedisLocation(url);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(error.message.replace(/^REDIS_URL/, name));
  }
}

export function getEmbeddedRedisDir(config: Config): string {
  return join(config.cacheDir, "redis");
}

/** Where browsers find the console. */
export function getConsoleUrl({ publicUrl, host, basePath }: Config, port: number): string {
  if (publicUrl !== undefined) {
    const url = publicUrl.replace(/\/$/, "");
    return new URL(url).pathname === basePath ? url : `${url}${basePath}`;
  }
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}${basePath}`;
}

function getAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    return "admin";
  }
}

/** Next and React choose their production build by this variable, whatever the shell had set. */
export function setNodeEnv({ mode }: Config): void {
  Object.assign(process.env, { NODE_ENV: mode, NEXT_TELEMETRY_DISABLED: "1" });
}

/** By the variables that all of OpenTelemetry goes by. The SDK itself reads the headers that they name. */
function readTracingConfig(env: EnvironmentValues): Config["tracing"] {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED === "true") return undefined;
  return { url, service: env.OTEL_SERVICE_NAME };
}
