import { SessionUnavailable } from './port.ts';

/** How many requests of one session may be on the wire. More would not be answered sooner, and what is sent next would wait behind them. */
const IN_FLIGHT_MAX = 128;

export interface QueuedRequestOptions {
  /** Turns of one lane leave in order. Lanes alternate, so that a crowd at one key does not hold up the others. */
  readonly lane: string;
  /** How much room it takes, in small requests. Default 1. */
  readonly weight?: number | undefined;
}

/** A request that leaves when there is room for it. */
export class QueuedRequest<T> {
  /** Rejects as the request does, or with {@link SessionUnavailable} when it was cancelled. */
  readonly answer: Promise<T>;
  readonly weight: number;
  isSent = false;
  isCancelled = false;
  readonly #send: () => Promise<T>;
  #settle: (answer: Promise<T>) => void = () => {};

  constructor(send: () => Promise<T>, weight: number) {
    this.weight = Math.min(weight, IN_FLIGHT_MAX);
    this.#send = send;
    this.answer = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves when its answer is there, whatever that is. */
  send(): Promise<void> {
    this.isSent = true;
    const answer = this.#send();
    this.#settle(answer);
    return answer.then(ignore, ignore);
  }

  /** Takes it back, unless it has left. */
  cancel(): void {
    if (this.isSent || this.isCancelled) return;
    this.isCancelled = true;
    this.#settle(Promise.reject(new SessionUnavailable('it was cancelled before it was sent')));
  }
}

type AnyQueuedRequest = Pick<QueuedRequest<unknown>, 'weight' | 'isCancelled' | 'send'>;

/**
 * What thousands of contenders send over one session, a few requests at a time. Proofs of life and releases are sent past
 * it, and so never wait for more than what is on the wire.
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
