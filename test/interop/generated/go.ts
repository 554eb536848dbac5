import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { HERE } from "../steps/cached-dir.ts";
import { GO_ENV, type GoGeneratorTool } from "../steps/go.ts";
import { COMPILE_MS, type Command, DOCUMENT, GENERATE_MS } from "./smoke-client.ts";

const CONFIG = "oapi-codegen.yaml";
const SETTINGS = {
  package: "client",
  generate: { models: true, client: true },
  output: "client/client.gen.go",
};

/** Generates a client with oapi-codegen, checks it with `go vet`, and builds it together with main.go. */
export async function compileGoSmoke(dir: string, { go, generator }: GoGeneratorTool): Promise<Command> {
  await cp(join(HERE, "generated/go"), dir, { recursive: true });
  await mkdir(join(dir, "client"));
  await writeFile(join(dir, CONFIG), JSON.stringify(SETTINGS));
  await run(generator, ["-config", CONFIG, DOCUMENT], { cwd: dir, limitMs: GENERATE_MS });
  const options = { cwd: dir, env: GO_ENV, limitMs: COMPILE_MS };
  await run(go, ["vet", "./..."], options);
  await run(go, ["build", "-o", "smoke", "."], options);
  return ["./smoke"];
}
