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
    text: "URL at which browsers open the console, if a [reverse proxy](nginx/README.md) is in front of Lockkeeper.",
  },
  LOCKKEEPER_BASE_PATH: {
    text: "Path prefix of the console, the API, `/metrics`, `/healthz` and `/readyz`, such as `/locks-console`. In a checkout, `npm start` rebuilds the console when the base path changes. The published package is built for the root of a host. See [Installation](installation.md#base-path).",
    values: "starts with `/`, no trailing `/`",
  },
  LOCKKEEPER_TRUSTED_PROXIES: {
    text: "Addresses and networks of your proxies, such as `127.0.0.1,10.0.0.0/8`. `X-Forwarded-For` and `X-Forwarded-Proto` are accepted only from them. Include proxies on the same machine. Otherwise, their clients are treated as local browsers.",
    values: "comma-separated",
  },
  LOCKKEEPER_INSECURE_HTTP: {
    text: "`1` permits logins over plain HTTP from other machines and under names other than `localhost`.",
  },
  LOCKKEEPER_CONNECTIONS_MAX: {
    text: "Maximum number of open connections. Further connections are closed without a response.",
  },
  LOCKKEEPER_DRAIN_MS: {
    text: "Time in milliseconds for which an instance continues to serve requests after SIGTERM, while `/readyz` returns 503 `draining`. Set it to more than the health-check interval of your load balancer. A second signal ends this period.",
  },
  LOCKKEEPER_HTTP_ADAPTER: {
    text: "`next` serves the API through a Next.js route handler, which is about twenty times slower. For comparison only.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const TARGETS = {
  REDIS_URL: {
    text: "URL of the Redis whose locks are shown. It can include the user, password and database, for example `redis-sentinel://user:password@host:26379,host:26379/0?master=NAME` or `redis-cluster://host:6379,host:6379`.",
    fallback: "embedded Redis",
    values:
      "`redis://`, `rediss://`, `unix://`, `redis-sentinel://`, `rediss-sentinel://`, `redis-cluster://`, `rediss-cluster://`",
  },
  LOCKKEEPER_CONFIG: {
    text: "Path of the [configuration file](targets.md) with several targets. If there is a file, Lockkeeper does not start if one of these variables is set: `REDIS_URL`, `LOCKKEEPER_TARGET`, `LOCKKEEPER_WATCH`, `LOCKKEEPER_LOCKABLE`, `LOCKKEEPER_FORMATS`, `LOCKKEEPER_RUNBOOKS`, `LOCKKEEPER_READ_ONLY`, `LOCKKEEPER_FAIR_WAIT_MS`, `LOCKKEEPER_NOTIFICATIONS`. `LOCKKEEPER_HOME_URL` is permitted if the file does not set `home`.",
    fallback: "`lockkeeper.config.json` in the working directory, if it exists",
  },
  LOCKKEEPER_TARGET: { text: "Name of this Redis in the console and the API." },
  LOCKKEEPER_WATCH: {
    text: "Keys to watch (Redis globs). The lockable keys are always included. The *Find locks* button on the *Formats* page, or `POST /finder`, suggests patterns.",
    values: "comma-separated",
  },
  LOCKKEEPER_LOCKABLE: {
    text: "Keys that the API may lock. Anything stored under such a key is listed, because it prevents the API from acquiring the lock. [Possible locks](api.md#possible-locks) under other keys are only counted.",
    values: "comma-separated",
  },
  LOCKKEEPER_FORMATS: {
    text: "Formats of keys whose values do not identify the format: `order-*=redlock-net,app:*=spring`. The first match wins. `PUT /formats/rules` adds rules, and `GET /formats` lists the formats. Keys that are not watched are not listed.",
    values: "`PATTERN=FORMAT`, comma-separated",
  },
  LOCKKEEPER_RUNBOOKS: {
    text: "Runbooks by key pattern: `lock:orders:*=https://wiki.example/orders?key={key},lock:*=https://wiki.example/locks`. The first match wins. `{key}` is replaced by the percent-encoded key. It can occur in the path, query or fragment. Write a comma in a URL as `%2C`. The console shows the link, and the API returns it in the `runbook` field of a lock.",
    values: "`PATTERN=URL`, comma-separated; `https` or `http`",
  },
  LOCKKEEPER_READ_ONLY: {
    text: "`1`: Lockkeeper writes nothing to the Redis in `REDIS_URL`. Its own data is stored in the Redis in `LOCKKEEPER_HOME_URL` or in the embedded Redis. See [Watching only](targets.md#with-an-acl-user).",
  },
  LOCKKEEPER_FAIR_WAIT_MS: {
    text: "Time in milliseconds by which the timeout of each waiter in the queue of a [fair lock](library.md#fair-locks) exceeds that of the waiter ahead of it. If Redisson clients use the same locks, it must equal their `fairLockWaitTimeout`, which has the same default. Otherwise, they can drop live waiters from the queue. Without Redisson clients, keep the default.",
  },
  LOCKKEEPER_NOTIFICATIONS: {
    text: "`set` enables the keyspace notifications that Lockkeeper needs (`Kghszxe$`), in addition to those already enabled. `off` leaves the server's setting unchanged. If notifications are disabled on the server, Lockkeeper [polls](freshness.md#without-notifications).",
  },
  LOCKKEEPER_HOME_URL: {
    text: "URL of the home store, the Redis that stores Lockkeeper's own data.",
    fallback: "the first target if it is writable and not a quorum, otherwise the embedded Redis",
    values: "as `REDIS_URL`",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const EMBEDDED = {
  REDIS_SERVER_BIN: {
    text: "Path of the `redis-server` or `valkey-server` that is used for the embedded Redis.",
    fallback: "found on `PATH`, or unpacked into `LOCKKEEPER_DATA_DIR`",
  },
  LOCKKEEPER_REDIS_PORT: {
    text: "Port that the embedded Redis uses when it starts for the first time. It keeps this port on later starts.",
  },
  LOCKKEEPER_DATA_DIR: {
    text: "Folder for the embedded Redis, its data and its passwords. Only the account that runs Lockkeeper can read the subfolder `redis`. The [command line](cli.md) defaults to `$XDG_DATA_HOME/lockkeeper` or `~/.local/share/lockkeeper`.",
    fallback: "`LOCKKEEPER_CACHE_DIR`",
  },
  LOCKKEEPER_CACHE_DIR: { text: "Former name of `LOCKKEEPER_DATA_DIR`." },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const ACCESS = {
  LOCKKEEPER_ROOT_KEY: {
    text: "The root API key, which has all permissions.",
    fallback: "generated at the first start",
    values: "32 to 512 characters",
  },
  LOCKKEEPER_OPERATOR: {
    text: "Name of the operator that one-time login links log you in as.",
    fallback: "the account that runs Lockkeeper",
    values: "at most 64 characters",
  },
  LOCKKEEPER_OPERATOR_PASSWORD: {
    text: "Password of `LOCKKEEPER_OPERATOR`. If there is no operator at startup, an administrator with this name and password is created.",
    values: "12 to 256 characters",
  },
  LOCKKEEPER_SESSION_HOURS: { text: "Maximum length of a browser session, in hours." },
  LOCKKEEPER_SESSION_IDLE_MINUTES: {
    text: "A browser session ends after this many minutes without use. An open console page counts as use.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const RATE = "`PER_SECOND` or `PER_SECOND/BURST`; `off`";

const LIMITS = {
  LOCKKEEPER_RATE_LIMIT: {
    text: "Maximum number of requests per second from one API key or operator, and the burst (by default twice the rate). If you set this variable to a rate, every response to an authenticated request includes the headers `RateLimit-Policy` and `RateLimit`. With the default, only 429 `rate_limited` responses include them. Each instance counts separately.",
    fallback: "`20000/40000`",
    values: RATE,
  },
  LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: {
    text: "The same limit for requests without valid credentials, per client address (for IPv6, per /64 network).",
    fallback: "`20/400`",
    values: RATE,
  },
  LOCKKEEPER_READ_CPU_MS: {
    text: "Maximum CPU time in milliseconds per second, and the burst, for expensive reads by one API key or operator: filters, facets, groups, history, exports and event snapshots. Acquires, renewals and releases are never limited. Each instance counts separately.",
    fallback: "`500/5000`",
    values: RATE,
  },
  LOCKKEEPER_HOLDS_PER_CALLER_MAX: {
    text: "Maximum number of current holds per API key or operator ([quotas](access.md#quotas)). Further acquires return 429 `quota_exceeded`. An API key can have its own quota.",
  },
  LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX: {
    text: "Maximum total size in Redis of the current holds of one API key or operator, in bytes, estimated from the lengths of the key, owner and owner record.",
  },
  LOCKKEEPER_WAITERS_MAX: {
    text: "Maximum number of requests per API key that wait for locks at the same time (a few KB of memory each). Further requests return 429 `too_many_waiting`.",
  },
  LOCKKEEPER_STREAMS_MAX: {
    text: "Maximum number of open event streams: console tabs and `GET /events` clients. Further streams return 429 `too_many_streams`.",
  },
  LOCKKEEPER_STREAMS_PER_CALLER_MAX: {
    text: "Maximum number of open event streams per API key or operator.",
  },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const RETENTION = {
  LOCKKEEPER_LOCKS_MAX: {
    text: "Maximum number of locks per target in memory (about 1 KB each). Further locks are omitted, and the health of the target reports how many.",
  },
  LOCKKEEPER_HISTORY_MAX: {
    text: "Maximum number of events per target in the home store. Each takes about 120 bytes there and 0.9 KB in the memory of every instance. The total size of a target's history is also limited to this number × 1 KiB.",
  },
  LOCKKEEPER_HISTORY_DAYS: { text: "Maximum age of events, in days." },
  LOCKKEEPER_AUDIT_MAX: {
    text: "Maximum number of [audit log](audit.md) entries. Each takes about 0.6 KB in the home store, and each action has two entries.",
  },
  LOCKKEEPER_AUDIT_DAYS: { text: "Maximum age of audit entries, in days." },
} satisfies Partial<Record<DocumentedVariable, VariableDoc>>;

const OBSERVABILITY = {
  LOCKKEEPER_LOG: { text: "Minimum log level. Log lines are JSON on standard error." },
  LOCKKEEPER_METRICS: {
    text: "Access to `/metrics`: `key` requires an API key, `open` permits access without a key, `off` disables it.",
  },
  LOCKKEEPER_METRICS_PATTERNS: {
    text: "Number of key patterns per target for which typical times are exported. The patterns become label values.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    text: "URL of the collector for [traces](metrics.md#traces), such as `http://collector:4318`. Traces are sent as OTLP JSON over HTTP. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER` and `OTEL_SDK_DISABLED` have their standard meaning.",
    values: "`http://` or `https://` URL",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    text: "The complete URL for traces. Overrides the base URL in `OTEL_EXPORTER_OTLP_ENDPOINT`.",
    values: "`http://` or `https://` URL",
  },
  OTEL_SERVICE_NAME: { text: "Service name in spans." },
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

/** Documentation of all public environment variables, by section of `docs/configuration.md`. */
export const VARIABLE_SECTIONS: Readonly<Record<string, Readonly<Record<string, VariableDoc>>>> =
  isComplete && SECTIONS;
