import { describe, expect, it } from "vitest";
import { AnswerReader } from "./answer-reader.ts";

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}';
const IN_CHUNKS =
  'HTTP/1.1 409 Conflict\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\na\r\n":1,"b":2}\r\n0\r\n\r\n';

describe.each([
  ["with a length", WITH_LENGTH, { status: 200, body: '{"a":1}' }],
  ["in chunks", IN_CHUNKS, { status: 409, body: '{"a":1,"b":2}' }],
])("an answer %s", (_, text, answer) => {
  it("is read when it comes at once, and the next one after it", () => {
    const reader = new AnswerReader();
    expect([reader.push(text), reader.push(text)]).toEqual([answer, answer]);
  });

  it("is not there before its last byte", () => {
    for (let cut = 1; cut < text.length; cut++) {
      const reader = new AnswerReader();
      expect(reader.push(text.slice(0, cut))).toBeUndefined();
      expect(reader.push(text.slice(cut))).toEqual(answer);
    }
  });
});
