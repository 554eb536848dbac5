import { expect, it } from "vitest";
import type { MasterHealth } from "@/lib/contract/live.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { formatMastersDown } from "./connection.ts";

const target = (...states: MasterHealth["state"][]) => ({ masters: states.map((state) => ({ state })) });

it("the state of a target shows how many of its masters are unreachable", () => {
  expect(formatMastersDown(target("live", "down", "live"), shell)).toBe("1 of 3 masters is unreachable");
  expect(formatMastersDown(target("down", "down", "catching_up"), shell)).toBe(
    "2 of 3 masters are unreachable",
  );
});
