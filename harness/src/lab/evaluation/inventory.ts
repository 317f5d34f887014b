import { tmpdir } from 'node:os';
import type { ServerFactory, StartCommand } from '../../real/index.ts';
import type { StartedWith } from './report.ts';

/**
 * Records the command and configuration of every server that is started, each once, so that readers can judge the
 * settings.
 */
export class Inventory {
  readonly #entries = new Map<string, StartedWith>();
  /** The external lock, in its own words; undefined until it was started. */
  external: string | undefined;
  /** The column that servers are being started for. */
  column = '';

  get servers(): readonly StartedWith[] {
    return [...this.#entries.values()];
  }

  /** Wraps a server factory, and records what it starts. */
  recording(serverFactory: ServerFactory): ServerFactory {
    const { redis, zookeeper, etcd, postgres } = serverFactory;
    return {
      ...serverFactory,
      process: (parts) => {
        const [server = ''] = parts.name.split(' on port ');
        this.#note(server, parts);
        return serverFactory.process(parts);
      },
      redis: redis && {
        ...redis,
        start: this.#noting('redis-server', (options) => redis.start(options)),
      },
      zookeeper: zookeeper && {
        ...zookeeper,
        start: this.#noting('ZooKeeper', (options) => zookeeper.start(options)),
      },
      etcd: etcd && { ...etcd, start: this.#noting('etcd', (options) => etcd.start(options)) },
      postgres: postgres && {
        ...postgres,
        start: this.#noting('PostgreSQL', (options) => postgres.start(options)),
      },
    };
  }

  /** The same function, which records the servers that it starts. */
  #noting<Options, Started extends StartedServers>(
    server: string,
    start: (options: Options) => Promise<Started>,
  ): (options: Options) => Promise<Started> {
    return async (options) => {
      const started = await start(options);
      const { servers: all = [started] } = started;
      for (const each of all) if (each.started !== undefined) this.#note(server, each.started);
      return started;
    };
  }

  #note(server: string, { command, args, config = '' }: StartCommand): void {
    const entry = {
      server,
      command: common([command, ...args].join(' ')),
      config: common(config)
        .split('\n')
        .filter((line) => line !== ''),
    };
    const id = JSON.stringify(entry);
    const columns = new Set([...(this.#entries.get(id)?.columns ?? []), this.column]);
    this.#entries.set(id, { ...entry, columns: [...columns] });
  }
}

/** One server, or several. */
interface StartedServers {
  readonly started?: StartCommand;
  readonly servers?: readonly StartedServers[];
}

/** Replaces what differs from server to server: ports and temporary folders. */
function common(text: string): string {
  const ours = new RegExp(`${escaped(tmpdir())}/[\\w-]+`, 'g');
  return text
    .replaceAll(ours, 'DIR')
    .replaceAll(/(port[ =])\d+/gi, '$1PORT')
    .replaceAll(/(127\.0\.0\.1)([: ])\d+(:\d+)?/g, '$1$2PORT');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
