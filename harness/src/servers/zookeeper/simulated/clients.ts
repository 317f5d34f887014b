import type { Moment } from '../../../sim/anchors.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import { answer } from './answering.ts';
import { ClientLink } from './client-link.ts';
import type { Program } from './program.ts';
import type { Answer, Greeting, Read, Request } from './request.ts';
import type { ServerSession } from './session.ts';

/** The clients that are connected to one run of a server: who they are, and what they ask. */
export class Clients {
  readonly #program: Program;
  readonly #links = new Map<Connection, ClientLink>();
  readonly #bySession = new Map<ServerSession, ClientLink>();

  constructor(program: Program) {
    this.#program = program;
  }

  joined(connection: Connection): void {
    this.#links.set(connection, new ClientLink(this.#program, connection));
  }

  /** Returns whether it was connected. */
  left(connection: Connection): boolean {
    const link = this.#links.get(connection);
    if (link === undefined) return false;
    this.#links.delete(connection);
    link.left();
    this.#program.watchers.left(link);
    if (link.session !== undefined && this.#bySession.get(link.session) === link)
      this.#bySession.delete(link.session);
    return true;
  }

  abort(reason: string): void {
    for (const connection of Array.from(this.#links.keys())) connection.abort(reason);
  }

  reset(reason: string, which: (connection: Connection) => boolean): void {
    for (const connection of Array.from(this.#links.keys()))
      if (which(connection)) connection.reset(reason);
  }

  /** The first message of a client. `answered` is called in its process, with no session where that has ended. */
  greet(
    connection: Connection,
    greeting: Greeting,
    heard: (path: string) => void,
    answered: (session: ServerSession | undefined) => void,
  ): void {
    const link = this.#links.get(connection);
    if (link === undefined || !this.#survives('before', 'session')) return;
    this.#program.machine.kernel.begin(this.#program.machine.name, 'exec', 'session');
    if (greeting.zxid > this.#program.zxid) return link.abort('the client has seen a newer state');
    link.heard = heard;
    const reply = (session: ServerSession | undefined): void =>
      connection.reply('session', this.#program.departUs, () => answered(session));
    if (greeting.session === undefined) this.#open(link, greeting, reply);
    else this.#revalidate(link, greeting.session, reply);
    this.#program.machine.anchors.passed('after', 'session');
  }

  serve(connection: Connection, request: Request, answered: (answer: Answer) => void): void {
    const link = this.#links.get(connection);
    if (link?.session === undefined) return;
    const counts = request.kind !== 'ping' && request.kind !== 'setWatches';
    if (counts && !this.#survives('before', request.kind)) return;
    this.#program.machine.kernel.begin(this.#program.machine.name, 'exec', request.kind);
    this.#program.role.touch(link.session);
    link.receive(link.session, request, answered);
    if (counts) this.#program.machine.anchors.passed('after', request.kind);
  }

  /** The session has ended, and not at its client's wish. */
  dismiss(session: ServerSession): void {
    this.#bySession.get(session)?.abort('the session has ended');
  }

  answer(link: ClientLink, session: ServerSession, request: Read): Answer {
    return answer(this.#program, link, session, request);
  }

  #open(
    link: ClientLink,
    { timeoutMs, identity }: Greeting,
    reply: (session: ServerSession) => void,
  ): void {
    const { minSessionMs, maxSessionMs } = this.#program.settings;
    const negotiatedMs = Math.min(Math.max(timeoutMs, minSessionMs), maxSessionMs);
    const session = this.#program.machine.ensemble.newSession(
      this.#program.machine.id,
      negotiatedMs,
      identity,
    );
    this.#program.role.open(session, {
      program: this.#program,
      done: () => {
        this.#seat(link, session);
        reply(session);
      },
      refused: () => link.abort('the session was refused'),
    });
  }

  #revalidate(
    link: ClientLink,
    session: ServerSession,
    reply: (session: ServerSession | undefined) => void,
  ): void {
    // What the client sent on an older connection to this server is not done after this.
    this.#bySession.get(session)?.abort('the client has come back');
    this.#program.role.revalidate(session, (lives) => {
      if (lives) this.#seat(link, session);
      reply(lives ? session : undefined);
    });
  }

  #seat(link: ClientLink, session: ServerSession): void {
    if (!this.#links.has(link.connection)) return;
    link.session = session;
    this.#bySession.set(session, link);
  }

  /** False when a fault anchored here killed it, or stopped it: then what is running is put off until it goes on. */
  #survives(moment: Moment, label: string): boolean {
    this.#program.machine.anchors.passed(moment, label);
    if (this.#program.crashed) return false;
    if (this.#program.readyAtUs <= this.#program.machine.kernel.nowUs) return true;
    this.#program.machine.kernel.putOff();
    return false;
  }
}
