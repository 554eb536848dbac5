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
 * Calls `onMessage` for each complete line. Does not validate messages, because only the supervisor and the guardian
 * can write to the pipe.
 */
export function readMessages<Message>(stream: Readable, onMessage: (message: Message) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onMessage(JSON.parse(line));
  });
}
