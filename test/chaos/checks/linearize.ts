/** A completed call, or a call that may have been executed. */
export interface Operation<State> {
  readonly call: number;
  /** The latest time at which the operation was complete. */
  readonly answer: number;
  /** `maybe`: it is unknown whether the operation was executed. */
  readonly was: "done" | "maybe";
  /** `looks`: the operation never changes the state. */
  readonly does: "looks" | "changes";
  /** Returns the state after the operation, or `undefined` if the operation is impossible in the given state. */
  readonly step: (state: State) => State | undefined;
  /** Operations of the same kind differ only in their times. */
  readonly kind?: string;
  /** Of two operations with a rank, the one with the larger rank never happens first. */
  readonly rank?: bigint;
}

export interface Model<State> {
  readonly first: readonly State[];
  /** Returns a string that is different for each state. */
  formatName(state: State): string;
  /** Lists the states to which a state can change without an operation, each with the earliest time of the change. */
  listDrifts(state: State): readonly Drift<State>[];
}

export interface Drift<State> {
  readonly from: number;
  readonly state: State;
}

export type Outcome<Of extends Operation<State>, State> =
  | { readonly outcome: "linearizable" | "undecided" }
  /**
   * `stuck`: the first operation that is inconsistent with every order of the earlier operations. These orders end in
   * one of `states`.
   */
  | { readonly outcome: "impossible"; readonly stuck: Of; readonly states: readonly State[] };

/** A possible order of the operations so far, reduced to the data that affects later operations. */
interface SearchPath<State> {
  readonly state: State;
  readonly name: string;
  /** One bit for each open call, set if its operation has already happened. */
  readonly done: bigint;
}

interface Open<Of> {
  readonly operation: Of;
  readonly bit: bigint;
}

/**
 * Determines whether the model allows an order of the operations in which each happens between its call and its answer.
 * The search extends all possible orders in parallel from one call or answer to the next, and places an operation only
 * when it must have happened (Lowe's just-in-time linearization). The result is exact because a path is only dropped if
 * every continuation is also possible for another path.
 *
 * @param stepsMax number of steps after which the search ends as undecided
 * @param until the time at which the search ends. Operations that are answered later may not have happened
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

/**
 * Lists calls and answers in order. At equal times, calls come first, because operations that touch are treated as
 * overlapping.
 */
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

  /** Returns the paths on which the operation has happened by `at`. Other operations are only placed if necessary. */
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

  // An operation that does not change the state is placed as soon as it is consistent, because it does not affect other
  // operations.
  #createPath(state: State, done: bigint): SearchPath<State> {
    let all = done;
    for (const { operation, bit } of this.#open) {
      if (operation.does === "looks" && operation.step(state) !== undefined) all |= bit;
    }
    return { state, name: this.model.formatName(state), done: all };
  }
}

/**
 * Returns whether an open operation may be placed next. Operations of the same kind are ordered by completion, and
 * operations with a rank by rank.
 */
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

/** A set of search paths without those that are dominated by another path. */
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

  /** Adds a path. @returns false if another path dominates it */
  add(way: SearchPath<State>): boolean {
    const key = `${way.name} ${way.done & ~(this.#looks | this.#maybes)}`;
    const group = this.#groups.get(key) ?? [];
    if (group.some((other) => this.#isAsGood(other, way))) return false;
    this.#groups.set(key, [...group.filter((other) => !this.#isAsGood(way, other)), way]);
    return true;
  }

  /**
   * Returns whether `one` dominates `other`: at least the same reads have happened, and at least the same uncertain
   * operations are still available.
   */
  #isAsGood(one: SearchPath<State>, other: SearchPath<State>): boolean {
    const unseen = other.done & ~one.done & this.#looks;
    const spent = one.done & ~other.done & this.#maybes;
    return unseen === 0n && spent === 0n;
  }
}
