import { constants, crc32, deflateRawSync } from "node:zlib";
import type { ResponseSink } from "../http/http-exchange.ts";

/**
 * The gzip header (RFC 1952): magic number, deflate, no flags, no modification time, no extra flags, unknown operating
 * system.
 */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** The last deflate block of a stream: final, with fixed Huffman codes, empty. */
const FINAL_BLOCK = Buffer.from([3, 0]);
/**
 * Minimum size to deflate, in bytes. Shorter messages are sent as stored blocks, because compressing them costs more
 * than it saves.
 */
const MIN_BYTES = 200;
const STORED_BYTES_MAX = 0xffff;

interface Piece {
  /** The message as a byte-aligned section of a deflate stream, without back-references to earlier sections. */
  readonly deflated: Uint8Array;
  readonly plain: Uint8Array;
}

/** Caches the compressed bytes of each message, so that a message for many tabs is compressed only once. */
const pieces = new WeakMap<Uint8Array, Piece>();

/** Whether streams can be compressed. The gzip trailer requires `crc32`, which is available in Node 20.15 and newer. */
export const canCompressStreams = typeof crc32 === "function";

/**
 * Creates a sink that compresses a stream message by message. Each message is compressed independently, so the message
 * reaches the client as soon as it is written, and tabs can share the compressed bytes. A connection holds no zlib
 * state, which saves the 256 KB that a deflate context takes by default.
 */
export function createGzipSink(sink: ResponseSink): ResponseSink {
  let checksum = 0;
  let length = 0;
  let isBegun = false;
  const begin = () => {
    if (!isBegun) sink.write(HEADER);
    isBegun = true;
  };
  return {
    write(message) {
      const { deflated, plain } = toPiece(message);
      begin();
      checksum = crc32(plain, checksum);
      length += plain.length;
      sink.write(deflated);
    },
    close: () => sink.close(),
    end() {
      begin();
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(checksum, 0);
      trailer.writeUInt32LE(length >>> 0, 4);
      sink.write(Buffer.concat([FINAL_BLOCK, trailer]));
      sink.end();
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
    onClose: (listener) => sink.onClose(listener),
  };
}

function toPiece(message: string | Uint8Array): Piece {
  if (typeof message === "string") return createPiece(Buffer.from(message));
  const known = pieces.get(message);
  if (known !== undefined) return known;
  const piece = createPiece(message);
  pieces.set(message, piece);
  return piece;
}

function createPiece(plain: Uint8Array): Piece {
  const deflated =
    plain.length < MIN_BYTES ? createStoredBlock(plain) : deflateRawSync(plain, chooseOptions(plain.length));
  return { deflated, plain };
}

/**
 * Chooses the zlib options for a message. The window is just large enough for the message, because a small deflate
 * context takes less time to create than a large one.
 */
function chooseOptions(bytes: number) {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes))));
  return {
    level: 4,
    windowBits,
    memLevel: Math.min(8, Math.max(1, windowBits - 7)),
    // Ends the output on a byte boundary, without a final block.
    finishFlush: constants.Z_SYNC_FLUSH,
  };
}

function createStoredBlock(plain: Uint8Array): Uint8Array {
  const block = Buffer.alloc(5 + plain.length);
  block.writeUInt16LE(plain.length, 1);
  block.writeUInt16LE(STORED_BYTES_MAX - plain.length, 3);
  block.set(plain, 5);
  return block;
}
