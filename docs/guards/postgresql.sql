-- name: column
-- Once, for a table `resource (id, value)` whose rows the lock protects.
ALTER TABLE resource ADD COLUMN fence bigint NOT NULL DEFAULT 0;

-- name: update
-- $1 id, $2 value, $3 fencing token of the hold.
-- One row affected: written. No row: refused, because the hold has ended, or the row does not exist.
UPDATE resource
   SET value = $2, fence = $3
 WHERE id = $1 AND fence <= $3;

-- name: upsert
-- The same for a row that may not exist yet. One row affected: written. No row: refused.
INSERT INTO resource AS stored (id, value, fence)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE
   SET value = EXCLUDED.value, fence = EXCLUDED.fence
 WHERE stored.fence <= EXCLUDED.fence;
