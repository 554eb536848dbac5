/** Starts a Lockkeeper server without its pages. It is configured by environment variables, like `npm start`. */
import { serveWithoutPages } from "../server-without-pages.ts";

await serveWithoutPages(process.env);
