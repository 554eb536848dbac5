import type { Experiment } from "../figure.ts";
import { bytes, bytesOfMany } from "./bytes.ts";
import { expired } from "./expired.ts";
import { firstSnapshot } from "./first-snapshot.ts";
import { idle } from "./idle.ts";
import { lag } from "./lag.ts";
import { list } from "./list.ts";
import { notify } from "./notify.ts";
import { polling } from "./polling.ts";
import { startHealth } from "./start-health.ts";
import { waits } from "./waits.ts";

/** Figures of watching: the cost of finding locks, keeping their state and showing them. */
export const watch: readonly Experiment[] = [
  firstSnapshot,
  startHealth,
  bytes,
  bytesOfMany,
  list,
  lag,
  idle,
  notify,
  expired,
  waits,
  polling,
];
