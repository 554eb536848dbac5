import type { Logger } from "pino";
import type { FormatRule } from "../../lib/contract/format-rule.ts";
import type { Home } from "../auth/home.ts";
import { Figures } from "../figures/figures.ts";
import { Journal } from "../history/journal.ts";
import { Recording } from "../history/recording.ts";
import { Locks } from "../locks/locks.ts";
import { openConnections } from "../redis/connect.ts";
import { openMasters } from "../redis/masters.ts";
import { RuleBook } from "../watch/rule-book.ts";
import { Watcher } from "../watch/watcher.ts";
import type { TargetRedis } from "./target-redis.ts";

/** What may be done to a target, and what of it is looked at. */
export interface TargetPolicy {
  /** Glob patterns of keys to look at; always includes `lockable`. */
  readonly watch: readonly string[];
  /** Glob patterns of keys that the API may lock. */
  readonly lockable: readonly string[];
  readonly notifications: "off" | "set";
}

/** What the configuration says of a target. */
export interface TargetSettings {
  readonly name: string;
  /** As people call it. */
  readonly label: string;
  /** A free word; `production` wears the badge. */
  readonly environment: string | undefined;
  readonly policy: TargetPolicy;
  /** Which keys are of which format, where their shape does not tell. */
  readonly formatRules: readonly FormatRule[];
}

/** One Redis that is open: the picture of its locks, what happened to them, and the verbs. */
export interface Target extends Omit<TargetSettings, "formatRules"> {
  /** Where it is, safe to print. */
  readonly address: string;
  /** "Redis 7.0.15" */
  readonly server: string;
  readonly watcher: Watcher;
  readonly journal: Journal;
  readonly locks: Locks;
  readonly rules: RuleBook;
  readonly figures: Figures;
  close(): Promise<void>;
}

/** @throws StartupError, LockkeeperError */
export async function openTarget(
  settings: TargetSettings,
  { address, server }: TargetRedis,
  home: Home,
  log: Logger,
): Promise<Target> {
  const { name, label, environment, policy, formatRules } = settings;
  const rules = await RuleBook.open({ home, target: name, given: formatRules });
  const connections = await openConnections(address);
  const masters = openMasters(address);
  const journal = new Journal();
  const watcher = new Watcher(
    {
      target: name,
      watch: policy.watch,
      notifications: policy.notifications,
      rules: rules.rules,
    },
    masters,
    journal,
    log,
  );
  const figures = openFigures(name, watcher, journal);
  const sight = {
    isWhole: () => watcher.health().state === "live",
    now: () => watcher.clock.now(),
    onChange: (listener: () => void) => watcher.onChange(listener),
  };
  const recording = new Recording({ home: home.redis, target: name, journal, sight, log });
  watcher.start();
  recording.start();
  return {
    ...{ name, label, environment, policy },
    ...{ address: address.label, server: server.name },
    ...{ watcher, journal, rules, figures },
    locks: new Locks(connections.verbs, connections.wake, address.db, policy.lockable),
    async close() {
      figures.stop();
      watcher.stop();
      await recording.stop();
      masters.close();
      connections.close();
    },
  };
}

function openFigures(target: string, watcher: Watcher, journal: Journal): Figures {
  const figures = new Figures({
    target,
    now: () => watcher.clock.now(),
    holdOf: (key) => watcher.mirror.get(key),
  });
  watcher.onSeen((key, before, after, waitersOfFree) => figures.seen(key, before, after, waitersOfFree));
  journal.subscribe((event) => figures.event(event));
  figures.start();
  return figures;
}
