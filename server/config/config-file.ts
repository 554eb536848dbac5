import { readFileSync } from "node:fs";
import { z } from "zod";
import { FORMAT_RULES_MAX, FormatRule } from "../../lib/contract/detection/format-rule.ts";
import { StartupError } from "../errors/startup-error.ts";
import { FAIR_WAIT_MS } from "../formats/lock-requests.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import {
  assertRedisLocation,
  parseRedisLocation,
  URL_SCHEME_PATTERN,
  URL_SCHEMES,
} from "../locks/backends/redis-location.ts";
import { FAIR_WAIT_MS_RANGE } from "../locks/verbs/input/durations.ts";
import {
  FAILOVER_HOLD_OFF_MS_MAX,
  hasSafetyChecks,
  REPLICA_TIMEOUT_MS,
  REPLICA_TIMEOUT_MS_MAX,
  REPLICAS_MAX,
} from "../locks/verbs/safety.ts";
import type { TargetSettings } from "../targets/target-settings.ts";
import { RUNBOOKS_MAX, Runbook } from "../watch/annotations/runbook.ts";
import { describeConfigError, formatConfigPath, formatJsonPosition } from "./config-file-errors.ts";

export const DEFAULT_WATCH_PATTERNS = ["*lock*", "*LOCK*", "mutex:*", "semaphore:*"];
export const DEFAULT_LOCKABLE_PATTERNS = ["lock:*"];

const TARGETS_MAX = 50;
const LOCATION_HINT = "a URL, { sentinel, master }, { cluster } or { quorum }";

const Url = z
  .string()
  .regex(URL_SCHEME_PATTERN, `must start with ${URL_SCHEMES.join(", ")}`)
  .meta({ description: `A URL that starts with ${URL_SCHEMES.join(", ")}.` });
