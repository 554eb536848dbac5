/** The members of an AbortSignal that a wait uses. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: AbortListener): void;
  removeEventListener(type: "abort", listener: AbortListener): void;
}

export interface AbortListener {
  handleEvent(): void;
}
