/**
 * Starts a Lockkeeper server without its pages. It is configured by environment variables. Sends a message when its
 * index is complete.
 */
import { serveWithoutPages } from "../server-without-pages.ts";

process.on("disconnect", () => process.exit(0));
await serveWithoutPages(process.env);
process.send?.("ready");
