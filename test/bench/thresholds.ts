/** Required limits of Lockkeeper's own value of a figure (`ours`), or of its ratio to a peer. */
export interface Threshold {
  readonly of:
    | "ours"
    | "raw"
    | "bare"
    | "next"
    | "scan"
    | "quiet"
    | "1k"
    | "one-tab"
    | "same"
    | "without"
    | "release"
    | "own"
    | "redlock"
    | "redis-semaphore";
  readonly least?: number;
  readonly most?: number;
  /** Long-term goal for the value or ratio. */
  readonly goal?: number;
}

/** The requirements of each figure. A run reports the missed ones, but does not fail. */
export const THRESHOLDS: Readonly<Record<string, readonly Threshold[]>> = {
  "core.pairs.c64": [{ of: "raw", least: 0.75 }],
  "core.pairs.console": [{ of: "raw", least: 0.6 }],
  "core.commands.pair": [{ of: "ours", most: 12 }],
  "core.redis.bytes": [{ of: "ours", most: 350 }],
  "core.redis.leftover": [{ of: "ours", most: 0 }],
  "core.handoff.p50": [{ of: "bare", most: 2, goal: 1.2 }],
  "core.handoff.p99": [{ of: "bare", most: 3, goal: 1.5 }],
  "core.handoff.foreign.p99": [{ of: "own", most: 10, goal: 2 }],
  "core.contended.handovers": [
    { of: "redlock", least: 10, goal: 30 },
    { of: "redis-semaphore", least: 3, goal: 5 },
  ],
  "core.contended.p99": [{ of: "ours", most: 3, goal: 1.5 }],
  "http.pairs.c32": [
    { of: "bare", least: 0.6 },
    { of: "next", least: 8 },
  ],
  "http.cpu": [{ of: "bare", most: 1.7 }],
  "http.force.p99": [{ of: "release", most: 3, goal: 1.5 }],
  "http.busy.p99": [{ of: "quiet", most: 2, goal: 1.2 }],
  "http.mem.waiter": [{ of: "ours", most: 8 * 1024 }],
  "http.mem.stream": [{ of: "ours", most: 64 * 1024 }],
  "watch.discover": [{ of: "scan", most: 1.5, goal: 1.1 }],
  "watch.probe.p99": [{ of: "quiet", most: 4, goal: 1.5 }],
  "watch.start.health.p99": [{ of: "quiet", most: 3 }],
  "watch.mirror.bytes.100k": [{ of: "ours", most: 1024, goal: 400 }],
  "watch.mirror.bytes.1m": [{ of: "ours", most: 1024, goal: 400 }],
  "watch.list.p99.100k": [{ of: "1k", most: 3, goal: 1.5 }],
  "watch.lag.p99": [{ of: "ours", most: 150, goal: 50 }],
  "watch.lag.p99.1tab": [{ of: "ours", most: 150, goal: 50 }],
  "watch.idle": [{ of: "one-tab", most: 1.05, goal: 1 }],
  "watch.idle.renewing": [{ of: "ours", most: 0.2, goal: 0.1 }],
  "watch.notify.cost": [{ of: "same", least: 0.5, goal: 0.7 }],
  "watch.notify.cost.1pattern": [{ of: "same", least: 0.6, goal: 0.8 }],
  "watch.waits.pairs": [{ of: "without", least: 0.8, goal: 0.95 }],
  "watch.waits.cpu": [{ of: "without", most: 1.5, goal: 1.1 }],
  "watch.waits.redis.cpu": [{ of: "without", most: 1.15, goal: 1.05 }],
  "watch.expired.p99": [{ of: "ours", most: 250 }],
  "ui.firstload.gzip": [{ of: "ours", most: 195 * 1024, goal: 170 * 1024 }],
  "ui.firstrows": [{ of: "ours", most: 1000 }],
  "ui.filter.longtask": [{ of: "ours", most: 50, goal: 16 }],
  "ui.scroll.longtask": [{ of: "ours", most: 50, goal: 16 }],
  "ui.busy.longtask": [{ of: "ours", most: 50, goal: 16 }],
  "ui.paused.moves": [{ of: "ours", most: 0 }],
  "ui.memory.growth": [{ of: "ours", most: 0.05 }],
};
