import {
  type Attempt,
  adoptionError,
  type Contender,
  callDeadlineMs,
  type HoldMode,
  type Instant,
  otherModeError,
  ownerValue,
  placedBusy,
  placeMs,
  type Withdrawal,
  warnIfPermitsDiffer,
} from '@holdfast/core/backend';
import {
  type Failure,
  failureOf,
  foreignKeyError,
  isInteger,
  lifetimeOf,
  UnexpectedReply,
  UnresolvedAttempts,
  undoBy,
  WakeUp,
} from '@holdfast/redis';
import { NodeNotAcknowledged, type Reply } from '@holdfast/redis/port';
import { acknowledged } from '../acknowledged.ts';
import { GONE } from '../adopt-script.ts';
import { NAME } from '../identity.ts';
import { FOREIGN, isToken } from '../scripts.ts';
import { type ModeKeys, reportNode, type Store } from '../store.ts';
import { ModeGrant, type ModeHold, releaseMode } from './grant.ts';
import { ACQUIRE_MODE, DOWNGRADE, LEAVE_MODE, RELEASE_MODE } from './scripts.ts';

/** One caller in a mode; `exported` is the writer that it makes a reader. */
export interface ModeRequest {
  readonly contender: string;
  readonly ttlMs: number;
  readonly mode: HoldMode;
  readonly exported?: string | undefined;
}

const LETTERS = { shared: 's', exclusive: 'x', permits: 'p' } as const;
const OTHER_MODE: ReadonlyMap<Reply, 'shared' | 'permits'> = new Map<Reply, 'shared' | 'permits'>([
  [-4, 'shared'],
  [-5, 'permits'],
]);

/** Tries to hold one key in a mode, with a place in its line; each attempt under its own owner value. */
export class ModeContender implements Contender {
  readonly #store: Store;
  readonly #keys: ModeKeys;
  readonly #request: ModeRequest;
  /** Owner values of attempts that may hold: the next attempt replaces them. */
  readonly #doubtful: string[] = [];
  #unresolved: UnresolvedAttempts | undefined;
  #wakeUp: WakeUp | undefined;
  #n = 0;
  #mayHavePlace = false;
  #hasWarned = false;

