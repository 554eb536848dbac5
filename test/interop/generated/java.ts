import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { HERE } from "../steps/cached-dir.ts";
import type { JavaGeneratorTool } from "../steps/java.ts";
import { COMPILE_MS, type Command, DOCUMENT, GENERATE_MS } from "./smoke-client.ts";

const OPTIONS = {
  library: "native",
  invokerPackage: "lockkeeper.client",
  apiPackage: "lockkeeper.client.api",
  modelPackage: "lockkeeper.client.model",
  openApiNullable: false,
  useJakartaEe: true,
};

/** Generates a client with openapi-generator and compiles it together with Smoke.java. */
export async function compileJavaSmoke(
  dir: string,
  { java, javac, lib }: JavaGeneratorTool,
): Promise<Command> {
  const jars = join(lib, "*");
  const properties = Object.entries(OPTIONS).map(([name, value]) => `${name}=${value}`);
  await run(
    java,
    [
      ...["-cp", jars, "org.openapitools.codegen.OpenAPIGenerator", "generate", "-g", "java"],
      ...["-i", DOCUMENT, "-o", "client", `--additional-properties=${properties.join(",")}`],
      "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false",
    ],
    { cwd: dir, limitMs: GENERATE_MS },
  );
  const files = await readdir(join(dir, "client/src/main/java"), { recursive: true });
  const sources = files
    .filter((file) => file.endsWith(".java"))
    .map((file) => join("client/src/main/java", file));
  await writeFile(join(dir, "sources"), [...sources, join(HERE, "generated/Smoke.java")].join("\n"));
  const args = ["-encoding", "UTF-8", "-nowarn", "-d", "classes", "-cp", jars, "@sources"];
  await run(javac, args, { cwd: dir, limitMs: COMPILE_MS });
  return [java, "-cp", `classes:${jars}`, "Smoke"];
}
