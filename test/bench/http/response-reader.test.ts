import { describe, expect, it } from "vitest";
import { ResponseReader } from "./response-reader.ts";

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}';
const IN_CHUNKS =
  'HTTP/1.1 409 Conflict\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\na\r\n":1,"b":2}\r\n0\r\n\r\n';

describe.each([
  ["with Content-Length", WITH_LENGTH, { status: 200, body: '{"a":1}' }],
  ["with chunked encoding", IN_CHUNKS, { status: 409, body: '{"a":1,"b":2}' }],
])("response reader, response %s", (_, text, answer) => {
  it("the response reader returns a response that arrives at once, and then the next one", () => {
    const reader = new ResponseReader();
    expect([reader.push(text), reader.push(text)]).toEqual([answer, answer]);
  });

  it("the response reader returns nothing before the last byte of a response", () => {
    for (let cut = 1; cut < text.length; cut++) {
      const reader = new ResponseReader();
      expect(reader.push(text.slice(0, cut))).toBeUndefined();
      expect(reader.push(text.slice(cut))).toEqual(answer);
    }
  });
});
