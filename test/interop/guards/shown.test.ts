import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readGuardFile } from "./statements.ts";

const page = readFileSync(new URL("../../../docs/fencing.md", import.meta.url), "utf8");

it.each(["redis.lua", "postgresql.sql", "mysql.sql"] as const)(
  "docs/fencing.md shows %s exactly as it runs",
  (name) => {
    expect(page).toContain(`\`\`\`${name.split(".")[1]}\n${readGuardFile(name)}\`\`\``);
  },
);
