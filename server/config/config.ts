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
/**
 * The default rate limit per caller. Exceeds the capacity of one process, so that well-behaved applications are never
 * refused.
 */
const DEFAULT_CALLER_RATE: Rate = { perSecond: 20_000, burst: 40_000 };
const DEFAULT_ADDRESS_RATE: Rate = { perSecond: 20, burst: 400 };
/** The default limit on the CPU time for expensive reads, in ms: half of one core on average, with bursts of 5 s. */
const DEFAULT_READ_CPU_MS: Rate = { perSecond: 500, burst: 5000 };
const CONFIG_FILE = "lockkeeper.config.json";

/** How users start Lockkeeper: with `npm` scripts in a checkout, or with the `lockkeeper` command. */
export type Launcher = "npm" | "lockkeeper";

/** The configuration of the process. It is read once at startup, and no other code reads the environment. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** URL at which browsers reach the console. Set if a reverse proxy is in front of Lockkeeper. */
  readonly publicUrl: string | undefined;
  /** Path prefix of every URL, or "" at the root of the host. */
  readonly basePath: string;
  /** Proxies whose forwarding headers are trusted. */
  readonly trustedProxies: TrustedProxies;
  readonly insecureHttp: boolean;
  readonly apiAdapter: "node" | "next";
  readonly mode: "production" | "development";
  /** How users start this installation. Determines which commands messages suggest. */
  readonly launcher: Launcher;
  /** Options that users must add to commands that apply to this server. They are quoted for a shell. */
  readonly launcherOptions: readonly string[];
  /** Whether npm started the process. If so, the process stops when npm exits. */
  readonly startedByNpm: boolean;
  /** The targets, in the same order as in the configuration. The first target is the default. */
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
  /** Where `targets` are configured. A target from the environment must be reachable at startup. */
  readonly targetsSource: "environment" | "file";
  /**
   * Location of the home store. `undefined` for the default: the first target if it is writable and not a quorum, and
   * otherwise the embedded Redis.
   */
  readonly home: RedisLocation | undefined;
  readonly redisServerBin: string | undefined;
  readonly embeddedRedisPort: number;
  /** Folder that contains the data and passwords of the embedded Redis. */
  readonly dataDir: string;
  /** Maximum number of open streams (console tabs and event streams). */
  readonly streamsMax: number;
  /** Maximum number of open streams per caller. */
  readonly streamsPerCallerMax: number;
  /** Maximum number of requests per caller that wait for locks at the same time. */
  readonly waitersMax: number;
  /** Quota for the live holds of each caller. An API key can have its own quota, which replaces this quota. */
  readonly holdQuota: HoldQuota;
  readonly connectionsMax: number;
  readonly rateLimits: RateLimitOptions;
  /**
   * Time in ms after the stop signal for which the server still serves requests, while it already reports that it is
   * not ready.
   */
  readonly drainMs: number;
  /** Maximum number of indexed locks per target. */
  readonly locksMax: number;
  /** History retention for each target. */
  readonly history: EventRetention;
  /** Retention of the audit log. */
  readonly audit: AuditRetention;
  /**
   * Access to `/metrics`. `key` requires an API key, `open` requires no credentials, and `off` disables the metrics.
   */
  readonly metrics: "off" | "key" | "open";
  /** Maximum number of key patterns per target that the metrics distinguish. */
  readonly metricsPatterns: number;
  /** Trace endpoint and service name for the spans of lock verbs. `undefined` if tracing is disabled. */
  readonly tracing: { readonly url: string; readonly service: string } | undefined;
  readonly rootKey: string | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Name of the operator whom the login link that is printed at startup logs in. */
  readonly operatorName: string;
  /** Administrator to create if there are no operators. */
  readonly firstOperator: { readonly name: string; readonly password: string } | undefined;
  /** Maximum lifetime and maximum idle time of browser sessions, in ms. */
  readonly sessions: { readonly longestMs: number; readonly idleMs: number };
}

