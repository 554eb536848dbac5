import { cp, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run } from "../children.ts";
import { HERE } from "../steps/cached-dir.ts";
import type { PythonTool } from "../steps/python.ts";
import { COMPILE_MS, type Command, DOCUMENT, GENERATE_MS } from "./smoke-client.ts";

const PACKAGE = "lockkeeper_client";
/** Matches the lines in which the generator reports what it omits from the client. */
const OMISSION = /^(?:Unable|Cannot|Attempted|Invalid|ERROR)\b.*$/gm;
/** The one accepted omission: the generator does not support streams of JSON lines. */
const LINES = "Unsupported content_type application/x-ndjson";

const MYPY = `[mypy]
# The generator's own text passes arguments of no type to httpx, whatever the document is.
[mypy-${PACKAGE}.client]
ignore_errors = True
`;
const IMPORT_ALL = `import importlib, pkgutil, ${PACKAGE} as client
for module in pkgutil.walk_packages(client.__path__, "${PACKAGE}."): importlib.import_module(module.name)
`;

/**
 * Generates a client with openapi-python-client, imports all of its modules, and checks its types and those of
 * smoke.py.
 */
export async function checkPythonSmoke(dir: string, { python, library }: PythonTool): Promise<Command> {
  // The generator runs ruff from PATH to format its output.
  const path = [join(library, "bin"), process.env.PATH].join(delimiter);
  const options = { cwd: dir, env: { ...process.env, PATH: path, PYTHONPATH: library } };
  const generate = ["generate", "--path", DOCUMENT, "--meta", "none", "--output-path", PACKAGE];
  const output = await run(python, ["-m", "openapi_python_client", ...generate], {
    ...options,
    limitMs: GENERATE_MS,
  });
  const omissions = output.match(OMISSION)?.filter((line) => !line.includes(LINES)) ?? [];
  if (omissions.length > 0)
    throw new Error(`The client lacks parts of the document:\n${omissions.join("\n")}`);
  await cp(join(HERE, "generated/smoke.py"), join(dir, "smoke.py"));
  await writeFile(join(dir, "mypy.ini"), MYPY);
  await run(python, ["-c", IMPORT_ALL], { ...options, limitMs: COMPILE_MS });
  await run(python, ["-m", "mypy", PACKAGE, "smoke.py"], { ...options, limitMs: COMPILE_MS });
  return ["env", `PYTHONPATH=${library}`, python, "smoke.py"];
}
