import type { Readable } from "node:stream";
import type { LeaseMargins } from "./lease-margins.ts";
import type { SessionRef } from "./process-session.ts";
import type { SharedMoment } from "./shared-moment.ts";

/** Everything that the guardian needs to end the command without further messages from the supervisor. */
export interface GuardianOrders {
  readonly key: string;
  readonly session: SessionRef;
  /** The end of the lease. */
  readonly deadline: SharedMoment;
  readonly margins: LeaseMargins;
  readonly endSignal: NodeJS.Signals;
  readonly killAfterMs: number;
  /** The time at which the guardian sends SIGKILL. Set when the supervisor itself starts to end the command. */
  readonly killBy?: SharedMoment;
}

/**
 * Messages from the supervisor to the guardian, one JSON object per line. If the pipe ends without `done`, the
 * supervisor has exited unexpectedly.
 */
export type SupervisorMessage =
  | { readonly type: "watch"; readonly orders: GuardianOrders }
  | { readonly type: "extend"; readonly deadline: SharedMoment }
  | { readonly type: "ending"; readonly killBy: SharedMoment }
  | { readonly type: "done" };

/**
 * Messages from the guardian to the supervisor. `ready`: the guardian has started. `watching`: the guardian has
 * received a `watch` message and is watching the command. `ending`: the guardian ends the command, because the lease
 * was not extended in time.
 */
export type GuardianMessage = { readonly type: "ready" | "watching" | "ending" };

export function formatMessage(message: SupervisorMessage | GuardianMessage): string {
  return `${JSON.stringify(message)}\n`;
}

/**
 * Calls `onMessage` for each complete line that contains a valid message. Skips other lines, because a module that
 * NODE_OPTIONS loads into the guardian can also write to the pipe.
 */
export function readMessages<Message>(
  stream: Readable,
  isMessage: (value: unknown) => value is Message,
  onMessage: (message: Message) => void,
): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const value = parseLine(line);
      if (isMessage(value)) onMessage(value);
    }
  });
}

export function isGuardianMessage(value: unknown): value is GuardianMessage {
  return isRecord(value) && ["ready", "watching", "ending"].some((type) => type === value.type);
}

export function isSupervisorMessage(value: unknown): value is SupervisorMessage {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "watch":
      return isOrders(value.orders);
    case "extend":
      return isMoment(value.deadline);
    case "ending":
      return isMoment(value.killBy);
    default:
      return value.type === "done";
  }
}

/** Returns the value of a line of JSON, or `undefined` if the line is not JSON. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isOrders(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, session, deadline, margins, endSignal, killAfterMs, killBy } = value;
  return (
    typeof key === "string" &&
    isRecord(session) &&
    typeof session.leaderPid === "number" &&
    (session.startedAt === null || typeof session.startedAt === "string") &&
    isMoment(deadline) &&
    isRecord(margins) &&
    typeof margins.killBeforeMs === "number" &&
    typeof margins.signalBeforeMs === "number" &&
    typeof endSignal === "string" &&
    typeof killAfterMs === "number" &&
    (killBy === undefined || isMoment(killBy))
  );
}

function isMoment(value: unknown): boolean {
  return isRecord(value) && typeof value.monotonicMs === "number" && typeof value.wallMs === "number";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
