import { z } from "zod";
import { NewPassword, OperatorName } from "../../lib/contract/accounts/operator.ts";
import { FAIR_WAIT_MS } from "../formats/lock-requests.ts";
import { URL_SCHEME_PATTERN, URL_SCHEMES } from "../locks/backends/redis-location.ts";
import { FAIR_WAIT_MS_RANGE } from "../locks/verbs/input/durations.ts";
import { runbooks } from "../watch/annotations/runbook.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "./config-file.ts";
import { createListSchema, formatRulesSchema, rateSchema } from "./config-value-schemas.ts";

/** Port of the console unless `PORT` is set. */
export const DEFAULT_PORT = 3000;

const portSchema = z.coerce
  .number("must be a port number from 0 to 65535")
  .int("must be a whole number")
  .min(0)
  .max(65_535);

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const ROOT_KEY_LENGTH = "must have 32 to 512 characters";

const positiveIntegerSchema = z.coerce
  .number("must be a number")
  .int("must be a whole number")
  .min(1, "must be 1 or more");

const createIntegerSchema = (least: number, most: number, what = `a whole number from ${least} to ${most}`) =>
  z.coerce
    .number(`must be ${what}`)
    .int("must be a whole number")
    .min(least, `must be ${least} or more`)
    .max(most, `must be ${most} or less`);

const createNumberSchema = (units: string, most: number) =>
  z.coerce
    .number(`must be a number of ${units}`)
    .positive("must be more than 0")
    .max(most, `must be ${most} or less`);

const redisUrlSchema = z
  .string()
  .regex(
    URL_SCHEME_PATTERN,
    `must start with ${URL_SCHEMES.slice(0, -1).join(", ")} or ${URL_SCHEMES.at(-1)}`,
  );

const otlpUrlSchema = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

/** All environment variables that Lockkeeper reads, with their permitted values and defaults. */
export const EnvironmentVariables = z.object({
  PORT: portSchema.default(DEFAULT_PORT),
  HOST: z.string().default("127.0.0.1"),
  REDIS_URL: redisUrlSchema.optional(),
  REDIS_SERVER_BIN: z.string().optional(),
  LOCKKEEPER_CONFIG: z.string().optional(),
  LOCKKEEPER_HOME_URL: redisUrlSchema.optional(),
  LOCKKEEPER_TARGET: z.string().max(64, "must have 64 characters or fewer").default("default"),
  LOCKKEEPER_WATCH: createListSchema(DEFAULT_WATCH_PATTERNS.join(",")),
  LOCKKEEPER_LOCKABLE: createListSchema(DEFAULT_LOCKABLE_PATTERNS.join(",")),
  LOCKKEEPER_FORMATS: formatRulesSchema,
  LOCKKEEPER_RUNBOOKS: runbooks,
  LOCKKEEPER_FAIR_WAIT_MS: createIntegerSchema(...FAIR_WAIT_MS_RANGE, "a number of milliseconds").default(
    FAIR_WAIT_MS,
  ),
  LOCKKEEPER_READ_ONLY: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  LOCKKEEPER_NOTIFICATIONS: z.enum(["off", "set"], "must be off or set").default("off"),
  LOCKKEEPER_ROOT_KEY: z.string().min(32, ROOT_KEY_LENGTH).max(512, ROOT_KEY_LENGTH).optional(),
  LOCKKEEPER_OPERATOR: OperatorName.optional(),
  LOCKKEEPER_OPERATOR_PASSWORD: NewPassword.optional(),
  LOCKKEEPER_SESSION_HOURS: createNumberSchema("hours", 720).default(12),
  LOCKKEEPER_SESSION_IDLE_MINUTES: createNumberSchema("minutes", 43_200).default(120),
  LOCKKEEPER_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .optional(),
  LOCKKEEPER_BASE_PATH: z
    .string()
    .regex(
      /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
      "must start with / and not end with /, such as /locks-console",
    )
    .max(200, "must have 200 characters or fewer")
    .optional(),
  LOCKKEEPER_TRUSTED_PROXIES: createListSchema(""),
  LOCKKEEPER_INSECURE_HTTP: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  LOCKKEEPER_HTTP_ADAPTER: z.enum(["node", "next"], "must be node or next").default("node"),
  LOCKKEEPER_DATA_DIR: z.string().optional(),
  LOCKKEEPER_CACHE_DIR: z.string().default(".cache"),
  LOCKKEEPER_REDIS_PORT: portSchema.default(6399),
  LOCKKEEPER_STREAMS_MAX: positiveIntegerSchema.default(1000),
  LOCKKEEPER_STREAMS_PER_CALLER_MAX: positiveIntegerSchema.default(500),
  LOCKKEEPER_WAITERS_MAX: positiveIntegerSchema.default(10_000),
  LOCKKEEPER_HOLDS_PER_CALLER_MAX: positiveIntegerSchema.default(10_000),
  LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX: positiveIntegerSchema.default(64 * 1024 * 1024),
  LOCKKEEPER_CONNECTIONS_MAX: positiveIntegerSchema.default(20_000),
  LOCKKEEPER_RATE_LIMIT: rateSchema,
  LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: rateSchema,
  LOCKKEEPER_READ_CPU_MS: rateSchema,
  LOCKKEEPER_DRAIN_MS: createIntegerSchema(0, 600_000, "a number of milliseconds").default(0),
  LOCKKEEPER_LOCKS_MAX: positiveIntegerSchema.default(1_000_000),
  LOCKKEEPER_HISTORY_MAX: createIntegerSchema(1000, 10_000_000).default(50_000),
  LOCKKEEPER_HISTORY_DAYS: createNumberSchema("days", 3650).default(7),
  LOCKKEEPER_AUDIT_MAX: createIntegerSchema(1000, 10_000_000).default(100_000),
  LOCKKEEPER_AUDIT_DAYS: createNumberSchema("days", 36_500).default(400),
  LOCKKEEPER_METRICS: z.enum(["off", "key", "open"], "must be off, key or open").default("key"),
  LOCKKEEPER_METRICS_PATTERNS: createIntegerSchema(0, 100).default(0),
  LOCKKEEPER_LOG: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("warn"),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrlSchema.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrlSchema.optional(),
  OTEL_SERVICE_NAME: z.string().default("lockkeeper"),
  OTEL_SDK_DISABLED: z.string().optional(),
  NODE_ENV: z.string().optional(),
  npm_lifecycle_event: z.string().optional(),
});

export type EnvironmentValues = z.output<typeof EnvironmentVariables>;
