import { ConfigError } from '@holdfast/core';
import {
  type Attempt,
  bound,
  type Contender,
  callDeadlineMs,
  type Host,
  type Runtime,
  type Withdrawal,
} from '@holdfast/core/backend';
import { NodeUnavailable, type RedisNode } from '../port.ts';
import type { Failure } from './lock-errors.ts';
import { faultOf, judge, type NodeCheck, rejectUnfit } from './node-check.ts';
import { isPassing, look } from './node-findings.ts';

/** The pause after a node was not reached. */
const RETRY_MS = 1_000;

export interface LateCheckOptions extends NodeCheck {
  readonly node: RedisNode;
  readonly host: Host;
  /** Checks more, once the node has passed. @throws ConfigError */
  readonly more?: ((node: RedisNode) => Promise<void>) | undefined;
}

/**
 * Makes up the check of a node that was down, or could not serve, when its backend was opened: as soon as it is up, and
 * before the first attempt is sent there. Until the node has passed, no attempt is. A node that is refused is looked at
 * anew for each attempt, since an administrator may grant a right meanwhile; the event comes once.
 */
export class LateCheck {
  readonly #options: LateCheckOptions;
  #hasPassed = false;
  #looking: Promise<Failure | undefined> | undefined;
  #reported: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LateCheckOptions) {
    this.#options = options;
  }

  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** Returns the contender, whose attempts wait for the check unless the node has passed. */
  guard(contender: Contender, ttlMs: number): Contender {
    return this.#hasPassed ? contender : new CheckedContender(contender, this, ttlMs);
  }

  get runtime(): Runtime {
    return this.#options.host.runtime;
  }

  /** Looks in the background until the node is up. Keeps no process alive. */
  start(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.host.runtime.timer(RETRY_MS, () => {
      void this.#looked().then((failure) => failure?.kind === 'unavailable' && this.start());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  /** Returns why an attempt may not be sent, undefined if it may; by the deadline. */
  fault(deadlineMs: number): Promise<Failure | undefined> {
    const { node, host } = this.#options;
    const ms = deadlineMs - host.runtime.now().monotonicMs;
    return new Promise((resolve) => {
      const cause = new NodeUnavailable(`${node.address}: not checked by the deadline`);
      const end = (): void => resolve({ kind: 'unavailable', cause });
      const cancel = host.runtime.timer(ms, end, { awaited: true });
      void this.#looked().finally(cancel).then(resolve);
    });
  }

  /** One look serves all. */
  #looked(): Promise<Failure | undefined> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<Failure | undefined> {
    const { node, host, own, backend, more } = this.#options;
    try {
      const found = await look(node, host, own);
      const { members, cause } = found;
      // It may become a master, or be able to serve.
      if (isPassing(found))
        return unavailable(cause ?? new NodeUnavailable(`${node.address} is a replica`));
      const fault = own && (await faultOf(found, node, host.runtime, own));
      rejectUnfit(fault === undefined ? found : { fault }, node, backend);
      if (members === undefined || cause !== undefined) return unavailable(cause);
      await judge(found, node, host, { backend, own });
      await more?.(node);
      this.#hasPassed = true;
      return undefined;
    } catch (error) {
      return error instanceof ConfigError ? this.#refused(error) : unavailable(error);
    }
  }

  #refused(error: ConfigError): Failure {
    const { backend, host } = this.#options;
    const { message } = error;
    if (this.#reported !== message)
      host.emit({ type: 'warning', backend, code: 'unfit-node', message, cause: error });
    this.#reported = message;
    return { kind: 'refused', error };
  }
}

function unavailable(cause: unknown): Failure {
  return { kind: 'unavailable', cause };
}

class CheckedContender implements Contender {
  readonly changed?: (signal: AbortSignal) => Promise<void>;
  readonly #inner: Contender;
  readonly #check: LateCheck;
  readonly #ttlMs: number;

  constructor(inner: Contender, check: LateCheck, ttlMs: number) {
    this.#inner = inner;
    this.#check = check;
    this.#ttlMs = ttlMs;
    const changed = bound(inner, 'changed');
    if (changed !== undefined) this.changed = changed;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    if (this.#check.hasPassed) return await this.#inner.attempt(deadlineMs);
    // The check and the attempt share the time of one call.
    const nowMs = this.#check.runtime.now().monotonicMs;
    const endMs = Math.min(deadlineMs, nowMs + callDeadlineMs(this.#ttlMs));
    return (await this.#check.fault(endMs)) ?? (await this.#inner.attempt(endMs));
  }

  withdraw(): Promise<Withdrawal> {
    return this.#inner.withdraw();
  }
}
