import type { Words } from "../all-words.ts";
import { formatFacts } from "./format-facts.ts";
import { palette } from "./palette.ts";
import { shell } from "./shell.ts";

export const zh: Words = { formatFacts, palette, shell };
