import { join } from 'node:path';
import { type Entry, LogReader } from '@holdfast/processes';
import type { Plant } from '../plant.ts';
import type { Door, Proxies } from '../proxy/proxies.ts';
import { ShiftedClock } from '../servers/clock-shim.ts';
import { Client } from './client.ts';

interface Resource {
  readonly port: number;
  close(): void;
}

export interface CrewParts {
  readonly plant: Plant;
  readonly proxies: Proxies;
  readonly size: number;
  /** Hears that the resource has ended, though nobody closed it. */
  readonly gone: () => void;
  /** The library that shifts clocks, where one could be compiled. */
  readonly shim?: string | undefined;
}

/** The client processes of a laboratory, and the resource they work on, which each reaches by a way of its own. */
export class Crew {
  readonly #parts: CrewParts;
  readonly #folder: string;
  readonly #resource: Resource;
  readonly #doors: readonly Door[];
  readonly #logs: LogReader[];
  readonly clients: Client[] = [];
  #born = 0;
  #shifts = false;

  private constructor(
    parts: CrewParts,
    own: { readonly folder: string; readonly resource: Resource; readonly doors: readonly Door[] },
  ) {
    this.#parts = parts;
    this.#folder = own.folder;
    this.#resource = own.resource;
    this.#doors = own.doors;
    this.#logs = [new LogReader(join(own.folder, 'resource.log'))];
  }

  static async start(parts: CrewParts): Promise<Crew> {
    const { plant, proxies, size, gone } = parts;
    const folder = plant.folder('holdfast-lab-');
    const resource = await plant.resource(join(folder, 'resource.log'), gone);
    const places = Array.from({ length: size }, (_, place) => place);
    const doors = await Promise.all(places.map(() => proxies.open(resource.port)));
    const crew = new Crew(parts, { folder, resource, doors });
    for (const place of places) crew.clients.push(crew.#hire(place));
    return crew;
  }

  /** The one that faults strike, and those who look on. */
  get parts(): { readonly victim: Client; readonly others: readonly Client[] } {
    const [victim, ...others] = this.clients;
    if (victim === undefined) throw new Error('nobody works');
    return { victim, others };
  }

  /** The way of the n-th client to the resource. */
  doorOf(place: number): Door {
    const door = this.#doors[place];
    if (door === undefined) throw new Error(`there is no client ${place}`);
    return door;
  }

  /** A new client in the place of one that was killed. */
  replace(old: Client): void {
    const place = this.clients.indexOf(old);
    this.clients[place] = this.#hire(place);
  }

  /** New clients in the place of all: after what went wrong nobody knows what the old ones are at. */
  renew(): void {
    for (const client of this.clients) {
      client.kill();
      this.replace(client);
    }
  }

  /** Whether their clocks can be shifted, for which it takes other processes. */
  shiftClocks(shifts: boolean): void {
    if (this.#shifts === shifts) return;
    this.#shifts = shifts;
    this.renew();
  }

  /** What all, living and dead, and the resource have written down about one key since the last time. */
  async news(key: string): Promise<readonly Entry[]> {
    const logs = await Promise.all(this.#logs.map((log) => log.next()));
    return logs.flat().filter((entry) => entry.key === key);
  }

  close(): void {
    for (const client of this.clients) client.kill();
    this.#resource.close();
    this.#parts.plant.remove(this.#folder);
  }

  #hire(place: number): Client {
    const name = `p${++this.#born}`;
    const logPath = join(this.#folder, `${name}.log`);
    this.#logs.push(new LogReader(logPath));
    const { plant, shim } = this.#parts;
    const clock =
      this.#shifts && shim !== undefined ? new ShiftedClock(shim, this.#folder, name) : undefined;
    return new Client(plant, { name, logPath, resourcePort: this.doorOf(place).port, clock });
  }
}
