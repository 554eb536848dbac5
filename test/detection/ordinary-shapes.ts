import { gzipSync } from "node:zlib";
import { LOOKALIKE_SHAPES, TOKEN_SHAPES } from "./lookalike-shapes.ts";
import { DAY_MS, hash, type KeyShape, list, MINUTE_MS, set, stream, text, zset } from "./ordinary-key.ts";

const HOUR_MS = 60 * MINUTE_MS;
const PAGE = gzipSync("<html><body>checkout</body></html>");
const toSeconds = (ms: number) => String(Math.floor(ms / 1000));

const CACHE_SHAPES: Readonly<Record<string, KeyShape>> = {
  "session as JSON": text(
    (_, draw) => `sess:${draw.hex(16)}`,
    (draw) => draw.json(),
    HOUR_MS,
  ),
  "PHP session": text(
    (_, draw) => `PHPREDIS_SESSION:${draw.hex(13)}`,
    (draw) => `user|a:1:{s:2:"id";i:${draw.below(1e6)};}`,
    HOUR_MS,
  ),
  "Spring session": hash(
    (_, draw) => `spring:session:sessions:${draw.uuid()}`,
    (draw) => ["creationTime", draw.now, "maxInactiveInterval", 1800],
    HOUR_MS,
  ),
  "cached object": text(
    (id) => `cache:product:${id}`,
    (draw) => draw.json(),
    HOUR_MS,
  ),
  "cached page": text(
    (id) => `cache:page:/products/${id}`,
    (draw) => `<html><body>${draw.word()} ${draw.hex(200)}</body></html>`,
    10 * MINUTE_MS,
  ),
  "compressed page": text(
    (id) => `cache:gz:${id}`,
    () => PAGE,
    10 * MINUTE_MS,
  ),
  "digest of a page": text(
    (id) => `etag:/products/${id}`,
    (draw) => draw.hex(16),
    null,
  ),
  "Rails cache": text(
    (id) => `views/products/${id}`,
    (draw) => Buffer.concat([Buffer.from([4, 8]), Buffer.from(`I"${draw.word()}`)]),
    HOUR_MS,
  ),
  configuration: text(
    (id) => `config:${id}`,
    (draw) => draw.json(),
    null,
  ),
  "feature flag": text(
    (id) => `flag:${id}`,
    (draw) => (draw.below(2) === 0 ? "true" : "false"),
    null,
  ),
  translation: hash(
    (id) => `i18n:${id}`,
    (draw) => ["title", draw.word(), "text", draw.word()],
    null,
  ),
  "short URL": text(
    (id) => `url:${id}`,
    (draw) => `https://example.org/${draw.word()}/${draw.below(1e6)}`,
    null,
  ),
  "large document": text(
    (id) => `document:${id}`,
    (draw) => draw.hex(1500),
    DAY_MS,
  ),
};

const COUNTER_SHAPES: Readonly<Record<string, KeyShape>> = {
  "request counter": text(
    (id) => `rate:10.1.${id % 256}.${id >> 8}`,
    (draw) => String(draw.below(100)),
    MINUTE_MS,
  ),
  visits: text(
    (id) => `visits:${id}`,
    (draw) => String(draw.below(1e6)),
    null,
  ),
  price: text(
    (id) => `price:${id}`,
    (draw) => String(draw.below(1e5) / 100),
    null,
  ),
  "last seen": text(
    (id) => `last_seen:${id}`,
    (draw) => String(draw.timeMs(30, 0)),
    null,
  ),
  "expiry of a subscription": text(
    (id) => `expires:${id}`,
    (draw) => toSeconds(draw.timeMs(0, 300)),
    null,
  ),
  stock: hash(
    (id) => `stock:${id}`,
    (draw) => [`sku:${draw.below(1e5)}`, draw.below(100)],
    null,
  ),
  "sliding window": zset(
    (id) => `window:${id}`,
    (draw) => draw.many(1, 6, () => [draw.timeMs(1, 0), draw.uuid()]).flat(),
    HOUR_MS,
  ),
};

const COLLECTION_SHAPES: Readonly<Record<string, KeyShape>> = {
  "user profile": hash(
    (id) => `user:${id}`,
    (draw) => ["name", draw.word(), "token", draw.uuid()],
    null,
  ),
  "job of a queue": hash(
    (id) => `bull:mails:${id}`,
    (draw) => ["name", "mail", "data", draw.json(), "opts", "{}", "timestamp", draw.now],
    null,
  ),
  "waiting jobs": list(
    (id) => `queue:${id}`,
    (draw) => draw.many(1, 5, () => draw.json()),
    null,
  ),
  feed: list(
    (id) => `feed:${id}`,
    (draw) => draw.many(1, 10, () => String(draw.below(1e6))),
    DAY_MS,
  ),
  "online users": set(
    (id) => `online:${id}`,
    (draw) => draw.many(1, 5, () => draw.uuid()),
    null,
  ),
  tags: set(
    (id) => `tags:${id}`,
    (draw) => draw.many(1, 5, () => draw.word()),
    null,
  ),
  scores: zset(
    (id) => `leaderboard:${id}`,
    (draw) => draw.many(1, 8, () => [draw.below(1000), draw.word()]).flat(),
    null,
  ),
  "delayed jobs": zset(
    (id) => `delayed:${id}`,
    (draw) => draw.many(1, 5, () => [draw.timeMs(0, 1), draw.uuid()]).flat(),
    null,
  ),
  "connections by last sign of life": zset(
    (id) => `heartbeats:${id}`,
    (draw) =>
      draw
        .many(1, 5, () => [draw.timeMs(0, 0) - draw.below(30_000), `web_${draw.below(9)}_${draw.hex(16)}`])
        .flat(),
    MINUTE_MS,
  ),
  "chat messages": zset(
    (id) => `chat:${id}`,
    (draw) => draw.many(1, 5, () => [draw.timeMs(3, 0), draw.bytes(32).toString("base64")]).flat(),
    null,
  ),
  events: stream(
    (id) => `stream:${id}`,
    (draw) => ["type", draw.word(), "by", draw.uuid()],
    null,
  ),
};

/** Kinds of application data, by name. */
export const ORDINARY_SHAPES: Readonly<Record<string, KeyShape>> = {
  ...LOOKALIKE_SHAPES,
  ...TOKEN_SHAPES,
  ...CACHE_SHAPES,
  ...COUNTER_SHAPES,
  ...COLLECTION_SHAPES,
};
