import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT_KEY, startTestServer } from "../../support/test-server.ts";
import { run } from "../children.ts";
import type { Client, ClientContext } from "../clients/client.ts";
import type { Tools } from "../prepared.ts";
import { withTempDir } from "../snippets/language-run.ts";
import { HERE } from "../steps/cached-dir.ts";

const GENERATE_MS = 60_000;
const COMPILE_MS = 90_000;
const SMOKE_MS = 30_000;
const DOCUMENT = "openapi.json";

/** Clients that generators of others make from the document, compiled, and used as an app would first use them. */
export const generatedClients: readonly Client[] = [
  createGeneratedClient("Java (openapi-generator)", "javaGenerator", compileJavaSmoke),
  createGeneratedClient("TypeScript (@hey-api/openapi-ts)", "typescriptGenerator", compileTypescriptSmoke),
];

function createGeneratedClient(
  name: string,
  tool: keyof Tools,
  smoke: (dir: string, bench: ClientContext) => Promise<readonly [string, ...string[]]>,
): Client {
  return {
    name: `client generated in ${name}`,
    needs: [tool],
    async run(bench) {
      const server = await startTestServer();
      try {
        await withTempDir(async (dir) => {
          const { body } = await server.call("/openapi.json");
          await writeFile(join(dir, DOCUMENT), JSON.stringify(body));
          const [command, ...args] = await smoke(dir, bench);
          const env = { ...process.env, LOCKKEEPER_API_KEY: ROOT_KEY };
          await run(command, [...args, server.url], { cwd: dir, env, limitMs: SMOKE_MS });
        });
      } finally {
        await server.stop();
      }
      bench.note("it compiles, and acquires, renews and reads a hold, is refused, looks and releases");
    },
  };
}

/** @returns what runs the smoke test, but for the server's address */
async function compileJavaSmoke(
  dir: string,
  { tools }: ClientContext,
): Promise<readonly [string, ...string[]]> {
  const { java, javac, lib } = tools.javaGenerator;
  const jars = join(lib, "*");
  const options = {
    library: "native",
    invokerPackage: "lockkeeper.client",
    apiPackage: "lockkeeper.client.api",
    modelPackage: "lockkeeper.client.model",
    openApiNullable: false,
    useJakartaEe: true,
  };
  const properties = Object.entries(options).map(([name, value]) => `${name}=${value}`);
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

async function compileTypescriptSmoke(
  dir: string,
  { tools }: ClientContext,
): Promise<readonly [string, ...string[]]> {
  const modules = join(tools.typescriptGenerator.dir, "node_modules");
  await symlink(modules, join(dir, "node_modules"));
  const files: Readonly<Record<string, object>> = {
    "package.json": { type: "module" },
    "openapi-ts.config.json": {
      input: DOCUMENT,
      output: { path: "client", importFileExtension: ".js" },
      logs: { level: "silent" },
    },
    "tsconfig.json": {
      compilerOptions: {
        ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true, outDir: "out" },
        types: ["node"],
      },
      include: ["smoke.mts", "client/**/*.ts"],
    },
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(dir, name), JSON.stringify(content));
  await cp(join(HERE, "generated/smoke.mts"), join(dir, "smoke.mts"));
  await mkdir(join(dir, "out"));
  const bin = (name: string) => join(modules, ".bin", name);
  await run(bin("openapi-ts"), ["-f", "openapi-ts.config.json"], { cwd: dir, limitMs: GENERATE_MS });
  await run(bin("tsc"), ["-p", "."], { cwd: dir, limitMs: COMPILE_MS });
  return [process.execPath, "out/smoke.mjs"];
}
