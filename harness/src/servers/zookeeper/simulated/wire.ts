import type { Instant } from '@holdfast/core';
import type { Connection, ConnectionListener } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { AnsweredLog } from './answered-log.ts';
import { Liveness } from './liveness.ts';
import { type Answer, describeRequest, type Greeting, type Request } from './request.ts';
import type { SimZooKeeperServer } from './server.ts';
import type { ServerSession } from './session.ts';

/** Who waits for the answer to a request. */
export interface Asker {
  answered(answer: Answer, sentAt: Instant): void;
  /** The connection was lost, or counts as lost. */
  lost(cause: Error): void;
}

interface Asked {
  readonly asker: Asker | undefined;
  readonly sentAt: Instant;
}

export interface WireParts {
  readonly process: SimProcess;
  readonly network: Network;
  readonly server: SimZooKeeperServer;
  readonly greeting: () => Greeting;
  /** A server answered: with no session where that has ended. */
  readonly greeted: (session: ServerSession | undefined, sentAt: Instant) => void;
  /** An answer came. */
  readonly heard: (answer: Answer) => void;
  readonly watchFired: (path: string) => void;
  readonly lost: (cause: Error) => void;
}

/** The client's end of one connection to one server, from dialling to its end. */
export class Wire implements ConnectionListener {
  readonly #parts: WireParts;
  readonly #connection: Connection;
  readonly #asked: Asked[] = [];
  #log: AnsweredLog | undefined;
  #liveness: Liveness | undefined;
  #isOver = false;

  constructor(parts: WireParts) {
    this.#parts = parts;
    this.#connection = parts.network.connect(parts.process, parts.server, this);
  }

  get server(): SimZooKeeperServer {
    return this.#parts.server;
  }

  ready(): void {
    if (this.#isOver) return;
    const { process, server, greeting } = this.#parts;
    const sentAt = process.clocks;
    const what = greeting();
    this.#connection.request('session', () =>
      server.program.clients.greet(
        this.#connection,
        what,
        (path) => this.#fired(path),
        (session) => this.#greeted(session, sentAt),
      ),
    );
  }

  closed(cause: Error): void {
    this.end(cause);
  }

  /** To be called once the server has taken the client in. */
  send(request: Request, asker: Asker | undefined): void {
    const { process, server } = this.#parts;
    const sentAt = process.clocks;
    const asked: Asked = { asker, sentAt };
    this.#asked.push(asked);
    this.#liveness?.sent(sentAt.monotonicMs);
    this.#connection.request(
      request.kind,
      () =>
        server.program.clients.serve(this.#connection, request, (answer) =>
          this.#answered(asked, answer),
        ),
      () => describeRequest(request),
    );
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#log?.answeredBefore(monotonicMs);
  }

  /** Ends it here: everything asked and not answered is in doubt. */
  end(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#liveness?.stop();
    this.#connection.close();
    const asked = this.#asked.splice(0);
    this.#parts.lost(cause);
    for (const { asker } of asked) asker?.lost(cause);
  }

  #greeted(session: ServerSession | undefined, sentAt: Instant): void {
    if (this.#isOver) return;
    if (session !== undefined) this.#settle(session);
    this.#parts.greeted(session, sentAt);
  }

  #settle({ timeoutMs }: ServerSession): void {
    const { process } = this.#parts;
    this.#log = new AnsweredLog(2 * timeoutMs);
    this.#liveness = new Liveness({
      process,
      timeoutMs,
      waitingSinceMs: () => this.#asked[0]?.sentAt.monotonicMs,
      ping: () => this.send({ kind: 'ping' }, undefined),
      dead: () => this.end(new Error(`${this.server.name} was silent for too long`)),
    });
  }

  #answered(asked: Asked, answer: Answer): void {
    if (this.#isOver) return;
    const { monotonicMs } = this.#parts.process.clocks;
    this.#asked.shift();
    this.#liveness?.heard(monotonicMs);
    this.#log?.add(asked.sentAt, monotonicMs);
    this.#parts.heard(answer);
    asked.asker?.answered(answer, asked.sentAt);
  }

  #fired(path: string): void {
    if (!this.#isOver) this.#parts.watchFired(path);
  }
}
