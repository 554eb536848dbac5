/** A Lockkeeper server without its pages, configured by its environment. Reports when its index is complete. */
import { serveWithoutPages } from "../server-without-pages.ts";

process.on("disconnect", () => process.exit(0));
await serveWithoutPages(process.env);
process.send?.("ready");
