import type { BackendUnderTest } from '@holdfast/conformance';
import { capabilities, migration, openPostgres } from '@holdfast/postgres';
import { PostgresServer, Proxy } from '../../harness/test/kit/real-servers.ts';

/** Long enough for a busy machine to connect and to commit within a tenth of it. */
const TTL_MS = 1_500;
const LOOK_MS = 20;
const SETTLED =
  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()";

/** A real PostgreSQL server, which the checks use in turn. */
export class PostgresServers {
  readonly #server: PostgresServer;
  readonly #library: 'pg' | 'postgres';

  private constructor(server: PostgresServer, library: 'pg' | 'postgres') {
    this.#server = server;
    this.#library = library;
  }

  static async start(library: 'pg' | 'postgres'): Promise<PostgresServers> {
    const server = await PostgresServer.start();
    await server.sql(migration());
    return new PostgresServers(server, library);
  }

  subject(): BackendUnderTest {
    const server = this.#server;
    const library = this.#library;
    /** Every process has connections of its own, so that its replies alone can be lost. */
    const proxies = new Map<string, Proxy>();
    const of = (process: string): Proxy | undefined => proxies.get(process);
    return {
      capabilities,
      ttlMs: TTL_MS,
      async open(host) {
        const proxy = await Proxy.start(server.port);
        proxies.set(host.label, proxy);
        const url = new URL(server.url);
        url.port = `${proxy.port}`;
        return await openPostgres({ source: url.href, library }, host);
      },
      async close() {
        // A check that failed may have left it paused, which is no reason for the next one to fail.
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
        restartEmpty: async () => {
          await server.restart();
          await server.sql('TRUNCATE holdfast.locks_v1, holdfast.members_v1');
        },
        putForeign: async (key) => {
          const where = `namespace = 'holdfast' AND key = '${key.replaceAll("'", "''")}'`;
          await server.sql(
            `INSERT INTO holdfast.locks_v1 SELECT 'holdfast', '${key.replaceAll("'", "''")}', 'not ours', now() + interval '10 min', 1`,
          );
          return async () =>
            (await server.sql(`SELECT owner FROM holdfast.locks_v1 WHERE ${where}`)) === 'not ours';
        },
      },
    };
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** Resolves when the server has worked through what had arrived. */
  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await new Promise((done) => setTimeout(done, LOOK_MS));
      quiet = (await this.#server.sql(SETTLED)) === '0' ? quiet + 1 : 0;
    }
  }
}
