import { requireNpmModule } from "../npm-module.ts";
import type { NpmTool } from "../steps/npm.ts";
import type { GuardedStore, GuardedWriter, WriteOutcome } from "./guard.ts";
import { parseStatements, readGuardFile } from "./statements.ts";

/** The subset of the driver's API that is used. */
export interface MysqlConnection {
  query(text: string, values?: readonly unknown[]): Promise<[{ affectedRows: number } & Row[], unknown]>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): void;
}
type Row = Readonly<Record<string, string>>;

export interface MariadbAddress {
  readonly socketPath: string;
}

/**
 * Which rows count as affected: those that were found, or only those that were changed. The driver chooses when it
 * connects.
 */
export type Counting = "found rows" | "changed rows";

const statement = parseStatements(readGuardFile("mysql.sql"));

/** Tables in which triggers record the accepted writes, in the same transaction and under the same row lock. */
const TABLES = [
  "CREATE DATABASE guard",
  "USE guard",
  "CREATE TABLE resource (id VARCHAR(100) PRIMARY KEY, value TEXT NOT NULL) ENGINE=InnoDB",
  "CREATE TABLE written (at BIGINT AUTO_INCREMENT PRIMARY KEY, id VARCHAR(100) NOT NULL, fence BIGINT NOT NULL) ENGINE=InnoDB",
];
const TRIGGERS = [
  `CREATE TRIGGER note_insert AFTER INSERT ON resource FOR EACH ROW
IF NEW.fence > 0 THEN INSERT INTO written (id, fence) VALUES (NEW.id, NEW.fence); END IF`,
  `CREATE TRIGGER note_update AFTER UPDATE ON resource FOR EACH ROW
IF NEW.writes <> OLD.writes THEN INSERT INTO written (id, fence) VALUES (NEW.id, NEW.fence); END IF`,
];

/**
 * Error numbers after which a write is retried: a deadlock (1213) and, since MariaDB 11.6, a row that is newer than the
 * snapshot (1020).
 */
const DONE_AGAIN = new Set([1213, 1020]);

const WAYS = {
  update: { sql: "update", counting: "changed rows", isTransaction: false },
  "update, found rows": { sql: "update", counting: "found rows", isTransaction: false },
  upsert: { sql: "upsert", counting: "changed rows", isTransaction: false },
  "update in a transaction": { sql: "update", counting: "changed rows", isTransaction: true },
} as const;
type Way = (typeof WAYS)[keyof typeof WAYS];

export async function connectMariadb(
  npm: NpmTool,
  { socketPath }: MariadbAddress,
  options: { database?: string; counting?: Counting } = {},
): Promise<MysqlConnection> {
  const { database, counting = "changed rows" } = options;
  const mysql = requireNpmModule<{ createConnection(options: object): Promise<MysqlConnection> }>(
    npm,
    "mysql2/promise",
  );
  const connection = await mysql.createConnection({
    socketPath,
    user: "root",
    flags: [counting === "found rows" ? "FOUND_ROWS" : "-FOUND_ROWS"],
    supportBigNumbers: true,
    bigNumberStrings: true,
    ...(database === undefined ? {} : { database }),
  });
  // Without a listener, the error would end the process. The next query reports the lost connection.
  connection.on("error", () => undefined);
  return connection;
}

export async function openMariadbStore(npm: NpmTool, address: MariadbAddress): Promise<GuardedStore> {
  const connection = await connectMariadb(npm, address);
  for (const sql of [...TABLES, statement("columns"), ...TRIGGERS]) await connection.query(sql);
  return {
    ways: Object.keys(WAYS),
    async createWriter(name) {
      const way: Way = WAYS[name as keyof typeof WAYS];
      return createGuardedWriter(
        await connectMariadb(npm, address, { database: "guard", counting: way.counting }),
        way,
      );
    },
    async create(resource) {
      await connection.query("INSERT INTO resource (id, value) VALUES (?, '')", [resource]);
    },
    async readStored(resource) {
      const [rows] = await connection.query("SELECT fence, value FROM resource WHERE id = ?", [resource]);
      return { fence: String(rows[0]?.fence), value: rows[0]?.value ?? "" };
    },
    async written(resource) {
      const [rows] = await connection.query("SELECT fence FROM written WHERE id = ? ORDER BY at", [resource]);
      return rows.map((row) => String(row.fence));
    },
    close: () => connection.end(),
  };
}

export function createMariadbWriter(connection: MysqlConnection): GuardedWriter {
  return createGuardedWriter(connection, WAYS.update);
}

/** Executes a guarded statement and returns the number of affected rows that the server reports. */
export async function countAffectedRows(
  connection: MysqlConnection,
  sql: "update" | "upsert",
  [resource, fence, value]: readonly [string, string, string],
): Promise<number> {
  const values = sql === "update" ? [value, fence, resource, fence] : [resource, value, fence];
  const [{ affectedRows }] = await connection.query(statement(sql), values);
  return affectedRows;
}

function createGuardedWriter(connection: MysqlConnection, { sql, isTransaction }: Way): GuardedWriter {
  const write = async (values: readonly [string, string, string]): Promise<WriteOutcome> =>
    (await countAffectedRows(connection, sql, values)) > 0 ? "written" : "refused";
  return {
    write: (...values) =>
      retryConflicts(() =>
        isTransaction ? runInTransaction(connection, () => write(values)) : write(values),
      ),
    close: () => connection.end(),
  };
}

/**
 * Writes in a transaction with a consistent snapshot, which may be older than another write. The guard must still
 * compare with the current state.
 */
async function runInTransaction(
  connection: MysqlConnection,
  work: () => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  try {
    await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    const verdict = await work();
    await connection.query(verdict === "written" ? "COMMIT" : "ROLLBACK");
    return verdict;
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  }
}

/** Repeats a write as long as it fails because of a conflict with another write. */
async function retryConflicts(work: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!DONE_AGAIN.has((error as { errno?: number }).errno ?? 0)) throw error;
    }
  }
}
