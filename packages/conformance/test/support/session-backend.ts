import { CapabilityError } from '@holdfast/core';
import {
  type Attempt,
  type Backend,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Grant,
  type Host,
  ownerValue,
  type Validity,
} from '@holdfast/core/backend';
import type { SimProcess } from '@holdfast/harness/simulator';
import type { Place, SessionStore } from './session-store.ts';

export const SESSION_MS = 1_000;
/** One way to the store. */
const LATENCY = { requestMs: 2, replyMs: 2 };

export const capabilities: Capabilities = {
  lease: 'session',
  timeAuthority: 'leader',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'fifo',
  wakeUp: 'push',
};

/** The store as one process reaches it, in one session after the other. */
export class SessionClient {
  readonly store: SessionStore;
  readonly host: Host;
  readonly #process: SimProcess;
  #session: number;

  constructor(store: SessionStore, host: Host, process: SimProcess) {
    this.store = store;
    this.host = host;
    this.#process = process;
    this.#session = store.open();
  }

  /** The present session; another when the last one has ended. */
  get session(): number {
    if (!this.store.isLive(this.#session)) this.#session = this.store.open();
    return this.#session;
  }

  /** Ends the session, as if this process had been paused for too long. */
  end(): void {
    this.store.end(this.#session);
  }

  call<T>(label: string, effect: () => T): Promise<T> {
    return this.#process.call(label, effect, LATENCY);
  }

  deliver(run: () => void): void {
    this.#process.deliver('freed', run, LATENCY.replyMs);
  }
}

/** Locks as queues of places. */
export function openSessions(client: SessionClient): Backend {
  return {
    name: 'sessions',
    capabilities,
    contend: (request) => {
      if (request.ttlMs !== undefined)
        throw new CapabilityError('a session has one timeout', { key: request.key });
      return contender(client, request);
    },
    close: async ({ leavesHolds = false } = {}) => {
      if (leavesHolds) client.host.runtime.timer(SESSION_MS, () => client.end());
      else client.end();
    },
  };
}

function contender(client: SessionClient, { key, contender: id }: ContendRequest): Contender {
  const { store, host } = client;
  const owner = ownerValue({ contender: id, n: 1, label: host.label });
  let place: Place | undefined;
  let hasChanged = false;
  let wake: (() => void) | undefined;
  let unsubscribe: (() => void) | undefined;

  async function attempt(deadlineMs: number): Promise<Attempt> {
    hasChanged = false;
    const from = host.runtime.now();
    if (from.monotonicMs >= deadlineMs) return { kind: 'unavailable', cause: 'too late' };
    const isFirst = await client.call('enter', () => {
      place = store.enter(key, client.session, owner);
      return store.places(key)[0] === place;
    });
    if (!isFirst || place === undefined) return { kind: 'busy' };
    unsubscribe?.();
    return { kind: 'granted', grant: grantOf(client, key, place, { from, ms: validMs() }) };
  }

  async function changed(signal: AbortSignal): Promise<void> {
    if (unsubscribe === undefined) {
      unsubscribe = store.subscribe(() =>
        client.deliver(() => {
          hasChanged = true;
          wake?.();
        }),
      );
      hasChanged = true;
    }
    if (hasChanged || signal.aborted) return;
    await new Promise<void>((resume) => {
      wake = resume;
      signal.addEventListener('abort', () => resume(), { once: true });
    });
  }

  async function withdraw(): Promise<{ kind: 'clean' }> {
    unsubscribe?.();
    const left = place;
    if (left !== undefined) await client.call('leave', () => store.leave(key, left));
    return { kind: 'clean' };
  }

  return { attempt, changed, withdraw };
}

function validMs(): number {
  return SESSION_MS * 0.9;
}

function grantOf(client: SessionClient, key: string, place: Place, validity: Validity): Grant {
  const { store, host } = client;
  const stands = (): boolean => store.places(key)[0] === place;
  return {
    owner: place.owner,
    fencingToken: place.token,
    leaseMs: SESSION_MS,
    validity,
    renew: async () => {
      const from = host.runtime.now();
      const isHeld = await client.call('renew', stands);
      return isHeld ? { kind: 'renewed', validity: { from, ms: validMs() } } : { kind: 'lost' };
    },
    release: async () => {
      const isHeld = await client.call('release', () => store.leave(key, place));
      return { kind: isHeld ? 'released' : 'not-held' };
    },
    onLost: (listener) => store.onEnd(place.session, listener),
  };
}
