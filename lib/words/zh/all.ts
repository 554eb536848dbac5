import type { Words } from "../all-words.ts";
import { shell } from "./shell.ts";

export const zh: Words = { shell };
