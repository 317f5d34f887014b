import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  freePorts,
  onFreePorts,
  ServerProcess,
  Supervisor,
} from '../../../../../harness/test/kit/real-servers.ts';

const PROMETHEUS = process.env['PROMETHEUS'] ?? 'prometheus';

/** A series, with its samples: seconds and values. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [number, number])[];
}

/** A span of time, and the step between samples, in seconds. */
export interface TimeRange {
  readonly startS: number;
  readonly endS: number;
  readonly stepS: number;
}

interface Reply {
  readonly status: string;
  readonly error?: string;
  readonly data: unknown;
}

interface Matrix {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly values: readonly (readonly [number, string])[];
  }[];
}

/** True if a real Prometheus is installed: `PROMETHEUS`, else on PATH. */
export function hasPrometheus(): boolean {
  return spawnSync(PROMETHEUS, ['--version']).error === undefined;
}

/** A Prometheus started on loopback, on a free port; it ends when this process does. */
export class Prometheus {
  readonly #url: string;
  readonly #process: ServerProcess;

  private constructor(url: string, process: ServerProcess) {
    this.#url = url;
    this.#process = process;
  }

  /** Resolves once it serves. `config` is the text of its configuration file. */
  static start(config: string): Promise<Prometheus> {
    return onFreePorts(1, freePorts, async ([port = 0]) => {
      const folder = Supervisor.get().folder('holdfast-prometheus-');
      const file = join(folder, 'prometheus.yml');
      writeFileSync(file, config);
      const args = [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ];
      const server = new ServerProcess({
        command: PROMETHEUS,
        args,
        config,
        name: `prometheus on port ${port}`,
        folder,
        isReady: (output) => output.includes('Server is ready'),
      });
      await server.restart();
      return new Prometheus(`http://127.0.0.1:${port}`, server);
    });
  }

  /** The values of an expression now, by the text of their labels. */
  async now(expression: string): Promise<ReadonlyMap<string, number>> {
    const now = Date.now() / 1_000;
    const series = await this.range(expression, { startS: now, endS: now, stepS: 1 });
    return new Map(
      series.map(({ labels, samples }) => [
        JSON.stringify(labels),
        samples.at(-1)?.[1] ?? Number.NaN,
      ]),
    );
  }

  /** The series of an expression over a span of time. @throws Error with the reply of the server */
  async range(expression: string, { startS, endS, stepS }: TimeRange): Promise<readonly Series[]> {
    const query = { query: expression, start: `${startS}`, end: `${endS}`, step: `${stepS}` };
    const data = (await this.get(`query_range?${new URLSearchParams(query).toString()}`)) as Matrix;
    return data.result.map(({ metric, values }) => ({
      labels: metric,
      samples: values.map(([atS, value]) => [atS, Number(value)]),
    }));
  }

  /** The data of a reply of its HTTP API. */
  async get(path: string): Promise<unknown> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as Reply;
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
