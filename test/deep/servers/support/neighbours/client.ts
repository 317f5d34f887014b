import { AdapterProcess, Proxy } from '../../../../../harness/test/kit/real-servers.ts';
import { sleep } from '../store-chaos.ts';
import type { Inside } from './inside.ts';

export interface Side {
  /** `ours` or that of a library. */
  readonly name: string;
  readonly command: string;
  /** The key as this side names it. */
  readonly key: string;
}

export interface ClientParts {
  readonly side: Side;
  readonly name: string;
  readonly ports: readonly number[];
  readonly resource: string;
  readonly ttlMs: number;
  readonly inside: Inside;
}

const WAIT_MS = 2_000;
const WORK_MS_MAX = 40;
const REST_MS_MAX = 20;

/** One client, a process of its own behind proxies of its own; one that was killed is started again. */
export class Client {
  grants = 0;
  crashes = 0;
  /** Why it was started again without having been killed. */
  readonly failures: string[] = [];
  readonly proxies: readonly Proxy[];
  readonly #parts: ClientParts;
  #adapter: AdapterProcess | undefined;
  #isOver = false;
  #holds = 0;
  /** A request of a process that was killed never gets a reply. */
  #killed: Promise<never> = new Promise(() => undefined);
  #interrupt: () => void = () => undefined;

  private constructor(parts: ClientParts, proxies: readonly Proxy[]) {
    this.#parts = parts;
    this.proxies = proxies;
  }

  static async start(parts: ClientParts): Promise<Client> {
    const proxies = await Promise.all(parts.ports.map((port) => Proxy.start(port)));
    const client = new Client(parts, proxies);
    await client.#open();
    return client;
  }

  get side(): string {
    return this.#parts.side.name;
  }

  /** Acquires, counts up and releases until `end`. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      const adapter = this.#adapter;
      try {
        if (adapter === undefined) await this.#open();
        else await this.#round(adapter);
      } catch (error) {
        if (adapter === this.#adapter) this.#failed(error);
      }
    }
  }

  /** As kill -9 does it. */
  crash(): void {
    if (this.#adapter === undefined) return;
    this.crashes += 1;
    this.#parts.inside.crashed(this.#parts.name);
    const adapter = this.#adapter;
    this.#adapter = undefined;
    adapter.kill();
    this.#interrupt();
  }

  end(): void {
    this.#isOver = true;
  }

  async close(): Promise<void> {
    this.#adapter?.kill();
    this.#interrupt();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }

  async #open(): Promise<void> {
    const { side, name, resource, ttlMs } = this.#parts;
    const servers = this.proxies.map(({ port }) => `127.0.0.1:${port}`);
    const greeting = { client: name, servers, resource, ttlMs };
    const { adapter } = await AdapterProcess.start({
      command: side.command,
      greeting,
      failed: () => undefined,
    });
    this.#adapter = adapter;
    this.#killed = new Promise((_, reject) => {
      this.#interrupt = () => reject(new Error('it was killed'));
    });
    this.#killed.catch(() => undefined);
  }

  #failed(error: unknown): void {
    this.failures.push(String(error));
    this.#parts.inside.crashed(this.#parts.name);
    this.#adapter?.kill();
    this.#adapter = undefined;
  }

  async #round(adapter: AdapterProcess): Promise<void> {
    const { side, name, inside } = this.#parts;
    const { key } = side;
    const ask = (request: Parameters<AdapterProcess['request']>[0]): Promise<{ ok: boolean }> =>
      Promise.race([adapter.request(request), this.#killed]);
    if (!(await ask({ do: 'acquire', key, waitMs: WAIT_MS })).ok) return;
    const hold = `${name}/${++this.#holds}`;
    this.grants += 1;
    await inside.entered(name, async () => (await ask({ do: 'check', key })).ok);
    await ask({ do: 'read', key, hold });
    await sleep(WORK_MS_MAX * Math.random());
    await ask({ do: 'write', key, hold, check: true });
    inside.left(name);
    await ask({ do: 'release', key });
    await sleep(REST_MS_MAX * Math.random());
  }
}
