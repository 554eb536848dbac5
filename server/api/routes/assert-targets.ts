import { EVERY_TARGET } from "../../../lib/contract/access.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { Targets } from "../../targets/targets.ts";

/** Asserts that all targets for which access is granted exist. @throws LockkeeperError invalid */
export function assertTargetsExist({ connectors }: Targets, names: readonly string[], field: string): void {
  const known = connectors.map(({ name }) => name);
  const unknown = names.find((name) => name !== EVERY_TARGET && !known.includes(name));
  if (unknown === undefined) return;
  const all = [EVERY_TARGET, ...known].join(", ");
  throw new InvalidError(`${field}: target ${JSON.stringify(unknown)} does not exist; use one of ${all}.`, {
    field,
  });
}
