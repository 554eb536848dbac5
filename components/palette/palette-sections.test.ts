import { expect, test } from "vitest";
import type { PaletteCommand } from "../app/command-registry.tsx";
import { filterCommands, moveLockToFront, removeEmptySections } from "./palette-sections.ts";

const command = (name: string, hint?: string): PaletteCommand => ({
  id: name,
  name,
  hint,
  run: () => undefined,
});

test("a palette search matches every word in any order and case, in name and hint", () => {
  const all = [command("Go to Locks"), command("Go to Owners", "who holds"), command("Pause")];
  const found = (typed: string) => filterCommands(all, typed).map(({ name }) => name);
  expect(found("")).toEqual(["Go to Locks", "Go to Owners", "Pause"]);
  expect(found("LOCKS go")).toEqual(["Go to Locks"]);
  expect(found("holds")).toEqual(["Go to Owners"]);
  expect(found("  locks   owners ")).toEqual([]);
});

test("a palette section without commands is left out", () => {
  const some = { title: "some", commands: [command("a")] };
  expect(removeEmptySections([{ title: "none", commands: [] }, some])).toEqual([some]);
});

test("the lock of a complete key comes first and once, whether or not the other locks include it", () => {
  const [one, ten] = [{ key: "lock:orders:1" }, { key: "lock:orders:10" }];
  // The text of a key that is not valid UTF-8 can equal another key.
  const binary = { key: "lock:orders:1", keyBase64: "bG9jazpvcmRlcnM6Mf8=" };
  expect(moveLockToFront([ten, binary], one)).toEqual([one, ten, binary]);
  expect(moveLockToFront([ten, { ...one }], one)).toEqual([one, ten]);
  expect(moveLockToFront([ten, one], undefined)).toEqual([ten, one]);
});
