import type { Runtime } from '@holdfast/core';
import { Network, type SimProcess, SimRedisService } from '@holdfast/harness/simulator';

/** The parts of a simulated world that a published client needs: the network, and the server at each address. */
export interface NetworkAccess {
  readonly process: SimProcess;
  readonly network: Network;
  /** By host: numbers, since a name would have to be looked up in the world outside. */
  readonly addresses: ReadonlyMap<string, SimRedisService>;
}

interface Seen {
  process?: SimProcess;
  network?: Network;
  readonly addresses: Map<string, SimRedisService>;
}

const seen = new WeakMap<Runtime, Seen>();

/**
 * The simulator hands a lock finished nodes, which speak the port of our own recipes. A published client needs the bare
 * connections below: they are learned by watching those nodes connect, which they do as soon as they are made.
 */
export function observeNetworks(): () => void {
  const restores = [
    watch(SimRedisService.prototype, 'serverFor', (service, process) => {
      const { addresses } = seenBy(process);
      addresses.set(service.name.replace(/^n/, '10.0.0.'), service);
    }),
    watch(Network.prototype, 'connect', (network, process) => {
      seenBy(process).network = network;
    }),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}

/** Has `see` called before every call of a method whose first argument is a process; returns what undoes it. */
function watch<T extends object>(
  owner: T,
  name: keyof T,
  see: (self: T, process: SimProcess) => void,
): () => void {
  const method = owner[name];
  if (typeof method !== 'function') throw new Error(`${String(name)} is no method`);
  const watched = function (this: T, process: SimProcess, ...rest: unknown[]): unknown {
    see(this, process);
    return Reflect.apply(method, this, [process, ...rest]);
  };
  Reflect.set(owner, name, watched);
  return () => void Reflect.set(owner, name, method);
}

/** Of the process that has this runtime. */
export function networkAccessOf(runtime: Runtime): NetworkAccess {
  const { process, network, addresses } = seen.get(runtime) ?? {};
  if (process === undefined || network === undefined || addresses === undefined)
    throw new Error('no network is known: redirect() has not been called, or there are no nodes');
  return { process, network, addresses };
}

function seenBy(process: SimProcess): Seen {
  let known = seen.get(process.runtime);
  if (known === undefined) seen.set(process.runtime, (known = { addresses: new Map() }));
  known.process = process;
  return known;
}
