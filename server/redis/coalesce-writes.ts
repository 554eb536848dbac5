import type { Socket } from "node:net";

/**
 * Size of a packet, in characters, at which it is sent before the turn of the event loop ends, so that Redis can start
 * to process it.
 */
const PACKET_CHARACTERS = 2048;

/**
 * Patches `stream` so that the commands of one turn of the event loop are sent in few packets. A system call per
 * command would cost more than all other processing of the command. The first command is sent immediately, so that
 * Redis works while this process issues the others. Each further command waits at most until the turn ends. By then,
 * every readable socket has been processed, so the commands of many HTTP connections are sent together. Commands are
 * strings, and writing one long string costs less than writing many short strings.
 */
export function coalesceWrites(stream: Pick<Socket, "write" | "end">): void {
  const write = stream.write.bind(stream);
  const end = stream.end.bind(stream);
  let text = "";
  let isTurnOpen = false;
  const flush = () => {
    const packet = text;
    text = "";
    if (packet !== "") write(packet);
  };
  const endTurn = () => {
    isTurnOpen = false;
    flush();
  };
  const writeLater = (...given: Parameters<typeof write>) => {
    const [command, ...more] = given;
    if (typeof command !== "string" || more.length > 0) {
      flush();
      return write(...given);
    }
    if (!isTurnOpen) {
      isTurnOpen = true;
      setImmediate(endTurn);
      return write(command);
    }
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
