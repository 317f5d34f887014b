import { NotSentError } from './errors.ts';
import { notifyAll } from './notify-all.ts';

/**
 * `disconnected` says nothing about the session: its servers decide, and report on the next connection. The last three
 * are final.
 */
export type SessionState = 'connected' | 'disconnected' | FinalState;

export type FinalState = 'expired' | 'auth-failed' | 'closed';

const NOT_SENT = {
  connected: 'DISCONNECTED',
  disconnected: 'DISCONNECTED',
  expired: 'EXPIRED',
  'auth-failed': 'AUTH_FAILED',
  closed: 'CLOSED',
} as const;

/** The state of a session, and the listeners to its changes. */
export class ObservableState {
  readonly #listeners = new Set<(state: SessionState) => void>();
  #now: SessionState = 'disconnected';

  get current(): SessionState {
    return this.#now;
  }

  get isFinal(): boolean {
    return this.#now !== 'connected' && this.#now !== 'disconnected';
  }

  onChange(listener: (state: SessionState) => void): () => void {
    // A function of its own, so that one that is added twice is called twice.
    const ownListener = (state: SessionState): void => listener(state);
    this.#listeners.add(ownListener);
    return () => void this.#listeners.delete(ownListener);
  }

  set(state: SessionState): void {
    if (state === this.#now || this.isFinal) return;
    this.#now = state;
    notifyAll([...this.#listeners], state);
  }

  notSent(name: string, cause: Error | undefined): NotSentError {
    return new NotSentError(
      NOT_SENT[this.#now],
      `${name}: not sent, the session is ${this.#now}`,
      cause,
    );
  }
}
