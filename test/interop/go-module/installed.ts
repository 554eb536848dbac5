import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GO_MODULE, readGoModulePath, writeGoProxy } from "../../../scripts/pack/go-module.mjs";
import { readRootManifest } from "../../../scripts/pack/package-files.mjs";
import { run } from "../children.ts";
import { Skip } from "../skip.ts";
import { findGo, GO_ENV } from "../steps/go.ts";

const LIMIT_MS = 180_000;

/** Runs Go without network access, with a module proxy that contains only Lockkeeper's packed Go module. */
export class GoWorkspace {
  private constructor(
    private readonly go: string,
    private readonly dir: string,
  ) {}

  /**
   * Creates a workspace with the module proxy in a temporary folder.
   *
   * @throws Skip if Go is not available
   */
  static async create(): Promise<GoWorkspace> {
    const go = findGo();
    if (go === undefined) throw new Skip("no Go on this machine");
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-go-"));
    writeGoProxy(join(dir, "proxy"));
    return new GoWorkspace(go, dir);
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }

  /**
   * Builds the program in `dir` as a module whose only requirement is Lockkeeper's module.
   *
   * @returns the path of the executable
   */
  async build(dir: string): Promise<string> {
    await writeFile(join(dir, "go.mod"), "module example.com/program\n\ngo 1.22\n");
    const module = `${readGoModulePath()}@v${readRootManifest().version}`;
    await this.#run(dir, ["get", module]);
    await this.#check(dir);
    await this.#run(dir, ["build", "-o", "program", "."]);
    return join(dir, "program");
  }

  /**
   * Writes a program to a file in a new folder and builds it.
   *
   * @returns the path of the executable
   */
  async buildText(file: string, text: string): Promise<string> {
    const dir = join(this.dir, "programs", file);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, file), text);
    return await this.build(dir);
  }

  /**
   * Checks Lockkeeper's module and runs its tests.
   *
   * @returns the output of the tests
   */
  async test(env: Record<string, string>): Promise<string> {
    const dir = join(this.dir, "module");
    await cp(GO_MODULE, dir, { recursive: true });
    await this.#check(dir);
    return await this.#run(dir, ["test", "-v", "-count=1", "-timeout=170s", "."], env);
  }

  async #run(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    return await run(this.go, args, { cwd, env: { ...this.#env, ...env }, limitMs: LIMIT_MS });
  }

  async #check(dir: string): Promise<void> {
    const options = { cwd: dir, limitMs: LIMIT_MS };
    const unformatted = await run(join(dirname(this.go), "gofmt"), ["-l", "."], options);
    if (unformatted !== "") throw new Error(`gofmt would change ${unformatted}`);
    await this.#run(dir, ["vet", "."]);
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      ...GO_ENV,
      GOPROXY: `file://${join(this.dir, "proxy")}`,
      GOMODCACHE: join(this.dir, "modcache"),
      GOFLAGS: "-mod=mod -modcacherw",
      GOSUMDB: "off",
    };
  }
}
