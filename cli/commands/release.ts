import { type Command, InvalidArgumentError } from "commander";
import { ForceReleased, type ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import { isLikelyAlive } from "../../lib/contract/actions/looks-alive.ts";
import { FormatName } from "../../lib/contract/format.ts";
import { REASON_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { encodeKeyPath, type Key } from "../../lib/keys/key.ts";
import { addServerOptions, chooseServer, type ServerOptions } from "../connection/choose-connection.ts";
import { ServerApi } from "../connection/server-api.ts";
import { CliError } from "../output/cli-error.ts";
import { formatDuration, parseDuration } from "../output/duration.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { formatLockDetails } from "../output/lock-details.ts";
import { formatWaiters } from "../output/lock-table.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";
import { createServerSource } from "./locks-source.ts";
import { parseKeyArgument } from "./show.ts";

const HELP = `
Releases the hold that the version identifies, or nothing if the lock has changed since. The old holder may still be
working: only a fencing token at the resource stops its writes. The server records the action and the reason in its
audit log.

On a terminal, the version and the reason can be left out: the lock is shown, and you are asked.

Examples:
  $ lockkeeper release lock:orders:42
  $ lockkeeper release lock:orders:42 --version fence.1795216496123456 --reason 'pod-7 lost its node' --yes
  $ lockkeeper release lock:orders:42 --reserve 60s --reason 'migration'`;

interface ReleaseOptions extends ServerOptions {
  readonly version?: string;
  readonly reason?: string;
  readonly format?: FormatName;
  readonly reserve?: number;
  readonly releaseUnverified?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Adds `lockkeeper release`, which force-releases a lock through a server. */
export function addReleaseCommand(program: Command, context: CliContext): void {
  const command = program
    .command("release")
    .description("Force-release a lock, through a server.")
    .argument("<key>", "name of the lock");
  addServerOptions(command)
    .option("--version <version>", 'version of the hold, from "lockkeeper show"')
    .option("--reason <text>", "reason, for the audit log")
    .option("--format <name>", "format of the lock, if its value does not determine it", parseFormat)
    .option("--reserve <duration>", "reserve the lock afterwards, such as 60s", parseReservation)
    .option("--release-unverified", "release it even if it may be a later hold of the same owner")
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print the result of the API as JSON")
    .addHelpText("after", HELP)
    .action((text: string, options: ReleaseOptions) => releaseLock(parseKeyArgument(text), options, context));
}

function parseFormat(text: string): FormatName {
  const { data } = FormatName.safeParse(text);
  if (data === undefined)
    throw new InvalidArgumentError("It must be a lock format of the API, such as redisson.");
  return data;
}

function parseReservation(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("It must be a duration such as 30s or 5m.");
  return ms;
}

async function releaseLock(key: Key, options: ReleaseOptions, context: CliContext): Promise<void> {
  const api = new ServerApi(chooseServer(options, context.environment), context.version);
  const request = await prepareRequest(key, api, options, context);
  if (request === undefined) return;
  const { value, requestId } = await api.call({
    method: "POST",
    path: `/locks/${encodeKeyPath(key)}/force-release`,
    route: "/locks/{key}/force-release",
    body: request,
    schema: ForceReleased,
  });
  const auditId = requestId ?? "";
  if (value.outcome === "already_gone") context.setExitCode(EXIT_CODES.negative);
  if (options.json) context.writeOut(`${JSON.stringify({ ...value, requestId: auditId })}\n`);
  else context.writeOut(formatReleased(value, auditId));
}

type ReleaseRequest = Omit<ForceReleaseInput, "onUnverified"> & { readonly onUnverified?: "release" };

/**
 * Builds the request to release the lock. Prompts for the values that the options do not specify.
 *
 * @returns `undefined` if the lock is not held or the user declines
 */
async function prepareRequest(
  key: Key,
  api: ServerApi,
  options: ReleaseOptions,
  context: CliContext,
): Promise<ReleaseRequest | undefined> {
  const { terminal } = context;
  assertComplete(options, terminal.canAsk);
  const isShown = options.version === undefined || (terminal.canAsk && options.yes !== true);
  const lock = isShown ? await createServerSource(api).readLock(key) : undefined;
  if (lock !== undefined) context.writeError(formatLockDetails(lock, terminal.style));
  const expectedVersion = options.version ?? lock?.version ?? undefined;
  if (lock?.state === "free" || expectedVersion === undefined) {
    context.writeError("The lock is free. Nothing was done.\n");
    context.setExitCode(EXIT_CODES.negative);
    return undefined;
  }
  const reason = options.reason ?? (await terminal.ask("Reason, for the audit log: ")).trim();
  if (reason.length > REASON_CHARACTERS_MAX)
    throw new CliError(`A reason has at most ${REASON_CHARACTERS_MAX} characters.`, EXIT_CODES.failure);
  if (options.yes !== true && terminal.canAsk && !(await confirm(lock, context))) return undefined;
  const { format, reserve, releaseUnverified } = options;
  return {
    expectedVersion,
    reason,
    ...(format === undefined ? {} : { format }),
    ...(reserve === undefined ? {} : { reservedMs: reserve }),
    ...(releaseUnverified === undefined ? {} : { onUnverified: "release" as const }),
  };
}

/**
 * Rejects options without a version or a reason if there is no terminal on which to show the lock and prompt the user.
 *
 * @throws CliError
 */
function assertComplete({ version, reason }: ReleaseOptions, canAsk: boolean): void {
  if (canAsk || (version !== undefined && reason !== undefined)) return;
  throw new CliError(
    "Without a terminal, give --version VERSION (from `lockkeeper show KEY`) and --reason TEXT.",
    EXIT_CODES.failure,
  );
}

async function confirm(lock: Lock | undefined, context: CliContext): Promise<boolean> {
  const risk = lock !== undefined && isLikelyAlive(lock) ? describeRisk(lock) : "";
  const answer = await context.terminal.ask(`Release this hold?${risk} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  context.writeError("Nothing was done.\n");
  context.setExitCode(EXIT_CODES.negative);
  return false;
}

function describeRisk({ liveness }: Lock): string {
  return liveness?.state === "alive"
    ? " Its holder appears to be alive."
    : " The liveness of its holder is unknown.";
}

function formatReleased(released: ForceReleased, requestId: string): string {
  const {
    key,
    outcome,
    owner,
    heldMs,
    fence,
    waiters,
    reserved,
    together = [],
    masters = [],
    watchMs,
  } = released;
  if (outcome === "already_gone") return `${toPrintable(key)} was free already. Nothing was done.\n`;
  const lines = [
    [
      `Released ${key}`,
      owner === undefined ? "" : `, held by ${owner}`,
      heldMs === undefined ? "" : ` for ${formatDuration(heldMs)}`,
      fence === undefined ? "" : ` (fencing token ${fence})`,
      ".",
    ].join(""),
    waiters === undefined ? undefined : `Waiters: ${formatWaiters(waiters)}`,
    reserved && `Reserved for ${formatDuration(reserved.reservedMs)} by ${reserved.owner}`,
    ...together.map((joint) => `Acquired together: ${joint.key}: ${joint.outcome}`),
    ...masters.map(({ name, outcome: result }) => `Master ${name}: ${result}`),
    // A hold with a fencing token belongs to a Lockkeeper client. Lockkeeper's clients do not recreate a released lock.
    watchMs === undefined || fence !== undefined
      ? undefined
      : `The library may recreate the lock within ${formatDuration(watchMs)}; "lockkeeper events --follow" shows it.`,
    `Audit entry: request ${requestId}`,
  ];
  return lines.flatMap((line) => (line === undefined ? [] : [`${toPrintable(line)}\n`])).join("");
}
