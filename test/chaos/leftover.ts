/** A key that is in Redis after a run although nobody needs it. */
export interface Leftover {
  readonly server: number;
  readonly key: string;
  readonly why: string;
}
