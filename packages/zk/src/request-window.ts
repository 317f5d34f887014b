import { SessionUnavailable } from './port.ts';

/** Requests of one session that may be in flight. More would not be answered sooner, and the next ones would wait behind them. */
const IN_FLIGHT_MAX = 128;

export interface QueuedRequestOptions {
  /** Requests of one lane are sent in order. Lanes take turns, so that many contenders of one key do not delay other keys. */
  readonly lane: string;
  /** The room that the request takes, in small requests. Default 1. */
  readonly weight?: number | undefined;
}

/** A request that is sent as soon as there is room for it. */
export class QueuedRequest<T> {
  /** Rejects as the request does, or with {@link SessionUnavailable} if it was cancelled. */
  readonly reply: Promise<T>;
  readonly weight: number;
  isSent = false;
  isCancelled = false;
  readonly #send: () => Promise<T>;
  #settle: (reply: Promise<T>) => void = () => {};

  constructor(send: () => Promise<T>, weight: number) {
    this.weight = Math.min(weight, IN_FLIGHT_MAX);
    this.#send = send;
    this.reply = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves when the request has settled. */
  send(): Promise<void> {
    this.isSent = true;
    const reply = this.#send();
    this.#settle(reply);
    return reply.then(ignore, ignore);
  }

  /** Cancels the request, unless it has been sent. */
  cancel(): void {
    if (this.isSent || this.isCancelled) return;
    this.isCancelled = true;
    this.#settle(
      Promise.reject(new SessionUnavailable('the request was cancelled before it was sent')),
    );
  }
}

type AnyQueuedRequest = Pick<QueuedRequest<unknown>, 'weight' | 'isCancelled' | 'send'>;

/**
 * Sends the requests of thousands of contenders over one session, a few at a time. Proofs of life and releases bypass it,
 * so they wait only for what is in flight.
 */
export class RequestWindow {
  readonly #lanes = new Map<string, AnyQueuedRequest[]>();
  #inFlight = 0;

  /** Sends at once if there is room. */
  enqueue<T>(send: () => Promise<T>, { lane, weight = 1 }: QueuedRequestOptions): QueuedRequest<T> {
    const request = new QueuedRequest(send, weight);
    const queue = this.#lanes.get(lane);
    if (queue === undefined) this.#lanes.set(lane, [request]);
    else queue.push(request);
    this.#sendQueued();
    return request;
  }

  #sendQueued(): void {
    for (;;) {
      const [next] = this.#lanes;
      if (next === undefined) return;
      const [lane, queue] = next;
      const [request] = queue;
      if (request !== undefined && !this.#hasRoom(request)) return;
      queue.shift();
      this.#lanes.delete(lane);
      if (queue.length > 0) this.#lanes.set(lane, queue);
      if (request !== undefined) this.#send(request);
    }
  }

  #hasRoom({ weight, isCancelled }: AnyQueuedRequest): boolean {
    return isCancelled || this.#inFlight + weight <= IN_FLIGHT_MAX;
  }

  #send(request: AnyQueuedRequest): void {
    if (request.isCancelled) return;
    this.#inFlight += request.weight;
    void request.send().then(() => {
      this.#inFlight -= request.weight;
      this.#sendQueued();
    });
  }
}

function ignore(): void {}