/**
 * Reads the configuration from the environment, the command line and the configuration file.
 *
 * @throws StartupError if a setting is invalid or unknown. The message names the variable, or the position in the file,
 * and the permitted values
 */
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
    launcher: "npm",
    launcherOptions: [],
    startedByNpm: env.npm_lifecycle_event !== undefined,
    ...readTargets(env, given),
    redisServerBin: env.REDIS_SERVER_BIN,
    embeddedRedisPort: env.LOCKKEEPER_REDIS_PORT,
    dataDir: resolve(
      (env.LOCKKEEPER_DATA_DIR ?? env.LOCKKEEPER_CACHE_DIR).replace(/^~(?=\/)/, () => homedir()),
    ),
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
  throw new StartupError(
    "LOCKKEEPER_OPERATOR_PASSWORD requires LOCKKEEPER_OPERATOR, the name of the operator.",
  );
}

type GivenVariables = Readonly<Record<string, string | undefined>>;

/** Variables that configure a single target. They must not be set if a configuration file configures the targets. */
const SINGLE_TARGET_VARIABLES = [
  "REDIS_URL",
  "LOCKKEEPER_TARGET",
  "LOCKKEEPER_WATCH",
  "LOCKKEEPER_LOCKABLE",
  "LOCKKEEPER_FORMATS",
  "LOCKKEEPER_RUNBOOKS",
  "LOCKKEEPER_NOTIFICATIONS",
  "LOCKKEEPER_READ_ONLY",
  "LOCKKEEPER_FAIR_WAIT_MS",
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
    `${what} set, but ${path} configures the targets. Move the setting into the file, or remove the file.`,
  );
}

function readEnvironmentTarget(env: EnvironmentValues): TargetSettings {
  const { LOCKKEEPER_TARGET: name, LOCKKEEPER_LOCKABLE: lockable } = env;
  const watch = [...new Set([...env.LOCKKEEPER_WATCH, ...lockable])];
  const readOnly = env.LOCKKEEPER_READ_ONLY === "1";
  if (readOnly) assertReadOnly(env);
  return {
    name,
    label: name,
    environment: undefined,
    where: env.REDIS_URL === undefined ? undefined : parseLocationVariable("REDIS_URL", env.REDIS_URL),
    setting: "REDIS_URL",
    policy: { watch, lockable, readOnly, notifications: env.LOCKKEEPER_NOTIFICATIONS },
    fairWaitMs: env.LOCKKEEPER_FAIR_WAIT_MS,
    formatRules: env.LOCKKEEPER_FORMATS,
    runbooks: env.LOCKKEEPER_RUNBOOKS,
  };
}

/**
 * Asserts that no other setting contradicts a read-only target.
 * @throws StartupError
 */
function assertReadOnly({ REDIS_URL, LOCKKEEPER_NOTIFICATIONS }: EnvironmentValues): void {
  if (REDIS_URL === undefined)
    throw new StartupError("LOCKKEEPER_READ_ONLY=1 requires REDIS_URL, the Redis that is only read.");
  if (LOCKKEEPER_NOTIFICATIONS === "set")
    throw new StartupError("LOCKKEEPER_NOTIFICATIONS must be off if LOCKKEEPER_READ_ONLY is 1.");
}

/**
 * Parses a location from an environment variable.
 * @throws StartupError
 */
function parseLocationVariable(name: string, url: string): RedisLocation {
  try {
    return parseRedisLocation(url);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(error.message.replace(/^REDIS_URL/, name));
  }
}

export function getEmbeddedRedisDir(config: Config): string {
  return join(config.dataDir, "redis");
}

/** Returns the URL at which browsers reach the console, without a trailing slash. */
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

/**
 * Sets `NODE_ENV` to the configured mode, regardless of its value in the shell, and disables Next's telemetry.
 * `NODE_ENV` selects the builds of Next and React.
 */
export function setNodeEnv({ mode }: Config): void {
  Object.assign(process.env, { NODE_ENV: mode, NEXT_TELEMETRY_DISABLED: "1" });
}

/** Passes the build configuration to Next, in the same way as the server of a standalone build does. */
export function setStandaloneConfig(json: string): void {
  Object.assign(process.env, { __NEXT_PRIVATE_STANDALONE_CONFIG: json });
}

/** Reads the standard OpenTelemetry variables for traces. The variables for headers are read by the SDK. */
function readTracingConfig(env: EnvironmentValues): Config["tracing"] {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED === "true") return undefined;
  return { url, service: env.OTEL_SERVICE_NAME };
}
