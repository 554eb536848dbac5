import { expect, it } from "vitest";
import { formatLoginCommand } from "./launcher-commands.ts";

it.each([
  ["npm", 3000, [], "npm run login"],
  ["npm", 4311, [], "PORT=4311 npm run login"],
  ["npm", 0, [], "npm run login"],
  ["lockkeeper", 4311, ["--port 4311", "--read-only"], "lockkeeper login --port 4311 --read-only"],
] as const)(
  "the login command of %s on port %d has what the link depends on",
  (launcher, port, options, command) => {
    expect(formatLoginCommand({ launcher, launcherOptions: options }, port)).toBe(command);
  },
);
