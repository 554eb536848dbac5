import type { Health, MasterHealth } from "@/lib/contract/live.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import type { LiveState } from "@/lib/live/live-store.ts";
import { formatSpan, type UnitMessages } from "../ui/format-duration.ts";

type ShellMessages = Messages["shell"];

export type ConnectionTone = "ok" | "warn" | "bad" | "idle";

export interface ConnectionStatus {
  tone: ConnectionTone;
  text: string;
  /**
   * The connection state for screen readers. Must not contain numbers that change constantly, because screen readers
   * announce each change.
   */
  announcement: string;
}

/**
 * Describes the connection to the server and, while connected, the state of the target.
 *
 * @param silentSeconds seconds since the last message of the live stream; `null` before the first message
 */
export function getConnectionStatus(
  state: LiveState,
  silentSeconds: number | null,
  messages: ShellMessages,
  units: UnitMessages,
): ConnectionStatus {
  switch (state.connection) {
    case "logged_out":
      return createStatus("idle", messages.loggedOut);
    case "asleep":
      return createStatus("idle", messages.asleep);
    case "refused":
      return createStatus("idle", messages.notConnected);
    case "connecting":
      return createStatus("idle", messages.connecting);
    case "reconnecting":
      return createStatus("warn", messages.reconnecting);
    case "stale":
      if (silentSeconds === null) return createStatus("bad", messages.unreachable);
      return {
        tone: "bad",
        text: messages.reconnectingSince(silentSeconds),
        announcement: messages.staleAnnouncement,
      };
    case "live":
      return state.health === null
        ? createStatus("idle", messages.connecting)
        : getHealthStatus(state.health, messages, units);
  }
}

function getHealthStatus(health: Health, messages: ShellMessages, units: UnitMessages): ConnectionStatus {
  if (health.state === "down") return createStatus("bad", messages.redisDown);
  if (health.state === "partial")
    return createStatus(health.majority === undefined ? "bad" : "warn", formatMastersDown(health, messages));
  if (health.state === "catching_up") return getCatchUpStatus(health, messages);
  if (health.roundTripUs === null) return createStatus("ok", messages.live);
  return {
    tone: "ok",
    text: messages.liveBehind(formatLag(health.roundTripUs / 1000, messages, units)),
    announcement: messages.live,
  };
}

function getCatchUpStatus({ scan }: Health, messages: ShellMessages): ConnectionStatus {
  const text = scan?.keys
    ? messages.catchingUpAt(Math.floor((100 * scan.scanned) / scan.keys))
    : messages.catchingUp;
  return { tone: "warn", text, announcement: messages.catchingUp };
}

/** Formats how many masters are unreachable: `1 of 3 masters is unreachable`. */
export function formatMastersDown(
  { masters }: { readonly masters: readonly Pick<MasterHealth, "state">[] },
  messages: ShellMessages,
): string {
  const down = masters.filter(({ state }) => state === "down").length;
  return messages.mastersDown(down, masters.length);
}

function createStatus(tone: ConnectionTone, text: string): ConnectionStatus {
  return { tone, text, announcement: text };
}

export function formatLag(ms: number, messages: ShellMessages, units: UnitMessages): string {
  return ms < 1 ? messages.underOneMs : formatSpan(ms, units);
}

/** Returns whether Lockkeeper has never reached the target, so there is no data to show. */
export function isTargetNeverReached({ hello, health }: LiveState): boolean {
  return hello?.target.server === null && health?.state === "down";
}

/** Returns why the operator cannot release locks now; `null` if releases are possible. */
export function getReleaseBlockedReason(state: LiveState, messages: ShellMessages): string | null {
  return getReleaseForbiddenReason(state, messages) ?? getActionBlockedReason(state, messages);
}

/**
 * Returns why the operator is not allowed to release locks of the target (insufficient access or a read-only target);
 * `null` if releases are allowed.
 */
export function getReleaseForbiddenReason(state: LiveState, messages: ShellMessages): string | null {
  if (state.hello?.operator.may.includes("force") === false) return messages.releaseForbidden;
  return state.hello?.target.readOnly ? messages.targetReadOnly : null;
}

/** Returns why all actions are disabled; `null` if the data is live and the target is reachable. */
export function getActionBlockedReason(state: LiveState, messages: ShellMessages): string | null {
  if (state.connection === "stale") return messages.blockedStale;
  if (state.health?.state === "down") return messages.blockedDown;
  return state.connection === "live" ? null : messages.blockedNotLive;
}
