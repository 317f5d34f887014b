import type { Acquirer } from './acquirer.ts';
import { Acquisition, type GrantTaker } from './acquisition.ts';
import type { WaitRequest } from './attempt-log.ts';
import type { LockEvent } from './events.ts';
import { controllerOf } from './lease.ts';
import type { KeylessRequest, Part } from './lease-request.ts';
import type { LocalQueue } from './local-queue.ts';
import type { HeldMultiLease, MultiLeaseController } from './multi-lease.ts';
import type { Backend, Contender, Grant, Host } from './port.ts';
import type { ContenderGrant } from './wait-loop.ts';

/** One call for several keys. */
export interface MultiCall {
  readonly acquirer: Acquirer;
  readonly keys: readonly string[];
  readonly request: KeylessRequest;
  readonly startedMs: number;
  /** Aborts with the caller, and when a part is lost. */
  readonly signal: AbortSignal;
  readonly controller: MultiLeaseController;
  readonly lease: HeldMultiLease;
}

/**
 * Takes all keys by one request to the store, once it is this caller's turn in the local queue of each. Nothing is taken
 * while it waits. Returns false if the backend cannot.
 */
export async function takeInOneStep(call: MultiCall): Promise<boolean> {
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
      const turn = new Acquisition({ ...context, ...local }, { ...wait, key }, TURN);
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
  const take = (won: ContenderGrant): void => holdAll(call, wait, won, heads);
  await new Acquisition(inStore, stuckAt(wait, stuck), { take }).run(signal);
  return true;
}

/** Of a turn in a local queue nothing is made. */
const TURN: GrantTaker<undefined> = { take: () => undefined };

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
      controller.parts.push(controllerOf(held));
      failure ??= acquirer.leaseError({ ...won, grant }, request);
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  controller.begin(true, Number.POSITIVE_INFINITY);
}

/** What the call adds to the lease on each of its keys. */
export function partOf({ controller, startedMs }: MultiCall, key: string): Part {
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
