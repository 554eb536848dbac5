import type { Health, MasterHealth } from "@/lib/contract/live.ts";
import type { Words } from "@/lib/i18n/en/messages.ts";
import type { LiveState } from "@/lib/live/live-store.ts";

type ShellWords = Words["shell"];

export type Tone = "ok" | "warn" | "bad" | "idle";

export interface Condition {
  tone: Tone;
  text: string;
  /** Read out when it changes, so without the figures that change all the time. */
  spoken: string;
}

/** One line that never says more than is known. `silence` in whole seconds. */
export function conditionOf(state: LiveState, silence: number | null, words: ShellWords): Condition {
  switch (state.connection) {
    case "logged_out":
      return plain("idle", words.loggedOut);
    case "asleep":
      return plain("idle", words.asleep);
    case "connecting":
      return plain("idle", words.connecting);
    case "stale":
      if (silence === null) return plain("bad", words.unreachable);
      return { tone: "bad", text: words.staleSince(silence), spoken: words.stale };
    case "live":
      return state.health === null ? plain("idle", words.connecting) : ofHealth(state.health, words);
  }
}

function ofHealth(health: Health, words: ShellWords): Condition {
  if (health.state === "down") return plain("bad", words.redisDown);
  if (health.state === "partial")
    return plain(health.majority === undefined ? "bad" : "warn", partialOf(health, words));
  if (health.state === "catching_up") return catchingUp(health, words);
  if (health.lagMs === null) return plain("ok", words.live);
  return { tone: "ok", text: words.liveBehind(formatLag(health.lagMs, words)), spoken: words.live };
}

function catchingUp({ scan }: Health, words: ShellWords): Condition {
  const text = scan?.keys
    ? words.catchingUpAt(Math.floor((100 * scan.scanned) / scan.keys))
    : words.catchingUp;
  return { tone: "warn", text, spoken: words.catchingUp };
}

/** What is known of how whole the picture is, a line each. */
export function wholenessOf(health: Health, words: ShellWords): string[] {
  const { now, scannedAt, scanMs, scan, missed, leftOut } = health;
  const changes = missed.found + missed.gone + missed.changed;
  return [
    scannedAt === null || scanMs === null
      ? words.neverScanned
      : words.scanned(formatAge(now - scannedAt), formatLag(scanMs, words)),
    scan === undefined ? null : scanning(scan, words),
    changes === 0 || missed.lastAt === null ? null : words.missed(changes, formatAge(now - missed.lastAt)),
    leftOut === undefined ? null : words.leftOut(leftOut),
  ].filter((line) => line !== null);
}

function scanning({ scanned, keys, ms }: NonNullable<Health["scan"]>, words: ShellWords): string {
  const all = keys === null ? null : keys.toLocaleString("en");
  return words.scanning(scanned.toLocaleString("en"), all, formatLag(ms, words));
}

function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} m` : `${Math.round(seconds / 3600)} h`;
}

/** "1 of 3 masters is down" */
export function partialOf(
  { masters }: { readonly masters: readonly Pick<MasterHealth, "state">[] },
  words: ShellWords,
): string {
  const down = masters.filter(({ state }) => state === "down").length;
  return words.mastersDown(down, masters.length);
}

function plain(tone: Tone, text: string): Condition {
  return { tone, text, spoken: text };
}

function formatLag(ms: number, words: ShellWords): string {
  if (ms < 1) return words.underOneMs;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Whether the target has not answered once, so that nothing is known of it. */
export function isNeverReached({ hello, health }: LiveState): boolean {
  return hello?.target.server === null && health?.state === "down";
}

/** Why nothing can be freed now; null when it can. */
export function freeBlock(state: LiveState, words: ShellWords): string | null {
  if (state.hello?.operator.may.includes("force") === false) return words.mayNotFree;
  if (state.hello?.target.readOnly) return words.targetReadOnly;
  return pictureBlock(state, words);
}

/** Why nothing can be done about what is shown; null when it is live. */
export function pictureBlock(state: LiveState, words: ShellWords): string | null {
  if (state.connection === "stale") return words.blockedStale;
  if (state.health?.state === "down") return words.blockedDown;
  return state.connection === "live" ? null : words.blockedNotLive;
}
