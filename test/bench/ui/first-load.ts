import { measureFirstLoads } from "../../../e2e/first-load.ts";
import type { Experiment } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { createSessionCookie, openServer } from "./console-setup.ts";

const FIGURE = "ui.firstload.gzip";

/**
 * Size of the JavaScript that a page references in its HTML. Code that is loaded later, such as for the first rows, is
 * not included.
 */
export const firstLoad: Experiment = {
  figures: [FIGURE],
  async measure(run) {
    const server = await openServer(run);
    const url = `http://127.0.0.1:${server.target.port}`;
    const loads = await measureFirstLoads(url, await createSessionCookie(url, server));
    const conditions = {
      ...(await readMachineFacts(server.inspector, run.effort)),
      byPage: Object.fromEntries(loads.map(({ page, bytes }) => [page, bytes])),
      method:
        "Gzipped scripts that a page references in its HTML, for the page with the most. Lower is better",
    };
    const ours = Math.max(...loads.map(({ bytes }) => bytes));
    return [{ figure: FIGURE, unit: "bytes", ours, vs: {}, conditions }];
  },
};
