import type { LiveMessage, LiveView } from "@/lib/contract/live.ts";
import type { StreamAccess } from "../api/session-endpoints.ts";

/**
 * Mode of a connection. `stream`: the connection stays open. `poll`: the connection ends after the first complete
 * state.
 */
export type StreamMode = "stream" | "poll";

export interface StreamSource {
  close(): void;
}

/** The browser functions that the stream uses. Tests pass fake functions. */
export interface StreamPorts {
  /**
   * Requests one of the slots for open streams that the tabs of a browser share. Calls `onChange` immediately or later,
   * with `true` if this tab can keep a stream open and `false` if it must poll.
   *
   * @returns a function that releases the slot or withdraws the request
   */
  acquireSlot(onChange: (hasPlace: boolean) => void): () => void;
  /** Opens the stream. Calls `message` with `undefined` for a message that cannot be parsed. */
  open(url: string, on: { message(message: LiveMessage | undefined): void; error(): void }): StreamSource;
  url(view: LiveView, mode: StreamMode): string;
  changeView(stream: string, view: LiveView): Promise<"done" | "gone" | "out" | "failed">;
  checkAccess(): Promise<StreamAccess>;
  timer(run: () => void, afterMs: number): () => void;
  random(): number;
  page: { hidden(): boolean; onChange(listener: () => void): () => void };
}
