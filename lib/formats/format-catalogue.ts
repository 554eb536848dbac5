import type { FormatName } from "../contract/format.ts";
import type { FormatFacts } from "./format-facts.ts";
import { JVM_AND_OURS } from "./jvm-formats.ts";
import { NODE_AND_PYTHON } from "./node-and-python-formats.ts";
import { OTHERS } from "./other-formats.ts";

/** What is known of each format. */
export const FORMAT_FACTS: Readonly<Record<FormatName, FormatFacts>> = {
  ...JVM_AND_OURS,
  ...NODE_AND_PYTHON,
  ...OTHERS,
};
