import { tmpdir } from 'node:os';
import type { ServerFactory, StartCommand } from '../../plant/index.ts';
import type { StartedWith } from './report.ts';

/** Takes down what servers are started with, each way once: settings that nobody sees are settings that nobody can judge. */
export class Inventory {
  readonly #ways = new Map<string, StartedWith>();
  /** For which column servers are started now. */
  column = '';

  get servers(): readonly StartedWith[] {
    return [...this.#ways.values()];
  }

  /** The same plant, under our eyes. */
  recording(plant: ServerFactory): ServerFactory {
    const { redis, zookeeper } = plant;
    return {
      ...plant,
      process: (parts) => {
        const [server = ''] = parts.name.split(' on port ');
        this.#note(server, parts);
        return plant.process(parts);
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
        start: async (wishes) => {
          const started = await zookeeper.start(wishes);
          for (const member of started.servers) this.#note('ZooKeeper', member.started);
          return started;
        },
      },
    };
  }

  #note(server: string, { command, args, config = '' }: StartCommand): void {
    const way = {
      server,
      command: common([command, ...args].join(' ')),
      config: common(config)
        .split('\n')
        .filter((line) => line !== ''),
    };
    const id = JSON.stringify(way);
    const columns = new Set([...(this.#ways.get(id)?.columns ?? []), this.column]);
    this.#ways.set(id, { ...way, columns: [...columns] });
  }
}

/** Without what differs from one server to the next: ports, and folders of its own. */
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
