import type { FormatName } from "../contract/format.ts";
import type { FormatFacts } from "./format-facts.ts";
import { JVM_AND_OWN_FORMATS } from "./jvm-formats.ts";
import { NODE_AND_PYTHON_FORMATS } from "./node-and-python-formats.ts";
import { OTHER_FORMATS } from "./other-formats.ts";

/** Facts about each format and its libraries. */
export const FORMAT_FACTS: Readonly<Record<FormatName, FormatFacts>> = {
  ...JVM_AND_OWN_FORMATS,
  ...NODE_AND_PYTHON_FORMATS,
  ...OTHER_FORMATS,
};
