import type { AnchorMoment } from '../../../sim/anchors.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { ClientLink } from './client-link.ts';
import type { NumberedRequest } from './codec.ts';
import type { Program } from './program.ts';
import type { ConnectRequest } from './request.ts';
import type { ServerSession } from './session.ts';

/** The client connections of one run of a server, and their sessions. */
export class ClientConnections {
  readonly #program: Program;
  readonly #links = new Map<Connection, ClientLink>();
  readonly #bySession = new Map<ServerSession, ClientLink>();

  constructor(program: Program) {
    this.#program = program;
  }

  connected(connection: Connection): void {
    this.#links.set(connection, new ClientLink(this.#program, connection));
  }

  /** Returns true if it was connected. */
  disconnected(connection: Connection): boolean {
    const link = this.#links.get(connection);
    if (link === undefined) return false;
    this.#links.delete(connection);
    link.disconnected();
    this.#program.watchers.removeAll(link);
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

  /** Handles the first message of a client; `receive` takes frames in the client's process. */
  connect(
    connection: Connection,
    request: ConnectRequest,
    receive: (frame: Uint8Array) => void,
  ): void {
    const link = this.#links.get(connection);
    if (link === undefined || !this.#survives('before', 'session')) return;
    this.#program.machine.kernel.begin(this.#program.machine.name, 'exec', 'session');
    if (request.zxid > this.#program.zxid) return link.abort('the client has seen a newer state');
    link.receive = receive;
    if (request.sessionId === 0n) this.#open(link, request);
    else this.#revalidate(link, request);
    this.#program.machine.anchors.passed('after', 'session');
  }

  serve(connection: Connection, numbered: NumberedRequest): void {
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

  /** Aborts the connection of a session that ended without its client's request. */
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

  #open(link: ClientLink, { timeoutMs }: ConnectRequest): void {
    const { minSessionMs, maxSessionMs } = this.#program.settings;
    const negotiatedMs = Math.min(Math.max(timeoutMs, minSessionMs), maxSessionMs);
    const { ensemble, id } = this.#program.machine;
    const session = ensemble.newSession(id, negotiatedMs);
    this.#program.role.open(session, {
      program: this.#program,
      identities: link.identities,
      done: () => {
        this.#attach(link, session);
        link.replyConnect(session);
      },
      refused: () => link.abort('the session was refused'),
    });
  }

  #revalidate(link: ClientLink, { sessionId, password }: ConnectRequest): void {
    const session = this.#program.machine.ensemble.sessionOf(sessionId, password);
    if (session === undefined) return link.replyConnect(undefined);
    // Requests from an older connection to this server must not be executed after this.
    this.#bySession.get(session)?.abort('the client has come back');
    this.#program.role.revalidate(session, (lives) => {
      if (lives) this.#attach(link, session);
      link.replyConnect(lives ? session : undefined);
    });
  }

  #attach(link: ClientLink, session: ServerSession): void {
    if (!this.#links.has(link.connection)) return;
    link.session = session;
    this.#bySession.set(session, link);
  }

  /**
   * False if a fault anchored here killed the server or stopped it; if stopped, the current event is put off until it
   * resumes.
   */
  #survives(moment: AnchorMoment, label: string): boolean {
    this.#program.machine.anchors.passed(moment, label);
    if (this.#program.crashed) return false;
    if (this.#program.readyAtUs <= this.#program.machine.kernel.nowUs) return true;
    this.#program.machine.kernel.postpone();
    return false;
  }
}
