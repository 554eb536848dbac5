import { describe, expect, it } from "vitest";
import { type Experiment, formatFailure, type Line, type Run } from "./figure.ts";
import { Session } from "./session.ts";

const line = (figure: string, conditions = {}): Line => ({ figure, unit: "ms", ours: 1, vs: {}, conditions });

async function measure(figures: string[], body: (run: Run) => Promise<readonly Line[]>, wanted = figures) {
  const printed: string[] = [];
  const session = new Session("quick", {
    onLine: ({ figure }) => printed.push(figure),
    onFailure: (failure) => printed.push(formatFailure(failure)),
  });
  const experiment: Experiment = { figures, measure: body };
  await session.measure(experiment, wanted);
  return { printed, session };
}

describe("Session", () => {
  it("prints the lines that were requested", async () => {
    const { printed } = await measure(["a.1", "a.2"], async () => [line("a.1"), line("a.2")], ["a.2"]);
    expect(printed).toEqual(["a.2"]);
  });

  it("prints a part at once and goes on after a part that failed", async () => {
    const ended: string[] = [];
    const { printed, session } = await measure(["a.1", "a.2", "a.3"], async (run) => {
      run.defer(() => ended.push("end"));
      await run.part(["a.1"], async () => [line("a.1")]);
      await run.part(["a.2"], async () => {
        throw new Error("No grant\n  twice");
      });
      return [line("a.3")];
    });
    expect(printed).toEqual(["a.1", "FAILED a.2: No grant twice", "a.3"]);
    expect(session.failures).toEqual([{ figure: "a.2", failed: "No grant twice" }]);
    expect(ended).toEqual(["end"]);
  });

  it("does not measure a part that nobody requested", async () => {
    const { printed } = await measure(
      ["a.1", "a.2"],
      async (run) => {
        await run.part(["a.1"], async () => {
          throw new Error("measured");
        });
        return [line("a.2")];
      },
      ["a.2"],
    );
    expect(printed).toEqual(["a.2"]);
  });

  it("fails the figures without a value when the experiment throws, and keeps those that were printed", async () => {
    const { printed } = await measure(["a.1", "a.2"], async (run) => {
      await run.part(["a.1"], async () => [line("a.1")]);
      throw new Error("broken");
    });
    expect(printed).toEqual(["a.1", "FAILED a.2: broken"]);
  });

  it("ends an experiment that hangs after an error that nobody caught", async () => {
    const failed: string[] = [];
    const session = new Session("quick", {
      onLine: () => undefined,
      onFailure: (failure) => failed.push(formatFailure(failure)),
    });
    const hanging: Experiment = {
      figures: ["a.1", "a.2"],
      measure: async (run) => {
        await run.part(["a.1"], () => new Promise(() => undefined));
        return [];
      },
    };
    const measured = session.measure(hanging, hanging.figures);
    session.abort(new Error("Command queue state error"));
    await measured;
    expect(failed).toEqual([
      "FAILED a.1: Command queue state error",
      "FAILED a.2: Command queue state error",
    ]);
    await session.measure({ figures: ["b.1"], measure: async () => [line("b.1")] }, ["b.1"]);
    expect(session.lines).toHaveLength(1);
  });

  it("reports a figure that the experiment forgot", async () => {
    const { printed } = await measure(["a.1"], async () => []);
    expect(printed).toEqual(["FAILED a.1: The experiment ended without a value for it"]);
  });

  it("reports contenders that failed beside the value", async () => {
    const failed = { redlock: "timed out" };
    const { printed, session } = await measure(["a.1"], async () => [line("a.1", { failed })]);
    expect(printed).toEqual(["a.1", "FAILED a.1, redlock: timed out"]);
    expect(session.failures).toHaveLength(1);
  });
});
