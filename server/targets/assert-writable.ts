import { ReadOnlyError } from "../errors/operator-errors.ts";
import type { Target } from "./target.ts";

/** @throws ReadOnlyError if the target is configured as read-only */
export function assertWritable({ name, policy }: Pick<Target, "name" | "policy">): void {
  if (!policy.readOnly) return;
  const why = `The target "${name}" is read-only: Lockkeeper never writes to it.`;
  throw new ReadOnlyError(`${why} You can still read its locks.`, { why });
}
