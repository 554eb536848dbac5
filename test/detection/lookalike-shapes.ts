import { createUuid1 } from "../support/libraries.ts";
import { DAY_MS, hash, type KeyShape, MINUTE_MS, SECOND_MS, set, text } from "./ordinary-key.ts";

const HOUR_MS = 60 * MINUTE_MS;
const base64 = (bytes: Buffer) => bytes.toString("base64");
const base64Url = (bytes: Buffer) => bytes.toString("base64url");
const toSeconds = (ms: number) => String(Math.floor(ms / 1000));

/** Data whose key or value resembles a lock. Each of these shapes was once detected as a lock by mistake. */
export const LOOKALIKE_SHAPES: Readonly<Record<string, KeyShape>> = {
  "cart of one variant": hash(
    (id) => `basket:${id}`,
    (draw) => [`${draw.uuid()}:${draw.below(40)}`, 1 + draw.below(5)],
    7 * DAY_MS,
  ),
  "cart of some variants": hash(
    (id) => `cart:${id}:items`,
    (draw) => draw.many(2, 4, () => [`${draw.uuid()}:${draw.below(40)}`, 1]).flat(),
    7 * DAY_MS,
  ),
  "presence of one connection": hash(
    (id) => `presence:${id}`,
    (draw) => [`${draw.uuid()}:${draw.below(8)}`, 1],
    MINUTE_MS,
  ),
  "presence of a short time": hash(
    (id) => `ws:room:${id}`,
    (draw) => [`${draw.uuid()}:${draw.below(8)}`, 1],
    20 * SECOND_MS,
  ),
  "poll by user and choice": hash(
    (id) => `poll:${id}`,
    (draw) => [`${draw.uuid()}:${draw.below(4)}`, 1],
    null,
  ),
  "account lockout": text(
    (id) => `account:lock:${id}`,
    (draw) => toSeconds(draw.timeMs(0, 1)),
    DAY_MS,
  ),
  "account locked until": text(
    (id) => `account:locked_until:${id}`,
    (draw) => String(draw.timeMs(0, 1)),
    null,
  ),
  "lockout of a user": text(
    (id) => `user:${id}:lock_expires`,
    (draw) => toSeconds(draw.timeMs(1, 1)),
    null,
  ),
  "account locked at": text(
    (id) => `account:locked_at:${id}`,
    (draw) => toSeconds(draw.timeMs(300, 0)),
    null,
  ),
  "lockout of an address": text(
    (id) => `ip_lock:10.0.${id % 256}.${id >> 8}`,
    (draw) => toSeconds(draw.timeMs(0, 1)),
    HOUR_MS,
  ),
  "locked user": text(
    (id) => `user:${id}:locked`,
    () => "1",
    null,
  ),
  "smart lock pairing": text(
    (id) => `smart:lock:${id}:pairing`,
    (draw) => draw.uuid(),
    10 * MINUTE_MS,
  ),
  "smart lock status": text(
    (id) => `smart:lock:${id}:status`,
    () => "closed",
    null,
  ),
  "digest of a lockfile": text(
    (id) => `cache:yarn.lock:${id}`,
    (draw) => draw.hex(16),
    DAY_MS,
  ),
  "DHCP lease": text(
    (id) => `dhcp:lease:aa:bb:cc:${id}`,
    (draw) => `10.0.${draw.below(256)}.${draw.below(256)}`,
    DAY_MS,
  ),
  "feature with lock in its name": text(
    (id) => `feature:lock_ui:${id}`,
    () => "enabled",
    null,
  ),
  "theme of a lock screen": text(
    (id) => `lock_screen:theme:${id}`,
    (draw) => draw.word(),
    null,
  ),
  "settings of a lock screen": hash(
    (id) => `lock_screen_settings:${id}`,
    (draw) => ["theme", draw.word(), "pin", 1],
    null,
  ),
  "page with lock in its path": text(
    (id) => `cache:page:/lock/${id}`,
    (draw) => draw.hex(16),
    HOUR_MS,
  ),
  "leader board": text(
    (id) => `leader:board:${id}`,
    (draw) => draw.json(),
    HOUR_MS,
  ),
  "wall clock": text(
    (id) => `clock:${id}`,
    (draw) => String(draw.timeMs(1, 0)),
    null,
  ),
  "blocklist text": text(
    (id) => `blocklist:${id}`,
    (draw) => draw.word(),
    null,
  ),
  "unlock code": text(
    (id) => `unlock_code:${id}`,
    (draw) => String(100_000 + draw.below(900_000)),
    5 * MINUTE_MS,
  ),
  "blocked addresses": set(
    (id) => `blocklist:ips:${id}`,
    (draw) => draw.many(1, 5, () => `10.0.0.${draw.below(256)}`),
    null,
  ),
  "upload id of a worker": text(
    (id) => `upload:${id}`,
    (draw) => `image_${draw.below(1e4)}_${draw.uuid().replaceAll("-", "")}`,
    HOUR_MS,
  ),
};

/** Tokens and IDs in the forms that many locks use for owners. */
export const TOKEN_SHAPES: Readonly<Record<string, KeyShape>> = {
  "e-mail verification": text(
    (id) => `email_verify:${id}`,
    (draw) => draw.uuid(),
    DAY_MS,
  ),
  "refresh token": text(
    (id) => `refresh:${id}`,
    (draw) => draw.uuid(),
    30 * DAY_MS,
  ),
  "CSRF token": text(
    (id) => `csrf:${id}`,
    (draw) => draw.hex(16),
    HOUR_MS,
  ),
  "API secret": text(
    (id) => `secret:${id}`,
    (draw) => draw.hex(32),
    null,
  ),
  "nonce of 16 bytes": text(
    (id) => `nonce:${id}`,
    (draw) => base64(draw.bytes(16)),
    MINUTE_MS,
  ),
  "password reset": text(
    (id) => `reset:${id}`,
    (draw) => base64Url(draw.bytes(16)),
    HOUR_MS,
  ),
  "request id with a time": text(
    (id) => `request:${id}`,
    () => createUuid1(),
    HOUR_MS,
  ),
  "API key": text(
    (id) => `apikey:${id}`,
    (draw) => base64(draw.bytes(12)).replace(/[+/]/g, "x"),
    null,
  ),
  "JSON web token": text(
    (id) => `jwt:${id}`,
    (draw) => `eyJhbGciOiJIUzI1NiJ9.${base64Url(draw.bytes(60))}.${base64Url(draw.bytes(32))}`,
    HOUR_MS,
  ),
  "one-time password": text(
    (id) => `otp:${id}`,
    (draw) => String(100_000 + draw.below(900_000)),
    5 * MINUTE_MS,
  ),
  "idempotency key": text(
    (id, draw) => `idempotency:${draw.uuid()}:${id}`,
    (draw) => draw.json(),
    DAY_MS,
  ),
  "signed cookie": text(
    (id) => `remember:${id}`,
    (draw) => `${draw.below(1e6)}|${draw.hex(20)}`,
    30 * DAY_MS,
  ),
};
