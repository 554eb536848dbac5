import type { Socket } from "node:net";

/** From here on a packet is sent without waiting for more, so that Redis works while we go on. */
const PACKET_CHARACTERS = 2048;

/**
 * Lets commands that are written in one turn of the event loop go out in few packets: a system call for each costs
 * more than all else that is done for it. None waits longer than until the turn ends, when every socket that had
 * something to say was heard: the requests of many connections go out together. Commands are text, and one long text is
 * sent at less cost than many short ones.
 */
export function coalesceWrites(stream: Pick<Socket, "write" | "end">): void {
  const write = stream.write.bind(stream);
  const end = stream.end.bind(stream);
  let text = "";
  const flush = () => {
    const packet = text;
    text = "";
    if (packet !== "") write(packet);
  };
  const writeLater = (...given: Parameters<typeof write>) => {
    const [command, ...more] = given;
    if (typeof command !== "string" || more.length > 0) {
      flush();
      return write(...given);
    }
    if (text === "") setImmediate(flush);
    text += command;
    if (text.length >= PACKET_CHARACTERS) flush();
    return true;
  };
  const endLater = (...given: Parameters<typeof end>) => {
    flush();
    return end(...given);
  };
  Object.assign(stream, { write: writeLater, end: endLater });
}
