import type { Clock, Instant } from '../src/clock.ts';
import { Frames } from '../src/frames.ts';
import { Reader, Writer } from '../src/jute.ts';
import type { Dial, Network, Resolve, Wire, WireEvents } from '../src/network.ts';
import type { NetworkSessionOptions } from '../src/options.ts';
import type { ServerAddress } from '../src/servers.ts';
import { NetworkSession } from '../src/session.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that is moved by hand. */
class HandClock implements Clock {
  #nowMs = 1_000;
  readonly #timers = new Set<Timer>();

  now(): Instant {
    return { monotonicMs: this.#nowMs, wallMs: this.#nowMs };
  }

  timer(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  random(): number {
    return 0;
  }

  get timersArmed(): number {
    return this.#timers.size;
  }

  /** Time passes, and timers run, as when the event loop is free. */
  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** Time passes and no timer runs, as when the event loop is blocked. */
  block(ms: number): void {
    this.#nowMs += ms;
  }

  /** The timers that are due by now run, and those alone. */
  runDue(): void {
    const due = [...this.#timers].filter(({ atMs }) => atMs <= this.#nowMs);
    for (const timer of due) {
      this.#timers.delete(timer);
      timer.run();
    }
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}

/** A request as the server reads it. */
export interface Asked {
  readonly xid: number;
  readonly type: number;
  /** The body behind the header. */
  readonly body: Reader;
}

/** The request for a session. */
interface Greeting {
  readonly lastZxid: bigint;
  readonly timeoutMs: number;
  readonly sessionId: bigint;
  readonly password: Uint8Array;
}

export const PASSWORD: Uint8Array = new Uint8Array(16).fill(7);

/** A connection whose other end is the test. */
export class HandWire implements Wire {
  readonly server: ServerAddress;
  readonly events: WireEvents;
  readonly atMs: number;
  /** The client's requests, without the request for a session. */
  readonly requests: Asked[] = [];
  greeting: Greeting | undefined;
  isKeptAlive = true;
  isDestroyed = false;
  readonly #frames = new Frames(2 ** 30, (frame) => this.#read(new Reader(frame)));

  constructor(server: ServerAddress, events: WireEvents, atMs: number) {
    this.server = server;
    this.events = events;
    this.atMs = atMs;
  }

  write(bytes: Uint8Array): void {
    this.#frames.push(bytes.slice());
  }

  keepAlive(isAwaited: boolean): void {
    this.isKeptAlive = isAwaited;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  /** Connects, and grants the session. */
  welcome({ id = 42n, timeoutMs = 3_000 }: { id?: bigint; timeoutMs?: number } = {}): void {
    this.events.up();
    this.give(new Writer().int(0).int(timeoutMs).long(id).bytes(PASSWORD).bool(false));
  }

  /** Connects, and reports that the session has expired. */
  expire(): void {
    this.welcome({ id: 0n, timeoutMs: 0 });
  }

  give(frame: Writer): void {
    if (this.isDestroyed) throw new Error('the connection is gone already');
    this.events.bytes(frame.frame().slice());
  }

  answer(
    { xid }: { xid: number },
    body: (writer: Writer) => void = () => undefined,
    zxid = 1n,
  ): void {
    const writer = new Writer().int(xid).long(zxid).int(0);
    body(writer);
    this.give(writer);
  }

  refuse({ xid }: { xid: number }, failure: number): void {
    this.give(new Writer().int(xid).long(1n).int(failure));
  }

  event(type: number, path: string): void {
    this.give(new Writer().int(-1).long(-1n).int(0).int(type).int(3).string(path));
  }

  /** The network loses the connection. */
  lose(cause: Error = new Error('reset')): void {
    this.isDestroyed = true;
    this.events.down(cause);
  }

  /** The connection is refused. */
  turnAway(): void {
    this.lose(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  }

  get last(): Asked {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error('no request was sent');
    return request;
  }

  of(type: number): Asked[] {
    return this.requests.filter((request) => request.type === type);
  }

  #read(reader: Reader): void {
    if (this.greeting === undefined) {
      reader.int();
      this.greeting = {
        lastZxid: reader.long(),
        timeoutMs: reader.int(),
        sessionId: reader.long(),
        password: reader.bytes(),
      };
      return;
    }
    this.requests.push({ xid: reader.int(), type: reader.int(), body: reader });
  }
}

/** Servers that the test plays, on a clock that it moves. */
export class Stage {
  readonly clock = new HandClock();
  readonly wires: HandWire[] = [];
  readonly dial: Dial = (server, events) => {
    const wire = new HandWire(server, events, this.clock.now().monotonicMs);
    this.wires.push(wire);
    return wire;
  };
  /** Resolves names, by default at once to themselves. */
  resolve: Resolve = (host, callback) => callback([host]);
  readonly network: Network = {
    dial: (...how) => this.dial(...how),
    resolve: (...what) => this.resolve(...what),
  };

  /** Begins to open a session. */
  begin(options: Partial<NetworkSessionOptions> = {}): Promise<NetworkSession> {
    return NetworkSession.open({
      servers: ['a:1'],
      clock: this.clock,
      network: this.network,
      ...options,
    });
  }

  /** A session that is connected. */
  async open(
    options: Partial<NetworkSessionOptions> = {},
    timeoutMs = 3_000,
  ): Promise<NetworkSession> {
    const opening = this.begin(options);
    this.wire.welcome({ timeoutMs });
    return opening;
  }

  /** The connection dialled last. */
  get wire(): HandWire {
    const wire = this.wires.at(-1);
    if (wire === undefined) throw new Error('nothing was dialled');
    return wire;
  }

  /** Time passes until there is an attempt to connect. */
  untilDialled(): void {
    for (let waitedMs = 0; this.wire.isDestroyed; waitedMs++) {
      if (waitedMs > 60_000) throw new Error('nobody dials any more');
      this.clock.pass(1);
    }
  }

  /** Loses the connection; the server continues the session on the next. */
  reconnect(): void {
    this.wire.lose();
    this.untilDialled();
    this.wire.welcome();
  }
}

/** A stat with fields that do not matter. */
export function stat(writer: Writer, czxid = 5n): void {
  for (const zxid of [czxid, czxid, 0n, 0n]) writer.long(zxid);
  for (let i = 0; i < 3; i++) writer.int(0);
  writer.long(0n).int(0).int(0).long(czxid);
}

/** Returns the error that the promise rejects with; throws if it is of another kind. */
export async function rejection<E>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await promise.then(
    () => 'it resolved',
    (reason: unknown) => reason,
  );
  if (error instanceof kind) return error;
  throw new Error(`expected ${kind.name}`, { cause: error });
}
