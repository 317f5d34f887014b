import type { BackendUnderTest } from '@holdfast/conformance';
import { capabilities, openEtcd } from '@holdfast/etcd';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { SimEtcd, SimEtcdClient } from '@holdfast/harness/stores';
import { ETCD_FLAWS, foreignKeyOf } from './etcd-on-servers.ts';
import { HeldBackRequests } from './held-back-requests.ts';

const LATENCY_MS = 1;
const CALL_MS = 10_000;

/** A world of its own for every check, with servers of one cluster in it. */
export function etcdSimulatedSubject(
  size: number,
  recipe: typeof openEtcd = openEtcd,
): BackendUnderTest {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: LATENCY_MS });
  const { servers } = new SimEtcd(world, network, { size });
  const processes = new Map<string, SimProcess>();
  const processOf = (name: string): SimProcess => {
    const process = processes.get(name) ?? world.process(name);
    processes.set(name, process);
    return process;
  };
  const healing: (() => void)[] = [];
  const replying = new Map<string, () => void>();
  const late = new HeldBackRequests(world, network);
  return {
    capabilities,
    flaws: ETCD_FLAWS,
    // A keep-alive, and a read behind it.
    renewalCalls: 2,
    ttlMs: 2_000,
    slackMs: 0,
    runtimeOf: (name) => processOf(name).runtime,
    open: (host) =>
      recipe({ client: new SimEtcdClient(processOf(host.label), servers, network) }, host),
    play: (run) => world.run(run),
    faults: {
      stop: async () => {
        for (const process of processes.values())
          for (const server of servers) healing.push(network.cut(process, server));
      },
      resume: async () => healing.splice(0).forEach((heal) => heal()),
      loseReplies: async (process) => {
        const lose = network.rule(({ to, way }) =>
          to === process && way !== 'request' ? 'reset' : 'pass',
        );
        replying.set(process, lose);
      },
      restoreReplies: async (process) => replying.get(process)?.(),
      holdBack: async (process) => late.holdBack(process, servers),
      letThrough: () => late.letThrough(processOf('judge').runtime),
      putForeign: async (key) => {
        const process = processOf('stranger');
        const stranger = new SimEtcdClient(process, servers, network);
        const stored = foreignKeyOf(key);
        await stranger.txn(
          {
            compare: [],
            success: [{ kind: 'put', key: stored, value: 'somebody else’s' }],
            failure: [],
          },
          process.runtime.now().monotonicMs + CALL_MS,
        );
        return async () =>
          servers.some(({ store }) => store.keys.some((each) => each.key === stored));
      },
    },
  };
}
