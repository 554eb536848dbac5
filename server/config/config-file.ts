import { readFileSync } from "node:fs";
import { z } from "zod";
import { FORMAT_RULES_MAX, FormatRule } from "../../lib/contract/detection/format-rule.ts";
import { StartupError } from "../errors/startup-error.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import {
  assertRedisLocation,
  parseRedisLocation,
  URL_SCHEME_PATTERN,
  URL_SCHEMES,
} from "../locks/backends/redis-location.ts";
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
  .regex(URL_SCHEME_PATTERN, `must begin with ${URL_SCHEMES.join(", ")}`)
  .meta({ description: `A URL that begins with ${URL_SCHEMES.join(", ")}.` });
const NodeUrl = z.string().regex(/^rediss?:\/\//, "must begin with redis:// or rediss://");
const Urls = z.array(NodeUrl).min(1, "must name one URL at least");
const NatMap = z.record(z.string(), z.string()).meta({
  description: "Where servers are reached whose own addresses are not: host:port to host:port.",
});

const SentinelLocation = z.strictObject({
  sentinel: Urls.meta({ description: "The sentinels." }),
  master: z.string().min(1, "must be the name that the sentinels give to the master"),
  redis: NodeUrl.optional().meta({
    description: "User, password, database and TLS of the servers themselves.",
  }),
  natMap: NatMap.optional(),
});
const ClusterLocation = z.strictObject({
  cluster: Urls.meta({ description: "Some of its nodes." }),
  natMap: NatMap.optional(),
});

const QuorumLocation = z.strictObject({
  quorum: Urls.min(2, "must name all masters of the quorum, two at least; an odd number bears most").meta({
    description: "All its masters, which know nothing of each other: an odd number, 3 or more.",
  }),
});

/** Where a Redis is: which of the shapes is meant is told by its members, so that a fault names the right one. */
const RedisLocationSchema = z
  .union([Url, SentinelLocation, ClusterLocation, QuorumLocation], {
    error: () => `must be ${LOCATION_HINT}`,
  })
  .meta({
    id: "ConfiguredRedis",
    description: "A URL, a Sentinel group, some nodes of a cluster, or all masters of a quorum.",
  });

const Pattern = z.string().min(1, "a pattern has at least one character").max(256);
const Patterns = z.array(Pattern).max(100);
const NAME_REQUIREMENT =
  "must begin with a letter or digit and have at most 64 of letters, digits, . _ and -";

const TargetEntry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, NAME_REQUIREMENT)
      .meta({ description: "Its name in the API." }),
    label: z.string().min(1, "must have a character at least").max(64).optional().meta({
      description: "As people call it; its name by default.",
    }),
    environment: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,31}$/u, "must be a word of at most 32 characters")
      .optional()
      .meta({ description: "A free word; `production` wears the badge." }),
    redis: RedisLocationSchema,
    watch: Patterns.default(DEFAULT_WATCH_PATTERNS).meta({
      description: "Redis globs of the keys to look at; always includes the lockable ones.",
    }),
    lockable: Patterns.default(DEFAULT_LOCKABLE_PATTERNS).meta({
      description: "Redis globs of the keys that the API may lock.",
    }),
    formats: z.array(FormatRule).max(FORMAT_RULES_MAX).default([]).meta({
      description: "Which keys are of which format, where their shape does not tell.",
    }),
    runbooks: z.array(Runbook).max(RUNBOOKS_MAX).default([]).meta({
      description: "What to read when locks of a name make trouble; the first pattern that fits counts.",
    }),
    readOnly: z.boolean().default(false).meta({ description: "Nothing is ever written to it." }),
    notifications: z.enum(["off", "set"]).default("off").meta({
      description: "set: switch on the keyspace notifications that are needed.",
    }),
    replicas: z.int().min(0).max(REPLICAS_MAX).optional().meta({
      description: "So many replicas have to confirm each grant and renewal (WAIT); 0 by default.",
    }),
    replicaTimeoutMs: z
      .int()
      .min(1)
      .max(REPLICA_TIMEOUT_MS_MAX)
      .optional()
      .meta({
        description: `How long they may take; ${REPLICA_TIMEOUT_MS} by default.`,
      }),
    failoverHoldOffMs: z.int().min(0).max(FAILOVER_HOLD_OFF_MS_MAX).optional().meta({
      description: "For how long no lock is granted after another server became the master; 0 by default.",
    }),
  })
  .refine(({ readOnly, notifications }) => !readOnly || notifications === "off", {
    path: ["notifications"],
    message: "must be off where readOnly is true, since nothing is written there",
  })
  .meta({ id: "ConfiguredTarget" });

export const ConfigFile = z
  .strictObject({
    $schema: z.string().optional(),
    home: RedisLocationSchema.optional().meta({
      description:
        "Where Lockkeeper keeps its own facts; the first target by default, if it may be written to.",
    }),
    targets: z
      .tuple([TargetEntry], TargetEntry)
      .refine((targets) => targets.length <= TARGETS_MAX, `must be ${TARGETS_MAX} at most`),
  })
  .meta({ id: "Configuration", description: "Configuration of Lockkeeper: its targets." });

/** What editors check the file by: docs/lockkeeper.config.schema.json. */
export function buildConfigFileSchema(): object {
  return z.toJSONSchema(ConfigFile, { io: "input" });
}

type TargetEntry = z.output<typeof TargetEntry>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface FileSettings {
  readonly home: RedisLocation | undefined;
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
  /** Names of the variables that the file refers to. */
  readonly references: ReadonlySet<string>;
}

/** @throws StartupError with the file, the place in it, what is wrong there and what is allowed; without secrets */
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
    refuse("home: a quorum keeps nothing of ours; name a Redis, a Sentinel group or a cluster");
  }
  const names = targets.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) refuse(`targets[${twice}].name: another target has this name already; give each its own`);
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
  const { replicas, replicaTimeoutMs, failoverHoldOffMs, runbooks } = entry;
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
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new StartupError(`${path}: ${why}; LOCKKEEPER_CONFIG names the configuration file.`);
  }
}

function parseConfigJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // What the engine says of it quotes the file, which may hold passwords.
    return refuse(
      `it is not JSON${formatJsonPosition(text, error)}; JSON has no comments and no comma after the last member`,
    );
  }
}

/** `${NAME}` in a string stands for a variable of the environment; `$${` for `${`. */
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
        refuse(
          `${formatConfigPath(path)}: \${${name}} stands for a variable of the environment that is not set`,
        );
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
