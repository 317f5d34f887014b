import { onAbort } from './abort-signals.ts';
import type { Acquirer, LeaseRequest, Part } from './acquirer.ts';
import { Acquisition } from './acquisition.ts';
import type { WaitRequest } from './attempt-log.ts';
import { givenBackError } from './error-messages.ts';
import { BackendUnavailableError, LockTimeoutError } from './errors.ts';
import type { LockEvent } from './events.ts';
import type { LocalQueue } from './local-queue.ts';
import { HeldMultiLease, MultiLeaseController } from './multi-lease.ts';
import type { Backend, Contender, Grant, Host } from './port.ts';
import type { ContenderGrant } from './wait-loop.ts';

/** A lease on several keys, and the controller with which only core may change it. */
export interface AcquiredMultiLease {
  readonly lease: HeldMultiLease;
  readonly controller: MultiLeaseController;
}

/** One call for several keys. */
interface MultiCall {
  readonly acquirer: Acquirer;
  readonly keys: readonly string[];
  readonly request: Omit<LeaseRequest, 'key' | 'part'>;
  readonly startedMs: number;
  /** Aborts with the caller, and when a part is lost. */
  readonly signal: AbortSignal;
  readonly controller: MultiLeaseController;
  readonly lease: HeldMultiLease;
}

/**
 * Takes several keys as one lease, all or none: in one step if the backend can, else one after the other.
 * @param keys without duplicates, sorted by code unit
 * @throws LockLostError if a key that was taken is lost before the last one is; all errors of `Acquirer.acquire`
 */
export async function acquireAll(
  acquirer: Acquirer,
  keys: readonly string[],
  request: Omit<LeaseRequest, 'key' | 'part'>,
  signal: AbortSignal | undefined,
): Promise<AcquiredMultiLease> {
  if (signal?.aborted === true) throw signal.reason;
  const startedMs = acquirer.runtime.now().monotonicMs;
  const abort = new AbortController();
  const stopWaiting = (reason: unknown): void => abort.abort(reason);
  const cancelAbort = signal && onAbort(signal, () => stopWaiting(signal.reason));
  const { backend, background } = acquirer;
  const controller = new MultiLeaseController(keys, backend.name, background, stopWaiting);
  const lease = new HeldMultiLease(controller);
  const call = { acquirer, keys, request, startedMs, signal: abort.signal, controller, lease };
  try {
    if (!(await takeInOneStep(call))) await takeOneByOne(call);
    return { lease, controller };
  } catch (error) {
    throw await giveBack(controller, acquirer, error, signal);
  } finally {
    cancelAbort?.();
  }
}

/**
 * Takes one key after the other, in one order that all clients share. So a holder only ever waits for later keys, and
 * holders cannot wait for each other in a circle. What is taken is renewed while the next key is waited for.
 */
async function takeOneByOne(call: MultiCall): Promise<void> {
  const { acquirer, keys, request, signal, controller, lease } = call;
  const { renew, maxHoldMs } = request;
  const uncapped = { ...request, renew: true, maxHoldMs: Number.POSITIVE_INFINITY };
  for (const key of keys) {
    const part = partOf(call, key);
    const taken = await acquirer.acquire({ ...uncapped, key, part }, signal, lease);
    controller.parts.push(taken.controller);
  }
  controller.begin(renew, maxHoldMs);
}

/**
 * Takes all keys by one request to the store, once it is this caller's turn in the local queue of each. Nothing is taken
 * while it waits. Returns false if the backend cannot.
 */
async function takeInOneStep(call: MultiCall): Promise<boolean> {
  const { acquirer, keys, request, signal } = call;
  const [first] = keys;
  if (first === undefined || keys.length === 1) return false;
  const wait = acquirer.wait({ ...request, key: first, part: partOf(call, first) });
  const contender = contenderForAll(acquirer.backend, keys, wait);
  if (contender === undefined) return false;
  const { context } = acquirer;
  const contended = new Set<string>();
  // A turn that came too late is nothing that was taken.
  const local = { backend: turns(acquirer), host: hostOfAll(context.host, contended, []) };
  const heads: LocalQueue[] = [];
  try {
    for (const key of keys) {
      acquirer.checkOpen(key);
      const turn = new Acquisition({ ...context, ...local }, { ...wait, key });
      await turn.run(signal);
      if (turn.queue !== undefined) heads.push(turn.queue);
    }
    acquirer.checkOpen(first);
    if (signal.aborted) throw signal.reason;
  } catch (error) {
    for (const head of heads) head.next();
    throw error;
  }
  // From here on the acquisition frees the queues, unless it wins.
  const stuck = { key: first };
  const backend = backendOfAll(acquirer.backend, keys, contender, stuck);
  const inStore = { ...context, backend, heads, host: hostOfAll(context.host, contended, keys) };
  holdAll(call, wait, await new Acquisition(inStore, stuckAt(wait, stuck)).run(signal), heads);
  return true;
}

