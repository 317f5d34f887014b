import {
  type Attempt,
  adoptionError,
  type Contender,
  callDeadlineMs,
  type Instant,
  MARKERS,
  otherModeError,
  ownerValue,
  parseOwner,
  placedBusy,
  type Withdrawal,
  warnIfPermitsDiffer,
} from '@holdfast/core/backend';
import { type Failure, foreignKeyError, isRowLocked, modeFailureOf } from '../failures.ts';
import { NAME } from '../identity.ts';
import type { Reply, Row } from '../port.ts';
import { payloadOf, prefixOf, reportNode, type Store } from '../store.ts';
import { checkSynchronous } from '../synchronous.ts';
import { UnresolvedAttempts } from '../unresolved-attempts.ts';
import { WakeUp } from '../wake-up.ts';
import type { SharedCall } from './batches.ts';
import { ModeGrant, type ModeHold, releaseMode } from './grant.ts';
import { hasText } from './line.ts';
import { acquireArgs, kindOf, type SharedRequest, sendMembers } from './message.ts';

/** The pause before the next attempt while another transaction keeps the row locked. */
const LOCKED_MS = 250;

/** One caller in a mode; `exported` is the writer that it makes a reader. */
export interface ModeRequest extends SharedRequest {
  readonly contender: string;
  readonly exported?: string | undefined;
}

/** An attempt whose outcome is unknown. */
interface DoubtfulAttempt {
  readonly owner: string;
  readonly from: Instant;
}

/** Tries to hold one key in a mode, with a place in its line; each attempt under its own owner value. */
export class ModeContender implements Contender {
  readonly #store: Store;
  readonly #request: ModeRequest;
  readonly #wakeUp: WakeUp;
  /** Attempts of a downgrade in doubt: an undo before `withdraw` would leave its next attempt nothing to find. */
  readonly #kept: DoubtfulAttempt[] = [];
  #unresolved: UnresolvedAttempts | undefined;
  #n = 0;
  #mayHavePlace = false;
  #hasWarned = false;

