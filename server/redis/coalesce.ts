import type { Socket } from "node:net";

/** From here on a packet is sent without waiting for more, so that Redis works while we go on. */
const PACKET_BYTES = 2048;

/**
 * Lets commands that are written in one turn of the event loop go out in few packets: a system call for each costs
 * more than all else that is done for it. None waits longer than until the turn ends.
 */
export function coalesceWrites(
  stream: Pick<Socket, "cork" | "uncork" | "write" | "writableCorked" | "writableLength">,
): void {
  const write = stream.write.bind(stream);
  const flush = () => {
    if (stream.writableCorked > 0) stream.uncork();
  };
  stream.write = ((...given: Parameters<typeof write>) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(flush);
    }
    const isBelowMark = write(...given);
    if (stream.writableLength >= PACKET_BYTES) flush();
    return isBelowMark;
  }) as typeof write;
}
