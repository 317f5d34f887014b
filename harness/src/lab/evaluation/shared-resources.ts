import {
  Clients,
  compileShim,
  Proxies,
  type ServerFactory,
  ShiftedClock,
} from '../../real/index.ts';
import { type LinkedServers, startLinked } from '../deployments/linked-ensemble.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import type { ClockedEnsemble } from '../deployments/zookeeper.ts';
import type { DeploymentResources } from './kinds/real-deployment.ts';

export const CLIENTS = 3;

export interface SharedResourcesOptions {
  readonly serverFactory: ServerFactory;
  readonly own?: OwnServersScope | undefined;
  /** Called when a process that all trials need has ended unexpectedly. */
  readonly onExit: (process: string) => void;
}

/** The resources that all trials share: clients, proxies, and the servers that take long to start. */
export class SharedResources {
  readonly clients: Clients;
  /** The library that shifts clocks; undefined if none could be compiled. */
  readonly shim: string | undefined;
  readonly #options: SharedResourcesOptions;
  readonly #folder: string;
  readonly #proxies: Proxies;
  #ensemble: Promise<ClockedEnsemble> | undefined;
  #linked: Promise<LinkedServers> | undefined;

  private constructor(
    options: SharedResourcesOptions,
    own: { clients: Clients; proxies: Proxies; folder: string; shim: string | undefined },
  ) {
    this.clients = own.clients;
    this.shim = own.shim;
    this.#options = options;
    this.#folder = own.folder;
    this.#proxies = own.proxies;
  }

  static async open(options: SharedResourcesOptions): Promise<SharedResources> {
    const { serverFactory, onExit } = options;
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
    return new SharedResources(options, { clients, proxies, folder, shim });
  }

  /** The resources that deployments are opened with, for this ttl. */
  resources(ttlMs: number): DeploymentResources {
    const { serverFactory, own } = this.#options;
    return {
      serverFactory,
      proxies: this.#proxies,
      clientCount: CLIENTS,
      ttlMs,
      namespace: own?.namespace ?? `holdfast-lab-${process.pid}`,
      shim: this.shim,
      ensemble: () => (this.#ensemble ??= this.#startEnsemble()),
      linked: () => (this.#linked ??= startLinked(serverFactory, this.#proxies)),
    };
  }

  /** Kills the clients and the proxies at once. */
  kill(): void {
    this.clients.close();
    this.#proxies.close();
  }

  async close(): Promise<void> {
    this.clients.close();
    for (const started of [this.#ensemble, this.#linked])
      await (await started?.catch(() => undefined))?.servers.close();
    this.#proxies.close();
    this.#options.serverFactory.remove(this.#folder);
  }

  async #startEnsemble(): Promise<ClockedEnsemble> {
    const { zookeeper } = this.#options.serverFactory;
    if (zookeeper === undefined) throw new Error('ZooKeeper is not installed');
    const { shim } = this;
    const clock = shim === undefined ? undefined : new ShiftedClock(shim, this.#folder, 'ensemble');
    const options = clock === undefined ? {} : { through: ['env', ...clock.environment] };
    return { servers: await zookeeper.start(options), clock };
  }
}

/** A process that all trials need has ended, and the laboratory did not end it. */
export class UnexpectedExit extends Error {
  override readonly name = 'UnexpectedExit';

  constructor(process: string) {
    super(`the process of ${process} has ended: it was killed, or it ran out of memory`);
  }
}
