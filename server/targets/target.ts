import type { Logger } from "pino";
import type { Topology } from "../../lib/contract/target.ts";
import { parseKeyFields } from "../../lib/keys/key.ts";
import { StartupError } from "../errors/startup-error.ts";
import { readKeys } from "../formats/registry/read-keys.ts";
import type { FindSignalledLibraries } from "../formats/release-signals.ts";
import { SeenLibraries } from "../formats/strings/seen-libraries.ts";
import type { EventRetention } from "../history/events/event-index.ts";
import { Journal } from "../history/journal.ts";
import { type OpenStore, Recording } from "../history/recording.ts";
import type { HomeStore } from "../home/home-store.ts";
import { openBackend, type RedisLocation } from "../locks/backends/open-backend.ts";
import { openQuorumBackend } from "../locks/quorum/open-quorum.ts";
import type { Backend } from "../locks/verbs/backend.ts";
import type { OperatorVerbs } from "../locks/verbs/contract/verbs.ts";
import { hasSafetyChecks } from "../locks/verbs/safety.ts";
import type { Masters } from "../redis/master.ts";
import { openMasters } from "../redis/masters/open-masters.ts";
import { LockStats } from "../stats/lock-stats.ts";
import { WaitMonitor, type WaitMonitorDeps } from "../waits/wait-monitor.ts";
import { FormatRuleStore } from "../watch/annotations/format-rule-store.ts";
import { Notes } from "../watch/annotations/notes.ts";
import { Runbooks } from "../watch/annotations/runbooks.ts";
import { EvidenceRecorder } from "../watch/evidence/evidence-recorder.ts";
import { EvidenceStore } from "../watch/evidence/evidence-store.ts";
import { Finder } from "../watch/finder/finder.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { recordEvidence } from "../watch/record-evidence.ts";
import { Watcher } from "../watch/watcher.ts";
import { formatLocation, getTopology, probeTarget } from "./probe-target.ts";
import type { TargetSettings } from "./target-settings.ts";

/** An open target, with the index of its locks, their history and the verbs. */
export interface Target extends Pick<TargetSettings, "name" | "label" | "environment" | "policy"> {
  readonly topology: Topology;
  /** Address without passwords. */
  readonly address: string;
  /** Name and version of the server, such as `Redis 7.0.15`. */
  readonly server: string;
  readonly masters: Masters;
  readonly watcher: Watcher;
  readonly journal: Journal;
  readonly locks: OperatorVerbs;
  readonly rules: FormatRuleStore;
  readonly notes: Notes;
  readonly stats: LockStats;
  /** Monitor that computes which clients wait for which locks, and finds deadlocks. */
  readonly waits: WaitMonitor;
  /** Whether this instance writes the target's history. */
  isRecorder(): boolean;
  readonly finder: Finder;
  close(): Promise<void>;
}

/** The settings of a target whose address is known. The address of the embedded Redis is known after its start. */
export type LocatedTargetSettings = TargetSettings & {
  readonly where: RedisLocation;
  readonly locksMax: number;
};

/** Opens a target. @throws StartupError if the target cannot be reached or does not support locks */
export async function openTarget(settings: LocatedTargetSettings, deps: TargetDeps): Promise<Target> {
  const { name, label, environment, policy, where, setting } = settings;
  const server = await probeTarget(where, setting);
  const libraries = new SeenLibraries();
  const backend = await openTargetBackend(settings, libraries).catch((error: unknown) => {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `Redis at ${formatLocation(where)} responded but closes Lockkeeper's connections. The log of Redis may have the cause.`,
    );
  });
  const rules = await FormatRuleStore.open({
    home: deps.home,
    target: name,
    configuredRules: settings.formatRules,
    lockable: policy.lockable,
  });
  const notes = await Notes.open(deps.home, name);
  const evidence = await EvidenceRecorder.open(new EvidenceStore(deps.home, name), { log: deps.log });
  const parts = {
    masters: openMasters(where, policy.readOnly ? "reads" : "reads_and_writes"),
    backend,
    rules,
    notes,
    libraries,
    evidence,
  };
  return {
    ...{ name, label, environment, policy, rules, notes },
    topology: getTopology(where),
    address: formatLocation(where),
    server: server.name,
    locks: backend.verbs,
    ...startWatching(settings, parts, deps),
  };
}

/** Components of the process that all targets share. */
export interface TargetDeps {
  readonly home: HomeStore;
  readonly openStore: OpenStore;
  readonly retention: EventRetention;
  readonly log: Logger;
}

/**
 * Opens the verbs of a target. Accepts a quorum with any number of masters. An even number is not an error, but causes
 * a health finding.
 */
