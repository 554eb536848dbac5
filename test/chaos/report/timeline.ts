import { getSpan, type Verdict, type Violation } from "../checks/check.ts";
import type { AnalyzedHistory, FaultSpan, Span } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { type Entry, toMilliseconds } from "../history/entry.ts";
import { getProcessSlot } from "../history/process-slot.ts";
import { STYLE } from "./style.ts";
import { escapeXml, renderBand, renderElement, renderLine, renderText } from "./svg.ts";
import { formatOutcome } from "./text.ts";

const PX_A_SECOND = 80;
const LANE_PX = 22;
const TOP_PX = 70;
const LEFT_PX = 90;
const ROOM_FOR_FENCE_PX = 52;

/**
 * Renders a run as a self-contained HTML page with the faults, the violations and one lane for each context with its
 * holds.
 */
export function renderTimeline(
  history: AnalyzedHistory,
  verdicts: readonly Verdict[],
  command: string,
): string {
  const picture = new TimelineDrawing(history);
  const violations = verdicts.flatMap((verdict) => verdict.violations);
  const locks = picture.locks.map((lock, n) => `<li><i class="lock${n}"></i>${escapeXml(lock)}</li>`);
  const lines = verdicts.map((verdict) => {
    const { check, title, notes } = verdict;
    const text = formatOutcome(verdict);
    const outcome = text === "held" ? text : `<b>${text}</b>`;
    return `<tr><td>${check}</td><td>${escapeXml(title)}</td><td>${outcome}</td><td>${escapeXml(notes.join("; "))}</td></tr>`;
  });
  const list = violations.map(
    ({ check, what, lock }, n) =>
      `<li><a href="#violation-${n}">${check}: ${escapeXml(what)} (${escapeXml(lock)})</a></li>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeXml(command)}</title><style>${STYLE}</style>
<h1>${escapeXml(command)}</h1>
<table>${lines.join("\n")}</table>
${list.length === 0 ? "<p>No violations.</p>" : `<ol class="violations">${list.join("\n")}</ol>`}
<ul class="legend">${locks.join("")}<li><i class="wait"></i>waits</li><li><i class="lost"></i>lost: its deadline passed, or it was told</li><li><i class="serving"></i>an API server takes requests</li><li><i class="fault"></i>fault</li></ul>
<div class="scroll">${picture.draw(violations)}</div>
</html>
`;
}

/** Draws the timeline. Maps times to x positions and contexts to lanes. */
class TimelineDrawing {
  readonly locks: readonly string[];
  readonly #lanes: readonly Lane[];
  /**
   * Start of the timeline in whole seconds since the run began. The time before, in which processes start, is not
   * shown.
   */
  readonly #startS: number;
  readonly #endS: number;

  constructor(private readonly analyzed: AnalyzedHistory) {
    const { entries, claims } = analyzed;
    this.locks = [...new Set(claims.map(({ lock }) => lock))].sort();
    this.#lanes = listLanes(entries);
    const first = entries.find(({ context }) => context !== undefined)?.t ?? 0;
    this.#startS = Math.floor(toMilliseconds(first) / 1000);
    this.#endS = toMilliseconds(entries.at(-1)?.t ?? 0) / 1000;
  }

  draw(violations: readonly Violation[]): string {
    const width = LEFT_PX + (this.#endS - this.#startS + 1) * PX_A_SECOND;
    const height = TOP_PX + this.#lanes.length * LANE_PX + 10;
    return renderElement("svg", { width, height, xmlns: "http://www.w3.org/2000/svg" }, [
      ...this.#drawTicks(height),
      ...this.analyzed.faults.map((fault, n) => this.#drawFault(fault, n, height)),
      ...this.#lanes.map(({ name }, n) => renderText(4, TOP_PX + n * LANE_PX + 15, "lane", name)),
      ...this.#drawServingSpans(),
      ...this.#drawWaits(),
      ...this.analyzed.claims.map((claim) => this.#drawClaim(claim)),
      ...violations.map((violation, n) => this.#drawViolation(violation, n, height)),
    ]);
  }

  #toX(ns: number): number {
    return LEFT_PX + (toMilliseconds(ns) / 1000 - this.#startS) * PX_A_SECOND;
  }

  #toY(process: string, context: string): number {
    const name = formatLaneName(process, context);
    return TOP_PX + this.#lanes.findIndex((lane) => lane.name === name) * LANE_PX;
  }

  #toExtent({ from, to }: Span) {
    return { x: this.#toX(from), width: Math.max(1.5, this.#toX(to) - this.#toX(from)) };
  }

  #drawTicks(height: number): string[] {
    return Array.from({ length: Math.ceil(this.#endS - this.#startS) + 1 }, (_, n) => {
      const x = LEFT_PX + n * PX_A_SECOND;
      return renderLine(x, 14, height, "tick") + renderText(x + 3, 11, "second", `${this.#startS + n} s`);
    });
  }

  /** Draws the periods in which API servers were ready. A period ends when a fault restarts the server. */
  #drawServingSpans(): string[] {
    const { entries, faults } = this.analyzed;
    return entries.flatMap(({ op, process, t }) => {
      const slot = getProcessSlot(process);
      const lane = this.#lanes.findIndex((each) => each.slot === slot);
      if (op !== "serving" || lane < 0) return [];
      const ended = faults.find(
        (each) => each.fault === "restart-api" && each.target === slot && each.from > t,
      );
      // The server may have been ready before the start of the timeline.
      const from = Math.max(t, this.#startS * 1e9);
      const across = this.#toExtent({ from, to: ended?.from ?? this.#endS * 1e9 });
      return [renderBand({ ...across, y: TOP_PX + lane * LANE_PX + 8, height: 6 }, "serving", process)];
    });
  }

  /**
   * Draws a fault over the lanes of its worker or API server, or over all lanes if the fault affects a Redis server.
   */
  #drawFault(fault: FaultSpan, n: number, height: number): string {
    const across = this.#toExtent(fault);
    const lanes = this.#lanes.filter(({ slot }) => slot === fault.target);
    const first = this.#lanes.findIndex(({ slot }) => slot === fault.target);
    const y = TOP_PX + Math.max(0, first) * LANE_PX;
    const size = fault.target.startsWith("server") ? height - TOP_PX : lanes.length * LANE_PX;
    const name = `${fault.fault}, ${fault.target}`;
    return (
      renderBand({ ...across, y, height: size }, `fault ${fault.loses}`, name) +
      renderText(across.x, 24 + (n % 4) * 12, "name", name)
    );
  }

  #drawWaits(): string[] {
    const begun = new Map<string, number>();
    return this.analyzed.entries.flatMap((entry) => {
      const { op, type, process, context = "", call, t, code } = entry;
      if (op !== "acquire") return [];
      const name = `${process}#${call}`;
      if (type === "invoke") begun.set(name, t);
      const from = begun.get(name);
      if (type === "invoke" || from === undefined || t - from < 1_000_000) return [];
      const place = { ...this.#toExtent({ from, to: t }), y: this.#toY(process, context) + 10, height: 2 };
      return [
        renderBand(
          place,
          "wait",
          `${entry.lock}: waited ${toMilliseconds(t - from).toFixed(0)} ms, ${code ?? "granted"}`,
        ),
      ];
    });
  }

  #drawClaim(claim: Claim): string {
    const { process, context, ack, end, endedBy, lock, token, fence, count } = claim;
    const inset = Math.min(6, (count - 1) * 4);
    const place = {
      ...this.#toExtent({ from: ack, to: Math.max(ack, end) }),
      y: this.#toY(process, context) + 2 + inset,
      height: LANE_PX - 4 - 2 * inset,
    };
    const told = `${token}, fence ${fence}, count ${count}, ${toMilliseconds(end - ack).toFixed(1)} ms, ended by ${endedBy}`;
    const kind = `hold lock${this.locks.indexOf(lock)}${endedBy === "release" ? "" : " lost"}`;
    const label = place.width > ROOM_FOR_FENCE_PX && count === 1 ? `…${fence?.slice(-6)}` : "";
    return (
      renderBand(place, kind, `${lock}: ${told}`) + renderText(place.x + 3, place.y + 13, "fence", label)
    );
  }

  #drawViolation(violation: Violation, n: number, height: number): string {
    const { check, what } = violation;
    const place = { ...this.#toExtent(getSpan(violation)), y: TOP_PX - 4, height: height - TOP_PX };
    const id = `violation-${n}`;
    return renderElement("g", { id }, [
      renderBand(place, "violation", `${check}: ${what}`),
      renderText(place.x, TOP_PX - 8, "alarm", check),
    ]);
  }
}

interface Lane {
  readonly name: string;
  readonly slot: string | undefined;
}

/** Lists the lanes: the API servers first, then one lane for each context. */
function listLanes(entries: readonly Entry[]): Lane[] {
  const lanes = entries.flatMap(({ op, process, context }) => {
    const slot = getProcessSlot(process);
    if (op === "serving" && slot !== undefined) return [{ name: slot, slot }];
    return context === undefined ? [] : [{ name: formatLaneName(process, context), slot }];
  });
  const { compare } = new Intl.Collator("en", { numeric: true });
  return [...new Map(lanes.map((lane) => [lane.name, lane])).values()].sort((one, other) =>
    compare(one.name, other.name),
  );
}

function formatLaneName(process: string, context: string): string {
  return `${process.slice(0, process.indexOf("."))}/${context}`;
}