const NodeUrl = z.string().regex(/^rediss?:\/\//, "must start with redis:// or rediss://");
const Urls = z.array(NodeUrl).min(1, "must have at least one URL");
const NatMap = z.record(z.string(), z.string()).meta({
  description:
    "Address translation for servers that are not reachable under the address that they announce: host:port to host:port.",
});

const SentinelLocation = z.strictObject({
  sentinel: Urls.meta({ description: "URLs of the sentinels." }),
  master: z.string().min(1, "must be the name of the master in the configuration of the sentinels"),
  redis: NodeUrl.optional().meta({
    description: "User, password, database and TLS of the Redis servers, as a URL.",
  }),
  natMap: NatMap.optional(),
});
const ClusterLocation = z.strictObject({
  cluster: Urls.meta({ description: "URLs of some nodes of the cluster." }),
  natMap: NatMap.optional(),
});

const QuorumLocation = z.strictObject({
  quorum: Urls.min(
    2,
    "must list all masters of the quorum, at least two; an odd number tolerates more failures",
  ).meta({
    description: "URLs of all masters, which must be independent. Use an odd number, at least 3.",
  }),
});

/** Location of a Redis deployment. An error describes the variant that has the same members as the value. */
const RedisLocationSchema = z
  .union([Url, SentinelLocation, ClusterLocation, QuorumLocation], {
    error: () => `must be ${LOCATION_HINT}`,
  })
  .meta({
    id: "ConfiguredRedis",
    description: "A URL, a Sentinel group, some nodes of a cluster, or all masters of a quorum.",
  });

const Pattern = z.string().min(1, "must have at least one character").max(256);
const Patterns = z.array(Pattern).max(100);
const NAME_REQUIREMENT =
  "must start with a letter or digit and have at most 64 characters: letters, digits, . _ and -";

const TargetEntry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, NAME_REQUIREMENT)
      .meta({ description: "Name of the target in the API." }),
    label: z.string().min(1, "must have at least one character").max(64).optional().meta({
      description: "Display name. Defaults to `name`.",
    }),
    environment: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,31}$/u, "must be a word of at most 32 characters")
      .optional()
      .meta({
        description: "Free text shown as a badge. `production` requires confirmation of bulk releases.",
      }),
    redis: RedisLocationSchema,
    watch: Patterns.default(DEFAULT_WATCH_PATTERNS).meta({
      description: "Redis globs of the keys to watch. The patterns of `lockable` are always included.",
    }),
    lockable: Patterns.default(DEFAULT_LOCKABLE_PATTERNS).meta({
      description: "Redis globs of the keys that the API may lock.",
    }),
    formats: z.array(FormatRule).max(FORMAT_RULES_MAX).default([]).meta({
      description:
        "Rules that assign formats to keys whose value is ambiguous. The first matching rule applies.",
    }),
    runbooks: z.array(Runbook).max(RUNBOOKS_MAX).default([]).meta({
      description: "Links to runbooks by key pattern. The first matching pattern applies.",
    }),
    readOnly: z
      .boolean()
      .default(false)
      .meta({ description: "If true, Lockkeeper never writes to the target." }),
    notifications: z.enum(["off", "set"]).default("off").meta({
      description:
        "`set`: enable the keyspace notifications that Lockkeeper needs (`CONFIG SET`). `off`: leave the setting unchanged.",
    }),
    replicas: z.int().min(0).max(REPLICAS_MAX).optional().meta({
      description: "Number of replicas that must confirm each grant and renewal (`WAIT`). Defaults to 0.",
    }),
    replicaTimeoutMs: z
      .int()
      .min(1)
      .max(REPLICA_TIMEOUT_MS_MAX)
      .optional()
      .meta({
        description: `Time limit for these confirmations, in milliseconds. Defaults to ${REPLICA_TIMEOUT_MS}.`,
      }),
    failoverHoldOffMs: z.int().min(0).max(FAILOVER_HOLD_OFF_MS_MAX).optional().meta({
      description: "Time after a failover during which no locks are granted, in milliseconds. Defaults to 0.",
    }),
    fairWaitMs: z.int().min(FAIR_WAIT_MS_RANGE[0]).max(FAIR_WAIT_MS_RANGE[1]).default(FAIR_WAIT_MS).meta({
      description: `By how much the timeouts of successive waiters of a fair lock differ, in milliseconds. Must equal the \`fairLockWaitTimeout\` of Redisson clients that use the same locks.`,
    }),
  })
  .refine(({ readOnly, notifications }) => !readOnly || notifications === "off", {
    path: ["notifications"],
    message: "must be off if readOnly is true",
  })
  .meta({ id: "ConfiguredTarget" });

export const ConfigFile = z
  .strictObject({
    $schema: z.string().optional(),
    home: RedisLocationSchema.optional().meta({
      description:
        "Home store: the Redis for Lockkeeper's own data. Defaults to the first target, unless that is read-only.",
    }),
    targets: z
      .tuple([TargetEntry], TargetEntry)
      .refine((targets) => targets.length <= TARGETS_MAX, `must have at most ${TARGETS_MAX} entries`),
  })
  .meta({ id: "Configuration", description: "Configuration of Lockkeeper." });

/** Builds the content of `docs/lockkeeper.config.schema.json`, with which editors validate the configuration file. */
export function buildConfigFileSchema(): object {
  return z.toJSONSchema(ConfigFile, { io: "input" });
}

type TargetEntry = z.output<typeof TargetEntry>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface FileSettings {
  readonly home: RedisLocation | undefined;
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
  /** Names of the environment variables to which the file refers as `${NAME}`. */
  readonly references: ReadonlySet<string>;
}

/**
 * Reads the configuration file.
 *
 * @throws StartupError if the file cannot be read or is invalid. The message contains the path of the file, the
 * position, the error and the permitted values, but no secrets
 */
