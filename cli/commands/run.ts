import { constants, hostname } from "node:os";
import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { LOCKS_MAX } from "../../lib/contract/actions/acquire-all.ts";
import { LEASE_MS_MAX } from "../../lib/contract/actions/verb.ts";
import { WritableFormat } from "../../lib/contract/format.ts";
import type { OnDeadlock } from "../../server/formats/wait-declaration.ts";
import {
  addRedisOption,
  addServerOptions,
  chooseConnection,
  type RedisOption,
  type ServerOptions,
} from "../connection/choose-connection.ts";
import { CliError } from "../output/cli-error.ts";
import { formatDuration, parseDuration } from "../output/duration.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { readEnclosingHolds } from "../run/command-environment.ts";
import { RUN_LEASE_MS_MIN } from "../run/lease-margins.ts";
import type { RunOptions } from "../run/run-under-lock.ts";
import type { AddCommand, CliContext } from "./command-context.ts";
import { chooseKind, type KindOptions, parseKind, parsePermits, RUN_KINDS } from "./run-kinds.ts";

interface Options extends ServerOptions, RedisOption, KindOptions {
  readonly wait: number;
  readonly lease: number;
  readonly signal: NodeJS.Signals;
  readonly killAfter: number;
  readonly releaseSignal?: NodeJS.Signals;
  readonly onDeadlock?: OnDeadlock;
  readonly owner?: string;
  readonly format?: WritableFormat;
  readonly passApiKey?: true;
  readonly quiet?: true;
}

const HELP = `
The command starts only if the lock was acquired. Its lease is renewed until the command and all processes that it started
have exited, and then the lock is released. With several keys, all locks are acquired or none, nothing is held while
waiting, and the loss of one lock ends the command.

If the lock is lost, the processes receive --signal, and SIGKILL after --kill-after or shortly before the lease ends.
A guardian process does the same if lockkeeper itself is killed. If both are killed at the same time, the command continues
without the lock and another one can start. Pass LOCKKEEPER_FENCE to the resource that the lock protects, so that it can
reject late writes.

With --release-signal, an operator can ask in the console for the release. The command receives the signal, can finish its
step, and should then exit. It is not killed.

Environment of the command:
  LOCKKEEPER_KEY      the key
  LOCKKEEPER_FENCE    the fencing token, which increases with every hold of the key
  LOCKKEEPER_HOLD_ID  identifies the hold in the console and the API
  LOCKKEEPER_LOCKS    JSON: [{"key", "holdId", "fence"}] of all locks. The other variables are those of the first key
  LOCKKEEPER_HOLDING  hold ids of this run and the runs around it. A run inside the command declares them while it waits, so
                      that the server finds deadlocks

Exit codes:
  120  the lock is held by another client      121  the lock was lost while the command ran
  122  the server or Redis is unavailable      123  the API key is missing, wrong or not allowed to lock the key
  124  the request was refused                 125  usage error, or another error
  126  the command cannot be executed          127  the command was not found
  Otherwise, the exit code of the command, or 128 + N if signal N ended it.

Examples:
  lockkeeper run lock:cron:report -- ./report.sh
  lockkeeper run lock:deploy:api --wait 10m --lease 1m -- kubectl apply -f api.yaml
  lockkeeper run lock:orders lock:stock --wait 1m -- ./reconcile.sh
  lockkeeper run lock:migrations --kind fair --wait forever -- ./migrate.sh
  lockkeeper run lock:catalog --shared -- ./export.sh
  lockkeeper run lock:encoders --permits 1/4 --wait forever -- ./encode.sh
  lockkeeper run lock:backup --redis redis://127.0.0.1:6379 -- sh -c 'backup --fence "$LOCKKEEPER_FENCE"'
`;

/** Adds `lockkeeper run KEY -- COMMAND`, which runs a command while it holds locks. */
export const addRunCommand: AddCommand = (program, context) => {
  const command = program
    .command("run")
    .usage("[options] <key> [keys...] -- <command> [arguments...]")
    .description("Run a command while holding one or more locks.")
    .argument("<key>", `keys of the locks, at most ${LOCKS_MAX}`)
    .argument("<command...>", "the command and its arguments, after --");
  addRunOptions(addRedisOption(addServerOptions(command)))
    .addHelpText("after", HELP)
    .action(async (key: string, words: string[], options: Options) => {
      assertPlatform();
      const connection = chooseConnection(options, context.environment);
      const { keys, command: run } = splitWords([key, ...words], countWordsAfterDashes(program));
      const runOptions = createRunOptions(keys, run, options, context);
      const { openLocks } = await import("../run/open-locks.ts");
      const { runUnderLock } = await import("../run/run-under-lock.ts");
      const code = await runUnderLock(runOptions, () => openLocks(connection, options.target));
      context.setExitCode(code);
    });
};

