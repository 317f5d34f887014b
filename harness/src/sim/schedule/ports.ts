import type { EtcdClient } from '@holdfast/etcd/port';
import type { Argument, PostgresDatabase, Row } from '@holdfast/postgres/port';
import type { OpenSession } from '@holdfast/zk/port';

/** The ports of servers that are no Redis nodes. A lock has the port of the servers that it declares. */
export interface Ports {
  /** Opens sessions of a ZooKeeper ensemble; they request the schedule's ttl as their timeout. */
  readonly openSession: OpenSession;
  /** A client of an etcd cluster. */
  readonly etcd: EtcdClient;
  /** A PostgreSQL database. */
  readonly database: PostgresDatabase;
  /** Opens a connection of the application's own, whose transactions begin with BEGIN. */
  readonly openClient: () => Promise<DatabaseClient>;
  /** The schedule's ttl, for locks of sessions of a database. */
  readonly sessionTtlMs: number;
}

/** A connection of an application to its database, with the method of `pg`. */
export interface DatabaseClient {
  query(text: string, values: readonly Argument[]): Promise<{ readonly rows: readonly Row[] }>;
  close(): void;
}
