/** A Lockkeeper server without its pages, configured by its environment, like `npm start`. */
import { serveWithoutPages } from "../server-without-pages.ts";

await serveWithoutPages(process.env);
