import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";

/** `once`: the stream ends with its first picture. */
export type StreamMode = "stream" | "poll";

export type SessionState = "in" | "out" | "unknown" | "unreachable";

export interface StreamSource {
  close(): void;
}

/** What the stream needs of the browser; tests bring their own. */
export interface StreamPorts {
  /**
   * Asks for one of the few connections that tabs of one browser may keep open. Tells at once or soon whether there is
   * one.
   * @returns gives it back, or asks no more
   */
  acquireSlot(onChange: (hasPlace: boolean) => void): () => void;
  /** Opens the stream; a message that is not understood comes as undefined. */
  open(url: string, on: { message(message: LiveMessage | undefined): void; error(): void }): StreamSource;
  url(view: LiveView, mode: StreamMode): string;
  changeView(stream: string, view: LiveView): Promise<"done" | "gone" | "out" | "failed">;
  /** `unknown`: the server responded, and could not tell. `unreachable`: it did not respond. */
  checkSession(): Promise<SessionState>;
  timer(run: () => void, afterMs: number): () => void;
  random(): number;
  page: { hidden(): boolean; onChange(listener: () => void): () => void };
}
