/** What was called and answered, or may have been carried out in between. */
export interface Operation<State> {
  readonly call: number;
  /** When it was over at the latest. */
  readonly answer: number;
  /** `maybe`: nobody knows whether it was carried out. */
  readonly was: "done" | "maybe";
  /** `looks`: it never changes the state. */
  readonly does: "looks" | "changes";
  /** The state after it; undefined where it cannot have happened in this one. */
  readonly step: (state: State) => State | undefined;
  /** All of a kind differ in their times alone. */
  readonly kind?: string;
  /** Where two have one, the larger never comes before the smaller. */
  readonly rank?: bigint;
}

export interface Model<State> {
  readonly first: readonly State[];
  /** Tells states apart. */
  formatName(state: State): string;
  /** What a state may turn into by itself, as often as it is in it, and from when on. */
  listDrifts(state: State): readonly Drift<State>[];
}

export interface Drift<State> {
  readonly from: number;
  readonly state: State;
}

export type Outcome<Of extends Operation<State>, State> =
  | { readonly outcome: "linearizable" | "undecided" }
  /** `stuck`: the first one that fits no order of all before it, which left the lock in one of these states. */
  | { readonly outcome: "impossible"; readonly stuck: Of; readonly states: readonly State[] };

/** A way to order what happened so far, as far as what comes can tell it from others. */
interface SearchPath<State> {
  readonly state: State;
  readonly name: string;
  /** Of the calls that are open, those that have happened: a bit each. */
  readonly done: bigint;
}

interface Open<Of> {
  readonly operation: Of;
  readonly bit: bigint;
}

/**
 * Whether the operations can be put in an order, each between its call and its answer, that the model allows. All ways
 * are followed side by side, from one call or answer to the next, and an operation is put in its place when it must be:
 * Lowe's just-in-time linearization. It is exact; what is left out can do no more than what is kept.
 *
 * @param stepsMax it gives up after so many, and says so
 * @param until it looks no further: what is answered later may not have happened yet
 */
export function linearize<Of extends Operation<State>, State>(
  operations: readonly Of[],
  model: Model<State>,
  stepsMax: number,
  until = Number.POSITIVE_INFINITY,
): Outcome<Of, State> {
  const frontier = new Frontier<Of, State>(model, stepsMax);
  for (const { operation, type, at } of listEvents(operations)) {
    if (at > until) break;
    if (type === "call") frontier.onCall(operation);
    else {
      const before = frontier.states;
      const end = frontier.onAnswer(operation, at);
      if (end === "impossible") return { outcome: "impossible", stuck: operation, states: before };
      if (end === "undecided") return { outcome: "undecided" };
    }
  }
  return { outcome: "linearizable" };
}

/** At one moment calls come before answers: those two were under way together. */
function listEvents<Of extends { readonly call: number; readonly answer: number }>(
  operations: readonly Of[],
) {
  const calls = operations.map((operation) => ({ operation, type: "call" as const, at: operation.call }));
  const answers = operations.map((operation) => ({
    operation,
    type: "answer" as const,
    at: operation.answer,
  }));
  return [...calls, ...answers].sort((one, other) => one.at - other.at);
}

class Frontier<Of extends Operation<State>, State> {
  #ways: readonly SearchPath<State>[];
  #open: readonly Open<Of>[] = [];
  #used = 0n;
  #steps = 0;

  constructor(
    private readonly model: Model<State>,
    private readonly stepsMax: number,
  ) {
    this.#ways = model.first.map((state) => this.#createPath(state, 0n));
  }

  get states(): readonly State[] {
    return this.#ways.map(({ state }) => state);
  }

