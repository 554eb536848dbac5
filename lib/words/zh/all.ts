import type { Words } from "../all-words.ts";
import { palette } from "./palette.ts";
import { shell } from "./shell.ts";

export const zh: Words = { palette, shell };
