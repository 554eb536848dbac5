import { readFileSync } from "node:fs";

const PAGE = new URL("../../../docs/go.md", import.meta.url);

/** Returns the programs in docs/go.md by the title of their code block. */
export function readGuidePrograms(): ReadonlyMap<string, string> {
  const blocks = readFileSync(PAGE, "utf8").matchAll(/^```go title=(\S+)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, title = "", text = ""]) => [title, text]));
}

/**
 * Returns one program of docs/go.md.
 *
 * @throws if there is no code block with this title
 */
export function readGuideProgram(title: string): string {
  const text = readGuidePrograms().get(title);
  if (text === undefined) throw new Error(`docs/go.md has no program ${title}`);
  return text;
}
