/**
 * A Lockkeeper server without its pages, and the live stream of one tab. Observes the locks while they are measured.
 * Sends a message when the stream is live.
 *
 * Usage: `node --import tsx console.ts REDIS_URL`
 */
import { randomBytes } from "node:crypto";
import { serveWithoutPages } from "../server-without-pages.ts";

const [redisUrl = ""] = process.argv.slice(2);
const rootKey = randomBytes(30).toString("base64url");
const seen = { streamsOpened: 0, bytesRead: 0 };

async function main(): Promise<void> {
  const port = await serveWithoutPages({ REDIS_URL: redisUrl, PORT: "0", LOCKKEEPER_ROOT_KEY: rootKey });
  await new Promise<void>((onOpen) => void keepReading(`http://127.0.0.1:${port}/api/v1/live`, onOpen));
  process.send?.("ready");
}

/** Reads the stream and reconnects after an interruption, as a browser does. */
async function keepReading(url: string, onOpen: () => void): Promise<never> {
  for (;;) {
    await readStream(url, onOpen).catch((error: unknown) => process.stderr.write(`console: ${error}\n`));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function readStream(url: string, onOpen: () => void): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${rootKey}` } });
  if (response.status !== 200 || response.body === null)
    throw new Error(`GET /live answered ${response.status}`);
  seen.streamsOpened++;
  for await (const chunk of response.body) {
    seen.bytesRead += chunk.length;
    onOpen();
  }
}

process.on("message", () => process.send?.(seen));
process.on("disconnect", () => process.exit(0));
await main();
