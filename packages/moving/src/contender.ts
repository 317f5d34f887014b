import {
  type Attempt,
  type Contender,
  type ContendRequest,
  callDeadlineMs,
  type Grant,
  type Host,
  type Release,
  remainingMs,
  TTL_MS_DEFAULT,
  type Validity,
  type Withdrawal,
} from '@holdfast/core/backend';
import { MovingGrant } from './grant.ts';
import { HeldPart } from './held-part.ts';
import type { Move, Side } from './move.ts';

/** The interval of a waiter whose store neither wakes it nor says when to come again. */
const POLL_MS = 100;

/** The lock of one store on the way to both. */
interface Part {
  readonly side: Side;
  readonly contender: Contender;
  held?: HeldPart;
}

/** Takes the lock in the first store, keeps it, and takes it in the second. */
export class MovingContender implements Contender {
  readonly #move: Move;
  readonly #host: Host;
  readonly #request: ContendRequest;
  readonly #isSession: boolean;
  #parts: readonly Part[] | undefined;
  #wake: () => void = () => {};
  #isWaiting = false;
  /** The release of a round that ended with a lost lock. */
  #restarting: Promise<void> | undefined;
  /** How long a hold of an earlier round may stay in a store, where its release has an unknown outcome. */
  #left: Validity | undefined;
  /** When the caller was last seen, on the monotonic clock. */
  #seenMs = 0;

  constructor(move: Move, host: Host, request: ContendRequest, isSession: boolean) {
    this.#move = move;
    this.#host = host;
    this.#request = request;
    this.#isSession = isSession;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    this.#see();
    const attempt = await this.#attempt(deadlineMs);
    this.#see();
    return attempt;
  }

