/** JSON-RPC over a WebSocket: a frame is a message. */

type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

export class Client {
  private readonly waiting = new Map<number, Waiting>();
  private readonly handlers = new Map<string, (params: never) => void>();
  private next = 1;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", (event) => this.receive(String(event.data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error("the server has gone"));
      }
      this.waiting.clear();
    });
  }

  static connect(url: string): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.addEventListener("open", () => resolve(new Client(socket)), { once: true });
      socket.addEventListener("error", () => reject(new Error("the server cannot be reached")), { once: true });
    });
  }

  onClose(run: () => void): void {
    this.socket.addEventListener("close", run);
  }

  onNotification<P>(method: string, run: (params: P) => void): void {
    this.handlers.set(method, run as (params: never) => void);
  }

  notify(method: string, params: unknown): void {
    this.send({ method, params });
  }

  /** Sends a request; `signal` cancels it at the server too. */
  request<R>(method: string, params: unknown, signal?: AbortSignal): Promise<R> {
    const id = this.next++;
    const answer = new Promise<R>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
    });
    signal?.addEventListener("abort", () => {
      if (this.waiting.has(id)) {
        this.notify("$/cancelRequest", { id });
      }
    });
    this.send({ id, method, params });
    return answer;
  }

  private send(message: object): void {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  private receive(data: string): void {
    const message = JSON.parse(data);
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error !== undefined) {
        waiting?.reject(new Error(message.error.message));
      } else {
        waiting?.resolve(message.result);
      }
    } else if (message.id !== undefined) {
      // What a server asks of an editor (progress, configuration) has the answer "nothing" here.
      this.send({ id: message.id, result: null });
    } else {
      this.handlers.get(message.method)?.(message.params as never);
    }
  }
}
