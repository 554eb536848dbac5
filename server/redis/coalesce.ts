import type { Socket } from "node:net";

/**
 * Lets all commands that are written in one turn of the event loop go out in one packet: a write of its own for each
 * costs more than anything else that is done for it. None waits longer than until the turn ends.
 */
export function coalesceWrites(stream: Pick<Socket, "cork" | "uncork" | "write" | "writableCorked">): void {
  const write = stream.write.bind(stream);
  const flush = () => stream.uncork();
  stream.write = ((...given: Parameters<typeof write>) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(flush);
    }
    return write(...given);
  }) as typeof write;
}
