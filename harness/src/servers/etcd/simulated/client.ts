import {
  type Answered,
  type EtcdClient,
  EtcdDoubt,
  EtcdUnavailable,
  type Granted,
  type KeptAlive,
  type LeaseRequest,
  type RangeReply,
  type ReadOp,
  type ServerStatus,
  type Txn,
  type TxnReply,
  type WatchListener,
} from '@holdfast/etcd/port';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { FieldsOf, MemberStatus } from './client-link.ts';
import { SimEtcdConnection, type SimRequest } from './connection.ts';
import type { SimEtcdServer } from './server.ts';

/** A client in one process, as the one over gRPC is: one server at a time; one that fails is left for the next. */
export class SimEtcdClient implements EtcdClient {
  readonly #process: SimProcess;
  readonly #servers: readonly SimEtcdServer[];
  readonly #network: Network;
  #at: number;
  #current: SimEtcdConnection | undefined;
  #isClosed = false;

  /** @param first the server that it begins with: the shipped client draws it */
  constructor(
    process: SimProcess,
    servers: readonly SimEtcdServer[],
    network: Network,
    first: number = 0,
  ) {
    this.#process = process;
    this.#servers = servers;
    this.#network = network;
    this.#at = first % servers.length;
  }

  get address(): string {
    return this.#server.name;
  }

  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted> {
    const detail = `${lease.ttlSeconds} s`;
    return this.#request<FieldsOf<Granted>>(
      { label: 'grant', detail, serve: (link, reply) => link.grant(lease, reply) },
      deadlineMs,
    );
  }

  revoke(id: bigint, deadlineMs: number): Promise<Answered> {
    return this.#request<object>(
      { label: 'revoke', detail: '', serve: (link, reply) => link.revoke(id, reply) },
      deadlineMs,
    );
  }

  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive> {
    return this.#request<FieldsOf<KeptAlive>>(
      { label: 'keepAlive', detail: '', serve: (link, reply) => link.keepAlive(id, reply) },
      deadlineMs,
    );
  }

  range(read: ReadOp, deadlineMs: number): Promise<RangeReply> {
    return this.#request<FieldsOf<RangeReply>>(
      { label: 'range', detail: read.key, serve: (link, reply) => link.range(read, reply) },
      deadlineMs,
    );
  }

  txn(txn: Txn, deadlineMs: number): Promise<TxnReply> {
    const label = labelOf(txn);
    const detail = txn.success[0]?.key ?? '';
    return this.#request<FieldsOf<TxnReply>>(
      { label, detail, serve: (link, reply) => link.txn(txn, label, reply) },
      deadlineMs,
    );
  }

  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    let isOver = false;
    let end: (() => void) | undefined;
    const { clientRuntime } = this.#process;
    void this.#connected(clientRuntime.now().monotonicMs + WATCH_MS).then(
      (connection) => {
        if (!isOver) end = connection.watch(key, fromRevision, listener);
      },
      (cause: unknown) => {
        if (!isOver) listener.ended(cause);
      },
    );
    return () => {
      isOver = true;
      end?.();
    };
  }

  status(deadlineMs: number): Promise<readonly ServerStatus[]> {
    return Promise.all(this.#servers.map((server) => this.#statusOf(server, deadlineMs)));
  }

  close(): void {
    this.#isClosed = true;
    this.#current?.close();
  }

  get #server(): SimEtcdServer {
    const server = this.#servers[this.#at];
    if (server === undefined) throw new RangeError('no servers');
    return server;
  }

  async #request<Fields extends object>(
    request: SimRequest<Fields>,
    deadlineMs: number,
  ): Promise<Fields & Answered> {
    const connection = await this.#connected(deadlineMs);
    const { monotonicMs } = this.#process.clientRuntime.now();
    try {
      const reply = await connection.request(request, deadlineMs);
      if (request.label !== 'keepAlive') connection.answers(reply.sentAt);
      return reply;
    } catch (cause) {
      const isSilent = cause instanceof EtcdDoubt || cause instanceof EtcdUnavailable;
      if (isSilent && !connection.hasAnsweredSince(monotonicMs)) this.#replace(connection);
      throw cause;
    }
  }

  /** A connection on which requests can be sent; each server gets an equal share of the time. */
  async #connected(deadlineMs: number): Promise<SimEtcdConnection> {
    let failure: unknown = new EtcdUnavailable('no time was left to send a request');
    for (let left = this.#servers.length; left > 0; left--) {
      const { monotonicMs } = this.#process.clientRuntime.now();
      if (monotonicMs >= deadlineMs) break;
      if (this.#isClosed) throw new EtcdUnavailable('the client is closed');
      const connection = (this.#current ??= this.#dial(this.#server));
      try {
        await connection.untilReady(monotonicMs + (deadlineMs - monotonicMs) / left);
        return connection;
      } catch (cause) {
        failure = cause;
        this.#replace(connection);
      }
    }
    throw failure;
  }

  #dial(server: SimEtcdServer): SimEtcdConnection {
    const connection = new SimEtcdConnection(this.#process, server, this.#network, () =>
      this.#replace(connection),
    );
    return connection;
  }

  /** Goes on to the next server, unless another request already did. */
  #replace(connection: SimEtcdConnection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#at = (this.#at + 1) % this.#servers.length;
    connection.retire();
  }

  async #statusOf(server: SimEtcdServer, deadlineMs: number): Promise<ServerStatus> {
    const node = server.name;
    const from = this.#process.clientRuntime.now();
    const took = (): number => this.#process.runtime.elapsedMs(from);
    const connection = new SimEtcdConnection(this.#process, server, this.#network, () => {});
    try {
      await connection.untilReady(deadlineMs);
      const { hasLeader, version } = await connection.request(STATUS, deadlineMs);
      return { node, version, hasLeader, roundTripMs: took() };
    } catch (cause) {
      return { node, version: undefined, hasLeader: false, roundTripMs: took(), cause };
    } finally {
      connection.close();
    }
  }
}

/** The time in which a watch must find a server. */
const WATCH_MS = 5_000;

const STATUS: SimRequest<FieldsOf<MemberStatus>> = {
  label: 'status',
  detail: '',
  serve: (link, reply) => link.status(reply),
};

/** Transactions are named by what they write. */
function labelOf({ success }: Txn): string {
  if (success.some(({ kind }) => kind === 'put')) return 'create';
  return success.some(({ kind }) => kind === 'delete') ? 'delete' : 'look';
}
