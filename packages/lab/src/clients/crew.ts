import { join } from 'node:path';
import type { Plant } from '../plant.ts';
import { Client } from './client.ts';
import { type Entry, LogReader } from './event-log.ts';

/** The client processes of a laboratory, and the resource they work on. */
export class Crew {
  readonly #plant: Plant;
  readonly #folder: string;
  readonly #resource: { readonly port: number; close(): void };
  readonly #logs: LogReader[];
  readonly clients: Client[] = [];
  #born = 0;

  private constructor(
    plant: Plant,
    folder: string,
    resource: { readonly port: number; close(): void },
  ) {
    this.#plant = plant;
    this.#folder = folder;
    this.#resource = resource;
    this.#logs = [new LogReader(join(folder, 'resource.log'))];
  }

  static async start(plant: Plant, size: number): Promise<Crew> {
    const folder = plant.folder('holdfast-lab-');
    const resource = await plant.resource(join(folder, 'resource.log'));
    const crew = new Crew(plant, folder, resource);
    for (let place = 0; place < size; place++) crew.clients.push(crew.#hire());
    return crew;
  }

  /** The one that faults strike, and those who look on. */
  get parts(): { readonly victim: Client; readonly others: readonly Client[] } {
    const [victim, ...others] = this.clients;
    if (victim === undefined) throw new Error('nobody works');
    return { victim, others };
  }

  /** A new client in the place of one that was killed. */
  replace(old: Client): void {
    this.clients[this.clients.indexOf(old)] = this.#hire();
  }

  /** New clients in the place of all: after what went wrong nobody knows what the old ones are at. */
  renew(): void {
    for (const client of this.clients) {
      client.kill();
      this.replace(client);
    }
  }

  /** What all, living and dead, and the resource have written down about one key since the last time. */
  async news(key: string): Promise<readonly Entry[]> {
    const logs = await Promise.all(this.#logs.map((log) => log.next()));
    return logs.flat().filter((entry) => entry.key === key);
  }

  close(): void {
    for (const client of this.clients) client.kill();
    this.#resource.close();
    this.#plant.remove(this.#folder);
  }

  #hire(): Client {
    const name = `p${++this.#born}`;
    const logPath = join(this.#folder, `${name}.log`);
    this.#logs.push(new LogReader(logPath));
    return new Client(this.#plant, { name, logPath, resourcePort: this.#resource.port });
  }
}
