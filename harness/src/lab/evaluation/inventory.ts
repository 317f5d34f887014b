import { tmpdir } from 'node:os';
import type { ServerFactory, StartCommand } from '../../real/index.ts';
import type { StartedWith } from './report.ts';

/**
 * Records the command and configuration of every server that is started, each once, so that readers can judge the
 * settings.
 */
export class Inventory {
  readonly #entries = new Map<string, StartedWith>();
  /** The column that servers are being started for. */
  column = '';

  get servers(): readonly StartedWith[] {
    return [...this.#entries.values()];
  }

  /** Wraps a server factory, and records what it starts. */
  recording(serverFactory: ServerFactory): ServerFactory {
    const { redis, zookeeper } = serverFactory;
    return {
      ...serverFactory,
      process: (parts) => {
        const [server = ''] = parts.name.split(' on port ');
        this.#note(server, parts);
        return serverFactory.process(parts);
      },
      redis: redis && {
        ...redis,
        start: async (options) => {
          const server = await redis.start(options);
          this.#note('redis-server', server.started);
          return server;
        },
      },
      zookeeper: zookeeper && {
        ...zookeeper,
        start: async (options) => {
          const started = await zookeeper.start(options);
          for (const member of started.servers) this.#note('ZooKeeper', member.started);
          return started;
        },
      },
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
