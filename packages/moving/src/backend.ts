import { CapabilityError } from '@holdfast/core';
import {
  type Backend,
  type BackendCloseOptions,
  type Capabilities,
  type Contender,
  type ContendRequest,
  callDeadlineMs,
  checkTtl,
  epochToken,
  type Health,
  type Host,
  type Inspection,
  type Release,
} from '@holdfast/core/backend';
import { MovingContender } from './contender.ts';
import { capabilitiesOfBoth, NAME } from './identity.ts';
import type { Move, Side } from './move.ts';

/** Locks of two stores as one backend. */
export class MovingBackend implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities;
  readonly evicts: string | false | undefined;
  readonly #move: Move;
  readonly #host: Host;

  constructor(move: Move, host: Host) {
    const { from, to } = move;
    this.capabilities = capabilitiesOfBoth(from.backend.capabilities, to.backend.capabilities);
    const evictions = [from.backend.evicts, to.backend.evicts];
    const reason = evictions.find((each) => typeof each === 'string');
    this.evicts = reason ?? (evictions.includes(undefined) ? undefined : false);
    this.#move = move;
    this.#host = host;
  }

  /**
   * @throws CapabilityError for a ttl, if the leases of one store are sessions
   * @throws InvalidOptionError for a ttl that is no whole number, or out of range
   */
  contend(request: ContendRequest): Contender {
    const isSession = this.capabilities.lease === 'session';
    if (isSession && request.ttlMs !== undefined)
      throw new CapabilityError(
        `${NAME}: no ttl per call: leases of one store last as long as their session`,
        {
          key: request.key,
          backend: NAME,
        },
      );
    if (request.ttlMs !== undefined) checkTtl(request.ttlMs, request.key, NAME);
    return new MovingContender(this.#move, this.#host, request, isSession);
  }

  /** Returns the hold in the store whose tokens count, since that is the holder's; in the other a client may wait for it. */
  async inspect(key: string): Promise<Inspection> {
    const { from, to } = this.#move;
    const [old, next] = await Promise.all([inspected(from, key), inspected(to, key)]);
    const callEndMs = this.#host.runtime.now().monotonicMs + callDeadlineMs(undefined);
    const [first, other] = (await this.#move.isFlipped(callEndMs)) ? [next, old] : [old, next];
    return first.held ? first : other;
  }

  async forceRelease(key: string): Promise<Release> {
    const { from, to } = this.#move;
    const outcomes = await Promise.allSettled([forced(from, key), forced(to, key)]);
    const releases = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = outcomes.find((each) => each.status === 'rejected');
    if (failed?.status === 'rejected') {
      if (releases.every(({ kind }) => kind === 'not-held')) throw failed.reason;
      return { kind: 'unknown', cause: failed.reason };
    }
    return (
      releases.find(({ kind }) => kind === 'unknown') ??
      releases.find(({ kind }) => kind === 'released') ?? { kind: 'not-held' }
    );
  }

  /** Of both stores: a client that is on its way holds in one of them alone. */
  async *heldKeys(): AsyncGenerator<readonly string[]> {
    const { from, to } = this.#move;
    for (const { backend } of [from, to]) {
      if (backend.heldKeys === undefined) throw cannot(backend, 'list the keys that are held');
      yield* backend.heldKeys();
    }
  }

  async health(): Promise<Health> {
    const { from, to } = this.#move;
    const both = await Promise.all([from, to].map(healthOf));
    return { ok: both.every(({ ok }) => ok), nodes: both.flatMap(({ nodes }) => nodes) };
  }

  async close(options?: BackendCloseOptions): Promise<void> {
    const { from, to } = this.#move;
    await Promise.all([from.backend.close(options), to.backend.close(options)]);
  }
}

async function inspected({ backend, epoch }: Side, key: string): Promise<Inspection> {
  if (backend.inspect === undefined) throw cannot(backend, 'inspect a key', key);
  const { fencingToken: own, ...inspection } = await backend.inspect(key);
  const details = { key, backend: backend.name };
  const token = own === undefined ? {} : { fencingToken: epochToken(epoch, own, details) };
  return { ...inspection, ...token, fencingEpoch: epoch };
}

async function forced({ backend }: Side, key: string): Promise<Release> {
  if (backend.forceRelease === undefined) throw cannot(backend, 'release by force', key);
  return await backend.forceRelease(key);
}

async function healthOf({ backend }: Side): Promise<Health> {
  if (backend.health === undefined) throw cannot(backend, 'report its health');
  return await backend.health();
}

function cannot({ name }: Backend, what: string, key?: string): CapabilityError {
  return new CapabilityError(`${NAME}: ${name} cannot ${what}`, { key, backend: NAME });
}
