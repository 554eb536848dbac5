/** A key that should not exist at the end of a run, or whose content is wrong. */
export interface Leftover {
  readonly server: number;
  readonly key: string;
  readonly why: string;
}
