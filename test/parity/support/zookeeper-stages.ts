import { systemRuntime } from '@holdfast/core/backend';
import { Network, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import type { ZooKeeperSession } from '@holdfast/zk/port';
import { openSocketSessions } from '../../../packages/zk/test/kit/store.ts';
import { type Stage, type Step, take, type Who } from './zookeeper-steps.ts';

const TIMEOUT_MS = 10_000;
const OPEN_MS = 10_000;

/** Sessions of a real server, through the client that the recipe uses by default. */
export function realStage(address: string): Stage {
  const runtime = systemRuntime();
  return {
    open: (who: Who): Promise<ZooKeeperSession> => {
      const auth = { user: who, password: `of-${who}` };
      const options = { servers: [address], sessionTimeoutMs: TIMEOUT_MS, auth };
      return openSocketSessions(options, runtime)(runtime.now().monotonicMs + OPEN_MS);
    },
  };
}

/** The same steps in a simulated world of their own. */
export function takeSimulated(
  folder: string,
  steps: readonly Step[],
  size: number,
): Promise<readonly string[]> {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: 1 });
  const ensemble = new SimZooKeeper(world, network, { size });
  const processes = { a: world.process('a'), b: world.process('b') };
  return world.run(() =>
    take(
      {
        open: (who) => {
          const process = processes[who];
          const options = { timeoutMs: TIMEOUT_MS, identity: who };
          const open = simOpenSession(process, ensemble, network, options);
          return open(process.clocks.monotonicMs + OPEN_MS);
        },
      },
      folder,
      steps,
    ),
  );
}
