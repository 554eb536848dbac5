import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";

/** Whether the stream stays open (`stream`) or ends after the first complete state (`poll`). */
export type StreamMode = "stream" | "poll";

export type SessionState = "in" | "out" | "unknown" | "unreachable";

export interface StreamSource {
  close(): void;
}

/** The browser functions that the stream uses. Tests replace them. */
export interface StreamPorts {
  /**
   * Requests one of the connections that the tabs of a browser may keep open. Calls `onChange` now or soon.
   *
   * @returns a function that releases the connection or withdraws the request
   */
  acquireSlot(onChange: (hasPlace: boolean) => void): () => void;
  /** Opens the stream. `message` receives `undefined` for a message that cannot be parsed. */
  open(url: string, on: { message(message: LiveMessage | undefined): void; error(): void }): StreamSource;
  url(view: LiveView, mode: StreamMode): string;
  changeView(stream: string, view: LiveView): Promise<"done" | "gone" | "out" | "failed">;
  /**
   * Checks whether the session is active. `unknown`: the server responded but could not check the session.
   * `unreachable`: the server did not respond.
   */
  checkSession(): Promise<SessionState>;
  timer(run: () => void, afterMs: number): () => void;
  random(): number;
  page: { hidden(): boolean; onChange(listener: () => void): () => void };
}
