import { SessionUnavailable } from './port.ts';

/** How many requests of one session may be on the wire. More would not be answered sooner, and what is sent next would wait behind them. */
const ROOM = 128;

export interface TurnOptions {
  /** Turns of one lane leave in order. Lanes alternate, so that a crowd at one key does not hold up the others. */
  readonly lane: string;
  /** How much room it takes, in small requests. Default 1. */
  readonly weight?: number | undefined;
}

/** A request that leaves when there is room for it. */
export class Turn<T> {
  /** Rejects as the request does, or with {@link SessionUnavailable} when it was cancelled. */
  readonly answer: Promise<T>;
  readonly weight: number;
  hasLeft = false;
  isCancelled = false;
  readonly #send: () => Promise<T>;
  #settle: (answer: Promise<T>) => void = () => {};

  constructor(send: () => Promise<T>, weight: number) {
    this.weight = Math.min(weight, ROOM);
    this.#send = send;
    this.answer = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves when its answer is there, whatever that is. */
  leave(): Promise<void> {
    this.hasLeft = true;
    const answer = this.#send();
    this.#settle(answer);
    return answer.then(ignore, ignore);
  }

  /** Takes it back, unless it has left. */
  cancel(): void {
    if (this.hasLeft || this.isCancelled) return;
    this.isCancelled = true;
    this.#settle(Promise.reject(new SessionUnavailable('it was cancelled before it was sent')));
  }
}

type Leaving = Pick<Turn<unknown>, 'weight' | 'isCancelled' | 'leave'>;

/**
 * What thousands of contenders send over one session, a few requests at a time. Proofs of life and releases are sent past
 * it, and so never wait for more than what is on the wire.
 */
export class Window {
  readonly #lanes = new Map<string, Leaving[]>();
  #taken = 0;

  /** Sends at once if there is room. */
  turn<T>(send: () => Promise<T>, { lane, weight = 1 }: TurnOptions): Turn<T> {
    const turn = new Turn(send, weight);
    const waiting = this.#lanes.get(lane);
    if (waiting === undefined) this.#lanes.set(lane, [turn]);
    else waiting.push(turn);
    this.#fill();
    return turn;
  }

  #fill(): void {
    for (;;) {
      const [next] = this.#lanes;
      if (next === undefined) return;
      const [lane, waiting] = next;
      const [turn] = waiting;
      if (turn !== undefined && !this.#hasRoom(turn)) return;
      waiting.shift();
      this.#lanes.delete(lane);
      if (waiting.length > 0) this.#lanes.set(lane, waiting);
      if (turn !== undefined) this.#send(turn);
    }
  }

  #hasRoom({ weight, isCancelled }: Leaving): boolean {
    return isCancelled || this.#taken + weight <= ROOM;
  }

  #send(turn: Leaving): void {
    if (turn.isCancelled) return;
    this.#taken += turn.weight;
    void turn.leave().then(() => {
      this.#taken -= turn.weight;
      this.#fill();
    });
  }
}

function ignore(): void {}
