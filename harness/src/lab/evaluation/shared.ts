import { Crew, compileShim, type Plant, Proxies, ShiftedClock } from '../../plant/index.ts';
import type { OwnGrounds } from '../servers/own.ts';
import type { ClockedEnsemble } from '../sites/ensemble.ts';
import { type LinkedServers, startLinked } from '../sites/linked-ensemble.ts';
import type { Grounds } from './deployments.ts';

export const CLIENTS = 3;

export interface SharedParts {
  readonly plant: Plant;
  readonly own?: OwnGrounds | undefined;
  /** Hears that a process has ended without which nothing can be played any more, though nobody ended it. */
  readonly gone: (process: string) => void;
}

/** What all trials share: clients, proxies, and the servers that take long to start. */
export class Shared {
  readonly crew: Crew;
  /** The library that shifts clocks, where one could be compiled. */
  readonly shim: string | undefined;
  readonly #parts: SharedParts;
  readonly #folder: string;
  readonly #proxies: Proxies;
  #ensemble: Promise<ClockedEnsemble> | undefined;
  #linked: Promise<LinkedServers> | undefined;

  private constructor(
    parts: SharedParts,
    own: { crew: Crew; proxies: Proxies; folder: string; shim: string | undefined },
  ) {
    this.crew = own.crew;
    this.shim = own.shim;
    this.#parts = parts;
    this.#folder = own.folder;
    this.#proxies = own.proxies;
  }

  static async open(parts: SharedParts): Promise<Shared> {
    const { plant, gone } = parts;
    const folder = plant.folder('holdfast-lab-shim-');
    const shim = await compileShim(folder);
    const proxies = new Proxies(() => gone('all proxies'));
    const resource = (): void => gone('the resource');
    const crew = await Crew.start({
      client: plant.client,
      proxies,
      size: CLIENTS,
      shim,
      gone: resource,
    });
    return new Shared(parts, { crew, proxies, folder, shim });
  }

  /** What sites are opened with, for this ttl. */
  grounds(ttlMs: number): Grounds {
    const { plant, own } = this.#parts;
    return {
      plant,
      proxies: this.#proxies,
      places: CLIENTS,
      ttlMs,
      namespace: own?.namespace ?? `holdfast-lab-${process.pid}`,
      shim: this.shim,
      ensemble: () => (this.#ensemble ??= this.#startEnsemble()),
      linked: () => (this.#linked ??= startLinked(plant, this.#proxies)),
    };
  }

  /** At once: nobody works any more. */
  end(): void {
    this.crew.close();
    this.#proxies.close();
  }

  async close(): Promise<void> {
    this.crew.close();
    for (const started of [this.#ensemble, this.#linked])
      await (await started?.catch(() => undefined))?.servers.close();
    this.#proxies.close();
    this.#parts.plant.remove(this.#folder);
  }

  async #startEnsemble(): Promise<ClockedEnsemble> {
    const { zookeeper } = this.#parts.plant;
    if (zookeeper === undefined) throw new Error('ZooKeeper is not installed');
    const { shim } = this;
    const clock = shim === undefined ? undefined : new ShiftedClock(shim, this.#folder, 'ensemble');
    const wishes = clock === undefined ? {} : { through: ['env', ...clock.environment] };
    return { servers: await zookeeper.start(wishes), clock };
  }
}
