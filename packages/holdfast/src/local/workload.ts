import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, type Locks, parseOwner } from '@holdfast/core';
import { type Entry, type EventLog, hostMs, type ResourceClient } from '@holdfast/processes';
import type { Work } from './messages.ts';

/** What the clients of one worker need. */
export interface Surroundings {
  /** Of the process; clients are numbered behind it. */
  readonly name: string;
  readonly log: EventLog;
  readonly resource: ResourceClient;
  /** Says that the lingering client is inside, and resolves when it may proceed. */
  readonly linger: (key: string) => Promise<void>;
}

/** Long enough for every turn before one's own; a client that waits longer is reported. */
const WAIT_MS = 20_000;

/** Runs all clients of one worker; `locks` is undefined where there is no lock. */
export async function runWork(
  work: Work,
  locks: Locks | undefined,
  around: Surroundings,
): Promise<void> {
  const clients = Array.from({ length: work.waiters }, (_, index) =>
    new Client(work, index, around).run(locks),
  );
  await Promise.all(clients);
}

/** One client: it waits its turn, reads, thinks, makes sure that it still holds, and writes. */
class Client {
  readonly #work: Work;
  readonly #name: string;
  readonly #lingers: boolean;
  readonly #around: Surroundings;

  constructor(work: Work, index: number, around: Surroundings) {
    this.#work = work;
    this.#name = `${around.name}.${index + 1}`;
    this.#lingers = work.lingers && index === 0;
    this.#around = around;
  }

  async run(locks: Locks | undefined): Promise<void> {
    for (let round = 0; round < this.#work.rounds; round++) {
      const hold = `${this.#name}/${round}`;
      const lingers = this.#lingers && round === 0;
      if (locks === undefined) await this.#update(hold, lingers, undefined);
      else await this.#underLock(locks, hold, lingers);
    }
  }

  async #underLock(locks: Locks, hold: string, lingers: boolean): Promise<void> {
    const { key } = this.#work;
    this.#note(hold, { type: 'acquire' });
    const lease = await locks.acquire(key, { waitMs: WAIT_MS });
    const deaf = this.#listen(locks, lease, hold);
    const token = lease.fencingToken?.toString();
    const validUntilMs = hostMs() + lease.remainingMs();
    this.#note(hold, { type: 'granted', validUntilMs, ...(token === undefined ? {} : { token }) });
    this.#note(hold, { type: 'enter' });
    await this.#update(hold, lingers, lease);
    this.#note(hold, { type: 'exit' });
    deaf();
    this.#note(hold, { type: 'release' });
    this.#note(hold, { type: 'released', outcome: (await lease.release()).kind });
  }

  /** Writes down what becomes of the lease while it is held. */
  #listen(locks: Locks, lease: Lease, hold: string): () => void {
    const contender = parseOwner(lease.owner)?.contender;
    const deaf = [
      locks.on('renewed', (event) => {
        if (event.contender !== contender) return;
        this.#note(hold, { type: 'renewed', validUntilMs: hostMs() + event.remainingMs });
      }),
      locks.on('lost', (event) => {
        if (event.contender === contender) this.#note(hold, { type: 'lost', reason: event.reason });
      }),
    ];
    return () => deaf.forEach((end) => end());
  }

  async #update(hold: string, lingers: boolean, lease: Lease | undefined): Promise<void> {
    const { key, thinkMs } = this.#work;
    const { resource, linger } = this.#around;
    const token = lease?.fencingToken?.toString();
    const who = { key, client: this.#name, hold, token };
    const reading = await resource.ask({ ...who, kind: 'read' });
    if (reading === null) throw new Error('the resource answered a read with nothing');
    await sleep(thinkMs);
    if (lease !== undefined && lease.state !== 'held') return;
    // From here on it believes that it holds, as code does between its last look and its write.
    if (lingers) await linger(key);
    const fenced = reading.fenced === null ? null : reading.fenced + 1;
    await resource.ask({ ...who, kind: 'write', plain: reading.plain + 1, fenced });
  }

  #note(hold: string, event: Note): void {
    const { key } = this.#work;
    this.#around.log.add({ ...event, atMs: hostMs(), client: this.#name, key, hold });
  }
}

type OwnPart<E> = E extends { readonly hold: string }
  ? Omit<E, 'atMs' | 'client' | 'key' | 'hold'>
  : never;
type Note = OwnPart<Entry>;
