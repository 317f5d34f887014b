import type { AnchorMoment } from '../../../sim/anchors.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { ClientLink } from './client-link.ts';
import type { Program } from './program.ts';

/** The client connections of one run of a server. */
export class ClientConnections {
  readonly #program: Program;
  readonly #links = new Map<Connection, ClientLink>();

  constructor(program: Program) {
    this.#program = program;
  }

  connected(connection: Connection): void {
    this.#links.set(connection, new ClientLink(this.#program, connection));
  }

  disconnected(connection: Connection): void {
    this.#links.get(connection)?.disconnected();
    this.#links.delete(connection);
  }

  abort(reason: string): void {
    for (const connection of Array.from(this.#links.keys())) connection.abort(reason);
  }

  reset(reason: string, which: (connection: Connection) => boolean): void {
    for (const connection of Array.from(this.#links.keys()))
      if (which(connection)) connection.reset(reason);
  }

  /** Executes a request that has arrived. */
  serve(connection: Connection, label: string, run: (link: ClientLink) => void): void {
    const link = this.#links.get(connection);
    if (link === undefined || !this.#survives('before', label)) return;
    const { kernel, name, anchors } = this.#program.machine;
    kernel.begin(name, 'exec', label);
    run(link);
    anchors.passed('after', label);
  }

  /** As {@link ClientLink.endWatches}, on all connections. */
  endWatches(): void {
    for (const link of this.#links.values()) link.endWatches();
  }

  /** The keys that a process watches here. */
  watchedBy(process: SimProcess): readonly string[] {
    return [...this.#links.values()].flatMap((link) =>
      link.connection.process === process ? link.watched : [],
    );
  }

  /**
   * False if a fault anchored here killed the server or stopped it; if stopped, the current event is put off until it
   * resumes.
   */
  #survives(moment: AnchorMoment, label: string): boolean {
    const { anchors, kernel } = this.#program.machine;
    anchors.passed(moment, label);
    if (this.#program.crashed) return false;
    if (this.#program.readyAtUs <= kernel.nowUs) return true;
    kernel.postpone();
    return false;
  }
}
