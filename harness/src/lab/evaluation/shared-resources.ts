import {
  Clients,
  compileShim,
  Proxies,
  type ServerFactory,
  ShiftedClock,
} from '../../plant/index.ts';
import { type LinkedServers, startLinked } from '../deployments/linked-ensemble.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import type { ClockedEnsemble } from '../deployments/zookeeper.ts';
import type { DeploymentResources } from './deployments.ts';

export const CLIENTS = 3;

export interface SharedResourcesOptions {
  readonly serverFactory: ServerFactory;
  readonly own?: OwnServersScope | undefined;
  /** Hears that a process has ended without which nothing can be played any more, though nobody ended it. */
  readonly onExit: (process: string) => void;
}

/** What all trials share: clients, proxies, and the servers that take long to start. */
export class SharedResources {
  readonly clients: Clients;
  /** The library that shifts clocks, where one could be compiled. */
  readonly shim: string | undefined;
  readonly #parts: SharedResourcesOptions;
  readonly #folder: string;
  readonly #proxies: Proxies;
  #ensemble: Promise<ClockedEnsemble> | undefined;
  #linked: Promise<LinkedServers> | undefined;

  private constructor(
    parts: SharedResourcesOptions,
    own: { crew: Clients; proxies: Proxies; folder: string; shim: string | undefined },
  ) {
    this.clients = own.crew;
    this.shim = own.shim;
    this.#parts = parts;
    this.#folder = own.folder;
    this.#proxies = own.proxies;
  }

  static async open(parts: SharedResourcesOptions): Promise<SharedResources> {
    const { serverFactory, onExit } = parts;
    const folder = serverFactory.folder('holdfast-lab-shim-');
    const shim = await compileShim(folder);
    const proxies = new Proxies(() => onExit('all proxies'));
    const resource = (): void => onExit('the resource');
    const clients = await Clients.start({
      client: serverFactory.client,
      proxies,
      size: CLIENTS,
      shim,
      onResourceEnd: resource,
    });
    return new SharedResources(parts, { crew: clients, proxies, folder, shim });
  }

  /** What sites are opened with, for this ttl. */
  resources(ttlMs: number): DeploymentResources {
    const { serverFactory: plant, own } = this.#parts;
    return {
      serverFactory: plant,
      proxies: this.#proxies,
      clientCount: CLIENTS,
      ttlMs,
      namespace: own?.namespace ?? `holdfast-lab-${process.pid}`,
      shim: this.shim,
      ensemble: () => (this.#ensemble ??= this.#startEnsemble()),
      linked: () => (this.#linked ??= startLinked(plant, this.#proxies)),
    };
  }

  /** At once: nobody works any more. */
  kill(): void {
    this.clients.close();
    this.#proxies.close();
  }

  async close(): Promise<void> {
    this.clients.close();
    for (const started of [this.#ensemble, this.#linked])
      await (await started?.catch(() => undefined))?.servers.close();
    this.#proxies.close();
    this.#parts.serverFactory.remove(this.#folder);
  }

  async #startEnsemble(): Promise<ClockedEnsemble> {
    const { zookeeper } = this.#parts.serverFactory;
    if (zookeeper === undefined) throw new Error('ZooKeeper is not installed');
    const { shim } = this;
    const clock = shim === undefined ? undefined : new ShiftedClock(shim, this.#folder, 'ensemble');
    const wishes = clock === undefined ? {} : { through: ['env', ...clock.environment] };
    return { servers: await zookeeper.start(wishes), clock };
  }
}

/** A process has ended without which nothing can be played any more, and nobody of the laboratory ended it. */
export class UnexpectedExit extends Error {
  override readonly name = 'Breakdown';

  constructor(whose: string) {
    super(`the process of ${whose} has ended: somebody killed it, or it had no memory left`);
  }
}
