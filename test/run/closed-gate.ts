/** Starts the gate for a command, prints the PID of the gate and never opens it. The test kills this process. */
import { GatedCommand } from "../../cli/run/gated-command.ts";

const command = process.argv.slice(2);
const { session } = await GatedCommand.spawn({
  command,
  environment: process.env,
  onDropped: () => undefined,
});
process.send?.(session.ref.leaderPid);
