import { expect, test } from "vitest";
import { findChangelogFaults } from "./changelog.mjs";

const HEAD = "# Changelog\n\nIntroduction.\n\n";

test("a version with a date and changes can be released", () => {
  const changelog = `${HEAD}## Upcoming\n\n## 0.2.0 (2026-11-23)\n\n- Feature: x.\n\n## 0.1.0 (2026-01-01)\n\n- Feature: y.\n`;
  expect(findChangelogFaults(changelog, "0.2.0")).toEqual([]);
});

test.each([
  ["has no section", "## Upcoming\n"],
  ["has changes under", "## Upcoming\n\n- Fix: x.\n\n## 0.2.0 (2026-11-23)\n\n- Feature: x.\n"],
  ["has no date", "## 0.2.0\n\n- Feature: x.\n"],
  ["is empty", "## 0.2.0 (2026-11-23)\n\n## 0.1.0 (2026-01-01)\n\n- Feature: y.\n"],
])("a changelog that %s is refused", (text, sections) => {
  const faults = findChangelogFaults(HEAD + sections, "0.2.0");
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(text);
});

test("0.2.0 is not taken for 0.2.0-beta.1", () => {
  expect(findChangelogFaults(`${HEAD}## 0.2.0-beta.1 (2026-11-01)\n\n- x\n`, "0.2.0")).toHaveLength(1);
});
