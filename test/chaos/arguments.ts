import { parseArgs } from "node:util";
import { WritableFormat } from "../../lib/contract/format.ts";
import { listDefaultFaults, listFaults } from "./faults/catalog.ts";
import { KINDS, type KindUnderTest } from "./locks-under-test.ts";
import { MUTANTS } from "./mutants/known.ts";
import type { RunRequest } from "./run-request.ts";
import { TOPOLOGIES, type TopologyName } from "./servers/topology.ts";

/** The error for an invalid command line. The message lists the valid values. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const LOCKS = 3;

const USAGE = [
  "npm run chaos -- [--topology single|quorum|sentinel|cluster] [--seconds N] [--seed N] [--format redisson|token|timestamp]",
  "                 [--kinds lock,fair,read-write,semaphore,plain-semaphore,latch,condition]",
  "                 [--faults a,b|none] [--lease-ms N] [--contexts N] [--locks N] [--latency-ms N] [--out FOLDER]",
  "npm run chaos -- --mutants [NAME …] [--seed N] [--out FOLDER]",
].join("\n");

export interface Command extends RunRequest {
  readonly chosen: "by_name" | "all";
  readonly out: string | undefined;
  /** Names of the mutants to test. `undefined` to run the unchanged lock core. */
  readonly mutants: readonly string[] | undefined;
}

/** Parses the command line. @throws UsageError */
export function parseCommand(argv: readonly string[], chance: () => number = Math.random): Command {
  const { values, positionals } = parseOptions(argv);
  const topology = parseChoice("topology", TOPOLOGIES, values.topology ?? "single");
  const format = parseFormat(topology, values.format);
  return {
    topology,
    seconds: parseInteger("seconds", values.seconds ?? "30", 5),
    seed: parseInteger("seed", values.seed ?? String(Math.floor(chance() * 1_000_000)), 0),
    format,
    kinds: parseKinds(topology, format, values.kinds),
    faults: parseFaults(topology, values.faults),
    chosen: values.faults === undefined ? "all" : "by_name",
    leaseMs: parseInteger("lease-ms", values["lease-ms"] ?? "1500", 200),
    contexts: parseInteger("contexts", values.contexts ?? "3", 1),
    locks: parseInteger("locks", values.locks ?? String(LOCKS), 1),
    latencyMs: parseInteger("latency-ms", values["latency-ms"] ?? "0", 0),
    out: values.out,
    mutants: parseMutants(values.mutants, positionals),
  };
}

/** Formats the command line that repeats a run with the same options and seed. */
export function formatCommand({
  topology,
  seconds,
  seed,
  format,
  kinds,
  faults,
  leaseMs,
  contexts,
  locks,
  latencyMs,
}: RunRequest): string {
  const isAll = faults.join() === listDefaultFaults(topology).join();
  const chosen = isAll ? "" : ` --faults ${faults.length === 0 ? "none" : faults.join(",")}`;
  const shape = topology === "quorum" ? "" : ` --format ${format}`;
  const lease = leaseMs === 1500 ? "" : ` --lease-ms ${leaseMs}`;
  const each = contexts === 3 ? "" : ` --contexts ${contexts}`;
  const mixed = kinds.join() === "lock" ? "" : ` --kinds ${kinds.join(",")}`;
  const keys = locks === LOCKS ? "" : ` --locks ${locks}`;
  const latency = latencyMs === 0 ? "" : ` --latency-ms ${latencyMs}`;
  return `npm run chaos -- --topology ${topology} --seconds ${seconds} --seed ${seed}${shape}${mixed}${chosen}${lease}${each}${keys}${latency}`;
}

function parseOptions(argv: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        topology: text,
        seconds: text,
        seed: text,
        format: text,
        kinds: text,
        faults: text,
        "lease-ms": text,
        contexts: text,
        locks: text,
        "latency-ms": text,
        out: text,
        mutants: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

function parseFormat(topology: TopologyName, asked: string | undefined): WritableFormat {
  if (topology !== "quorum") return parseChoice("format", WritableFormat.options, asked ?? "redisson");
  if (asked === undefined || asked === "token") return "token";
  throw new UsageError("A quorum keeps its locks in the format token alone; leave out --format.");
}

/**
 * Parses the kinds of locks to test. Kinds other than plain locks require the format redisson and a topology with one
 * master per key.
 */
function parseKinds(
  topology: TopologyName,
  format: WritableFormat,
  asked: string | undefined,
): readonly KindUnderTest[] {
  if (asked === undefined) return ["lock"];
  const kinds = [...new Set(asked.split(","))].map((name) => parseChoice("kind", KINDS, name));
  if ((topology !== "quorum" && format === "redisson") || kinds.join() === "lock") return kinds;
  throw new UsageError("Only --kinds lock works on a quorum and in formats other than redisson.");
}

function parseFaults(topology: TopologyName, asked: string | undefined): readonly string[] {
  if (asked === undefined) return listDefaultFaults(topology);
  if (asked === "none") return [];
  const known = listFaults(topology);
  return [...new Set(asked.split(","))].map((name) =>
    parseChoice(`fault on topology ${topology}`, known, name),
  );
}

function parseMutants(asked: boolean | undefined, names: readonly string[]): readonly string[] | undefined {
  const [first] = names;
  if (!asked && first !== undefined) throw new UsageError(`"${first}" is no option.\n${USAGE}`);
  const known = MUTANTS.map(({ name }) => name);
  if (!asked) return undefined;
  return first === undefined ? known : names.map((name) => parseChoice("mutant", known, name));
}

function parseChoice<Name extends string>(what: string, known: readonly Name[], asked: string): Name {
  const found = known.find((name) => name === asked);
  if (found === undefined) throw new UsageError(`There is no ${what} "${asked}": ${known.join(", ")}.`);
  return found;
}

function parseInteger(what: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= 1_000_000_000) return number;
  throw new UsageError(`--${what} is a whole number, ${least} or more; "${text}" is not.`);
}
