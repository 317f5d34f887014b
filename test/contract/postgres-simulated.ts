import type { BackendUnderTest } from '@holdfast/conformance';
import type { Backend, Host } from '@holdfast/core/backend';
import { Network, type SimProcess, World } from '@holdfast/harness/simulator';
import { loadSqlParser, SimPostgresServer, simPostgresDatabase } from '@holdfast/harness/stores';
import { capabilities, migration, openPostgres } from '@holdfast/postgres';
import type { PostgresDatabase } from '@holdfast/postgres/port';
import { HeldBackRequests } from './held-back-requests.ts';

await loadSqlParser();

const LATENCY_MS = 1;
const NAMESPACE = 'holdfast';
const LOCKS = 'holdfast.locks_v1';
const FOREIGN = 'somebody else’s';

export interface SimulatedPostgres {
  readonly server: SimPostgresServer;
  /** Without its capabilities, and with the faults that are the same for every lock. */
  readonly subject: Omit<BackendUnderTest, 'capabilities'>;
}

/** A world of its own for every check: processes, a network, and one server. */
export function simulatedPostgres(
  open: (database: PostgresDatabase, host: Host) => Promise<Backend>,
): SimulatedPostgres {
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
  const subject: SimulatedPostgres['subject'] = {
    runtimeOf: (name) => processOf(name).runtime,
    open: (host) => open(simPostgresDatabase(processOf(host.label), server, network), host),
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
    },
  };
  return { server, subject };
}

export function postgresSimulatedSubject(): BackendUnderTest {
  const { server, subject } = simulatedPostgres((database, host) =>
    openPostgres({ database, namespace: NAMESPACE }, host),
  );
  return {
    ...subject,
    capabilities,
    faults: {
      ...subject.faults,
      putForeign: async (key) => {
        const row = { namespace: NAMESPACE, key, owner: FOREIGN, token: 1n };
        const expires_at = server.wallUs + 600_000_000;
        server.put(LOCKS, { ...row, expires_at }, NAMESPACE, key);
        return async () => server.engine.row(LOCKS, NAMESPACE, key)?.['owner'] === FOREIGN;
      },
    },
  };
}
