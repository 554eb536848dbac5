/** Our server without its pages, set up by its environment as `npm start` is. */
import { serveWithoutPages } from "../server-without-pages.ts";

await serveWithoutPages(process.env);
