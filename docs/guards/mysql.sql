-- name: columns
-- Once, for a table `resource (id, value)` whose rows the lock protects.
-- `writes` changes with every write: without it, writing again what is there already would count as 0 rows.
ALTER TABLE resource
  ADD COLUMN fence  BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN writes BIGINT NOT NULL DEFAULT 0;

-- name: update
-- ? value, ? fence of the hold, ? id, ? the fence again.
-- One row affected: written. None: refused, the hold is over (or there is no such row).
UPDATE resource
   SET value = ?, fence = ?, writes = writes + 1
 WHERE id = ? AND fence <= ?;

-- name: upsert
-- The same for a row that may not exist yet: ? id, ? value, ? fence of the hold.
-- 1 or 2 rows affected: written. None: refused. Only on a connection without CLIENT_FOUND_ROWS.
-- Whatever is assigned first, the outcome is the same: GREATEST(stored, new) <= new exactly when stored <= new.
INSERT INTO resource (id, value, fence, writes)
VALUES (?, ?, ?, 1)
ON DUPLICATE KEY UPDATE
  value  = IF(fence <= VALUES(fence), VALUES(value), value),
  writes = IF(fence <= VALUES(fence), writes + 1, writes),
  fence  = GREATEST(fence, VALUES(fence));
