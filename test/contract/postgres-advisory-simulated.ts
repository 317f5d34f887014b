import type { BackendUnderTest } from '@holdfast/conformance';
import {
  loadSqlParser,
  Network,
  SimPostgresServer,
  type SimProcess,
  simPostgresDatabase,
  World,
} from '@holdfast/harness/simulator';
import { advisoryCapabilities, migration, openPostgresAdvisory } from '@holdfast/postgres';
import { ADVISORY_FLAWS } from './advisory-flaws.ts';
import { HeldBackRequests } from './held-back-requests.ts';

await loadSqlParser();

const LATENCY_MS = 1;
const TTL_MS = 1_000;

/** A world of its own for every check: processes, a network, and one server. */
export function advisorySimulatedSubject(): BackendUnderTest {
  const world = new World({ trace: false });
  const network = new Network(world, { latencyMs: LATENCY_MS });
  const server = new SimPostgresServer(world, 'pg', { schema: migration() });
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
    capabilities: advisoryCapabilities,
    runtimeOf: (name) => processOf(name).runtime,
    ttlMs: TTL_MS,
    flaws: ADVISORY_FLAWS,
    open: (host) => {
      const database = simPostgresDatabase(processOf(host.label), server, network);
      return openPostgresAdvisory({ database, ttlMs: TTL_MS }, host);
    },
    play: (run) => world.run(run),
    slackMs: 0,
    faults: {
      stop: async () => {
        for (const process of processes.values()) healing.push(network.cut(process, server));
      },
      resume: async () => healing.splice(0).forEach((heal) => heal()),
      loseReplies: async (process) => {
        const lose = network.rule(({ to, way }) =>
          to === process && way === 'reply' ? 'reset' : 'pass',
        );
        replying.set(process, lose);
      },
      restoreReplies: async (process) => replying.get(process)?.(),
      holdBack: async (process) => late.holdBack(process, [server]),
      letThrough: () => late.letThrough(processOf('judge').runtime),
      restartEmpty: async () => server.restart({ data: 'empty' }),
      outlive: async (process) => {
        server.breakConnections((connection) => connection.process.name === process);
      },
    },
  };
}
