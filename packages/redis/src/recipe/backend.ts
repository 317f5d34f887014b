import {
  type AdoptRequest,
  type Backend,
  bound,
  type Capabilities,
  type CloseOptions,
  type ContendAllRequest,
  type Contender,
  type ContendRequest,
  checkTtl,
  type Health,
  type Inspection,
  type Marks,
  type Release,
  type Runtime,
  TTL_MS_DEFAULT,
} from '@holdfast/core/backend';
import type { RedisNode } from '../port.ts';
import type { LateCheck } from './late-check.ts';
import type { PendingReleases } from './pending-releases.ts';

/** The parts of a backend in which Redis recipes differ. */
export interface RecipeParts {
  /** The name of the backend, in errors and events. */
  readonly name: string;
  /** What users can require of it. */
  readonly capabilities: Capabilities;
  /** See `Backend.evicts`. */
  readonly evicts?: string | false | undefined;
  /** Present if the node could not be checked when it was opened: no attempt is sent before it is. */
  readonly lateCheck?: LateCheck | undefined;
  /** That of the host that the backend was opened with. */
  readonly runtime: Runtime;
  /** All nodes that it sends to. */
  readonly nodes: readonly RedisNode[];
  /** True if closing the backend closes the nodes. */
  readonly ownsNodes: boolean;
  /** Absent if the recipe retries no release. */
  readonly pendingReleases?: PendingReleases;
  /** Absent if the recipe has no fencing tokens. */
  readonly marks?: Marks;
  /** Lists what is held now. Rejects with a BackendUnavailableError or a LockError. Absent if the recipe cannot list. */
  heldKeys?(): AsyncIterable<readonly string[]>;
  /** Returns a contender, and sends nothing yet. The ttl, in ms, is checked. */
  contend(request: ContendRequest & { readonly ttlMs: number }): Contender;
  /** Absent if the recipe cannot take several keys in one step; undefined if it cannot take these. */
  contendAll?(request: ContendAllRequest & { readonly ttlMs: number }): Contender | undefined;
  /** Absent if the recipe can hand no lease over. */
  adopt?(request: AdoptRequest & { readonly ttlMs: number }): Contender;
  /** Reads who holds a key, for people. Rejects with a BackendUnavailableError or a LockError. */
  inspect(key: string): Promise<Inspection>;
  /** Removes the hold, whoever has it. Rejects with a BackendUnavailableError or a LockError. */
  forceRelease(key: string): Promise<Release>;
  /** Reports on each node; never rejects. */
  health(): Promise<Health>;
}

/**
 * A recipe as a backend: checks every ttl, and closes what the recipe opened, in order.
 * @example
 * ```ts
 * const backend = new RedisBackend({
 *   ...recipe, // name, capabilities, contend, inspect, forceRelease
 *   runtime: host.runtime,
 *   nodes: [node],
 *   ownsNodes: true,
 *   health: () => singleNodeHealth(node, host),
 * });
 * ```
 */
export class RedisBackend implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly evicts: string | false | undefined;
  readonly marks?: Marks;
  readonly heldKeys?: () => AsyncIterable<readonly string[]>;
  /** @throws InvalidOptionError as `contend` does */
  readonly contendAll?: (request: ContendAllRequest) => Contender | undefined;
  readonly adopt?: (request: AdoptRequest) => Contender;
  readonly #parts: RecipeParts;

  constructor(parts: RecipeParts) {
    this.name = parts.name;
    this.capabilities = parts.capabilities;
    this.evicts = parts.evicts;
    if (parts.marks !== undefined) this.marks = parts.marks;
    const heldKeys = bound(parts, 'heldKeys');
    if (heldKeys !== undefined) this.heldKeys = heldKeys;
    if (parts.contendAll !== undefined) this.contendAll = this.#contendAll.bind(this, parts);
    this.#parts = parts;
    const adopt = parts.adopt?.bind(parts);
    if (adopt === undefined) return;
    // Apart from its assignment: V8 keeps a function that is written there beyond all young collections.
    const checkedAdopt = ({ ttlMs = TTL_MS_DEFAULT, ...rest }: AdoptRequest): Contender => {
      checkTtl(ttlMs, rest.key, this.name);
      return this.#checked(adopt({ ...rest, ttlMs }), ttlMs);
    };
    this.adopt = checkedAdopt;
  }

  /** @throws InvalidOptionError if the ttl is not a whole number, or too short for one call to a node */
  contend({ key, contender, mode, ttlMs = TTL_MS_DEFAULT }: ContendRequest): Contender {
    checkTtl(ttlMs, key, this.name);
    return this.#checked(this.#parts.contend({ key, contender, mode, ttlMs }), ttlMs);
  }

  #contendAll(parts: RecipeParts, request: ContendAllRequest): Contender | undefined {
    const { keys, ttlMs = TTL_MS_DEFAULT } = request;
    checkTtl(ttlMs, keys.join(', '), this.name);
    const contender = parts.contendAll?.({ ...request, ttlMs });
    return contender && this.#checked(contender, ttlMs);
  }

  #checked(contender: Contender, ttlMs: number): Contender {
    return this.#parts.lateCheck?.guard(contender, ttlMs) ?? contender;
  }

  /** @throws BackendUnavailableError if too few nodes replied; LockError if the key holds something other than a lock */
  inspect(key: string): Promise<Inspection> {
    return this.#parts.inspect(key);
  }

  /** @throws BackendUnavailableError if nothing was done; LockError if the key holds no lock: it is left alone */
  forceRelease(key: string): Promise<Release> {
    return this.#parts.forceRelease(key);
  }

  health(): Promise<Health> {
    return this.#parts.health();
  }

  close(options: CloseOptions = {}): Promise<void> {
    const { lateCheck, pendingReleases, ownsNodes, runtime } = this.#parts;
    lateCheck?.close();
    if (pendingReleases === undefined && !ownsNodes) return Promise.resolve();
    return closeWithin(runtime, options, () => this.#end());
  }

  /** Pending releases first: they are sent through the nodes. */
  async #end(): Promise<void> {
    const { pendingReleases, nodes, ownsNodes } = this.#parts;
    if (pendingReleases !== undefined) await pendingReleases.close();
    if (ownsNodes) await Promise.all(nodes.map((node) => node.close()));
  }
}

/** The default limit of `close`. */
const CLOSE_MS_DEFAULT = 5_000;

/**
 * Ends a backend: resolves when `end` has, at the latest after `timeoutMs`; rejects as `end` does.
 * @example
 * ```ts
 * await closeWithin(host.runtime, { timeoutMs: 2_000 }, () => node.close());
 * ```
 */
export function closeWithin(
  runtime: Runtime,
  { timeoutMs = CLOSE_MS_DEFAULT }: CloseOptions,
  end: () => Promise<void>,
): Promise<void> {
  return new Promise((done, fail) => {
    const cancel = runtime.timer(timeoutMs, done, { awaited: true });
    end().finally(cancel).then(done, fail);
  });
}
