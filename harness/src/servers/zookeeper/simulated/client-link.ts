import type { Connection } from '../../../sim/net/connection.ts';
import type { Program } from './program.ts';
import { type Answer, describeAnswer, isRead, type Request } from './request.ts';
import type { ServerSession } from './session.ts';
import type { Waiter } from './transaction.ts';

type Answered = (answer: Answer) => void;

/** One request that has not been answered. */
class Entry implements Waiter {
  readonly request: Request;
  readonly answered: Answered;
  readonly #link: ClientLink;
  answer: Answer | undefined;

  constructor(link: ClientLink, request: Request, answered: Answered) {
    this.#link = link;
    this.request = request;
    this.answered = answered;
  }

  get program(): Program {
    return this.#link.program;
  }

  done(answer: Answer): void {
    this.answer = answer;
    this.#link.drain();
  }

  refused(): void {
    this.#link.abort('the session goes on elsewhere, or not at all');
  }
}

/**
 * A server's end of a client's connection. Answers leave in the order of the requests: behind a write that is not
 * committed even pings wait, as in ZooKeeper's CommitProcessor.
 */
export class ClientLink {
  readonly program: Program;
  readonly connection: Connection;
  /** Paths that this client watches here. */
  readonly watched: Set<string> = new Set();
  session: ServerSession | undefined;
  /** Called in the client's process when a watch fires. */
  heard: (path: string) => void = () => {};
  #queue: Entry[] = [];
  #isOver = false;

  constructor(program: Program, connection: Connection) {
    this.program = program;
    this.connection = connection;
  }

  receive(session: ServerSession, request: Request, answered: Answered): void {
    if (isRead(request) && this.#queue.length === 0) {
      this.#send(request.kind, this.program.clients.answer(this, session, request), answered);
      return;
    }
    const entry = new Entry(this, request, answered);
    this.#queue.push(entry);
    if (!isRead(request)) this.program.role.submit(session, request, entry);
  }

  /** Answers what can be answered by now. */
  drain(): void {
    while (!this.#isOver && this.session !== undefined) {
      const [entry] = this.#queue;
      if (entry === undefined) return;
      const { request, answered } = entry;
      const answer = isRead(request)
        ? this.program.clients.answer(this, this.session, request)
        : entry.answer;
      if (answer === undefined) return;
      this.#queue.shift();
      this.#send(request.kind, answer, answered);
    }
  }

  notify(path: string): void {
    this.connection.push(
      'watch',
      this.program.departUs,
      () => this.heard(path),
      () => path,
    );
  }

  abort(reason: string): void {
    if (!this.#isOver) this.connection.abort(reason);
  }

  /** The connection is over. */
  left(): void {
    this.#isOver = true;
    this.#queue = [];
  }

  #send(label: string, answer: Answer, answered: Answered): void {
    const settle = (): void => answered(answer);
    this.connection.reply(label, this.program.departUs, settle, () => describeAnswer(answer));
  }
}
