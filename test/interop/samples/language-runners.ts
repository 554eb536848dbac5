import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../children.ts";
import { GoWorkspace } from "../go-module/installed.ts";
import { installPythonPackage } from "../python-package/installed.ts";
import { findProgram } from "../steps/find.ts";
import { findGo, GO_ENV } from "../steps/go.ts";
import { shellRunner, typescriptRunner } from "./runners.ts";
import type { SampleRunner } from "./sample-runner.ts";

const GO_MODULE_STEPS = join(import.meta.dirname, "../go-module");
const PACKAGE_EXAMPLE = "steps.py";
const PACKAGE_EXAMPLES = join(import.meta.dirname, "../../../packages/python/examples");
const BUILD_MS = 120_000;
const VERSION_MS = 10_000;

/** A sample in a language whose tools may not be available on a machine. */
export interface LanguageSample {
  readonly language: string;
  readonly fileName: string;
  /** Returns the runner of the sample. Undefined if the tools of the language are not available. */
  findRunner(): Promise<SampleRunner | undefined>;
}

export const LANGUAGE_SAMPLES: readonly LanguageSample[] = [
  {
    language: "shell",
    fileName: shellRunner.fileName,
    findRunner: async () => (findProgram("curl") === undefined ? undefined : shellRunner),
  },
  {
    language: "TypeScript",
    fileName: typescriptRunner.fileName,
    findRunner: async () => typescriptRunner,
  },
  {
    language: "Python",
    fileName: "safe_lock.py",
    async findRunner() {
      const python = findProgram("python3");
      if (python === undefined) return undefined;
      // The program on PATH may be a script that starts Python. Signals must reach Python itself.
      const print = ["-c", "import sys; print(sys.executable)"];
      return createPythonSampleRunner((await run(python, print, { limitMs: VERSION_MS })).trim());
    },
  },
  {
    language: "Python with the package",
    fileName: PACKAGE_EXAMPLE,
    async findRunner() {
      return findProgram("python3") === undefined
        ? undefined
        : createPackageRunner(await installPythonPackage());
    },
  },
  {
    language: "Go",
    fileName: "safelock.go",
    async findRunner() {
      const go = findGo();
      return go === undefined ? undefined : createGoSampleRunner(go);
    },
  },
  {
    language: "Go with the module",
    fileName: "steps.go",
    async findRunner() {
      return findGo() === undefined ? undefined : createGoModuleRunner();
    },
  },
  {
    language: "Java",
    fileName: "SafeLock.java",
    async findRunner() {
      const [java, javac] = [findProgram("java"), findProgram("javac")];
      return java === undefined || javac === undefined ? undefined : createJavaSampleRunner(java, javac);
    },
  },
];

function createPythonSampleRunner(python: string): SampleRunner {
  return {
    fileName: "safe_lock.py",
    rowsAtOnce: 10,
    works: ["steps", "child"],
    driver: readDriver("driver.py"),
    command: () => [python, "safe_lock.py"],
    exampleCommand: () => [python, "safe_lock.py"],
  };
}

/**
 * Creates a runner for an example of the Python package, which imports the installed wheel. Its driver is separate,
 * because the example has none of the sample's functions.
 */
function createPackageRunner(python: string): SampleRunner {
  return {
    ...createPythonSampleRunner(python),
    fileName: PACKAGE_EXAMPLE,
    folder: PACKAGE_EXAMPLES,
    driver: readDriver("package_driver.py"),
    command: () => [python, PACKAGE_EXAMPLE],
    exampleCommand: () => [python, PACKAGE_EXAMPLE],
  };
}

function createGoSampleRunner(go: string): SampleRunner {
  return {
    fileName: "safelock.go",
    rowsAtOnce: 10,
    works: ["steps", "child"],
    driver: readDriver("driver.go"),
    async build(dir) {
      const options = { cwd: dir, env: GO_ENV, limitMs: BUILD_MS };
      const gofmt = join(dirname(go), "gofmt");
      if ((await run(gofmt, ["-l", "safelock.go"], options)) !== "") throw new Error("gofmt would change it");
      await run(go, ["vet", "safelock.go"], options);
      await run(go, ["build", "-o", "safelock", "safelock.go"], options);
    },
    command: (dir) => [join(dir, "safelock")],
    exampleCommand: (dir) => [join(dir, "safelock")],
  };
}

/**
 * Creates a runner for an example of the packed Go module. The module does not start commands, so the only kind of work
 * is `steps`.
 */
function createGoModuleRunner(): SampleRunner {
  return {
    fileName: "steps.go",
    folder: GO_MODULE_STEPS,
    rowsAtOnce: 10,
    works: ["steps"],
    driver: readDriver("module_driver.go"),
    async build(dir) {
      const workspace = await GoWorkspace.create();
      await workspace.build(dir).finally(() => workspace.remove());
    },
    command: (dir) => [join(dir, "program")],
    exampleCommand: (dir) => [join(dir, "program")],
  };
}

function createJavaSampleRunner(java: string, javac: string): SampleRunner {
  // These flags shorten the start of several JVMs at the same time.
  const command = (dir: string) =>
    [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", dir, "SafeLock"] as const;
  return {
    fileName: "SafeLock.java",
    rowsAtOnce: 6,
    works: ["steps", "child"],
    driver: readDriver("driver.java"),
    async build(dir) {
      const args = [
        "--release",
        "17",
        "-encoding",
        "US-ASCII",
        "-Xlint:all,-serial",
        "-Werror",
        "SafeLock.java",
      ];
      await run(javac, args, { cwd: dir, limitMs: BUILD_MS });
    },
    command,
    exampleCommand: command,
  };
}

function readDriver(name: string): string {
  return readFileSync(join(import.meta.dirname, "drivers", name), "utf8");
}
