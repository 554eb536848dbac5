/** What was called and answered, or may have been carried out at any time since. */
export interface Operation<State> {
  readonly call: number;
  /** When it was over at the latest; Infinity: never. */
  readonly answer: number;
  /** `maybe`: nobody knows whether it was carried out. */
  readonly was: "done" | "maybe";
  /** The state after it; undefined where it cannot have happened in this one. */
  readonly step: (state: State) => State | undefined;
  readonly about: string;
}

export type Outcome<State> =
  | { readonly outcome: "linearizable" | "undecided" }
  /** `stuck`: the operation that nothing fits before, on the longest way that was found. */
  | { readonly outcome: "impossible"; readonly stuck: Operation<State>; readonly state: State };

interface Node<State> {
  readonly operation: Operation<State>;
  readonly kind: "call" | "answer";
  readonly index: number;
  /** Of a call: its answer, if it has one; and the other way round. */
  answer?: Node<State>;
  call?: Node<State>;
  before: Link<State> | undefined;
  after: Node<State> | undefined;
}

interface Link<State> {
  after: Node<State> | undefined;
}

/** More than any history needs that has an order. */
const TAKEN_MAX = 200_000;

/**
 * Whether the operations can be put in an order, each between its call and its answer, that the model allows: the
 * search of Wing and Gong, with Lowe's memory of what was tried.
 *
 * @param nameOf tells states apart
 */
export function linearize<State>(
  operations: readonly Operation<State>[],
  first: State,
  nameOf: (state: State) => string,
): Outcome<State> {
  return new Search(operations, first, nameOf).run();
}

interface Step<State> {
  readonly node: Node<State>;
  readonly state: State;
  /** What might have been done until then, and now cannot have been any more. */
  readonly dropped: readonly Node<State>[];
}

/** What was certainly done is tried before what may have been: most of that never was. */
type Turn = "certain" | "possible";

class Search<State> {
  readonly #head: Link<State>;
  readonly #seen = new Set<string>();
  readonly #way: Step<State>[] = [];
  #done = 0n;
  #left: number;
  #furthest: { readonly stuck: Operation<State>; readonly state: State } | undefined;

  constructor(
    operations: readonly Operation<State>[],
    private state: State,
    private readonly nameOf: (state: State) => string,
  ) {
    this.#head = listOf(operations);
    this.#left = operations.filter(isCertain).length;
  }

  run(): Outcome<State> {
    let node = this.#head.after;
    let turn: Turn = "certain";
    for (let taken = 0; this.#left > 0; ) {
      if (taken > TAKEN_MAX) return { outcome: "undecided" };
      const isEnd = node === undefined || (node.kind === "answer" && isCertain(node.operation));
      if (node === undefined || isEnd) {
        if (turn === "certain") {
          node = this.#head.after;
          turn = "possible";
          continue;
        }
        this.#note(node);
        const back = this.#goBack();
        if (back === undefined) return this.#impossible();
        node = back.after;
        turn = turnOf(back);
      } else if (this.#tries(node, turn)) {
        taken++;
        node = this.#head.after;
        turn = "certain";
      } else node = node.after;
    }
    return { outcome: "linearizable" };
  }

  /** @returns whether the call happens here */
  #tries(node: Node<State>, turn: Turn): boolean {
    if (node.kind === "answer" || turnOf(node) !== turn) return false;
    const next = node.operation.step(this.state);
    if (next === undefined || !this.#isNew(node, next)) return false;
    this.#take(node, next);
    return true;
  }

  // An answer whose call has not happened yet: something on the way here was wrong.
  #note(node: Node<State> | undefined): void {
    if (node === undefined || node.operation.answer <= (this.#furthest?.stuck.answer ?? 0)) return;
    this.#furthest = { stuck: node.operation, state: this.state };
  }

  #isNew({ index }: Node<State>, next: State): boolean {
    const name = `${(this.#done | (1n << BigInt(index))).toString(36)} ${this.nameOf(next)}`;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  #take(node: Node<State>, next: State): void {
    const dropped: Node<State>[] = [];
    for (let over = this.#head.after; over !== undefined && over !== node; over = over.after) {
      if (over.kind === "answer" && over.call !== undefined) dropped.push(over.call);
    }
    this.#way.push({ node, state: this.state, dropped });
    this.state = next;
    if (isCertain(node.operation)) this.#left--;
    for (const each of [...dropped, node]) {
      this.#done |= 1n << BigInt(each.index);
      if (each.answer !== undefined) takeOut(each.answer);
      takeOut(each);
    }
  }

  #goBack(): Node<State> | undefined {
    const last = this.#way.pop();
    if (last === undefined) return undefined;
    const { node, dropped } = last;
    for (const each of [...dropped, node].reverse()) {
      putBack(each);
      if (each.answer !== undefined) putBack(each.answer);
      this.#done &= ~(1n << BigInt(each.index));
    }
    if (isCertain(node.operation)) this.#left++;
    this.state = last.state;
    return node;
  }

  #impossible(): Outcome<State> {
    return this.#furthest === undefined
      ? { outcome: "undecided" }
      : { outcome: "impossible", ...this.#furthest };
  }
}

function turnOf<State>({ operation }: Node<State>): Turn {
  return isCertain(operation) ? "certain" : "possible";
}

function isCertain<State>({ was, answer }: Operation<State>): boolean {
  return was === "done" && Number.isFinite(answer);
}

function listOf<State>(operations: readonly Operation<State>[]): Link<State> {
  const nodes = operations.flatMap((operation, index) => {
    const links = { operation, index, before: undefined, after: undefined };
    const call: Node<State> = { ...links, kind: "call" };
    if (!Number.isFinite(operation.answer)) return [{ at: operation.call, node: call }];
    const answer: Node<State> = { ...links, kind: "answer", call };
    call.answer = answer;
    return [
      { at: operation.call, node: call },
      { at: operation.answer, node: answer },
    ];
  });
  const head: Link<State> = { after: undefined };
  let last: Link<State> = head;
  for (const { node } of nodes.sort((one, other) => one.at - other.at)) {
    last.after = node;
    node.before = last;
    last = node;
  }
  return head;
}

function takeOut<State>(node: Node<State>): void {
  if (node.before !== undefined) node.before.after = node.after;
  if (node.after !== undefined) node.after.before = node.before;
}

function putBack<State>(node: Node<State>): void {
  if (node.before !== undefined) node.before.after = node;
  if (node.after !== undefined) node.after.before = node;
}
