import { Counter, Gauge, type Registry } from "prom-client";
import { EVENT_TYPES, type EventType, type LockEvent } from "../../lib/contract/event.ts";
import type { Health } from "../../lib/contract/live.ts";
import { WRITE_REFUSALS } from "../../lib/contract/refusal.ts";
import type { LockStats } from "./lock-stats.ts";
import {
  COUNTER_DEFINITIONS,
  GAUGE_DEFINITIONS,
  type MetricDefinition,
  type TargetSample,
} from "./target-metric-definitions.ts";

/** The subset of a target from which its metrics are computed. */
export interface MeasuredTarget {
  readonly name: string;
  readonly stats: LockStats;
  readonly watcher: { health(): Health; readonly interruptions: number };
  readonly waits: WaitFigures;
  isRecorder(): boolean;
  readonly journal: { subscribe(listener: (event: LockEvent) => void): () => void };
}

/** Statistics of the wait-for graph. */
export interface WaitFigures {
  readonly deadlocks: { readonly length: number };
  /** Number of deadlocks found since the process started. */
  readonly deadlockCount: number;
  /** Returns the total time that clients have waited behind root blockers, by key pattern, longest first. */
  sumWaitedMsByPattern(): readonly { readonly pattern: string; readonly waitedMs: number }[];
}

/** The targets that are measured. Targets that are unreachable at startup are included once they open. */
export interface MeasuredTargets {
  readonly openTargets: readonly MeasuredTarget[];
  /** Names of the targets that are not open. */
  readonly unopenedNames: readonly string[];
  /** Calls `listener` immediately for each open target, and for each other target when it opens. */
  onOpen(listener: (target: MeasuredTarget) => void): void;
}

const MISSED_KINDS = ["found", "gone", "changed"] as const;

/** Registers the metrics of all targets. Gauges are computed at each scrape. Events are counted as they happen. */
export class TargetMetrics {
  constructor(
    private readonly registry: Registry,
    private readonly targets: MeasuredTargets,
    /** Maximum number of key patterns per target for which metrics are exported. */
    private readonly patterns: number,
  ) {
    this.#countEvents();
    for (const measure of GAUGE_DEFINITIONS) this.#addGauge(measure);
    for (const measure of COUNTER_DEFINITIONS) this.#addCounter(measure);
    this.#addMissed();
    this.#addWriteRefusals();
    this.#addHeld();
    this.#addDeadlocks();
    if (patterns > 0) {
      this.#addPatterns();
      this.#addRootBlockers();
    }
  }

  #countEvents(): void {
    const all: { readonly target: string; readonly counts: Map<EventType, number> }[] = [];
    this.targets.onOpen(({ name: target, journal }) => {
      // All series start at 0, so that an alert on an increase detects the first event of a type.
      const counts = new Map(EVENT_TYPES.map((type) => [type, 0]));
      journal.subscribe(({ type }) => void counts.set(type, (counts.get(type) ?? 0) + 1));
      all.push({ target, counts });
    });
    new Counter({
      name: "lockkeeper_events_total",
      help: "Lock events by type, as in GET /events.",
      labelNames: ["target", "type"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { target, counts } of all)
          for (const [type, count] of counts) this.inc({ target, type }, count);
      },
    });
  }

  #addGauge({ name, help, getValue, whileUnopened }: MetricDefinition): void {
    this.#createGauge(name, help, ["target"], (gauge) => {
      if (whileUnopened !== undefined) {
        for (const target of this.targets.unopenedNames) gauge.set({ target }, whileUnopened);
      }
      for (const target of this.targets.openTargets) {
        const now = getValue(toTargetSample(target));
        if (now !== null) gauge.set({ target: target.name }, now);
      }
    });
  }

  #addCounter({ name, help, getValue }: MetricDefinition): void {
    const { targets } = this;
    new Counter({
      name,
      help,
      labelNames: ["target"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const target of targets.openTargets)
          this.inc({ target: target.name }, getValue(toTargetSample(target)) ?? 0);
      },
    });
  }

  #addMissed(): void {
    const { targets } = this;
    new Counter({
      name: "lockkeeper_missed_changes_total",
      help: "Changes found by reads without a notification: locks found, gone, or with another holder (changed).",
      labelNames: ["target", "what"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name: target, watcher } of targets.openTargets) {
          const { missed } = watcher.health();
          for (const what of MISSED_KINDS) this.inc({ target, what }, missed[what]);
        }
      },
    });
  }

  #addWriteRefusals(): void {
    const help = "Masters that respond but refuse all writes, by reason.";
    this.#createGauge("lockkeeper_writes_refused", help, ["target", "reason"], (gauge) => {
      for (const { name: target, watcher } of this.targets.openTargets) {
        const { masters } = watcher.health();
        for (const reason of WRITE_REFUSALS) {
          const refusing = masters.filter(({ writesRefused }) => writesRefused === reason);
          gauge.set({ target, reason }, refusing.length);
        }
      }
    });
  }

  #addHeld(): void {
    const labels = ["target", "format", "liveness"];
    this.#createGauge("lockkeeper_locks_held", "Locks currently held.", labels, (gauge) => {
      for (const { name: target, stats } of this.targets.openTargets)
        for (const { format, liveness, held } of stats.holdGauge.listCounts())
          gauge.set({ target, format, liveness }, held);
    });
  }

  #addDeadlocks(): void {
    const { targets } = this;
    this.#createGauge("lockkeeper_deadlocks", "Deadlocks at present.", ["target"], (gauge) => {
      for (const { name: target, waits } of targets.openTargets)
        gauge.set({ target }, waits.deadlocks.length);
    });
    new Counter({
      name: "lockkeeper_deadlocks_total",
      help: "Deadlocks found since the process started.",
      labelNames: ["target"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { name: target, waits } of targets.openTargets) this.inc({ target }, waits.deadlockCount);
      },
    });
  }

  #addRootBlockers(): void {
    const help =
      "Total time for which the clients behind root blockers have been waiting so far, for the key patterns with the most.";
    this.#createGauge("lockkeeper_root_blocker_waited_seconds", help, ["target", "pattern"], (gauge) => {
      for (const { name: target, waits } of this.targets.openTargets)
        for (const { pattern, waitedMs } of waits.sumWaitedMsByPattern().slice(0, this.patterns))
          gauge.set({ target, pattern }, waitedMs / 1000);
    });
  }

  #addPatterns(): void {
    const labels = ["target", "pattern", "quantile"];
    const about = "for the key patterns with the most acquisitions in the last 24 hours";
    for (const [name, what, field] of [
      ["lockkeeper_pattern_held_seconds", "Typical hold time", "heldMs"],
      ["lockkeeper_pattern_waited_seconds", "Typical wait time", "waitedMs"],
    ] as const) {
      this.#createGauge(name, `${what} ${about}.`, labels, (gauge) => {
        for (const { name: target, stats } of this.targets.openTargets) {
          for (const { pattern, [field]: typical } of stats.listBusiest(this.patterns)) {
            if (typical === null) continue;
            gauge.set({ target, pattern, quantile: "0.5" }, typical.p50 / 1000);
            gauge.set({ target, pattern, quantile: "0.95" }, typical.p95 / 1000);
          }
        }
      });
    }
  }

  #createGauge(name: string, help: string, labelNames: string[], fill: (gauge: Gauge) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        fill(this);
      },
    });
  }
}

function toTargetSample(target: MeasuredTarget): TargetSample {
  const { stats, watcher } = target;
  return {
    stats,
    totals: stats.totals,
    health: watcher.health(),
    interruptions: watcher.interruptions,
    isRecorder: target.isRecorder(),
  };
}
