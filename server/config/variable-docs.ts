import type { EnvironmentVariables } from "./config-variables.ts";

/** Variables that are not documented, because users do not set them for Lockkeeper. */
type InternalVariable = "NODE_ENV" | "npm_lifecycle_event" | "OTEL_SDK_DISABLED";
export type DocumentedVariable = Exclude<keyof typeof EnvironmentVariables.shape, InternalVariable>;

/** Documentation of one environment variable, in Markdown. */
export interface VariableDoc {
  readonly text: string;
  /** Default to show if the schema has no default. */
  readonly fallback?: string;
  /** Permitted values to show if they cannot be derived from the schema. */
  readonly values?: string;
}

const LISTENING = {
  PORT: { text: "Port of the console and the API. `0` selects a free port." },
  HOST: { text: "Address that the server listens on. `0.0.0.0` listens on every IPv4 address." },
  LOCKKEEPER_PUBLIC_URL: {
    text: "URL of the console in browsers, if a [reverse proxy](nginx/README.md) is in front of it.",
  },
  LOCKKEEPER_BASE_PATH: {
    text: "Path prefix of the console, the API, `/metrics`, `/healthz` and `/readyz`, such as `/locks-console`. In a checkout, `npm start` rebuilds the console when it changes. The published package is built for the root of a host: [Installation](installation.md#base-path).",
    values: "begins with `/`, does not end with it",
  },
  LOCKKEEPER_TRUSTED_PROXIES: {
    text: "Addresses and networks of your proxies, such as `127.0.0.1,10.0.0.0/8`. `X-Forwarded-For` and `X-Forwarded-Proto` are accepted only from them. Include a proxy on the same machine: otherwise its clients are treated as local browsers.",
    values: "comma-separated",
  },
  LOCKKEEPER_INSECURE_HTTP: {
    text: "`1` permits logins over plain HTTP from other machines and under names other than `localhost`.",
  },
  LOCKKEEPER_CONNECTIONS_MAX: {
    text: "Maximum number of open connections. Further connections are closed without a response.",
  },
  LOCKKEEPER_DRAIN_MS: {
    text: "Time for which a stopping instance keeps serving after SIGTERM while `/readyz` returns 503 `draining`. Set it to more than the health-check interval of your load balancer. A second signal ends it.",
  },
  LOCKKEEPER_HTTP_ADAPTER: {
    text: "`next` serves the API through a route handler of Next.js, which is about twenty times slower. For comparison only.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const TARGETS = {
  REDIS_URL: {
    text: "The Redis whose locks are shown. The URL can include user, password and database, for example `redis-sentinel://user:password@host:26379,host:26379/0?master=NAME` or `redis-cluster://host:6379,host:6379`.",
    fallback: "embedded Redis",
    values:
      "`redis://`, `rediss://`, `unix://`, `redis-sentinel://`, `rediss-sentinel://`, `redis-cluster://`, `rediss-cluster://`",
  },
  LOCKKEEPER_CONFIG: {
    text: "Path of the [configuration file](targets.md) with several targets. With a file, do not set the variables of this section that describe one target.",
    fallback: "`lockkeeper.config.json` in the working directory, if it exists",
  },
  LOCKKEEPER_TARGET: { text: "Name of this Redis in the console and the API." },
  LOCKKEEPER_WATCH: {
    text: "Keys to watch (Redis globs). Always includes the lockable keys. *Find locks* on the *Formats* page, or `POST /finder`, suggests patterns.",
    values: "comma-separated",
  },
  LOCKKEEPER_LOCKABLE: {
    text: "Keys that the API may lock. Anything stored under such a key is listed, because it prevents the API from acquiring the lock. [Possible locks](api.md#possible-locks) under other keys are only counted.",
    values: "comma-separated",
  },
  LOCKKEEPER_FORMATS: {
    text: "Formats of keys that cannot be identified by their value: `order-*=redlock-net,app:*=spring`. The first match counts. `PUT /formats/rules` adds rules; `GET /formats` lists the formats. Only watched keys are listed.",
    values: "`PATTERN=FORMAT`, comma-separated",
  },
  LOCKKEEPER_RUNBOOKS: {
    text: "Runbooks by key: `lock:orders:*=https://wiki.example/orders?key={key},lock:*=https://wiki.example/locks`. The first match counts. `{key}` is the percent-encoded key, in the path, query or fragment. Write a comma in a URL as `%2C`. The console and the field `runbook` of a lock show the link.",
    values: "`PATTERN=URL`, comma-separated; `https` or `http`",
  },
  LOCKKEEPER_READ_ONLY: {
    text: "`1`: Lockkeeper writes nothing to the Redis in `REDIS_URL`. Its own data is in `LOCKKEEPER_HOME_URL` or the embedded Redis. See [Watching only](targets.md#with-an-acl-user).",
  },
  LOCKKEEPER_FAIR_WAIT_MS: {
    text: "The difference between the timeouts of successive waiters of a [fair lock](library.md#fair-locks). If clients of Redisson use the same fair locks, it must equal their `fairLockWaitTimeout`, which has the same default.",
  },
  LOCKKEEPER_NOTIFICATIONS: {
    text: "`set` enables the keyspace notifications that Lockkeeper needs (`Kghszxe$`) and keeps those that are enabled already. `off` does not change the server's setting.",
  },
  LOCKKEEPER_HOME_URL: {
    text: "Redis of the home store, which holds Lockkeeper's own data. A URL like `REDIS_URL`.",
    fallback: "the first target if it is writable and not a quorum, otherwise the embedded Redis",
    values: "as `REDIS_URL`",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const EMBEDDED = {
  REDIS_SERVER_BIN: {
    text: "The `redis-server` or `valkey-server` that the embedded Redis runs.",
    fallback: "found on `PATH`, or unpacked into `LOCKKEEPER_DATA_DIR`",
  },
  LOCKKEEPER_REDIS_PORT: { text: "Port of the embedded Redis at its first start. It keeps this port." },
  LOCKKEEPER_DATA_DIR: {
    text: "Folder of the embedded Redis, its data and its passwords. Only the account that runs Lockkeeper can read the subfolder `redis`. The [command line](cli.md) defaults to `$XDG_DATA_HOME/lockkeeper` or `~/.local/share/lockkeeper`.",
    fallback: "`LOCKKEEPER_CACHE_DIR`",
  },
  LOCKKEEPER_CACHE_DIR: { text: "Earlier name of `LOCKKEEPER_DATA_DIR`." },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const ACCESS = {
  LOCKKEEPER_ROOT_KEY: {
    text: "The root API key, which permits everything.",
    fallback: "generated at the first start",
    values: "32 to 512 characters",
  },
  LOCKKEEPER_OPERATOR: {
    text: "Operator that a one-time link logs in.",
    fallback: "the account that runs Lockkeeper",
    values: "at most 64 characters",
  },
  LOCKKEEPER_OPERATOR_PASSWORD: {
    text: "Password of `LOCKKEEPER_OPERATOR`. If there is no operator at startup, an administrator with this name and password is created.",
    values: "12 to 256 characters",
  },
  LOCKKEEPER_SESSION_HOURS: { text: "Maximum length of a browser session, in hours." },
  LOCKKEEPER_SESSION_IDLE_MINUTES: {
    text: "A browser session ends after this many minutes without use. An open page uses it.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const RATE = "`PER_SECOND` or `PER_SECOND/BURST`; `off`";

const LIMITS = {
  LOCKKEEPER_RATE_LIMIT: {
    text: "Requests per second of one API key or operator, and the burst (by default twice the rate). If set, every response has `RateLimit-Policy` and `RateLimit`; otherwise only refusals have them. Per instance.",
    fallback: "`20000/40000`",
    values: RATE,
  },
  LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: {
    text: "The same for one address (one /64 of IPv6) and requests without valid credentials.",
    fallback: "`20/400`",
    values: RATE,
  },
  LOCKKEEPER_READ_CPU_MS: {
    text: "Processor time in milliseconds per second, and burst, that one API key or operator may use for expensive reads: filters, facets, groups, history, exports and snapshots of events. Never limits acquire, renew and release. Per instance.",
    fallback: "`500/5000`",
    values: RATE,
  },
  LOCKKEEPER_HOLDS_PER_CALLER_MAX: {
    text: "Maximum number of live holds of one API key or operator ([quotas](access.md#quotas)). Further acquires return 429 `quota_exceeded`. An API key can have its own quota.",
  },
  LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX: {
    text: "Maximum size of these holds in Redis, in bytes, estimated from the lengths of key, owner and record.",
  },
  LOCKKEEPER_WAITERS_MAX: {
    text: "Maximum number of requests of one API key that wait for locks at the same time (a few KB each). Further requests return 429 `too_many_waiting`.",
  },
  LOCKKEEPER_STREAMS_MAX: {
    text: "Maximum number of open event streams: console tabs and clients of `GET /events`. Further streams return 429 `too_many_streams`.",
  },
  LOCKKEEPER_STREAMS_PER_CALLER_MAX: {
    text: "Maximum number of open event streams of one API key or operator.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const RETENTION = {
  LOCKKEEPER_LOCKS_MAX: {
    text: "Maximum number of locks of a target in memory (about 1 KB each). Further locks are left out; the health of the target has their number.",
  },
  LOCKKEEPER_HISTORY_MAX: {
    text: "Maximum number of events of a target in the home store, at about 120 bytes each there and 0.9 KB each in the memory of every instance. Fewer are kept if events exceed 1 KiB on average.",
  },
  LOCKKEEPER_HISTORY_DAYS: { text: "Maximum age of events, in days." },
  LOCKKEEPER_AUDIT_MAX: {
    text: "Maximum number of entries of the [audit log](audit.md), at about 0.6 KB each in the home store. An action has two entries.",
  },
  LOCKKEEPER_AUDIT_DAYS: { text: "Maximum age of audit entries, in days." },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const OBSERVABILITY = {
  LOCKKEEPER_LOG: { text: "Minimum level of log lines (JSON on standard error)." },
  LOCKKEEPER_METRICS: {
    text: "Access to `/metrics`: `key` requires an API key, `open` requires nothing, `off` disables it.",
  },
  LOCKKEEPER_METRICS_PATTERNS: {
    text: "Number of key patterns of a target for which typical times are exported. Their names become label values.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    text: "Collector for [traces](metrics.md#traces), OTLP over HTTP as JSON: `http://collector:4318`. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and `OTEL_SDK_DISABLED` work as in OpenTelemetry.",
    values: "`http://` or `https://` URL",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    text: "The complete URL for traces, instead of the collector's base URL.",
    values: "`http://` or `https://` URL",
  },
  OTEL_SERVICE_NAME: { text: "Service name of the spans." },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const SECTIONS = {
  "Address and proxies": LISTENING,
  "Redis and locks": TARGETS,
  "Embedded Redis": EMBEDDED,
  Access: ACCESS,
  "Limits and quotas": LIMITS,
  Retention: RETENTION,
  "Logs, metrics and traces": OBSERVABILITY,
};

type Listed = { [Title in keyof typeof SECTIONS]: keyof (typeof SECTIONS)[Title] }[keyof typeof SECTIONS];
/** Causes a compile error if a variable in the schema has no documentation. */
const isComplete: [DocumentedVariable] extends [Listed] ? true : false = true;

/** Documentation of every environment variable, by section of `docs/configuration.md`. */
export const VARIABLE_SECTIONS: Readonly<Record<string, Readonly<Record<string, VariableDoc>>>> =
  isComplete && SECTIONS;
