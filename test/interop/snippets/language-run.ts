import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SampleRequest } from "../../../lib/reference/sample-request.ts";
import { createSnippet, type SnippetLanguage } from "../../../lib/snippets/language.ts";
import { kill, start } from "../children.ts";

const RUN_MS = 60_000;
const STREAM_MS = 15_000;

/**
 * How the snippets of a language are run. They run in a single process, because starting a process takes longer than
 * running a snippet.
 */
export interface Runner {
  readonly language: SnippetLanguage;
  /**
   * Returns the path of a snippet's file relative to the folder of all snippets. The file may be in a subfolder of its
   * own.
   */
  getFileName(name: string): string;
  /** Compiles the snippets. Absent if they run unchanged. */
  compile?(dir: string): Promise<void>;
  /** Checks all files in a folder, for example with a linter or type checker. This may be slow. */
  check?(dir: string): Promise<void>;
  /** Returns the command that runs one snippet. */
  command(dir: string, name: string): readonly [string, ...string[]];
  /**
   * Returns the command that runs several snippets. It prints the line of `formatMarker` before each snippet and
   * continues after a failure.
   */
  getBatchCommand(dir: string, names: readonly string[]): Promise<readonly [string, ...string[]]>;
}

/** The status and body of the response that a snippet printed. */
export interface SnippetResponse {
  readonly name: string;
  readonly status: number;
  readonly body: string;
}

export const formatMarker = (name: string) => `=== ${name}`;

/**
 * Runs the snippets of the given requests against a server. Snippets of streams are stopped after their first message.
 */
export async function runSnippets(
  runner: Runner,
  requests: readonly SampleRequest[],
  { url, apiKey }: { url: string; apiKey: string },
): Promise<SnippetResponse[]> {
  const env = { ...process.env, LOCKKEEPER_API_KEY: apiKey };
  return await withTempDir(async (dir) => {
    await writeAll(dir, runner, requests, url);
    const streams = requests.filter(({ isStream }) => isStream);
    const names = requests.filter(({ isStream }) => !isStream).map(({ name }) => name);
    const [command, ...args] = await runner.getBatchCommand(dir, names);
    const output = await readOutput(
      start(command, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] }),
    );
    const said = names.map((name) => parseResponse(name, extractSection(output, name)));
    for (const { name } of streams) said.push(await readStreamStart(runner, dir, name, env));
    return said;
  });
}

export async function writeAll(
  dir: string,
  runner: Runner,
  requests: readonly SampleRequest[],
  url: string,
): Promise<void> {
  for (const request of requests) {
    const file = join(dir, runner.getFileName(request.name));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, createSnippet(runner.language, request, url));
  }
  await runner.compile?.(dir);
  await runner.check?.(dir);
}

/** Calls `work` with a temporary folder, which is removed afterwards. */
export async function withTempDir<Result>(work: (dir: string) => Promise<Result>): Promise<Result> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-snippets-"));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readStreamStart(
  runner: Runner,
  dir: string,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<SnippetResponse> {
  const [command, ...args] = runner.command(dir, name);
  const child = start(command, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
  try {
    return parseResponse(name, await waitForOutput(child, /^data: .*$/m, STREAM_MS));
  } finally {
    kill(child);
  }
}

/**
 * Waits until the output of a process matches.
 *
 * @throws if the process exits or `withinMs` passes before that
 */
export async function waitForOutput(child: ChildProcess, what: RegExp, withinMs: number): Promise<string> {
  let output = "";
  return await new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why} before it said ${what}:\n${output}`));
    const timer = setTimeout(() => fail(`${withinMs} ms were over`), withinMs);
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (!what.test(output)) return;
      clearTimeout(timer);
      resolve(output);
    };
    child.stdout?.on("data", collect);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => {
      clearTimeout(timer);
      fail("It ended");
    });
  });
}

/** Reads the standard output of a process until it exits. Standard error is included in the error message. */
async function readOutput(child: ChildProcess): Promise<string> {
  let [output, complaints] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const timer = setTimeout(() => kill(child), RUN_MS);
  const code = await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  clearTimeout(timer);
  if (code !== 0) throw new Error(`It failed:\n${complaints}\n${output.slice(-2000)}`);
  return output;
}

function extractSection(output: string, name: string): string {
  const begins = output.indexOf(`${formatMarker(name)}\n`);
  if (begins < 0) throw new Error(`The snippet ${name} was not run:\n${output}`);
  const text = output.slice(begins + formatMarker(name).length + 1);
  const ends = text.indexOf("\n=== ");
  return ends < 0 ? text : text.slice(0, ends);
}

/**
 * Parses the output of a snippet. curl prints the status line, the headers, an empty line and the body. Snippets in
 * other languages print the status and the body.
 */
function parseResponse(name: string, text: string): SnippetResponse {
  const [, status, rest = ""] = /^(?:HTTP\/[\d.]+ )?(\d{3})(.*)$/s.exec(text.trimStart()) ?? [];
  if (status === undefined) throw new Error(`The snippet ${name} said no status:\n${text}`);
  const isHttp = text.trimStart().startsWith("HTTP/");
  const body = isHttp ? rest.slice(rest.search(/\r?\n\r?\n/)) : rest;
  return { name, status: Number(status), body: body.trim() };
}
