import type { Logger } from "pino";
import type { Topology } from "../../lib/contract/target.ts";
import { StartupError } from "../errors/startup-error.ts";
import { read } from "../formats/registry/read-keys.ts";
import type { Retention } from "../history/event-index.ts";
import { Journal } from "../history/journal.ts";
import { type OpenStore, Recording } from "../history/recording.ts";
import type { Home } from "../home/home-store.ts";
import { openBackend, type Where } from "../locks/backends/open-backend.ts";
import { openQuorum } from "../locks/quorum/open-quorum.ts";
import type { Backend } from "../locks/verbs/backend.ts";
import { isAsked } from "../locks/verbs/safety.ts";
import type { OperatorVerbs } from "../locks/verbs/verbs.ts";
import type { Masters } from "../redis/master.ts";
import { openMasters } from "../redis/masters/open-masters.ts";
import { Figures } from "../stats/lock-stats.ts";
import { RuleBook } from "../watch/annotations/format-rule-store.ts";
import { Notes } from "../watch/annotations/notes.ts";
import { Runbooks } from "../watch/annotations/runbooks.ts";
import { Finder } from "../watch/finder/finder.ts";
import { Watcher } from "../watch/watcher.ts";
import { labelOf, reach, topologyOf } from "./probe-target.ts";
import type { TargetSettings } from "./target-settings.ts";

/** One Redis that is open: the picture of its locks, what happened to them, and the verbs. */
export interface Target extends Pick<TargetSettings, "name" | "label" | "environment" | "policy"> {
  readonly topology: Topology;
  /** Where it is, safe to print. */
  readonly address: string;
  /** "Redis 7.0.15" */
  readonly server: string;
  readonly masters: Masters;
  readonly watcher: Watcher;
  readonly journal: Journal;
  readonly locks: OperatorVerbs;
  readonly rules: RuleBook;
  readonly notes: Notes;
  readonly figures: Figures;
  /** Whether this instance is the one that writes the target's history. */
  isRecorder(): boolean;
  readonly finder: Finder;
  close(): Promise<void>;
}

/** A target of which is known where it is: the embedded Redis, too. */
export type PlacedSettings = TargetSettings & { readonly where: Where; readonly locksMax: number };

/** @throws StartupError when it cannot be reached, or cannot hold locks for us */
export async function openTarget(settings: PlacedSettings, around: Around): Promise<Target> {
  const { name, label, environment, policy, where, setting } = settings;
  const server = await reach(where, setting);
  const backend = await openVerbs(settings).catch((error: unknown) => {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `Redis at ${labelOf(where)} answered once but does not keep our connections; see its log.`,
    );
  });
  const rules = await RuleBook.open({ home: around.home, target: name, given: settings.formatRules });
  const notes = await Notes.open(around.home, name);
  return {
    ...{ name, label, environment, policy, rules, notes },
    topology: topologyOf(where),
    address: labelOf(where),
    server: server.name,
    locks: backend.verbs,
    ...watched(settings, { masters: openMasters(where), backend, rules, notes }, around),
  };
}

/** What a target needs of the process. */
export interface Around {
  readonly home: Home;
  readonly openStore: OpenStore;
  readonly retention: Retention;
  readonly log: Logger;
}

/** A quorum of whatever number is looked at as it is; an even one is a finding of its health. */
function openVerbs({ where, policy: { lockable }, safety }: PlacedSettings): Promise<Backend> {
  const isQuorum = typeof where !== "string" && "quorum" in where && !isAsked(safety ?? {});
  return isQuorum ? openQuorum(where, lockable, "any") : openBackend(where, lockable, safety);
}

interface Opened {
  readonly masters: Masters;
  readonly backend: Backend;
  readonly rules: RuleBook;
  readonly notes: Notes;
}

function watched(
  { name, policy, locksMax, runbooks = [] }: PlacedSettings,
  { masters, backend, rules, notes }: Opened,
  { openStore, retention, log }: Around,
) {
  const journal = new Journal(retention);
  const { watch, notifications, readOnly } = policy;
  const options = {
    ...{ target: name, watch, notifications, readOnly, locksMax, rules: rules.rules },
    runbooks: new Runbooks(runbooks),
  };
  const watcher = new Watcher(options, masters, journal, log);
  const figures = openFigures(name, watcher, journal);
  const finder = new Finder({
    masters,
    watch,
    read: (master, keys) => read(master.redis, keys, rules.rules, masters.spread),
    isWatched: (key) => watcher.isWatched(key),
  });
  watcher.showNotes(notes);
  rules.onLoaded(() => watcher.useRules(rules.rules));
  const sight = {
    isWhole: () => watcher.isWhole,
    now: () => watcher.clock.now(),
    onChange: (listener: () => void) => watcher.onChange(listener),
  };
  const recording = new Recording({ openStore, target: name, journal, sight, log });
  watcher.start();
  recording.start();
  const close = async () => {
    figures.stop();
    notes.close();
    finder.cancel();
    watcher.stop();
    await recording.stop();
    masters.close();
    backend.close();
  };
  const isRecorder = () => recording.recorder.isLeading;
  return { masters, journal, watcher, figures, finder, isRecorder, close };
}

function openFigures(target: string, watcher: Watcher, journal: Journal): Figures {
  const figures = new Figures({
    target,
    now: () => watcher.clock.now(),
    holdOf: (key) => watcher.mirror.get(key),
    abnormal: () => watcher.mirror.abnormal,
  });
  watcher.onSeen((key, before, after, waitersOfFree) => figures.seen(key, before, after, waitersOfFree));
  journal.subscribe((event) => figures.event(event));
  journal.onRemembered((entries) => figures.remember(entries));
  watcher.waiting = () => figures.census.waiting;
  watcher.usualHeld = (key) => figures.usualHeldMs(key);
  figures.start();
  return figures;
}
