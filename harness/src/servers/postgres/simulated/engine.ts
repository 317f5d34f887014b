import { parseOwner } from '@holdfast/core/backend';
import type { Argument, Row } from '@holdfast/postgres/port';
import type { Call } from '@holdfast/postgres/sessions';
import { SimUnsupportedError } from '../../redis/simulated/reply.ts';

/** A row of the table of locks. */
interface StoredLock {
  readonly owner: string | null;
  readonly expiresUs: number;
  readonly token: bigint;
}

export interface EngineOptions {
  /** The server's wall clock, in µs since 1970. */
  readonly nowUs: () => number;
  /** Called for every notification of a transaction that was committed. */
  readonly notify: (channel: string, payload: string) => void;
}

const CHANNEL = 'holdfast_v1';

/**
 * The tables of the locks, and what the statements of the recipe do to them. Each is one transaction, which nothing can come
 * between: transactions of users, who keep rows locked, are not simulated, and other statements throw.
 */
export class PostgresEngine {
  readonly #options: EngineOptions;
  readonly #locks = new Map<string, StoredLock>();
  readonly #marks = new Map<string, string>();
  readonly #statements: Readonly<Record<string, (args: readonly string[]) => readonly Row[]>> = {
    check: () => [CHECKED],
    health: () => [{ is_standby: 'false' }],
    acquire: ([ns, key, owner, ttl]) => this.#acquire(idOf(ns, key), `${owner}`, Number(ttl)),
    renew: ([ns, key, owner, ttl]) => this.#renew(idOf(ns, key), `${owner}`, Number(ttl)),
    adopt: ([ns, key, owner, ttl, exported]) =>
      this.#adopt(idOf(ns, key), `${owner}`, Number(ttl), `${exported}`),
    release: ([ns, key, owner, payload]) =>
      this.#free(idOf(ns, key), `${payload}`, (stored) => stored === owner),
    force: ([ns, key, payload]) => this.#force(idOf(ns, key), `${payload}`),
    inspect: ([ns, key]) => this.#inspect(idOf(ns, key)),
    held: ([ns]) => this.#held(`${ns}`),
    'read-mark': ([ns, name]) => this.#mark(idOf(ns, name)),
    'write-mark': ([ns, name, value]) => {
      const id = idOf(ns, name);
      if (!this.#marks.has(id)) this.#marks.set(id, `${value}`);
      return this.#mark(id);
    },
  };

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Runs one transaction. @throws SimUnsupportedError for a statement that is not simulated */
  execute({ statement, args }: Call): readonly Row[] {
    const run = this.#statements[statement.name];
    if (run === undefined) throw new SimUnsupportedError(`the statement ${statement.name}`);
    return run(args.map(textOf));
  }

  /** Stores a row, as an administrator could; for tests. */
  put(namespace: string, key: string, lock: StoredLock): void {
    this.#locks.set(idOf(namespace, key), lock);
  }

  /** The owner that is stored under a key; for tests. */
  ownerOf(namespace: string, key: string): string | null | undefined {
    return this.#locks.get(idOf(namespace, key))?.owner;
  }

  /** The owners whose holds have not expired; for tests. */
  holders(): readonly string[] {
    const nowUs = this.#options.nowUs();
    return [...this.#locks.values()].flatMap(({ owner, expiresUs }) =>
      owner !== null && expiresUs > nowUs ? [owner] : [],
    );
  }

  /** Forgets everything, as a server that lost its data does. */
  clear(): void {
    this.#locks.clear();
    this.#marks.clear();
  }

  #acquire(id: string, owner: string, ttlMs: number): readonly Row[] {
    const nowUs = this.#options.nowUs();
    const stored = this.#locks.get(id);
    if (stored === undefined || isFree(stored, owner, nowUs)) {
      const token = tokenAfter(stored, nowUs);
      this.#locks.set(id, { owner, expiresUs: nowUs + ttlMs * 1_000, token });
      return [{ token: `${token}` }, this.#seen(id)];
    }
    return [this.#seen(id)];
  }

  #renew(id: string, owner: string, ttlMs: number): readonly Row[] {
    const nowUs = this.#options.nowUs();
    const stored = this.#locks.get(id);
    const synchronous = { is_synchronous: 'false' };
    if (stored?.owner !== owner || stored.expiresUs <= nowUs) return [synchronous];
    const expiresUs = Math.max(stored.expiresUs, nowUs + ttlMs * 1_000);
    this.#locks.set(id, { ...stored, expiresUs });
    return [{ renewed: 'true' }, synchronous];
  }

