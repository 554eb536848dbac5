import type { Health, MasterHealth } from "@/lib/contract/live.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import type { LiveState } from "@/lib/live/live-store.ts";

type ShellMessages = Messages["shell"];

export type ConnectionTone = "ok" | "warn" | "bad" | "idle";

export interface ConnectionStatus {
  tone: ConnectionTone;
  text: string;
  /** Read out when it changes, so without the figures that change all the time. */
  announcement: string;
}

/** One line that never says more than is known. `silence` in whole seconds. */
export function getConnectionStatus(
  state: LiveState,
  silence: number | null,
  words: ShellMessages,
): ConnectionStatus {
  switch (state.connection) {
    case "logged_out":
      return createStatus("idle", words.loggedOut);
    case "asleep":
      return createStatus("idle", words.asleep);
    case "connecting":
      return createStatus("idle", words.connecting);
    case "stale":
      if (silence === null) return createStatus("bad", words.unreachable);
      return { tone: "bad", text: words.staleSince(silence), announcement: words.stale };
    case "live":
      return state.health === null
        ? createStatus("idle", words.connecting)
        : getHealthStatus(state.health, words);
  }
}

function getHealthStatus(health: Health, words: ShellMessages): ConnectionStatus {
  if (health.state === "down") return createStatus("bad", words.redisDown);
  if (health.state === "partial")
    return createStatus(health.majority === undefined ? "bad" : "warn", formatMastersDown(health, words));
  if (health.state === "catching_up") return getCatchUpStatus(health, words);
  if (health.lagMs === null) return createStatus("ok", words.live);
  return { tone: "ok", text: words.liveBehind(formatLag(health.lagMs, words)), announcement: words.live };
}

function getCatchUpStatus({ scan }: Health, words: ShellMessages): ConnectionStatus {
  const text = scan?.keys
    ? words.catchingUpAt(Math.floor((100 * scan.scanned) / scan.keys))
    : words.catchingUp;
  return { tone: "warn", text, announcement: words.catchingUp };
}

/** What is known of how whole the picture is, a line each. */
export function describeCompleteness(health: Health, words: ShellMessages): string[] {
  const { now, scannedAt, scanMs, scan, missed, leftOut } = health;
  const changes = missed.found + missed.gone + missed.changed;
  return [
    scannedAt === null || scanMs === null
      ? words.neverScanned
      : words.scanned(formatAge(now - scannedAt), formatLag(scanMs, words)),
    scan === undefined ? null : formatScanProgress(scan, words),
    changes === 0 || missed.lastAt === null ? null : words.missed(changes, formatAge(now - missed.lastAt)),
    leftOut === undefined ? null : words.leftOut(leftOut),
  ].filter((line) => line !== null);
}

function formatScanProgress(
  { scanned, keys, ms }: NonNullable<Health["scan"]>,
  words: ShellMessages,
): string {
  const all = keys === null ? null : keys.toLocaleString("en");
  return words.scanning(scanned.toLocaleString("en"), all, formatLag(ms, words));
}

function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} m` : `${Math.round(seconds / 3600)} h`;
}

/** "1 of 3 masters is down" */
export function formatMastersDown(
  { masters }: { readonly masters: readonly Pick<MasterHealth, "state">[] },
  words: ShellMessages,
): string {
  const down = masters.filter(({ state }) => state === "down").length;
  return words.mastersDown(down, masters.length);
}

function createStatus(tone: ConnectionTone, text: string): ConnectionStatus {
  return { tone, text, announcement: text };
}

function formatLag(ms: number, words: ShellMessages): string {
  if (ms < 1) return words.underOneMs;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Whether the target has not answered once, so that nothing is known of it. */
export function isTargetNeverReached({ hello, health }: LiveState): boolean {
  return hello?.target.server === null && health?.state === "down";
}

/** Why nothing can be freed now; null when it can. */
export function getReleaseBlockedReason(state: LiveState, words: ShellMessages): string | null {
  if (state.hello?.operator.may.includes("force") === false) return words.mayNotFree;
  if (state.hello?.target.readOnly) return words.targetReadOnly;
  return getActionBlockedReason(state, words);
}

/** Why nothing can be done about what is shown; null when it is live. */
export function getActionBlockedReason(state: LiveState, words: ShellMessages): string | null {
  if (state.connection === "stale") return words.blockedStale;
  if (state.health?.state === "down") return words.blockedDown;
  return state.connection === "live" ? null : words.blockedNotLive;
}
