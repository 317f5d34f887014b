import { join } from 'node:path';
import { ChildProcesses, type Entry, LogReader, Resource, Supervisor } from '@holdfast/processes';
import type { Opening } from './messages.ts';
import { Worker } from './worker.ts';

export interface CrewOptions {
  readonly size: number;
  /** Which columns the workers open, and how; null where there is no lock. */
  readonly openings: ReadonlyMap<string, Opening | null>;
}

/** The worker processes of a comparison, and the resource they work on. */
export class Crew {
  readonly workers: Worker[] = [];
  readonly #options: CrewOptions;
  readonly #folder: string;
  readonly #processes = new ChildProcesses();
  readonly #logs: LogReader[] = [];
  readonly #entries: Entry[] = [];
  #resource: Resource | undefined;
  #born = 0;

  private constructor(folder: string, options: CrewOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Resolves when every worker has opened everything; rejects, with all processes ended, when one cannot. */
  static async start(options: CrewOptions): Promise<Crew> {
    const crew = new Crew(Supervisor.get().folder('holdfast-compare-'), options);
    try {
      await crew.#assemble();
      return crew;
    } catch (error) {
      crew.close();
      throw error;
    }
  }

  /** A new worker in the place of one that was killed. */
  async replace(old: Worker): Promise<void> {
    const place = this.workers.indexOf(old);
    this.workers[place] = await this.#hire();
  }

  /** What all processes, living and dead, have written down. */
  async entries(): Promise<readonly Entry[]> {
    const news = await Promise.all(this.#logs.map((log) => log.next()));
    this.#entries.push(...news.flat());
    return this.#entries;
  }

  close(): void {
    this.#processes.close();
    Supervisor.get().remove(this.#folder);
  }

  async #assemble(): Promise<void> {
    const { size } = this.#options;
    const resource = await Resource.start(this.#processes, join(this.#folder, 'resource.log'));
    this.#logs.push(new LogReader(resource.logPath));
    this.#resource = resource;
    this.workers.push(...(await Promise.all(Array.from({ length: size }, () => this.#hire()))));
  }

  async #hire(): Promise<Worker> {
    const resource = this.#resource;
    if (resource === undefined) throw new Error('workers need a resource to work on');
    const name = `p${++this.#born}`;
    const logPath = join(this.#folder, `${name}.log`);
    const worker = new Worker(this.#processes, { name, logPath, resourcePort: resource.port });
    const openings = [...this.#options.openings];
    await Promise.all(
      openings.map(([column, opening]) => worker.ask({ kind: 'open', column, opening })),
    );
    this.#logs.push(new LogReader(logPath));
    return worker;
  }
}