  #adopt(id: string, owner: string, ttlMs: number, exported: string): readonly Row[] {
    const nowUs = this.#options.nowUs();
    const stored = this.#locks.get(id);
    const synchronous = { is_synchronous: 'false' };
    if (stored === undefined || stored.owner === null || stored.expiresUs <= nowUs)
      return [synchronous];
    if (stored.owner !== exported && !isEarlier(stored.owner, owner)) return [synchronous];
    const token = tokenAfter(stored, nowUs);
    this.#locks.set(id, { owner, expiresUs: nowUs + ttlMs * 1_000, token });
    return [{ token: `${token}` }, synchronous];
  }

  #free(id: string, payload: string, isMeant: (owner: string) => boolean): readonly Row[] {
    const stored = this.#locks.get(id);
    if (stored === undefined || stored.owner === null || !isMeant(stored.owner)) return [];
    this.#locks.set(id, { ...stored, owner: null, token: stored.token + 1n });
    this.#options.notify(CHANNEL, payload);
    return [{ was_held: `${stored.expiresUs > this.#options.nowUs()}`, notified: '' }];
  }

  #force(id: string, payload: string): readonly Row[] {
    const freed = this.#free(id, payload, (owner) => parseOwner(owner) !== undefined);
    const stored = this.#locks.get(id);
    return stored === undefined ? freed : [...freed, { owner: stored.owner }];
  }

  #inspect(id: string): readonly Row[] {
    const stored = this.#locks.get(id);
    if (stored === undefined) return [];
    const { owner, expiresUs, token } = stored;
    return [{ owner, remaining_ms: this.#remainingMs(expiresUs), token: `${token}` }];
  }

  #held(namespace: string): readonly Row[] {
    const nowUs = this.#options.nowUs();
    const held = [...this.#locks].filter(
      ([, { owner, expiresUs }]) => owner !== null && expiresUs > nowUs,
    );
    const [start] = [`${namespace}\n`];
    return held.flatMap(([id]) => (id.startsWith(start) ? [{ key: id.slice(start.length) }] : []));
  }

  #mark(id: string): readonly Row[] {
    const value = this.#marks.get(id);
    return value === undefined ? [] : [{ value }];
  }

  #seen(id: string): Row {
    const stored = this.#locks.get(id);
    const remaining_ms = stored === undefined ? null : this.#remainingMs(stored.expiresUs);
    return { owner: stored?.owner ?? null, remaining_ms, is_synchronous: 'false' };
  }

  #remainingMs(expiresUs: number): string {
    return `${(expiresUs - this.#options.nowUs()) / 1_000}`;
  }
}

/** What a server replies that can keep locks. */
const CHECKED: Row = {
  version: '150000',
  is_standby: 'false',
  is_synchronous: 'false',
  is_durable: 'true',
  may_lock: 'true',
  may_mark: 'true',
  has_index: 'true',
};

function tokenAfter(stored: StoredLock | undefined, nowUs: number): bigint {
  const clock = BigInt(Math.floor(nowUs));
  const next = stored === undefined ? clock : stored.token + 1n;
  return next > clock ? next : clock;
}

/** True if the stored owner is an earlier attempt of the same contender. */
function isEarlier(stored: string, by: string): boolean {
  const [of, own] = [parseOwner(stored), parseOwner(by)];
  return of !== undefined && own !== undefined && of.contender === own.contender && of.n < own.n;
}

function isFree({ owner, expiresUs }: StoredLock, by: string, nowUs: number): boolean {
  if (owner === null) return true;
  if (parseOwner(owner) === undefined) return false;
  return expiresUs <= nowUs || isEarlier(owner, by);
}

function idOf(namespace: string | undefined, key: string | undefined): string {
  return `${namespace}\n${key}`;
}

function textOf(arg: Argument): string {
  return `${arg}`;
}
