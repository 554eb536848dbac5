import type { Tools } from "../prepared.ts";

/** A client, and what it has to prove. */
export interface Client {
  readonly name: string;
  readonly needs: readonly (keyof Tools)[];
  /** Runs the client. @throws Skip if the machine lacks something that it needs */
  run(bench: ClientContext): Promise<void>;
}

export interface ClientContext {
  readonly tools: Tools;
  /** How long the sides contend; undefined for the default of the client. */
  readonly seconds: number | undefined;
  /** Prints a figure. */
  note(line: string): void;
  /** Declares that nothing is timed from now on, so that other clients may run at the same time. */
  timed(): void;
}

/** The answer of a peer, in whatever language it is written. */
export interface AcquireResult {
  readonly outcome: "granted" | "refused";
  readonly atMs: number;
  readonly fence?: string | null;
}
export interface ReleaseResult {
  readonly outcome: "released" | "refused";
  readonly fromMs: number;
}
