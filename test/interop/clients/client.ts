import type { Tools } from "../prepared.ts";

/** What a client needs, and what it has to prove. */
export interface Client {
  readonly name: string;
  readonly needs: readonly (keyof Tools)[];
  /** @throws Skip where the machine lacks something for it */
  run(bench: ClientContext): Promise<void>;
}

export interface ClientContext {
  readonly tools: Tools;
  /** How long sides contend; undefined: as long as the client wants. */
  readonly seconds: number | undefined;
  /** Tells the reader a figure. */
  note(line: string): void;
  /** From here on nothing is timed: others may run beside. */
  timed(): void;
}

/** What a peer answers, whatever it is written in. */
export interface AcquireResult {
  readonly outcome: "granted" | "refused";
  readonly atMs: number;
  readonly fence?: string | null;
}
export interface ReleaseResult {
  readonly outcome: "released" | "refused";
  readonly fromMs: number;
}
