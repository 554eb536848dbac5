/** Starts a gate for the command in its arguments, reports its process id and never opens it. Its test kills this process. */
import { GatedCommand } from "../../cli/run/gated-command.ts";

const command = process.argv.slice(2);
const { session } = await GatedCommand.spawn({
  command,
  environment: process.env,
  onDropped: () => undefined,
});
process.send?.(session.ref.leaderPid);
