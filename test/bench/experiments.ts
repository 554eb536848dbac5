import { core } from "./core/core.ts";
import type { Experiment } from "./figure.ts";
import { http } from "./http/http.ts";
import { ui } from "./ui/ui.ts";
import { watch } from "./watch/watch.ts";

export const EXPERIMENTS: readonly Experiment[] = [...core, ...http, ...watch, ...ui];

export const FIGURES: readonly string[] = EXPERIMENTS.flatMap(({ figures }) => figures);

/** Names of the figures that are measured only if they are requested by name. */
export const ON_DEMAND: readonly string[] = EXPERIMENTS.flatMap(({ figures, isOnDemand }) =>
  isOnDemand ? figures : [],
);
