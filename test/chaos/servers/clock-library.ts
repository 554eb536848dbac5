import { formatReason, Skip } from "../../interop/skip.ts";
import {
  findLibfaketime,
  type LibfaketimeTool,
  provideLibfaketime,
} from "../../interop/steps/libfaketime.ts";
import { type Command, UsageError } from "../arguments.ts";
import { getFault } from "../faults/catalog.ts";

/**
 * Finds the library that sets the wall clocks of servers, if a fault of the run needs it. If the command line names the
 * faults, a missing library is downloaded and unpacked from the distribution's packages. Otherwise, the faults that
 * need the library are omitted.
 *
 * @throws UsageError if the command line names such a fault and the library is not available
 */
export async function findClockLibrary(
  { faults, chosen }: Pick<Command, "faults" | "chosen">,
  { find, bring } = { find: findLibfaketime, bring: provideLibfaketime },
): Promise<LibfaketimeTool | undefined> {
  const stepping = faults.filter((name) => getFault(name).steps !== undefined).join(", ");
  if (stepping === "") return undefined;
  try {
    return await (chosen === "by_name" ? bring() : find());
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    if (chosen === "by_name")
      throw new UsageError(`${stepping} needs libfaketime: ${formatReason(error)}. ${INSTALL}.`);
    console.log(
      `left out: ${stepping} (${formatReason(error)}). ${INSTALL}, or ask for the fault by name: it is unpacked into .cache then.`,
    );
    return undefined;
  }
}

const INSTALL = "Install it (Debian/Ubuntu: `apt-get install libfaketime`)";