  async #attempt(deadlineMs: number): Promise<Attempt> {
    const notReady = await this.#move.prepare(this.#callEndMs(deadlineMs, undefined));
    if (notReady !== undefined) return notReady;
    const [first] = this.#parts ?? [];
    const isReordered = first !== undefined && first.side !== this.#move.order?.[0];
    if (isReordered || this.#parts?.some(({ held }) => held?.isOver) === true)
      this.#restarting ??= this.#startAgain().finally(() => {
        this.#restarting = undefined;
      });
    if (this.#restarting !== undefined && !(await this.#settlesBy(deadlineMs, this.#restarting)))
      return { kind: 'unavailable', cause: new Error('a lost lock is still being released') };
    this.#parts ??= this.#newParts(this.#request.contender);
    for (const part of this.#parts) {
      if (part.held !== undefined) continue;
      const attempt = await part.contender.attempt(deadlineMs);
      if (attempt.kind === 'busy') {
        if (part !== this.#parts[0])
          await this.#move.recheck(this.#callEndMs(deadlineMs, undefined));
        const canWake = part.contender.changed !== undefined;
        return canWake ? attempt : { ...attempt, retryAfterMs: attempt.retryAfterMs ?? POLL_MS };
      }
      if (attempt.kind !== 'granted') return attempt;
      part.held = this.#keep(part.side, attempt.grant);
    }
    return await this.#withToken(this.#parts, deadlineMs);
  }

  /** Wakes also when a lock that was taken is lost: then both are needed again. */
  changed(signal: AbortSignal): Promise<void> {
    const parts = this.#parts ?? [];
    if (signal.aborted || parts.some(({ held }) => held?.isOver)) return Promise.resolve();
    const waiting = parts.find(({ held }) => held === undefined)?.contender;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#isWaiting = false;
        this.#see();
        resolve();
      };
      this.#isWaiting = true;
      this.#wake = done;
      signal.addEventListener('abort', done);
      waiting?.changed?.(signal).then(done, (cause: unknown) => {
        reject(cause);
        done();
      });
    });
  }

  async withdraw(): Promise<Withdrawal> {
    await this.#restarting;
    return await this.#withdraw();
  }

  async #withdraw(): Promise<Withdrawal> {
    const now = await this.#withdrawParts();
    const leftMs = this.#left === undefined ? 0 : remainingMs(this.#left, this.#host.runtime);
    const untilMs = Math.max(now.kind === 'unknown' ? now.untilMs : 0, leftMs);
    return untilMs === 0 ? now : { kind: 'unknown', untilMs };
  }

  async #withdrawParts(): Promise<Withdrawal> {
    const parts = this.#parts ?? [];
    const left = await Promise.all(
      parts.map(async ({ held, contender, side }) =>
        held === undefined ? await contender.withdraw() : leftBy(await held.release(), held, side),
      ),
    );
    const untilMs = left.flatMap((each) => (each.kind === 'unknown' ? [each.untilMs] : []));
    return untilMs.length === 0
      ? { kind: 'clean' }
      : { kind: 'unknown', untilMs: Math.max(...untilMs) };
  }

  async #withToken(parts: readonly Part[], deadlineMs: number): Promise<Attempt> {
    const { from, to } = this.#move;
    const [old, next] = [heldOf(parts, from), heldOf(parts, to)];
    const fencingToken = await this.#move.token(
      old.grant,
      next.grant,
      this.#callEndMs(deadlineMs, this.#request.ttlMs),
    );
    if (typeof fencingToken === 'object') return fencingToken;
    // Both were held when the flip was looked for, so the token may be handed out only if they still are.
    if (old.isOver || next.isOver)
      return { kind: 'unavailable', cause: new Error('a lock was lost before both were held') };
    return { kind: 'granted', grant: new MovingGrant([old, next], fencingToken) };
  }

  /** Releases what is left, so that both are taken in order once more. */
  async #startAgain(): Promise<void> {
    const left = await this.#withdraw();
    if (left.kind === 'unknown') this.#left = { from: this.#host.runtime.now(), ms: left.untilMs };
    // A grant ends its contender.
    this.#parts = this.#newParts(this.#host.runtime.randomId());
  }

  #newParts(contender: string): readonly Part[] {
    const { key, ttlMs } = this.#request;
    return (this.#move.order ?? []).map((side) => {
      const isSession = side.backend.capabilities.lease === 'session';
      const ttl = isSession ? {} : { ttlMs: ttlMs ?? side.ttlMs ?? TTL_MS_DEFAULT };
      return { side, contender: side.backend.contend({ key, contender, ...ttl }) };
    });
  }

  #keep({ backend, ttlMs = TTL_MS_DEFAULT }: Side, grant: Grant): HeldPart {
    const isOther = this.#isSession && backend.capabilities.lease !== 'session';
    return new HeldPart(grant, {
      runtime: this.#host.runtime,
      ownTtlMs: isOther ? ttlMs : undefined,
      // A caller that was dropped must not keep the lock without end.
      isWanted: () => this.#isWaiting || this.#nowMs() - this.#seenMs < grant.leaseMs,
      onLost: () => this.#wake(),
    });
  }

  /** The end of a call to a store that is made now: while a lock is held, as short as its ttl demands. */
  #callEndMs(deadlineMs: number, ttlMs: number | undefined): number {
    return Math.min(deadlineMs, this.#nowMs() + callDeadlineMs(ttlMs));
  }

  /** True if `work` settles by the deadline; it continues anyway. */
  #settlesBy(deadlineMs: number, work: Promise<void>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = (): void => resolve(false);
      const { runtime } = this.#host;
      const cancel = runtime.timer(deadlineMs - this.#nowMs(), late, { awaited: true });
      work.finally(cancel).then(() => resolve(true), reject);
    });
  }

  #see(): void {
    this.#seenMs = this.#nowMs();
  }

  #nowMs(): number {
    return this.#host.runtime.now().monotonicMs;
  }
}

function heldOf(parts: readonly Part[], side: Side): HeldPart {
  const held = parts.find((part) => part.side === side)?.held;
  if (held === undefined) throw new Error('both locks must be held');
  return held;
}

/** What a lock may have left in its store after its release. */
function leftBy({ kind }: Release, { grant }: HeldPart, { backend }: Side): Withdrawal {
  if (kind !== 'unknown') return { kind: 'clean' };
  const isSession = backend.capabilities.lease === 'session';
  return { kind, untilMs: isSession ? Number.POSITIVE_INFINITY : grant.leaseMs };
}
