import {
  Network,
  type Rule,
  type SimProcess,
  SimRedisServer,
  SimRedisService,
  simRedisNode,
  World,
} from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';
import { networkAccessOf } from './network-access.ts';

/** A world for one process and its servers, where a test says itself what happens when. */
export class SimulatedServers {
  readonly world = new World({ trace: true });
  readonly process: SimProcess;
  readonly servers: readonly SimRedisServer[];
  readonly #network: Network;

  constructor({ nodes, latencyMs = 1 }: { readonly nodes: number; readonly latencyMs?: number }) {
    this.#network = new Network(this.world, { latencyMs });
    this.process = this.world.process('a');
    this.servers = Array.from(
      { length: nodes },
      (_, node) => new SimRedisServer(this.world, `n${node + 1}`),
    );
    // Shows the way, see network-access.ts.
    for (const master of this.servers) {
      const options = { name: master.name, master };
      const service = new SimRedisService(this.world, this.#network, options);
      void simRedisNode(this.process, service, this.#network).close();
    }
  }

  get hosts(): readonly string[] {
    return [...networkAccessOf(this.process.runtime).addresses.keys()];
  }

  rule(rule: Rule): void {
    this.#network.rule(rule);
  }

  /** Runs what a service does, from when its process starts. */
  run<T>(main: () => Promise<T>): Promise<T> {
    return this.world.run(
      () =>
        new Promise<T>((resolve, reject) => {
          this.process.deliver('start', () => {
            void inside(this.process, main).then(resolve, reject);
          });
        }),
    );
  }

  /** Reads a key on a server, from outside of the world. */
  get(node: number, key: string): unknown {
    return this.servers[node]?.engine.execute(['GET', key]);
  }

  /** Writes keys on a server as another client, even if they are held. */
  occupy(node: number, keys: readonly string[], ms: number): void {
    for (const key of keys)
      this.servers[node]?.engine.execute(['SET', key, 'somebody else', 'PX', `${ms}`]);
  }

  /** Counts the sent messages with this label. */
  sent(label: string): number {
    return this.world.trace.records.filter(
      (record) => record.kind === 'send' && record.label === label,
    ).length;
  }
}