  constructor(store: Store, keys: ModeKeys, request: ModeRequest) {
    this.#store = store;
    this.#keys = keys;
    this.#request = request;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { host, node } = this.#store;
    const { contender, ttlMs, exported } = this.#request;
    this.#wakeUp?.restart();
    this.#n += 1;
    const owner = ownerValue({ contender, n: this.#n, label: host.label });
    // Read before the request leaves: the server starts the ttl no earlier than this.
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    const names = [...this.#keys.names, this.#keys.fence];
    const undo = undoBy(
      RELEASE_MODE,
      this.#keys.names,
      this.#stored(owner),
      lifetimeOf(from, ttlMs),
    );
    // An undo behind a downgrade in doubt would leave its next attempt nothing to find.
    const call = { deadlineMs: callEndMs, ...(exported === undefined && { undo }) };
    const options = acknowledged(this.#store, call, isGranted);
    const script = exported === undefined ? ACQUIRE_MODE : DOWNGRADE;
    try {
      const reply = await node.script(script, names, this.#args(owner), options);
      return this.#replied(reply, owner, from);
    } catch (cause) {
      if (!(cause instanceof NodeNotAcknowledged) || exported !== undefined)
        return this.#failure(cause, owner, from);
      const takenBack = await releaseMode(this.#store, this.#hold(owner), ttlMs, callEndMs);
      if (takenBack.kind === 'unknown') return this.#failure(cause, owner, from);
      reportNode(this.#store, this.#keys.key, cause);
      return { kind: 'unavailable', cause };
    }
  }

  changed(signal: AbortSignal): Promise<void> {
    const { node } = this.#store;
    // A channel of its own: a release wakes only those whose turn it is.
    const channel = `${this.#keys.channel}:${this.#request.contender}`;
    this.#wakeUp ??= new WakeUp([node], channel, {
      blocking: 1,
      onRefused: (_, cause) => reportNode(this.#store, this.#keys.key, cause),
    });
    return this.#wakeUp.changed(signal);
  }

  async withdraw(): Promise<Withdrawal> {
    this.#wakeUp?.close();
    if (this.#mayHavePlace) await this.#leave();
    return (await this.#unresolved?.settle()) ?? { kind: 'clean' };
  }

  #args(owner: string): readonly string[] {
    const { ttlMs, mode, exported } = this.#request;
    if (exported !== undefined) return [owner, `${ttlMs}`, exported, ...this.#doubtful];
    const [permits, of] = shareOf(mode);
    const place = `${placeMs(ttlMs)}`;
    return [owner, `${ttlMs}`, LETTERS[mode.kind], permits, of, place, ...this.#doubtful];
  }

  #stored(owner: string): string {
    const { mode } = this.#request;
    return mode.kind === 'exclusive' ? `x/${owner}` : `${shareOf(mode).join('/')}/${owner}`;
  }

  #hold(owner: string): ModeHold {
    return { keys: this.#keys, stored: this.#stored(owner) };
  }

  #replied(reply: Reply, owner: string, from: Instant): Attempt {
    const { ttlMs, mode } = this.#request;
    const where = { key: this.#keys.key, backend: NAME };
    const foreign = FOREIGN.get(reply);
    if (foreign !== undefined) return { kind: 'refused', error: foreignKeyError(foreign, where) };
    const other = OTHER_MODE.get(reply);
    if (other !== undefined) return { kind: 'refused', error: otherModeError(where, other) };
    if (reply === GONE) return { kind: 'refused', error: adoptionError(where) };
    if (!isOutcome(reply))
      return this.#failure(new UnexpectedReply(ACQUIRE_MODE.name, reply), owner, from);
    const [granted, detail, otherOf] = reply;
    if (!this.#hasWarned)
      this.#hasWarned = warnIfPermitsDiffer(this.#store.host, where, mode, otherOf);
    this.#mayHavePlace = granted === 0;
    if (granted === 0) return placedBusy(Number(detail), ttlMs);
    this.#wakeUp?.close();
    const fencingToken = detail === '' ? undefined : BigInt(detail);
    const won = { ...this.#hold(owner), owner, from, ttlMs, fencingToken };
    return { kind: 'granted', grant: new ModeGrant(this.#store, won) };
  }

  /** A place that is not given up ends by itself. */
  async #leave(): Promise<void> {
    const { contender, mode, ttlMs } = this.#request;
    const place = [LETTERS[mode.kind], ...shareOf(mode), contender].join(':');
    const deadlineMs = this.#store.host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    try {
      await this.#store.node.script(LEAVE_MODE, this.#keys.names, [place], { deadlineMs });
    } catch (cause) {
      reportNode(this.#store, this.#keys.key, cause);
    }
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    reportNode(this.#store, this.#keys.key, cause);
    const failure = failureOf(cause, { backend: NAME, key: this.#keys.key });
    if (failure.kind !== 'unknown') return failure;
    const { ttlMs } = this.#request;
    const { host, pendingReleases } = this.#store;
    this.#mayHavePlace = true;
    this.#doubtful.push(owner);
    this.#unresolved ??= new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
    this.#unresolved.add(() => releaseMode(this.#store, this.#hold(owner), ttlMs), from, cause);
    return failure;
  }
}

/** The permits of a hold, and of how many; a reader has one of none. */
function shareOf(mode: HoldMode): readonly [permits: string, of: string] {
  return mode.kind === 'permits' ? [`${mode.permits}`, `${mode.of}`] : ['1', '0'];
}

/** 1 if it was acquired; then its token, or nothing, else the ms for which it is taken; a number of permits. */
type Outcome = readonly [granted: number, detail: string | number, otherOf: number];

function isOutcome(reply: Reply): reply is Outcome {
  if (!Array.isArray(reply) || reply.length !== 3) return false;
  const [granted, detail, otherOf]: readonly Reply[] = reply;
  if (!isInteger(otherOf)) return false;
  return granted === 1
    ? detail === '' || isToken(detail ?? null)
    : granted === 0 && isInteger(detail);
}

function isGranted(reply: Reply): boolean {
  return isOutcome(reply) && reply[0] === 1;
}
