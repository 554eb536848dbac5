import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toJavaClassName } from "../../../lib/snippets/java.ts";
import { run } from "../children.ts";
import { formatMarker, type Runner } from "./language-run.ts";

const COMPILE_MS = 60_000;
const TSX = import.meta.resolve("tsx");
const TYPES = fileURLToPath(new URL("../../../node_modules/@types", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));

export const curlRunner: Runner = {
  language: "curl",
  getFileName: (name) => `${name}.sh`,
  command: (_, name) => ["bash", `${name}.sh`],
  async getBatchCommand(dir, names) {
    const lines = names.map((name) => `echo '${formatMarker(name)}'\nbash ./${name}.sh\necho`);
    await writeFile(join(dir, "all.sh"), lines.join("\n"));
    return ["bash", "all.sh"];
  },
};

export const typescriptRunner: Runner = {
  language: "typescript",
  getFileName: (name) => `${name}.mts`,
  async check(dir) {
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [TYPES],
    };
    await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
    await run(TSC, ["-p", dir], { limitMs: COMPILE_MS });
  },
  command: (_, name) => [process.execPath, "--import", TSX, `${name}.mts`],
  async getBatchCommand(dir, names) {
    const lines = names.map(
      (name) => `console.log("${formatMarker(name)}");\nawait import("./${name}.mts");`,
    );
    await writeFile(join(dir, "all.mjs"), lines.join("\n"));
    return [process.execPath, "--import", TSX, "all.mjs"];
  },
};

export function createPythonRunner(python: string): Runner {
  return {
    language: "python",
    getFileName: (name) => `${name}.py`,
    command: (_, name) => [python, "-u", `${name}.py`],
    async getBatchCommand(dir, names) {
      const lines = names.map((name) => `print("${formatMarker(name)}")\nrunpy.run_path("${name}.py")`);
      await writeFile(join(dir, "all.py"), `import runpy\n${lines.join("\n")}\n`);
      return [python, "-u", "all.py"];
    },
  };
}

export function createJavaRunner(java: string, javac: string): Runner {
  return {
    language: "java",
    getFileName: (name) => `${toJavaClassName(name)}.java`,
    async compile(dir) {
      await run("sh", ["-c", '"$0" -encoding US-ASCII -d . *.java', javac], {
        cwd: dir,
        limitMs: COMPILE_MS,
      });
    },
    command: (dir, name) => [java, "-cp", dir, toJavaClassName(name)],
    async getBatchCommand(dir, names) {
      const calls = names.map(
        (name) => `System.out.println("${formatMarker(name)}");\n    ${toJavaClassName(name)}.main(args);`,
      );
      const text = `public class All {\n  public static void main(String[] args) throws Exception {\n    ${calls.join("\n    ")}\n  }\n}\n`;
      await writeFile(join(dir, "All.java"), text);
      await run(javac, ["-d", ".", "-cp", ".", "All.java"], { cwd: dir, limitMs: COMPILE_MS });
      return [java, "-cp", dir, "All"];
    },
  };
}