  onCall(operation: Of): void {
    let bit = 1n;
    while ((this.#used & bit) !== 0n) bit <<= 1n;
    this.#used |= bit;
    this.#open = [...this.#open, { operation, bit }];
    if (operation.does === "looks")
      this.#ways = this.#ways.map(({ state, done }) => this.#createPath(state, done));
  }

  onAnswer(operation: Of, at: number): "goes_on" | "impossible" | "undecided" {
    const closing = this.#open.find((open) => open.operation === operation);
    if (closing === undefined) return "goes_on";
    const reached = this.#advance(closing, at);
    if (this.#steps > this.stepsMax) return "undecided";
    const kept = operation.was === "maybe" ? [...this.#ways, ...reached] : reached;
    this.#open = this.#open.filter((open) => open !== closing);
    this.#used &= ~closing.bit;
    const best = new BestPaths(this.#open);
    for (const way of kept) best.add({ ...way, done: way.done & ~closing.bit });
    this.#ways = best.all;
    return this.#ways.length === 0 ? "impossible" : "goes_on";
  }

  /** The ways on which it has happened by now, with as little else as that takes. */
  #advance({ bit }: Open<Of>, at: number): SearchPath<State>[] {
    const reached = this.#ways.filter(({ done }) => (done & bit) !== 0n);
    const queue = this.#ways.filter(({ done }) => (done & bit) === 0n);
    const tried = new BestPaths(this.#open);
    for (const way of queue) tried.add(way);
    for (let way = queue.pop(); way !== undefined; way = queue.pop()) {
      for (const next of this.#listNext(way, at)) {
        if (++this.#steps > this.stepsMax) return reached;
        if ((next.done & bit) !== 0n) reached.push(next);
        else if (tried.add(next)) queue.push(next);
      }
    }
    return reached;
  }

  #listNext({ state, done }: SearchPath<State>, at: number): SearchPath<State>[] {
    const left = this.#open.filter(({ bit }) => (done & bit) === 0n);
    const taken = left.flatMap((open) => {
      if (open.operation.does === "looks" || !isNext(open, left)) return [];
      const next = open.operation.step(state);
      return next === undefined ? [] : [this.#createPath(next, done | open.bit)];
    });
    const drifts = this.model.listDrifts(state).filter(({ from }) => from <= at);
    return [...taken, ...drifts.map((drift) => this.#createPath(drift.state, done))];
  }

  // Whoever looks and sees what was answered may as well look now: it is in nobody's way.
  #createPath(state: State, done: bigint): SearchPath<State> {
    let all = done;
    for (const { operation, bit } of this.#open) {
      if (operation.does === "looks" && operation.step(state) !== undefined) all |= bit;
    }
    return { state, name: this.model.formatName(state), done: all };
  }
}

/** Of those alike, the one that is over first; of those with a rank, the smallest of what must be done. */
function isNext<State>(open: Open<Operation<State>>, left: readonly Open<Operation<State>>[]): boolean {
  const { kind, rank, answer } = open.operation;
  return left.every(({ operation, bit }) => {
    if (kind !== undefined && operation.kind === kind) {
      if (operation.answer < answer || (operation.answer === answer && bit < open.bit)) return false;
    }
    if (rank === undefined || operation.rank === undefined || operation.was === "maybe") return true;
    return operation.rank >= rank;
  });
}

/** Ways of which none can do all that another one can. */
class BestPaths<State> {
  readonly #groups = new Map<string, SearchPath<State>[]>();
  #looks = 0n;
  #maybes = 0n;

  constructor(open: readonly Open<Operation<State>>[]) {
    for (const { operation, bit } of open) {
      if (operation.does === "looks") this.#looks |= bit;
      else if (operation.was === "maybe") this.#maybes |= bit;
    }
  }

  get all(): SearchPath<State>[] {
    return [...this.#groups.values()].flat();
  }

  /** @returns whether it can do something that no other one can */
  add(way: SearchPath<State>): boolean {
    const key = `${way.name} ${way.done & ~(this.#looks | this.#maybes)}`;
    const group = this.#groups.get(key) ?? [];
    if (group.some((other) => this.#isAsGood(other, way))) return false;
    this.#groups.set(key, [...group.filter((other) => !this.#isAsGood(way, other)), way]);
    return true;
  }

  /** It has seen as much, and has as much left that may happen. */
  #isAsGood(one: SearchPath<State>, other: SearchPath<State>): boolean {
    const unseen = other.done & ~one.done & this.#looks;
    const spent = one.done & ~other.done & this.#maybes;
    return unseen === 0n && spent === 0n;
  }
}
