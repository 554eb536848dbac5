import type { Health, MasterHealth } from "@/lib/contract/live.ts";
import type { LiveState } from "@/lib/live/store.ts";

export type Tone = "ok" | "warn" | "bad" | "idle";

export interface Condition {
  tone: Tone;
  text: string;
  /** Read out when it changes, so without the figures that change all the time. */
  spoken: string;
}

/** One line that never says more than is known. `silence` in whole seconds. */
export function conditionOf(state: LiveState, silence: number | null): Condition {
  switch (state.connection) {
    case "logged_out":
      return plain("idle", "logged out");
    case "asleep":
      return plain("idle", "asleep");
    case "connecting":
      return plain("idle", "connecting");
    case "stale":
      if (silence === null) return plain("bad", "Lockkeeper cannot be reached");
      return { tone: "bad", text: `stale since ${silence} s`, spoken: "stale" };
    case "live":
      return state.health === null ? plain("idle", "connecting") : ofHealth(state.health);
  }
}

function ofHealth(health: Health): Condition {
  if (health.state === "down") return plain("bad", "Redis is down");
  if (health.state === "partial")
    return plain(health.majority === undefined ? "bad" : "warn", partialOf(health));
  if (health.state === "catching_up") return catchingUp(health);
  if (health.lagMs === null) return plain("ok", "live");
  return { tone: "ok", text: `live, ${formatLag(health.lagMs)} behind`, spoken: "live" };
}

function catchingUp({ scan }: Health): Condition {
  const share = scan?.keys ? `, ${Math.floor((100 * scan.scanned) / scan.keys)} %` : "";
  return { tone: "warn", text: `catching up${share}`, spoken: "catching up" };
}

/** What is known of how whole the picture is, a line each. */
export function wholenessOf({ now, scannedAt, scanMs, scan, missed, leftOut }: Health): string[] {
  const { found, gone, changed, lastAt } = missed;
  const sum = found + gone + changed;
  return [
    ...(scannedAt === null || scanMs === null
      ? ["All keys have not been gone through yet."]
      : [`All keys were gone through ${formatAge(now - scannedAt)} ago, in ${formatLag(scanMs)}.`]),
    ...(scan === undefined ? [] : [`Under way: ${progressOf(scan)}, for ${formatLag(scan.ms)}.`]),
    ...(sum === 0 || lastAt === null
      ? []
      : [
          `${sum} ${sum === 1 ? "change was" : "changes were"} found that Redis never told of, the last ${formatAge(now - lastAt)} ago.`,
        ]),
    ...(leftOut === undefined ? [] : [`${leftOut} locks or more are left out: the picture is full.`]),
  ];
}

function progressOf({ scanned, keys }: NonNullable<Health["scan"]>): string {
  const all = keys === null ? "" : ` of ${keys.toLocaleString("en")}`;
  return `${scanned.toLocaleString("en")}${all} keys`;
}

function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** "1 of 3 masters is down" */
export function partialOf({ masters }: { readonly masters: readonly Pick<MasterHealth, "state">[] }): string {
  const down = masters.filter(({ state }) => state === "down").length;
  return `${down} of ${masters.length} masters ${down === 1 ? "is" : "are"} down`;
}

function plain(tone: Tone, text: string): Condition {
  return { tone, text, spoken: text };
}

function formatLag(ms: number): string {
  if (ms < 1) return "under 1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Whether the target has not answered once, so that nothing is known of it. */
export function isNeverReached({ hello, health }: LiveState): boolean {
  return hello?.target.server === null && health?.state === "down";
}

/** Why nothing can be freed now; null when it can. */
export function freeBlock(state: LiveState): string | null {
  if (state.hello?.operator.may.includes("force") === false)
    return "Your role at this target may look, not free.";
  if (state.hello?.target.readOnly) return "This target is read-only: nothing is ever written to it.";
  return pictureBlock(state);
}

/** Why nothing can be done about what is shown; null when it is live. */
export function pictureBlock(state: LiveState): string | null {
  if (state.connection === "stale")
    return "The picture is stale: nothing can be done until it is live again.";
  if (state.health?.state === "down") return "Redis is down: nothing can be done until it is back.";
  if (state.connection !== "live") return "Not connected: nothing can be done until the picture is live.";
  return null;
}
