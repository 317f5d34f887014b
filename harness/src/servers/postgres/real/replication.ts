import type { PostgresServer, PostgresServerOptions } from './postgres-server.ts';

/** A proxy on which a standby replicates. */
export interface ReplicationLink {
  readonly port: number;
  cut(): unknown;
  /** With `drop`, connections with held bytes are reset. */
  heal(options: { readonly drop: boolean }): unknown;
  /** Leads to another server, and resets what is open. */
  retarget(port: number): unknown;
  close(): unknown;
}

interface Standby {
  readonly server: PostgresServer;
  readonly link: ReplicationLink;
}

export interface ReplicationOptions {
  /** Number of standbys. */
  readonly standbys: number;
  /** True if the primary confirms nothing before any standby has it. */
  readonly isSynchronous: boolean;
  readonly schema?: string | undefined;
  readonly start: (options: PostgresServerOptions) => Promise<PostgresServer>;
  readonly openLink: (port: number) => Promise<ReplicationLink>;
}

/** Every server has them, as each may become the primary. */
const SETTINGS = { wal_retrieve_retry_interval: '100ms', wal_keep_size: '64MB' };
const SYNCHRONOUS = { synchronous_standby_names: 'ANY 1 (standby)' };

/** A primary and its standbys. */
export class PostgresReplication {
  readonly #options: ReplicationOptions;
  #primary: PostgresServer;
  #standbys: readonly Standby[] = [];

  private constructor(options: ReplicationOptions, primary: PostgresServer) {
    this.#options = options;
    this.#primary = primary;
  }

  /** Resolves once all serve. */
  static async start(options: ReplicationOptions): Promise<PostgresReplication> {
    const { standbys, schema, start } = options;
    const all = new PostgresReplication(options, await start({ schema, config: config(options) }));
    try {
      await Promise.all(Array.from({ length: standbys }, () => all.addStandby()));
      return all;
    } catch (error) {
      await all.close();
      throw error;
    }
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  /** Starts another standby of the present primary. */
  async addStandby(): Promise<void> {
    const { start, openLink } = this.#options;
    const link = await openLink(this.#primary.port);
    const server = await start({ config: config(this.#options), standbyOf: link.port });
    this.#standbys = [...this.#standbys, { server, link }];
  }

  /** Cuts the standbys from the primary. */
  async cut(): Promise<void> {
    await Promise.all(this.#standbys.map(({ link }) => link.cut()));
  }

  async heal(): Promise<void> {
    await Promise.all(this.#standbys.map(({ link }) => link.heal({ drop: true })));
  }

  /**
   * Promotes the standby that has received most, and lets the others follow it. First all are cut off, so that an old primary
   * that is alive commits nothing more. Returns the old primary, which belongs to the caller from now on.
   */
  async promote(): Promise<PostgresServer> {
    await this.cut();
    const received = await Promise.all(this.#standbys.map(({ server }) => receivedBytes(server)));
    const best = this.#standbys[received.indexOf(Math.max(...received))];
    if (best === undefined) throw new Error('there is no standby');
    await best.server.promote();
    const old = this.#primary;
    this.#primary = best.server;
    this.#standbys = this.#standbys.filter((standby) => standby !== best);
    await best.link.close();
    await Promise.all(this.#standbys.map(({ link }) => link.retarget(best.server.port)));
    await this.heal();
    return old;
  }

  async close(): Promise<void> {
    const servers = [this.#primary, ...this.#standbys.map(({ server }) => server)];
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all(this.#standbys.map(({ link }) => link.close()));
  }
}

function config({ isSynchronous }: ReplicationOptions): PostgresServerOptions['config'] {
  return { ...SETTINGS, ...(isSynchronous && SYNCHRONOUS) };
}

async function receivedBytes(standby: PostgresServer): Promise<number> {
  return Number(await standby.sql("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')"));
}
