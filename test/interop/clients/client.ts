import type { Tools } from "../prepared.ts";

/** An interoperability test with software of other authors, such as a lock library, a database or a proxy. */
export interface Client {
  readonly name: string;
  readonly needs: readonly (keyof Tools)[];
  /**
   * Runs the test.
   *
   * @throws Skip if the machine lacks a tool that the test needs
   */
  run(bench: ClientContext): Promise<void>;
}

export interface ClientContext {
  readonly tools: Tools;
  /** Duration of the contention in seconds; undefined for the default of the test. */
  readonly seconds: number | undefined;
  /** Prints a line with measurements. */
  note(line: string): void;
  /** Declares that the test measures no times from now on, so that another test may run at the same time. */
  timed(): void;
}

/** A peer's reply to a request to acquire a lock. */
export interface AcquireResult {
  readonly outcome: "granted" | "refused";
  readonly atMs: number;
  readonly fence?: string | null;
}
export interface ReleaseResult {
  readonly outcome: "released" | "refused";
  readonly fromMs: number;
}
