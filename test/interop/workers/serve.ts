import { createInterface } from "node:readline";

export type Verb = (...words: string[]) => Promise<object>;

/** Serves the requests of `peer.ts` on standard input. Several requests may be in progress at the same time. */
export function serveVerbs(verbs: Readonly<Record<string, Verb>>): void {
  const answer = (id: string, what: object) => process.stdout.write(`${id} ${JSON.stringify(what)}\n`);
  createInterface(process.stdin)
    .on("line", async (line) => {
      const [id = "", verb = "", ...words] = line.split(" ");
      try {
        const carryOut = verbs[verb];
        if (carryOut === undefined) throw new Error(`unknown verb ${verb}`);
        answer(id, await carryOut(...words));
      } catch (error) {
        answer(id, { error: String(error) });
      }
    })
    .on("close", () => process.exit(0));
  answer("ready", {});
}
