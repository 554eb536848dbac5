import luaparse from "luaparse";

/** Names that Redis provides to scripts, and names of Lua 5.1 that scripts may use. */
const PROVIDED_NAMES: ReadonlySet<string> = new Set(
  "ARGV KEYS assert cjson error ipairs math next pairs pcall redis select setmetatable string table tonumber type unpack".split(
    " ",
  ),
);

/**
 * Lists the names that a script reads or writes without declaring them, sorted: misspelled functions, functions of a
 * file that is not included, and accidental globals. Redis only reports such names when the line runs.
 *
 * @param source Lua with its includes
 */
export function findUndefinedNames(source: string): string[] {
  const chunk: luaparse.Chunk & { globals?: readonly { name: string }[] } = luaparse.parse(source, {
    luaVersion: "5.1",
    scope: true,
    comments: false,
  });
  return (chunk.globals ?? [])
    .map(({ name }) => name)
    .filter((name) => !PROVIDED_NAMES.has(name))
    .sort();
}