function addRunOptions(command: Command): Command {
  const wait = new Option("--wait <duration>", "how long to wait for a held lock, such as 30s, or forever");
  const lease = new Option(
    "--lease <duration>",
    "the lock expires after this time unless it is renewed; 1s to 24h",
  );
  const signal = new Option("--signal <name>", "signal that ends the command when the lock is lost");
  const killAfter = new Option("--kill-after <duration>", "time between that signal and SIGKILL");
  const releaseSignal = new Option(
    "--release-signal <name>",
    "signal that the command receives when an operator requests the release; without it, operators cannot",
  );
  const format = new Option(
    "--format <name>",
    `how the lock is stored: ${WritableFormat.options.join(", ")}`,
  );
  const kind = new Option(
    "--kind <name>",
    `kind of the lock, only for a single key: ${RUN_KINDS.options.join(", ")}`,
  );
  const permits = new Option(
    "--permits <number/limit>",
    "acquire permits of a semaphore with this limit, such as 3/10, only for a single key; with --kind plain_semaphore, of one that JVMs use",
  );
  const onDeadlock = new Option(
    "--on-deadlock <action>",
    "what happens if the wait becomes part of a deadlock, only for a single key; refuse needs a server that watches the target",
  );
  return command
    .addOption(wait.argParser(parseWait).default(0, "0s"))
    .addOption(lease.argParser(parseLease).default(30_000, "30s"))
    .addOption(signal.argParser(parseSignal).default("SIGTERM", "TERM"))
    .addOption(killAfter.argParser(parseTime).default(5000, "5s"))
    .addOption(releaseSignal.argParser(parseSignal))
    .addOption(format.argParser(parseFormat))
    .addOption(kind.argParser(parseKind))
    .option("--shared", "share the lock with other readers, the same as --kind read")
    .addOption(permits.argParser(parsePermits))
    .addOption(onDeadlock.choices(["report", "refuse"]))
    .option("--owner <text>", "human-readable name of the holder (default: <host>:<pid>)")
    .option("--pass-api-key", "pass LOCKKEEPER_API_KEY on to the command")
    .option("--quiet", "print only errors");
}

/** Returns the number of command-line arguments after `--`, or `undefined` if there is no `--`. */
function countWordsAfterDashes(program: Command): number | undefined {
  const words: readonly string[] = "rawArgs" in program ? (program.rawArgs as string[]) : [];
  const at = words.indexOf("--");
  return at < 0 ? undefined : words.length - at - 1;
}

/**
 * Splits the arguments into the keys and the command. Without `--`, the first argument is the only key.
 *
 * @throws CliError
 */
function splitWords(words: readonly string[], afterDashes = words.length - 1) {
  const keys = words.slice(0, words.length - afterDashes);
  const command = words.slice(keys.length);
  if (keys.length === 0 || command.length === 0)
    throw new CliError(
      "Give the keys before -- and the command after it: lockkeeper run KEY -- COMMAND",
      EXIT_CODES.failure,
    );
  if (keys.length > LOCKS_MAX || new Set(keys).size !== keys.length)
    throw new CliError(`Give at most ${LOCKS_MAX} keys, each once.`, EXIT_CODES.failure);
  return { keys, command };
}

function createRunOptions(
  keys: readonly string[],
  words: readonly string[],
  options: Options,
  context: CliContext,
): RunOptions {
  const [name = ""] = words;
  const kind = chooseKind(keys, options);
  return {
    keys,
    command: words,
    leaseMs: options.lease,
    waitMs: options.wait,
    endSignal: options.signal,
    killAfterMs: options.killAfter,
    releaseSignal: options.releaseSignal,
    owner: options.owner ?? `${hostname()}:${process.pid}`,
    // Records the program name without its arguments, which can contain secrets.
    record: { host: hostname(), pid: process.pid, purpose: toRecordText(basename(name)) },
    format: options.format,
    kind,
    permits: options.permits?.permits,
    limit: options.permits?.limit,
    holding: readEnclosingHolds(context.environment.variables),
    onDeadlock: chooseOnDeadlock(keys, options),
    variables: context.environment.variables,
    apiKey: options.passApiKey === true ? "pass" : "remove",
    verbosity: options.quiet === true ? "quiet" : "normal",
  };
}

/**
 * @throws CliError if several keys are given with `refuse`, because deadlock detection does not cover waits for several
 * keys
 */
function chooseOnDeadlock(keys: readonly string[], { onDeadlock }: Options): OnDeadlock | undefined {
  if (keys.length > 1 && onDeadlock === "refuse")
    throw new CliError("Give a single key with --on-deadlock refuse.", EXIT_CODES.failure);
  return onDeadlock;
}

function toRecordText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?").slice(0, 100) || "?";
}

function assertPlatform(): void {
  if (process.platform !== "win32") return;
  throw new CliError(
    "`lockkeeper run` needs process groups and signals, which Windows does not have. Use WSL.",
    EXIT_CODES.failure,
  );
}

function parseTime(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("Give a duration such as 250ms, 30s, 5m or 2h.");
  return ms;
}

function parseWait(text: string): number {
  return text === "forever" ? Number.POSITIVE_INFINITY : parseTime(text);
}

function parseLease(text: string): number {
  const ms = parseTime(text);
  if (ms >= RUN_LEASE_MS_MIN && ms <= LEASE_MS_MAX) return ms;
  const [least, most] = [formatDuration(RUN_LEASE_MS_MIN), formatDuration(LEASE_MS_MAX)];
  throw new InvalidArgumentError(`The lease must be from ${least} to ${most}.`);
}

function parseSignal(text: string): NodeJS.Signals {
  const name = `SIG${text.toUpperCase().replace(/^SIG/, "")}`;
  for (const known of Object.keys(constants.signals)) if (known === name) return name as NodeJS.Signals;
  throw new InvalidArgumentError("Give the name of a signal, such as TERM or INT.");
}

function parseFormat(text: string): WritableFormat {
  const format = WritableFormat.safeParse(text);
  if (format.success) return format.data;
  throw new InvalidArgumentError(`Give one of ${WritableFormat.options.join(", ")}.`);
}
