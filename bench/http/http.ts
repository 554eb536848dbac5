import type { Experiment } from "../figure.ts";
import { memory } from "./memory.ts";
import { pairs } from "./pairs.ts";

/** What the API costs, beside the least handler of the same scripts, Next, and servers that others run. */
export const http: readonly Experiment[] = [pairs, memory];
