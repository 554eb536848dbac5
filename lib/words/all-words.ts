import type { formatFacts } from "./en/format-facts.ts";
import type { palette } from "./en/palette.ts";
import type { shell } from "./en/shell.ts";

/** Every room's words: what a language has to say. English is their shape. */
export interface Words {
  formatFacts: typeof formatFacts;
  palette: typeof palette;
  shell: typeof shell;
}
