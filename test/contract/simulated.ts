import type { BackendUnderTest } from '@holdfast/conformance';
import {
  Network,
  type SimProcess,
  SimRedisServer,
  simRedisNode,
  World,
} from '@holdfast/harness/simulator';
import { HeldBackRequests } from './held-back-requests.ts';
import type { RedisBackend } from './redis-backend.ts';

const LATENCY_MS = 1;

/** A world of its own for every check: processes, a network, and the servers that the backend wants. */
export function simulatedSubject(backend: RedisBackend): BackendUnderTest {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: LATENCY_MS });
  const servers = Array.from(
    { length: backend.servers },
    (_, i) => new SimRedisServer(world, `n${i + 1}`),
  );
  const processes = new Map<string, SimProcess>();
  const processOf = (name: string): SimProcess => {
    const process = processes.get(name) ?? world.process(name);
    processes.set(name, process);
    return process;
  };
  const healing: (() => void)[] = [];
  const replying = new Map<string, () => void>();
  const late = new HeldBackRequests(world, network);
  const few = Math.floor((servers.length - 1) / 2);
  return {
    capabilities: backend.capabilities,
    flaws: backend.flaws ?? {},
    runtimeOf: (name) => processOf(name).runtime,
    open: (host) => {
      const process = processOf(host.label);
      const nodes = servers.map((server) => simRedisNode(process, server, network));
      return backend.open({ nodes }, host);
    },
    play: (run) => world.run(run),
    slackMs: 0,
    faults: {
      stop: async () => {
        for (const process of processes.values())
          for (const server of servers) healing.push(network.cut(process, server));
      },
      resume: async () => healing.splice(0).forEach((heal) => heal()),
      loseReplies: async (process) => {
        const lose = network.rule(({ to, way }) =>
          to === process && way === 'reply' ? 'reset' : 'pass',
        );
        replying.set(process, lose);
      },
      restoreReplies: async (process) => replying.get(process)?.(),
      holdBack: async (process) => late.holdBack(process, servers),
      letThrough: () => late.letThrough(processOf('judge').runtime),
      restartEmpty: async () => servers.forEach((server) => server.restart({ data: 'empty' })),
      ...(few > 0 && {
        holdBackFew: async (process) => late.holdBack(process, servers.slice(0, few)),
        restartFewEmpty: async () =>
          servers.slice(-few).forEach((server) => server.restart({ data: 'empty' })),
      }),
      putForeign: async (key) => {
        const name = backend.lockOf(key);
        const value = 'somebody else’s';
        // With an expiry, as a lock would have: only its value shows that it is not one.
        for (const { engine } of servers) engine.execute(['SET', name, value, 'PX', '600000']);
        return async () => servers.every(({ engine }) => engine.execute(['GET', name]) === value);
      },
    },
  };
}
