import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";

/** With `poll`, the stream ends after the first complete state. */
export type StreamMode = "stream" | "poll";

export type SessionState = "in" | "out" | "unknown" | "unreachable";

export interface StreamSource {
  close(): void;
}

/** The browser functions that the stream uses, which tests replace. */
export interface StreamPorts {
  /**
   * Requests one of the connections that the tabs of a browser may keep open. Calls `onChange` immediately or soon.
   *
   * @returns a function that releases the connection or withdraws the request
   */
  acquireSlot(onChange: (hasPlace: boolean) => void): () => void;
  /** Opens the stream. Messages that cannot be parsed are passed as `undefined`. */
  open(url: string, on: { message(message: LiveMessage | undefined): void; error(): void }): StreamSource;
  url(view: LiveView, mode: StreamMode): string;
  changeView(stream: string, view: LiveView): Promise<"done" | "gone" | "out" | "failed">;
  /** Checks the session. `unknown`: the server responded but could not check it. `unreachable`: it did not respond. */
  checkSession(): Promise<SessionState>;
  timer(run: () => void, afterMs: number): () => void;
  random(): number;
  page: { hidden(): boolean; onChange(listener: () => void): () => void };
}
