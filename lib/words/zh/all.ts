import type { Words } from "../all-words.ts";
import { formatFacts } from "./format-facts.ts";
import { keysHelp } from "./keys-help.ts";
import { lock } from "./lock.tsx";
import { login } from "./login.tsx";
import { pages } from "./pages.tsx";
import { palette } from "./palette.ts";
import { problems } from "./problems.ts";
import { shell } from "./shell.tsx";
import { table } from "./table.tsx";
import { titles } from "./titles.ts";
import { ui } from "./ui.ts";

export const zh: Words = {
  formatFacts,
  keysHelp,
  lock,
  login,
  pages,
  palette,
  problems,
  shell,
  titles,
  ui,
  table,
};
