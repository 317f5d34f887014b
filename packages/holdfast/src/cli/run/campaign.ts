import { isLockError, type Lease, type LockLostError, type Locks } from '@holdfast/core';
import { TTL_MS_DEFAULT } from '@holdfast/core/backend';
import { UsageError } from '../usage-error.ts';
import type { EndingTimes } from './ending.ts';
import { endingTimes, graceLimitMs } from './grace.ts';
import { after, readClocks, type Times } from './instants.ts';
import type { CommandEnd } from './messages.ts';
import type { RunRequest } from './run-request.ts';
import type { SignalRelay } from './signal-relay.ts';
import { SupervisedCommand } from './supervised-command.ts';

/** The end of one attempt to run a command under its key. */
export type Outcome =
  /** Another holder had the key. */
  | { readonly kind: 'busy'; readonly message: string }
  /** A signal came before the command ran. */
  | { readonly kind: 'stopped' }
  /** It ran; `loss` if its lock was lost before it was released. */
  | { readonly kind: 'ran'; readonly end: CommandEnd; readonly loss?: LockLostError | undefined };

/** Acquires the key, runs the command under a guardian, and releases the key once all processes of the command have ended. */
export class Campaign {
  readonly #locks: Locks;
  readonly #request: RunRequest;
  readonly #relay: SignalRelay;
  readonly #env: NodeJS.ProcessEnv;
  #leaseMs = TTL_MS_DEFAULT;

  constructor(locks: Locks, request: RunRequest, relay: SignalRelay, env: NodeJS.ProcessEnv) {
    this.#locks = locks;
    this.#request = request;
    this.#relay = relay;
    this.#env = env;
    locks.on('acquired', ({ leaseMs }) => {
      this.#leaseMs = leaseMs;
    });
  }

  /** @throws LockError if the key was not acquired and is not known to be taken */
  async run(): Promise<Outcome> {
    const { keepMs } = this.#request;
    try {
      const ran = keepMs === undefined ? await this.#use() : await this.#tryUse(keepMs);
      return ran;
    } catch (error) {
      return this.#outcomeOf(error);
    }
  }

  async #use(): Promise<Outcome> {
    const { key, waitMs, ttlMs } = this.#request;
    const options = { waitMs, ttlMs, signal: this.#relay.aborted };
    const end = await this.#locks.use(key, (lease) => this.#runUnder(lease), options);
    return { kind: 'ran', end };
  }

  /** A job that failed may run elsewhere at once: to throw is to release. */
  async #tryUse(keepMs: number): Promise<Outcome> {
    const { key, ttlMs } = this.#request;
    const options = { keepMs, ttlMs, signal: this.#relay.aborted };
    const body = async (lease: Lease): Promise<CommandEnd> => {
      const end = await this.#runUnder(lease);
      if (end.code !== 0 || end.reason !== undefined) throw new CommandFailed(end);
      return end;
    };
    const run = await this.#locks.tryUse(key, body, options);
    if (run.ran) return { kind: 'ran', end: run.value };
    return { kind: 'busy', message: `'${key}' is locked on ${this.#locks.backend}` };
  }

  #outcomeOf(error: unknown): Outcome {
    if (error instanceof Stopped || error === this.#relay.aborted.reason)
      return { kind: 'stopped' };
    if (error instanceof CommandFailed) return { kind: 'ran', end: error.end };
    if (isLockError(error, 'LOCK_TIMEOUT')) return { kind: 'busy', message: error.message };
    if (isLockError(error, 'LOCK_LOST')) return { kind: 'ran', end: endIn(error), loss: error };
    throw error;
  }

  async #runUnder(lease: Lease): Promise<CommandEnd> {
    if (this.#relay.received !== undefined) throw new Stopped();
    const times = this.#timesFor(lease);
    const { command } = this.#request;
    const env = this.#environment(lease);
    const deadline = deadlineOf(lease);
    const supervised = new SupervisedCommand({ kind: 'start', command, env, deadline, ...times });
    const end = (): void => supervised.end();
    lease.signal.addEventListener('abort', end);
    const stopExtending = this.#locks.on('renewed', () => supervised.extend(deadlineOf(lease)));
    const stopPassing = this.#relay.passTo((name) => supervised.signal(name));
    try {
      return await supervised.ended;
    } finally {
      stopPassing();
      stopExtending();
      lease.signal.removeEventListener('abort', end);
    }
  }

  /** A session says only now how long its leases last. */
  #timesFor(lease: Lease): EndingTimes {
    const { graceMs } = this.#request;
    const limitMs = graceLimitMs(lease.remainingMs(), this.#leaseMs);
    const isSession = this.#locks.capabilities.lease === 'session';
    if (isSession && graceMs !== undefined) checkGrace(graceMs, limitMs, this.#leaseMs);
    return endingTimes(graceMs, limitMs, this.#leaseMs);
  }

  #environment({ key, fencingToken }: Lease): NodeJS.ProcessEnv {
    const { HOLDFAST_TOKEN: _, ...env } = this.#env;
    const token = fencingToken === undefined ? {} : { HOLDFAST_TOKEN: `${fencingToken}` };
    return { ...env, HOLDFAST_KEY: key, ...token };
  }
}

/** @throws UsageError if the grace would end healthy commands */
export function checkGrace(graceMs: number, limitMs: number, leaseMs: number): void {
  if (graceMs <= limitMs) return;
  throw new UsageError(
    `--grace ${graceMs}ms is too long for a lease of ${leaseMs}ms, which would end healthy commands`,
    `Use at most ${limitMs}ms, or a longer ttl.`,
  );
}

/** A signal came between the grant and the start. */
class Stopped extends Error {}

class CommandFailed extends Error {
  readonly end: CommandEnd;

  constructor(end: CommandEnd) {
    super('the command failed');
    this.end = end;
  }
}

/** Both clocks are read before the lease reads them, so the deadline is never later than its own. */
function deadlineOf(lease: Lease): Times {
  const now = readClocks();
  return after(now, lease.remainingMs());
}

/** A lease that was lost before the command could start has no result. */
function endIn({ result }: LockLostError): CommandEnd {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the body returns nothing else
  return (result as CommandEnd | undefined) ?? { code: null, signal: null, reason: 'lost' };
}
