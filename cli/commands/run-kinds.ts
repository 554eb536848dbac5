import { InvalidArgumentError } from "commander";
import { PERMIT_LIMIT_MAX, PERMITS_MAX } from "../../lib/contract/actions/verb.ts";
import { WritableKind } from "../../lib/contract/format.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";

/**
 * The values of `--kind`. `--permits` without `--kind` selects the kind `semaphore`. With `--kind plain_semaphore`,
 * `--permits` specifies the permits of a plain semaphore.
 */
export const RUN_KINDS = WritableKind.exclude(["semaphore"]);

interface Permits {
  readonly permits: number;
  readonly limit: number;
}

/** The options of `lockkeeper run` that select the kind of lock. */
export interface KindOptions {
  readonly kind?: WritableKind;
  readonly shared?: true;
  readonly permits?: Permits;
}

/**
 * Returns the kind of lock that the options select, or `undefined` if no option selects a kind.
 *
 * @throws CliError if the options exclude each other, or if several keys are given with an option that requires a
 * single key
 */
export function chooseKind(
  keys: readonly string[],
  { kind, shared, permits }: KindOptions,
): WritableKind | undefined {
  const isPlainSemaphore = kind === "plain_semaphore";
  const given = [
    kind === undefined || (isPlainSemaphore && permits !== undefined) ? [] : [`--kind ${kind}`],
    shared === undefined ? [] : ["--shared"],
    permits === undefined ? [] : ["--permits"],
  ].flat();
  const [option] = given;
  if (given.length > 1) throw new CliError(`${given.join(" and ")} exclude each other.`, EXIT_CODES.failure);
  if (keys.length > 1 && option !== undefined && kind !== "lock")
    throw new CliError(`Give a single key with ${option}.`, EXIT_CODES.failure);
  if (permits !== undefined && !isPlainSemaphore) return "semaphore";
  return shared === true ? "read" : kind;
}

export function parseKind(text: string): WritableKind {
  const kind = RUN_KINDS.safeParse(text);
  if (kind.success) return kind.data;
  const hint = text === "semaphore" ? " A semaphore is acquired with --permits." : "";
  throw new InvalidArgumentError(`Give one of ${RUN_KINDS.options.join(", ")}.${hint}`);
}

export function parsePermits(text: string): Permits {
  const [, permits, limit] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (permits === undefined || limit === undefined)
    throw new InvalidArgumentError("Give the number of permits and their limit, such as 3/10.");
  if (limit < 1 || limit > PERMIT_LIMIT_MAX)
    throw new InvalidArgumentError(`The limit must be from 1 to ${PERMIT_LIMIT_MAX}.`);
  const most = Math.min(limit, PERMITS_MAX);
  if (permits < 1 || permits > most)
    throw new InvalidArgumentError(`The number of permits must be from 1 to ${most}.`);
  return { permits, limit };
}
