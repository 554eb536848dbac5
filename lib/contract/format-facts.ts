import type { FormatName } from "./format.ts";
import type { FormatFacts } from "./format-fact.ts";
import { JVM_AND_OURS } from "./format-facts-jvm.ts";
import { NODE_AND_PYTHON } from "./format-facts-node-python.ts";
import { OTHERS } from "./format-facts-others.ts";

/** What is known of each format. */
export const FORMAT_FACTS: Readonly<Record<FormatName, FormatFacts>> = {
  ...JVM_AND_OURS,
  ...NODE_AND_PYTHON,
  ...OTHERS,
};