/** Makes a lease of each grant; each then frees its own local queue. */
function holdAll(
  call: MultiCall,
  wait: WaitRequest,
  won: ContenderGrant,
  heads: readonly LocalQueue[],
): void {
  const { acquirer, keys, controller, lease: handle } = call;
  let failure: unknown;
  for (const [at, key] of keys.entries()) {
    const grant = won.grant.parts?.get(key);
    const request = { ...call.request, key, part: partOf(call, key) };
    const queue = heads[at];
    if (grant === undefined) {
      queue?.next();
      failure ??= new TypeError(
        `${acquirer.backend.name} broke its contract: no grant of '${key}'`,
      );
      continue;
    }
    try {
      const held = acquirer.hold({ ...won, grant }, request, { wait, queue, handle });
      controller.parts.push(held.controller);
      failure ??= acquirer.leaseError({ ...won, grant }, request);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  controller.begin(true, Number.POSITIVE_INFINITY);
}

function partOf({ controller, startedMs }: MultiCall, key: string): Part {
  return { startedMs, onAbort: controller.onAbort.bind(controller, key) };
}

function contenderForAll(
  backend: Backend,
  keys: readonly string[],
  { contender, ttlMs }: Pick<WaitRequest, 'contender' | 'ttlMs'>,
): Contender | undefined {
  return backend.contendAll?.({ keys, contender, ...(ttlMs !== undefined && { ttlMs }) });
}

/** A backend that grants at once: the turn in the local queue is all that is waited for. */
function turns({ backend, runtime }: Acquirer): Backend {
  const { name, capabilities } = backend;
  const grant = (): Grant => ({
    owner: '',
    leaseMs: 1,
    validity: { from: runtime.now(), ms: Number.POSITIVE_INFINITY },
    release: () => Promise.resolve({ kind: 'released' }),
  });
  const contend = (): Contender => ({
    attempt: () => Promise.resolve({ kind: 'granted', grant: grant() }),
    withdraw: () => Promise.resolve({ kind: 'clean' }),
  });
  return { name, capabilities, contend, close: () => Promise.resolve() };
}

/** The key that the latest attempt was stuck at, which errors and events name. */
interface Stuck {
  key: string;
}

/** A backend whose contenders are for all keys. Without local queues: they are this caller's by now. */
function backendOfAll(
  backend: Backend,
  keys: readonly string[],
  first: Contender,
  stuck: Stuck,
): Backend {
  let unused: Contender | undefined = first;
  const contend: Backend['contend'] = (request) => {
    const inner = unused ?? contenderForAll(backend, keys, { ttlMs: undefined, ...request });
    unused = undefined;
    if (inner === undefined) throw new TypeError(`${backend.name} broke its contract`);
    return {
      attempt: async (deadlineMs) => {
        const attempt = await inner.attempt(deadlineMs);
        if (attempt.kind === 'busy' && attempt.key !== undefined) stuck.key = attempt.key;
        return attempt;
      },
      withdraw: () => inner.withdraw(),
      ...(inner.changed && {
        changed: (signal: AbortSignal) => inner.changed?.(signal) ?? Promise.resolve(),
      }),
    };
  };
  const { name } = backend;
  const capabilities = { ...backend.capabilities, queue: 'fifo' } as const;
  return { name, capabilities, contend, close: () => Promise.resolve() };
}

function stuckAt(wait: WaitRequest, stuck: Stuck): WaitRequest {
  return {
    ...wait,
    get key() {
      return stuck.key;
    },
  };
}

/** Reports each contended key once, and a grant that came too late for each of `taken`. */
function hostOfAll(host: Host, contended: Set<string>, taken: readonly string[]): Host {
  const { runtime, label } = host;
  const emit = (event: LockEvent): void => {
    if (event.type === 'contended') {
      if (contended.has(event.key)) return;
      contended.add(event.key);
    }
    if (event.type !== 'orphan') host.emit(event);
    else for (const key of taken) host.emit({ ...event, key });
  };
  return { runtime, label, emit };
}

/** Releases what was taken, and returns the error for the caller. An aborted caller does not wait for it. */
async function giveBack(
  controller: MultiLeaseController,
  { backend, background }: Acquirer,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const released = controller.releaseParts();
  if (signal?.aborted === true) {
    background.add(released);
    return error;
  }
  const { kind } = await released;
  // These two promise that nothing of this caller is left in the store.
  const isDefinite = error instanceof LockTimeoutError || error instanceof BackendUnavailableError;
  if (!isDefinite) return error;
  if (controller.hasLostPart) return controller.lossError();
  if (kind !== 'unknown') return error;
  const [first] = controller.parts;
  return givenBackError(
    { key: first?.request.key ?? '', backend: backend.name },
    first?.grant.leaseMs,
    error,
  );
}