  constructor(store: Store, request: ModeRequest) {
    this.#store = store;
    this.#request = request;
    const { key, contender } = request;
    // A payload of its own: a release wakes only those whose turn it is. That of an exclusive holder knows no line.
    const own = prefixOf(store, key) + contender;
    this.#wakeUp = new WakeUp(store.releases, own, payloadOf(store, key));
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { host, releases } = this.#store;
    const isCalled = !releases.isLive || this.#wakeUp.hasChanged;
    this.#wakeUp.restart();
    this.#wakeUp.listenIfLive();
    if (isCalled || !this.#mayHavePlace || this.#unresolved !== undefined)
      return await this.#acquire(deadlineMs, true);
    const callEndMs = Math.min(
      deadlineMs,
      host.runtime.now().monotonicMs + callDeadlineMs(this.#request.ttlMs),
    );
    const kept = await this.#keepPlace(callEndMs);
    if (kept !== undefined) return kept;
    const isCalledMeanwhile = this.#wakeUp.hasChanged;
    this.#wakeUp.restart();
    return await this.#acquire(callEndMs, isCalledMeanwhile);
  }

  /** Only the first in line tries without being called: it may be that a holder has died. Undefined: this is the first one, or has been called. */
  async #keepPlace(deadlineMs: number): Promise<Attempt | undefined> {
    const { key, ttlMs } = this.#request;
    const end = new AbortController();
    try {
      const isBehind = await Promise.race([
        this.#store.places.isBehind(this.#request, deadlineMs),
        this.#wakeUp.changed(end.signal).then(() => false),
      ]);
      return isBehind && !this.#wakeUp.hasChanged ? placedBusy(0, ttlMs) : undefined;
    } catch (cause) {
      const failure = modeFailureOf(cause, key);
      // It grants nothing, so there is no doubt.
      return failure.kind === 'unknown' ? { kind: 'unavailable', cause } : failure;
    } finally {
      end.abort();
    }
  }

  async #acquire(deadlineMs: number, isCalled: boolean): Promise<Attempt> {
    const { host } = this.#store;
    const { contender, ttlMs } = this.#request;
    this.#n += 1;
    const owner = ownerValue({ contender, n: this.#n, label: host.label });
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    try {
      const reply = await this.#send(owner, callEndMs, isCalled);
      return this.#replied(reply, { owner, from });
    } catch (cause) {
      if (!this.#isBusy(cause)) return this.#failure(cause, { owner, from });
      const jitterMs = LOCKED_MS * host.runtime.random();
      return { kind: 'busy', retryAfterMs: LOCKED_MS + jitterMs };
    }
  }

  #send(owner: string, deadlineMs: number, isCalled: boolean): Promise<Reply> {
    const { batches, database, modes, places } = this.#store;
    const { key, mode, exported } = this.#request;
    const onFailed = (cause: unknown): void => {
      if (!this.#isBusy(cause)) reportNode(this.#store, key, cause);
    };
    const isAlone = mode.kind === 'exclusive' || exported !== undefined;
    const call: SharedCall = {
      key,
      kind: isAlone ? owner : kindOf(this.#request),
      // Who has a place may have been called, and then nobody else can go on.
      turn: { deadlineMs, isUrgent: this.#mayHavePlace },
      owner,
      what: isCalled ? 'wanted' : 'uncalled',
      isCrowded: mode.kind === 'permits' && places.isCrowded(this.#request),
      onFailed,
    };
    return batches.run(call, (members) => {
      if (exported === undefined)
        return sendMembers(this.#store, this.#request, members, deadlineMs);
      const args = acquireArgs(this.#store, this.#request, members.owners);
      return database.run(modes.downgrade, [...args, exported], { deadlineMs });
    });
  }

  /** True if another transaction keeps the row locked: then nothing has been done. A downgrade is not busy: it has the key. */
  #isBusy(cause: unknown): boolean {
    return isRowLocked(cause) && this.#request.exported === undefined;
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#wakeUp.changed(signal);
  }

  async withdraw(): Promise<Withdrawal> {
    this.#wakeUp.close();
    this.#store.places.leave(this.#request);
    for (const attempt of this.#kept.splice(0)) this.#undo(attempt);
    if (this.#mayHavePlace) await this.#leave();
    return this.#unresolved?.settle() ?? { kind: 'clean' };
  }

  #replied({ rows, sentAt }: Reply, attempt: DoubtfulAttempt): Attempt {
    const { key, mode, exported } = this.#request;
    const where = { key, backend: NAME };
    const stored = rows.find((row) => 'is_synchronous' in row);
    if (stored === undefined)
      return this.#failure(new Error('acquire: the reply has no row'), attempt);
    const otherOf = Number(stored['other_of'] ?? Number.POSITIVE_INFINITY);
    // Readers are stored with numbers, too, and are no other deployment's permits.
    if (!this.#hasWarned && stored['owner'] === MARKERS.permits)
      this.#hasWarned = warnIfPermitsDiffer(this.#store.host, where, mode, otherOf);
    const { token, granted } = rows.find((row) => 'token' in row) ?? {};
    const isGranted = mode.kind === 'exclusive' || hasText(granted, attempt.owner);
    if (typeof token === 'string' && isGranted) {
      this.#wakeUp.close();
      this.#store.places.leave(this.#request);
      this.#mayHavePlace = false;
      this.#kept.splice(0);
      const fencingToken = mode.kind === 'permits' ? undefined : BigInt(token);
      // From when the request left: the server starts the ttl no earlier than this.
      const won = { ...this.#hold(attempt.owner), from: sentAt, fencingToken };
      return { kind: 'granted', grant: new ModeGrant(this.#store, won) };
    }
    const refusal = checkSynchronous(this.#store, stored, key);
    if (refusal !== undefined) return { kind: 'refused', error: refusal };
    if (exported !== undefined) return { kind: 'refused', error: adoptionError(where) };
    return this.#taken(stored);
  }

  #taken({ owner, remaining_ms: remaining }: Row): Attempt {
    const { key, mode, ttlMs } = this.#request;
    this.#mayHavePlace = true;
    this.#store.places.enter(this.#request);
    if (typeof owner !== 'string') return placedBusy(0, ttlMs);
    if (parseOwner(owner) === undefined) return { kind: 'refused', error: foreignKeyError(key) };
    const other = mode.kind === 'permits' ? 'shared' : 'permits';
    if (owner === MARKERS[other]) {
      const error = otherModeError({ key, backend: NAME }, other);
      return { kind: 'refused', error };
    }
    return placedBusy(Number(remaining ?? 0), ttlMs);
  }

  #hold(owner: string): ModeHold {
    const { key, mode, ttlMs } = this.#request;
    return { key, mode, ttlMs, owner };
  }

  /** A place that is not given up ends by itself. */
  async #leave(): Promise<void> {
    const { database, modes, namespace, host, turns } = this.#store;
    const { key, contender, ttlMs } = this.#request;
    const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    const payload = payloadOf(this.#store, key);
    const args = [namespace, key, contender, payload, prefixOf(this.#store, key)];
    try {
      await turns.run(key, { deadlineMs, isUrgent: true }, () =>
        database.run(modes.leave, args, { deadlineMs }),
      );
    } catch (cause) {
      reportNode(this.#store, key, cause);
    }
  }

  #failure(cause: unknown, attempt: DoubtfulAttempt): Failure {
    const { key, exported } = this.#request;
    const failure = modeFailureOf(cause, key);
    if (failure.kind !== 'unknown') return failure;
    this.#mayHavePlace = exported === undefined;
    if (exported === undefined) this.#undo(attempt);
    else this.#kept.push(attempt);
    return failure;
  }

  #undo({ owner, from }: DoubtfulAttempt): void {
    const { host, pendingReleases } = this.#store;
    const { ttlMs } = this.#request;
    this.#unresolved ??= new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
    this.#unresolved.add(() => releaseMode(this.#store, this.#hold(owner), ttlMs), from);
  }
}