function openTargetBackend(
  { where, policy: { lockable, readOnly }, safety, fairWaitMs }: LocatedTargetSettings,
  libraries: SeenLibraries,
): Promise<Backend> {
  const isQuorum = typeof where !== "string" && "quorum" in where && !hasSafetyChecks(safety ?? {});
  if (isQuorum) return openQuorumBackend(where, lockable, "any");
  const use = readOnly ? "reads" : "reads_and_writes";
  const findSignalledLibraries: FindSignalledLibraries = (key) => libraries.find(key);
  return openBackend(where, lockable, safety, {
    findSignalledLibraries,
    use,
    fairWaitMs,
    fewVerbs: "together",
  });
}

interface OpenedParts {
  readonly masters: Masters;
  readonly backend: Backend;
  readonly rules: FormatRuleStore;
  readonly notes: Notes;
  readonly libraries: SeenLibraries;
  readonly evidence: EvidenceRecorder;
}

function startWatching(
  { name, policy, locksMax, runbooks = [] }: LocatedTargetSettings,
  { masters, backend, rules, notes, libraries, evidence }: OpenedParts,
  { openStore, retention, log }: TargetDeps,
) {
  const journal = new Journal(retention);
  const { watch, notifications, readOnly } = policy;
  const options = {
    ...{ target: name, watch, notifications, readOnly, locksMax, rules: rules.rules },
    runbooks: new Runbooks(runbooks),
    restoreHold: evidence.restoreHold,
  };
  const watcher = new Watcher(options, masters, journal, log);
  const stats = startLockStats(name, watcher, journal);
  const finder = new Finder({
    masters,
    watch,
    readKeys: async ({ reads }, keys) =>
      readKeys(await reads.waitUntilReady(), keys, rules.rules, masters.routing),
    isWatched: (key) => watcher.isWatched(key),
    isAlwaysListed: (key) => watcher.isAlwaysListed(key),
  });
  watcher.attachNotes(notes);
  rules.onLoaded(() => watcher.setFormatRules(rules.rules));
  libraries.getRules = () => watcher.formatRules;
  watcher.onReading((_key, _before, _after, _waiters, observation) => libraries.record(observation));
  const observationSession = {
    isWhole: () => watcher.isComplete,
    now: () => watcher.clock.now(),
    onChange: (listener: () => void) => watcher.onChange(listener),
    onMiss: (listener: (from: number) => void) => watcher.onLongUnseenHold(listener),
  };
  const waits = startWaitMonitor({ watcher, masters, canWrite: !readOnly, log }, journal);
  const recording = new Recording({ openStore, target: name, journal, session: observationSession, log });
  backend.verbs.onHoldChange?.((change, key, fence) => watcher.recordVerbReply(change, key, fence));
  recordEvidence(evidence, watcher, () => !recording.recorder.isFollowing);
  watcher.start();
  recording.start();
  const close = async () => {
    stats.stop();
    waits.stop();
    notes.close();
    rules.close();
    finder.cancel();
    await evidence.stop();
    watcher.stop();
    await recording.stop();
    masters.close();
    backend.close();
  };
  const isRecorder = () => recording.recorder.isLeading;
  return { masters, journal, watcher, waits, stats, finder, isRecorder, close };
}

/** Returns the hold if it is listed, otherwise `undefined`. The statistics thus omit the same locks as the lists. */
function selectListed(hold: ObservedHold | undefined): ObservedHold | undefined {
  return hold?.isListed === true ? hold : undefined;
}

function startWaitMonitor(deps: WaitMonitorDeps, journal: Journal): WaitMonitor {
  const waits = new WaitMonitor(deps);
  deps.watcher.countDeadlocks = () => waits.deadlocks.length;
  journal.subscribe((event) => {
    const key = parseKeyFields(event);
    if (event.type === "waiting") waits.markKey(key);
    else waits.markKnownKey(key);
  });
  return waits;
}

function startLockStats(target: string, watcher: Watcher, journal: Journal): LockStats {
  const stats = new LockStats({
    target,
    now: () => watcher.clock.now(),
    findHold: (key) => watcher.index.get(key),
    countNeedingAttention: () => watcher.index.attentionCounts,
  });
  watcher.onReading((key, before, after, waitersOfFree) =>
    stats.onHoldChange(key, selectListed(before), selectListed(after), waitersOfFree),
  );
  journal.subscribe((event) => stats.onEvent(event));
  journal.onPastEvents((entries) => stats.addPastEvents(entries));
  watcher.countWaiters = () => stats.holdGauge.waiting;
  watcher.getTypicalHeldMs = (key) => stats.getTypicalHeldMs(key);
  stats.start();
  return stats;
}
