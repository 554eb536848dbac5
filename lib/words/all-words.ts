import type { formatFacts } from "./en/format-facts.ts";
import type { keysHelp } from "./en/keys-help.ts";
import type { lock } from "./en/lock.tsx";
import type { login } from "./en/login.tsx";
import type { pages } from "./en/pages.tsx";
import type { palette } from "./en/palette.ts";
import type { problems } from "./en/problems.ts";
import type { shell } from "./en/shell.tsx";
import type { table } from "./en/table.tsx";
import type { titles } from "./en/titles.ts";
import type { ui } from "./en/ui.ts";

/** Every room's words: what a language has to say. English is their shape. */
export interface Words {
  lock: typeof lock;
  formatFacts: typeof formatFacts;
  keysHelp: typeof keysHelp;
  login: typeof login;
  pages: typeof pages;
  palette: typeof palette;
  problems: typeof problems;
  shell: typeof shell;
  titles: typeof titles;
  ui: typeof ui;
  table: typeof table;
}
