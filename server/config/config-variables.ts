import { z } from "zod";
import { NewPassword, OperatorName } from "../../lib/contract/accounts/operator.ts";
import { URL_BEGINNING, URL_SCHEMES } from "../locks/backends/redis-location.ts";
import { runbooks } from "../watch/annotations/runbook.ts";
import { LOCKABLE_BY_DEFAULT, WATCHED_BY_DEFAULT } from "./config-file.ts";
import { formatRules, list, rate } from "./config-value-schemas.ts";

const port = z.coerce
  .number("must be a port number from 0 to 65535")
  .int("must be a whole number")
  .min(0)
  .max(65_535);

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const ROOT_KEY_LENGTH = "must have 32 to 512 characters";

const atLeastOne = z.coerce
  .number("must be a number")
  .int("must be a whole number")
  .min(1, "must be 1 or more");

const wholeNumber = (least: number, most: number, what = `a whole number from ${least} to ${most}`) =>
  z.coerce
    .number(`must be ${what}`)
    .int("must be a whole number")
    .min(least, `must be ${least} or more`)
    .max(most, `must be ${most} or less`);

const numberOf = (units: string, most: number) =>
  z.coerce
    .number(`must be a number of ${units}`)
    .positive("must be more than 0")
    .max(most, `must be ${most} or less`);

const redisUrl = z
  .string()
  .regex(URL_BEGINNING, `must begin with ${URL_SCHEMES.slice(0, -1).join(", ")} or ${URL_SCHEMES.at(-1)}`);

const otlpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

/** Every variable that is read, what it may be, and what it is when it is not set. */
export const Variables = z.object({
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
  LOCKKEEPER_RUNBOOKS: runbooks,
  LOCKKEEPER_NOTIFICATIONS: z.enum(["off", "set"], "must be off or set").default("off"),
  LOCKKEEPER_ROOT_KEY: z.string().min(32, ROOT_KEY_LENGTH).max(512, ROOT_KEY_LENGTH).optional(),
  LOCKKEEPER_OPERATOR: OperatorName.optional(),
  LOCKKEEPER_OPERATOR_PASSWORD: NewPassword.optional(),
  LOCKKEEPER_SESSION_HOURS: numberOf("hours", 720).default(12),
  LOCKKEEPER_SESSION_IDLE_MINUTES: numberOf("minutes", 43_200).default(120),
  LOCKKEEPER_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .optional(),
  LOCKKEEPER_BASE_PATH: z
    .string()
    .regex(
      /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
      "must begin with / and not end with it, as in /locks-console",
    )
    .max(200, "must have 200 characters or fewer")
    .optional(),
  LOCKKEEPER_TRUSTED_PROXIES: list(""),
  LOCKKEEPER_INSECURE_HTTP: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  LOCKKEEPER_DOOR: z.enum(["fast", "next"], "must be fast or next").default("fast"),
  LOCKKEEPER_CACHE_DIR: z.string().default(".cache"),
  LOCKKEEPER_REDIS_PORT: port.default(6399),
  LOCKKEEPER_STREAMS_MAX: atLeastOne.default(1000),
  LOCKKEEPER_STREAMS_EACH_MAX: atLeastOne.default(500),
  LOCKKEEPER_WAITERS_MAX: atLeastOne.default(10_000),
  LOCKKEEPER_CONNECTIONS_MAX: atLeastOne.default(20_000),
  LOCKKEEPER_RATE_LIMIT: rate,
  LOCKKEEPER_RATE_LIMIT_UNKNOWN: rate,
  LOCKKEEPER_DRAIN_MS: wholeNumber(0, 600_000, "a number of milliseconds").default(0),
  LOCKKEEPER_LOCKS_MAX: atLeastOne.default(1_000_000),
  LOCKKEEPER_HISTORY_MAX: wholeNumber(1000, 10_000_000).default(50_000),
  LOCKKEEPER_HISTORY_DAYS: numberOf("days", 3650).default(7),
  LOCKKEEPER_AUDIT_MAX: wholeNumber(1000, 10_000_000).default(100_000),
  LOCKKEEPER_AUDIT_DAYS: numberOf("days", 36_500).default(400),
  LOCKKEEPER_METRICS: z.enum(["off", "key", "open"], "must be off, key or open").default("key"),
  LOCKKEEPER_METRICS_PATTERNS: wholeNumber(0, 100).default(0),
  LOCKKEEPER_LOG: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("warn"),
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().default("lockkeeper"),
  OTEL_SDK_DISABLED: z.string().optional(),
  NODE_ENV: z.string().optional(),
  npm_lifecycle_event: z.string().optional(),
});

export type VariableValues = z.output<typeof Variables>;
