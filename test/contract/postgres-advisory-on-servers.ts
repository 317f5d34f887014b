import type { BackendUnderTest } from '@holdfast/conformance';
import { advisoryCapabilities, openPostgresAdvisory } from '@holdfast/postgres';
import { PostgresServer, Proxy } from '../../harness/test/kit/real-servers.ts';
import { ADVISORY_FLAWS } from './advisory-flaws.ts';

/** Long enough for a busy machine to connect within a tenth of it. */
const TTL_MS = 1_500;
const LOOK_MS = 20;
const SETTLED =
  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()";

/** A real PostgreSQL server, whose sessions hold the locks. */
export class AdvisoryServers {
  readonly #server: PostgresServer;
  readonly #library: 'pg' | 'postgres';

  private constructor(server: PostgresServer, library: 'pg' | 'postgres') {
    this.#server = server;
    this.#library = library;
  }

  static async start(library: 'pg' | 'postgres'): Promise<AdvisoryServers> {
    return new AdvisoryServers(await PostgresServer.start(), library);
  }

  subject(): BackendUnderTest {
    const server = this.#server;
    const library = this.#library;
    const proxies = new Map<string, Proxy>();
    const of = (process: string): Proxy | undefined => proxies.get(process);
    return {
      capabilities: advisoryCapabilities,
      ttlMs: TTL_MS,
      flaws: ADVISORY_FLAWS,
      async open(host) {
        const proxy = await Proxy.start(server.port);
        proxies.set(host.label, proxy);
        const url = new URL(server.url);
        url.port = `${proxy.port}`;
        return await openPostgresAdvisory({ source: url.href, library, ttlMs: TTL_MS }, host);
      },
      async close() {
        server.resume();
        await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
      },
      faults: {
        stop: async () => server.stop(),
        resume: async () => server.resume(),
        loseReplies: async (process) => of(process)?.cut('down'),
        restoreReplies: async (process) => of(process)?.heal({ drop: true }),
        holdBack: async (process) => of(process)?.cut('up', 'open'),
        letThrough: async (process) => {
          of(process)?.heal();
          await this.#settled();
        },
        restartEmpty: () => server.restart(),
        outlive: async (process) => {
          await server.sql(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${process.replaceAll("'", "''")}'`,
          );
          await this.#settled();
        },
      },
    };
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Resolves when the server has worked through what had arrived. */
  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await new Promise((done) => setTimeout(done, LOOK_MS));
      quiet = (await this.#server.sql(SETTLED)) === '0' ? quiet + 1 : 0;
    }
  }
}
