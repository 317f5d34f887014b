import type { Session, SessionReply } from '../database/session.ts';
import type { PgClient, PgResult } from './clients.ts';
import { clientError, rowOf, warningOf } from './errors.ts';

type Queryable = Pick<PgClient, 'query' | 'on' | 'off'>;

/** A connection through `pg`. */
export class PgSession implements Session {
  readonly #client: Queryable;
  readonly #end: () => void;
  readonly #listeners: (readonly [string, object])[] = [];
  #warning: string | undefined;
  #hasEnded = false;

  /** @param end ends the connection at once */
  constructor(client: Queryable, end: () => void) {
    this.#client = client;
    this.#end = end;
    this.#listen('notice', (notice: unknown) => {
      this.#warning = warningOf(notice) ?? this.#warning;
    });
    this.#listen('end', () => {
      this.#hasEnded = true;
    });
    // Without a listener, a connection that breaks while it is idle would end the process.
    this.#listen('error', () => undefined);
  }

  async run(text: string): Promise<SessionReply> {
    this.#warning = undefined;
    try {
      const result = await this.#client.query(text);
      const results: readonly PgResult[] = isList(result) ? result : [result];
      return { rows: results.flatMap(({ rows }) => rows.map(rowOf)), warning: this.#warning };
    } catch (error) {
      throw clientError(error);
    }
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#listen(
      'notification',
      ({ channel, payload }: { readonly channel: string; readonly payload?: string }) =>
        listener(channel, payload ?? ''),
    );
  }

  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#listen('end', listener);
  }

  close(): void {
    this.#end();
  }

  /** Removes its listeners: the client is another caller's again. */
  leave(): void {
    for (const [event, listener] of this.#listeners) this.#client.off(event, listener);
  }

  #listen(event: string, listener: (...args: never[]) => void): void {
    this.#listeners.push([event, listener]);
    this.#client.on(event, listener);
  }
}

function isList(result: PgResult | readonly PgResult[]): result is readonly PgResult[] {
  return Array.isArray(result);
}
