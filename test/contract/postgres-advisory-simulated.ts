import type { BackendUnderTest } from '@holdfast/conformance';
import { advisoryCapabilities, openPostgresAdvisory } from '@holdfast/postgres';
import { ADVISORY_FLAWS } from './advisory-flaws.ts';
import { simulatedPostgres } from './postgres-simulated.ts';

const TTL_MS = 1_000;

export function advisorySimulatedSubject(): BackendUnderTest {
  const { server, subject } = simulatedPostgres((database, host) =>
    openPostgresAdvisory({ database, ttlMs: TTL_MS }, host),
  );
  return {
    ...subject,
    capabilities: advisoryCapabilities,
    ttlMs: TTL_MS,
    flaws: ADVISORY_FLAWS,
    faults: {
      ...subject.faults,
      outlive: async (process) => {
        server.breakConnections((connection) => connection.process.name === process);
      },
    },
  };
}
