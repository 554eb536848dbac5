const REQUEST_MS_MAX = 20_000;

export interface ApiReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: cases read bodies of every shape.
  readonly body: any;
}

/** Sends requests to the paths below `/api/v1` with one API key. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly secret: string,
  ) {}

  get(path: string): Promise<ApiReply> {
    return this.#send(path, {});
  }

  post(path: string, body: object): Promise<ApiReply> {
    const headers = { "content-type": "application/json" };
    return this.#send(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  acquire(key: string, owner: string, leaseMs = 60_000): Promise<ApiReply> {
    return this.post(`/locks/${encodeURIComponent(key)}/acquire`, { owner, leaseMs });
  }

  /**
   * Sends a request.
   *
   * @returns the reply, with status 0 if there was no response
   */
  async #send(path: string, init: RequestInit): Promise<ApiReply> {
    try {
      const response = await fetch(`${this.url}/api/v1${path}`, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.secret}` },
        signal: AbortSignal.timeout(REQUEST_MS_MAX),
      });
      const text = await response.text();
      const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
      return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text };
    } catch (error) {
      return { status: 0, body: String(error) };
    }
  }
}