export function readConfigFile(path: string, environment: Environment): FileSettings {
  const refuse = (fault: string): never => {
    throw new StartupError(`${path}: ${fault}.`);
  };
  const text = readConfigText(path);
  const json = substituteVariables(parseConfigJson(text, refuse), environment, [], refuse);
  const result = ConfigFile.safeParse(json);
  if (!result.success) return refuse(describeConfigError(result.error, json));
  const { home, targets } = result.data;
  if (typeof home === "object" && "quorum" in home) {
    refuse("home: a quorum cannot be the home store; use a single Redis, a Sentinel group or a cluster");
  }
  const names = targets.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) refuse(`targets[${twice}].name: another target has the same name; names must be unique`);
  const [first, ...others] = targets;
  const settings = (entry: TargetEntry, at: number) =>
    toTargetSettings(entry, `targets[${at}].redis`, refuse);
  return {
    home: home === undefined ? undefined : parseLocation(home, "home", refuse),
    targets: [settings(first, 0), ...others.map((entry, at) => settings(entry, at + 1))],
    references: new Set(Array.from(text.matchAll(/\$\{(\w+)\}/g), ([, name = ""]) => name)),
  };
}

type Refuse = (fault: string) => never;

function toTargetSettings(entry: TargetEntry, setting: string, refuse: Refuse): TargetSettings {
  const { name, label = name, environment, redis, watch, lockable, formats, readOnly, notifications } = entry;
  const where = parseLocation(redis, setting, refuse);
  const { replicas, replicaTimeoutMs, failoverHoldOffMs, fairWaitMs, runbooks } = entry;
  const safety = { replicas, replicaTimeoutMs, failoverHoldOffMs };
  const policy = { watch: [...new Set([...watch, ...lockable])], lockable, readOnly, notifications };
  const safetySettings = hasSafetyChecks(safety) ? { safety } : {};
  return {
    name,
    label,
    environment,
    where,
    setting,
    policy,
    ...safetySettings,
    fairWaitMs,
    formatRules: formats,
    runbooks,
  };
}

function parseLocation(redis: TargetEntry["redis"], setting: string, refuse: Refuse): RedisLocation {
  try {
    if (typeof redis === "string") return parseRedisLocation(redis);
    const { natMap, ...rest } = { natMap: undefined, ...redis };
    const where: RedisLocation = {
      ...rest,
      ...(natMap === undefined ? {} : { natMap }),
    } as RedisLocation;
    assertRedisLocation(where);
    return where;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return refuse(`${setting}: ${error.message.replace(/^REDIS_URL/, "the URL").replace(/\.$/, "")}`);
  }
}

function readConfigText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = code === "ENOENT" ? "the file does not exist" : `the file cannot be read (${code})`;
    throw new StartupError(`${path}: ${why}. Set LOCKKEEPER_CONFIG to the path of the configuration file.`);
  }
}

function parseConfigJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message is omitted, because it quotes the file, which may contain passwords.
    return refuse(
      `invalid JSON${formatJsonPosition(text, error)}; comments and trailing commas are not allowed`,
    );
  }
}

/** Replaces `${NAME}` in all strings with the value of the environment variable, and `$${NAME}` with `${NAME}`. */
function substituteVariables(
  value: unknown,
  environment: Environment,
  path: readonly PropertyKey[],
  refuse: Refuse,
): unknown {
  if (typeof value === "string") {
    return value.replace(/\$(\$?)\{([^}]*)\}/g, (whole, escaped: string, name: string) => {
      if (escaped !== "") return whole.slice(1);
      const found = environment[name];
      if (found === undefined || found === "") {
        refuse(`${formatConfigPath(path)}: \${${name}} references an environment variable that is not set`);
      }
      return found ?? "";
    });
  }
  if (Array.isArray(value)) {
    return value.map((each, at) => substituteVariables(each, environment, [...path, at], refuse));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      substituteVariables(each, environment, [...path, name], refuse),
    ]),
  );
}
