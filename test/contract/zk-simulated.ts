import type { BackendUnderTest } from '@holdfast/conformance';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import { capabilities, openZk } from '@holdfast/zk';
import { HeldBackRequests } from './held-back-requests.ts';

const LATENCY_MS = 1;
const TICK_MS = 1_000;
/** Above the time after which the servers give up a silent one, as operators are advised. */
const TIMEOUT_MS = 6_000;

/** A world of its own for every check, with an ensemble of three in it. */
export function zkSimulatedSubject(recipe: typeof openZk = openZk): BackendUnderTest {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: LATENCY_MS });
  const ensemble = new SimZooKeeper(world, network, { tickMs: TICK_MS });
  const processes = new Map<string, SimProcess>();
  const processOf = (name: string): SimProcess => {
    const process = processes.get(name) ?? world.process(name);
    processes.set(name, process);
    return process;
  };
  const open = (process: SimProcess): ReturnType<typeof simOpenSession> =>
    simOpenSession(process, ensemble, network, { timeoutMs: TIMEOUT_MS });
  const cutOff = (process: SimProcess): (() => void) => {
    const heals = ensemble.servers.map((server) => network.cut(process, server));
    return () => heals.forEach((heal) => heal());
  };
  const healing: (() => void)[] = [];
  const replying = new Map<string, () => void>();
  const late = new HeldBackRequests(world, network);
  return {
    capabilities,
    ttlMs: TIMEOUT_MS,
    slackMs: 0,
    runtimeOf: (name) => processOf(name).runtime,
    open: (host) => recipe({ open: open(processOf(host.label)) }, host),
    play: (run) => world.run(run),
    faults: {
      stop: async () => void healing.push(...[...processes.values()].map(cutOff)),
      resume: async () => healing.splice(0).forEach((heal) => heal()),
      loseReplies: async (process) => {
        const lose = network.rule(({ to, way }) =>
          to === process && way !== 'request' ? 'reset' : 'pass',
        );
        replying.set(process, lose);
      },
      restoreReplies: async (process) => replying.get(process)?.(),
      holdBack: async (process) => late.holdBack(process, ensemble.servers),
      letThrough: () => late.letThrough(processOf('judge').runtime),
      outlive: async (process) => {
        const heal = cutOff(processOf(process));
        await new Promise<void>((resume) => {
          processOf('judge').runtime.timer(2 * TIMEOUT_MS, resume, { awaited: true });
        });
        heal();
      },
      putForeign: async (key) => {
        // An ephemeral node, which can hold no queue.
        const path = `/holdfast/v1/locks/${encodeURIComponent(key)}`;
        const session = await open(processOf('stranger'))(Number.MAX_SAFE_INTEGER);
        await session.create(path, 'somebody else’s', { mode: 'ephemeral' });
        return async () => (await session.read(path)).data === 'somebody else’s';
      },
    },
  };
}
