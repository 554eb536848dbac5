/** Our server without its pages, set up by its environment; says so once its picture is whole. */
import { serveWithoutPages } from "../server-without-pages.ts";

process.on("disconnect", () => process.exit(0));
await serveWithoutPages(process.env);
process.send?.("ready");
