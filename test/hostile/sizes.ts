const MB = 2 ** 20;

/** The amounts of data and requests in the cases. */
export interface Sizes {
  readonly hashFields: number;
  readonly hashFieldBytes: number;
  readonly stringBytes: number;
  readonly elements: number;
  readonly elementBytes: number;
  readonly keyNameBytes: number;
  readonly shortLivedKeys: number;
  readonly shortLivedKeyNameBytes: number;
  readonly companionBytes: number;
  readonly forgedEvents: number;
  readonly forgedOwnerBytes: number;
  readonly publishedMessages: number;
  readonly publishedMessageBytes: number;
  readonly filteredLocks: number;
  readonly snapshotLocks: number;
  readonly idleReaders: number;
  readonly pollingStreams: number;
  readonly floodedLocksMax: number;
}

export const FULL_SIZES: Sizes = {
  hashFields: 16,
  hashFieldBytes: 10 * MB,
  stringBytes: 512 * MB,
  elements: 8,
  elementBytes: 8 * MB,
  keyNameBytes: 400_000,
  shortLivedKeys: 300,
  shortLivedKeyNameBytes: 200_000,
  companionBytes: 200_000,
  forgedEvents: 20_000,
  forgedOwnerBytes: 16_000,
  publishedMessages: 300,
  publishedMessageBytes: MB,
  filteredLocks: 5_000,
  snapshotLocks: 20_000,
  idleReaders: 20,
  pollingStreams: 1_500,
  floodedLocksMax: 15_000,
};

/** Smaller sizes for developing the tests. They may not reveal a defect. */
export const QUICK_SIZES: Sizes = {
  ...FULL_SIZES,
  hashFieldBytes: 2 * MB,
  stringBytes: 64 * MB,
  elementBytes: MB,
  keyNameBytes: 50_000,
  shortLivedKeys: 60,
  companionBytes: 50_000,
  forgedEvents: 4_000,
  publishedMessages: 50,
  filteredLocks: 1_000,
  snapshotLocks: 4_000,
  pollingStreams: 1_100,
};
