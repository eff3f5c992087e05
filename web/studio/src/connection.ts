// The one WebSocket to the server: messages with answers, and what it tells by itself.
import type { Asked } from "./asked";
import type { Message } from "./protocol";

/** What pages of motions ask; the connection adds its number. */
export type Wish = Without<Asked, "request">;
/** The same, of edits; the store adds the revision. */
export type Edit = Without<Extract<Asked, { revision: number }>, "request" | "revision">;

/** Each member of a union without some fields. */
export type Without<Union, Fields extends PropertyKey> = Union extends unknown ? Omit<Union, Fields> : never;

type Handler = (message: Message) => void;

export class Refused extends Error {
  /** Where in what was sent, and what is wrong there; whether it may be possible a moment later. */
  constructor(text: string, readonly place = "", readonly what = text, readonly again = false) {
    super(text);
  }
}

export class Connection<Of extends object = Asked> {
  private socket: WebSocket | null = null;
  private next = 1;
  private waiting = new Map<number, { good: (message: Message) => void; bad: (error: Error) => void }>();
  private handlers = new Map<string, Handler[]>();
  onBinary: (data: ArrayBuffer) => void = () => {};
  onState: (open: boolean) => void = () => {};

  constructor(private path = "/socket") {}

  open(): void {
    const token = new URLSearchParams(location.search).get("token");
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    // Seen from the page's own folder, which in a class is the student's.
    const folder = location.pathname.replace(/\/[^/]*$/, "");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${folder}${this.path}${query}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.heard(JSON.parse(event.data));
      else this.onBinary(event.data);
    };
    socket.onopen = () => this.onState(true);
    socket.onclose = () => {
      this.socket = null;
      for (const { bad } of this.waiting.values()) bad(new Refused("the server is gone", "", undefined, true));
      this.waiting.clear();
      this.onState(false);
      setTimeout(() => this.open(), 1000);
    };
    this.socket = socket;
  }

  on(type: string, handler: Handler): void {
    this.handlers.set(type, [...(this.handlers.get(type) ?? []), handler]);
  }

  /** Ask for something; the promise is kept by the answer with the same number. */
  ask(message: Without<Of, "request">): Promise<Message> {
    const request = this.next++;
    return new Promise((good, bad) => {
      if (this.socket?.readyState !== WebSocket.OPEN) return bad(new Refused("the server is gone", "", undefined, true));
      this.waiting.set(request, { good, bad });
      this.socket.send(JSON.stringify({ ...message, request }));
    });
  }

  /** Tell something that has no answer, or whose answer everybody hears. */
  tell(message: Without<Of, "request">): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ ...message, request: 0 }));
  }

  private heard(message: Message): void {
    for (const handler of this.handlers.get(message.type) ?? []) handler(message);
    const waiting = message.request ? this.waiting.get(message.request) : undefined;
    const mine = message.type !== "edited" || message.page === this.page;
    if (waiting && mine && message.request) {
      this.waiting.delete(message.request);
      if (message.type === "refused") waiting.bad(new Refused(message.text, message.place, message.what, message.again));
      else waiting.good(message);
    } else if (message.type === "refused") {
      for (const handler of this.handlers.get("notice") ?? []) handler(message);
    }
  }

  page = 0;
}
