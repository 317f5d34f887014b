import type { Moment } from '../../../sim/anchors.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { ClientLink } from './client-link.ts';
import type { Numbered } from './codec.ts';
import type { Program } from './program.ts';
import type { Greeting } from './request.ts';
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

  /** The first message of a client; `receive` takes in what it is sent, in its process. */
  greet(connection: Connection, greeting: Greeting, receive: (frame: Uint8Array) => void): void {
    const link = this.#links.get(connection);
    if (link === undefined || !this.#survives('before', 'session')) return;
    this.#program.machine.kernel.begin(this.#program.machine.name, 'exec', 'session');
    if (greeting.zxid > this.#program.zxid) return link.abort('the client has seen a newer state');
    link.receive = receive;
    if (greeting.sessionId === 0n) this.#open(link, greeting);
    else this.#revalidate(link, greeting);
    this.#program.machine.anchors.passed('after', 'session');
  }

  serve(connection: Connection, numbered: Numbered): void {
    const link = this.#links.get(connection);
    if (link?.session === undefined) return;
    const { request } = numbered;
    const counts = request.kind !== 'ping' && request.kind !== 'setWatches';
    if (counts && !this.#survives('before', request.kind)) return;
    this.#program.machine.kernel.begin(this.#program.machine.name, 'exec', request.kind);
    if (request.kind !== 'auth') this.#program.role.touch(link.session);
    link.take(link.session, numbered);
    if (counts) this.#program.machine.anchors.passed('after', request.kind);
  }

  /** The session has ended, and not at its client's wish. */
  dismiss(session: ServerSession): void {
    this.#bySession.get(session)?.abort('the session has ended');
  }

  /** The paths that a process watches here. */
  watchedBy(process: SimProcess): readonly string[] {
    const links = [...this.#links.values()].filter(
      ({ connection }) => connection.process === process,
    );
    return links.flatMap(({ watched }) => [...watched]);
  }

  #open(link: ClientLink, { timeoutMs }: Greeting): void {
    const { minSessionMs, maxSessionMs } = this.#program.settings;
    const negotiatedMs = Math.min(Math.max(timeoutMs, minSessionMs), maxSessionMs);
    const { ensemble, id } = this.#program.machine;
    const session = ensemble.newSession(id, negotiatedMs);
    this.#program.role.open(session, {
      program: this.#program,
      identities: link.identities,
      done: () => {
        this.#seat(link, session);
        link.greet(session);
      },
      refused: () => link.abort('the session was refused'),
    });
  }

  #revalidate(link: ClientLink, { sessionId, password }: Greeting): void {
    const session = this.#program.machine.ensemble.sessionOf(sessionId, password);
    if (session === undefined) return link.greet(undefined);
    // What the client sent on an older connection to this server is not done after this.
    this.#bySession.get(session)?.abort('the client has come back');
    this.#program.role.revalidate(session, (lives) => {
      if (lives) this.#seat(link, session);
      link.greet(lives ? session : undefined);
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
