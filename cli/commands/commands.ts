import { addAuditCommand } from "./audit.ts";
import type { AddCommand } from "./command-context.ts";
import { addCompletionCommand } from "./completion.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addEventsCommand } from "./events.ts";
import { addLoginCommand } from "./login.ts";
import { addLsCommand } from "./ls.ts";
import { addReleaseCommand } from "./release.ts";
import { addRunCommand } from "./run.ts";
import { addServeCommand } from "./serve.ts";
import { addShowCommand } from "./show.ts";

/** The commands, in the order in which `--help` lists them. */
export const COMMANDS: readonly AddCommand[] = [
  addServeCommand,
  addRunCommand,
  addLsCommand,
  addShowCommand,
  addReleaseCommand,
  addEventsCommand,
  addDoctorCommand,
  addLoginCommand,
  addAuditCommand,
  addCompletionCommand,
];
