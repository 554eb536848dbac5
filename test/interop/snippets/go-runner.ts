import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../children.ts";
import { GO_ENV } from "../steps/go.ts";
import { formatMarker, type Runner } from "./language-run.ts";

const BUILD_MS = 120_000;
const MAIN_FILE = "main.go";
/** Folder and file name of the program that contains all snippets. */
const BATCH = "batch";

/**
 * Creates a runner for Go. Each snippet is a package that is checked unchanged. Copies of all snippets are built into a
 * single program, because linking about fifty programs would take too long.
 */
export function createGoRunner(go: string): Runner {
  return {
    language: "go",
    getFileName: (name) => join(name, MAIN_FILE),
    async compile(dir) {
      await writeFile(join(dir, "go.mod"), "module snippets\n\ngo 1.21\n");
      const names = await listSnippets(dir);
      await writeBatch(dir, names);
      await run(go, ["build", "-o", `${BATCH}/`, `./${BATCH}`], { cwd: dir, env: GO_ENV, limitMs: BUILD_MS });
    },
    async check(dir) {
      await run(go, ["vet", "./..."], { cwd: dir, env: GO_ENV, limitMs: BUILD_MS });
      const gofmt = join(dirname(go), "gofmt");
      const files = (await listSnippets(dir)).map((name) => join(name, MAIN_FILE));
      const unformatted = await run(gofmt, ["-l", ...files], { cwd: dir, limitMs: BUILD_MS });
      if (unformatted !== "") throw new Error(`gofmt would change ${unformatted}`);
    },
    command: (dir, name) => [join(dir, BATCH, BATCH), name],
    getBatchCommand: async (dir, names) => [join(dir, BATCH, BATCH), "--all", ...names],
  };
}

async function listSnippets(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && entry.name !== BATCH).map(({ name }) => name);
}

async function writeBatch(dir: string, names: readonly string[]): Promise<void> {
  await mkdir(join(dir, BATCH));
  for (const name of names) {
    const text = await readFile(join(dir, name, MAIN_FILE), "utf8");
    await writeFile(join(dir, BATCH, `${name}.go`), text.replace("func main()", `func ${name}()`));
  }
  const entries = names.map((name) => `\t"${name}": ${name},\n`).join("");
  const text = `package main

import (
	"fmt"
	"os"
)

var snippets = map[string]func(){
${entries}}

func main() {
	if os.Args[1] != "--all" {
		snippets[os.Args[1]]()
		return
	}
	for _, name := range os.Args[2:] {
		fmt.Println("${formatMarker("")}" + name)
		snippets[name]()
	}
}
`;
  await writeFile(join(dir, BATCH, MAIN_FILE), text);
}
