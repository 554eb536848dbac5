import { expect, it } from "vitest";
import { buildTrialCommand } from "./trial-command.ts";

const ORIGIN = "https://locks.example/console";

it("the command of a new key has its secret and names the first of its targets", () => {
  expect(buildTrialCommand({ secret: "lk_a-b_c", targets: ["*"] }, ORIGIN).split("\n")).toEqual([
    "export LOCKKEEPER_API_KEY=lk_a-b_c",
    `curl -H "Authorization: Bearer $LOCKKEEPER_API_KEY" '${ORIGIN}/api/v1/locks?limit=1'`,
  ]);
  expect(buildTrialCommand({ secret: "lk_x", targets: ["it's", "b"] }, ORIGIN)).toContain(
    `${ORIGIN}/api/v1/locks?limit=1&target=it%27s'`,
  );
});
