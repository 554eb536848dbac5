import { readFileSync } from "node:fs";

/** Reads a file in docs/guards. */
export function readGuardFile(name: "redis.lua" | "postgresql.sql" | "mysql.sql"): string {
  return readFileSync(new URL(`../../../docs/guards/${name}`, import.meta.url), "utf8");
}

/**
 * Parses an SQL file in which a `-- name:` comment precedes each statement.
 *
 * @returns a function that returns the statement with a name
 */
export function parseStatements(file: string): (name: string) => string {
  const parts = file.split(/^-- name: /m).slice(1);
  const byName = new Map(
    parts.map((part) => [
      part.slice(0, part.indexOf("\n")).trim(),
      part.slice(part.indexOf("\n")).trim().replace(/;$/, ""),
    ]),
  );
  return (name) => {
    const statement = byName.get(name);
    if (statement === undefined) throw new Error(`There is no statement named ${name}`);
    return statement;
  };
}
