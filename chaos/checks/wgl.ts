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
const STEPS_MAX = 1_000_000;

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
  readonly is: "done" | "dropped";
}

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
    for (let steps = 0; this.#left > 0; steps++) {
      if (steps > STEPS_MAX || node === undefined) return { outcome: "undecided" };
      const { operation } = node;
      if (node.kind === "call") {
        const next = operation.step(this.state);
        const isNew = next !== undefined && this.#isNew(node, next);
        if (isNew) this.#take(node, next, "done");
        node = isNew ? this.#head.after : node.after;
      } else if (isCertain(operation)) {
        // An answer whose call has not happened yet: something on the way here was wrong.
        if (operation.answer > (this.#furthest?.stuck.answer ?? 0)) {
          this.#furthest = { stuck: operation, state: this.state };
        }
        const back = this.#goBack();
        if (back === undefined) return this.#impossible();
        node = back.after;
      } else {
        const { call, after } = node;
        if (call !== undefined) this.#take(call, this.state, "dropped");
        node = after;
      }
    }
    return { outcome: "linearizable" };
  }

  #isNew({ index }: Node<State>, next: State): boolean {
    const name = `${(this.#done | (1n << BigInt(index))).toString(36)} ${this.nameOf(next)}`;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }

  #take(node: Node<State>, next: State, is: "done" | "dropped"): void {
    this.#way.push({ node, state: this.state, is });
    this.state = next;
    this.#done |= 1n << BigInt(node.index);
    if (isCertain(node.operation)) this.#left--;
    if (node.answer !== undefined) takeOut(node.answer);
    takeOut(node);
  }

  /** To the last choice that was one: what was dropped had been tried before. */
  #goBack(): Node<State> | undefined {
    for (;;) {
      const last = this.#way.pop();
      if (last === undefined) return undefined;
      const { node } = last;
      putBack(node);
      if (node.answer !== undefined) putBack(node.answer);
      if (isCertain(node.operation)) this.#left++;
      this.#done &= ~(1n << BigInt(node.index));
      this.state = last.state;
      if (last.is === "done") return node;
    }
  }

  #impossible(): Outcome<State> {
    return this.#furthest === undefined
      ? { outcome: "undecided" }
      : { outcome: "impossible", ...this.#furthest };
  }
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
