-- name: columns
-- Once, for a table `resource (id, value)` whose rows the lock protects.
-- `writes` changes with every write. Without it, writing the same values again would count as 0 rows.
ALTER TABLE resource
  ADD COLUMN fence  BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN writes BIGINT NOT NULL DEFAULT 0;

-- name: update
-- ? value, ? fencing token of the hold, ? id, ? the token again.
-- One row affected: written. No row: refused, because the hold has ended, or the row does not exist.
UPDATE resource
   SET value = ?, fence = ?, writes = writes + 1
 WHERE id = ? AND fence <= ?;

-- name: upsert
-- The same for a row that may not exist yet: ? id, ? value, ? fencing token of the hold.
-- 1 or 2 rows affected: written. No row: refused. Only on a connection without CLIENT_FOUND_ROWS.
-- The order of the assignments does not matter: GREATEST(stored, new) <= new exactly when stored <= new.
INSERT INTO resource (id, value, fence, writes)
VALUES (?, ?, ?, 1)
ON DUPLICATE KEY UPDATE
  value  = IF(fence <= VALUES(fence), VALUES(value), value),
  writes = IF(fence <= VALUES(fence), writes + 1, writes),
  fence  = GREATEST(fence, VALUES(fence));
