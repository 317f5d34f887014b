import type { Instant } from '@holdfast/core';
import {
  type EtcdClient,
  EtcdDoubt,
  EtcdUnavailable,
  type Granted,
  type Header,
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
import { SimEtcdConnection } from './connection.ts';
import type { SimEtcdServer } from './server.ts';

type Answered = { readonly sentAt: Instant; readonly header: Header };

/** A client in one process of the world, as the one over gRPC is: a connection on which no reply came in time is replaced. */
export class SimEtcdClient implements EtcdClient {
  readonly address: string;
  readonly #process: SimProcess;
  readonly #server: SimEtcdServer;
  readonly #network: Network;
  #connection: SimEtcdConnection | undefined;
  #isClosed = false;

  constructor(process: SimProcess, server: SimEtcdServer, network: Network) {
    this.address = server.name;
    this.#process = process;
    this.#server = server;
    this.#network = network;
  }

  grant({ id, ttlSeconds }: LeaseRequest, deadlineMs: number): Promise<Granted> {
    const { store, minTtlSeconds } = this.#server;
    const granted = Math.max(ttlSeconds, minTtlSeconds);
    return this.#request('grant', deadlineMs, () => {
      store.leases.grant(id, granted * 1_000, this.#server.nowMs);
      return { ttlSeconds: granted };
    });
  }

  revoke(id: bigint, deadlineMs: number): Promise<Answered> {
    return this.#request('revoke', deadlineMs, () => {
      this.#server.store.revoke(id);
      return {};
    });
  }

  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive> {
    const { store } = this.#server;
    return this.#request('keepAlive', deadlineMs, () => ({
      ttlSeconds: store.leases.renew(id, this.#server.nowMs) / 1_000,
    }));
  }

  range(read: ReadOp, deadlineMs: number): Promise<RangeReply> {
    return this.#request('range', deadlineMs, () => {
      const { reads, count } = this.#server.store.range(read);
      return { keys: reads[0] ?? [], count };
    });
  }

  txn(txn: Txn, deadlineMs: number): Promise<TxnReply> {
    return this.#request('txn', deadlineMs, () => this.#server.store.txn(txn));
  }

  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    try {
      return this.#connected().watch(key, fromRevision, listener);
    } catch (cause) {
      this.#process.clientRuntime.timer(0, () => listener.ended(cause));
      return () => {};
    }
  }

  async status(deadlineMs: number): Promise<readonly ServerStatus[]> {
    const node = this.address;
    const from = this.#process.runtime.now();
    const took = (): number => this.#process.runtime.elapsedMs(from);
    try {
      await this.#request('status', deadlineMs, () => ({}));
      return [{ node, version: '3.6.0', hasLeader: true, roundTripMs: took() }];
    } catch (cause) {
      return [{ node, version: undefined, hasLeader: false, roundTripMs: took(), cause }];
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  /** `execute` runs at the server. */
  async #request<T extends object>(
    label: string,
    deadlineMs: number,
    execute: () => T,
  ): Promise<T & Answered> {
    const connection = this.#connected();
    try {
      return await connection.request(label, deadlineMs, () => {
        const reply = execute();
        return { ...reply, header: this.#server.header };
      });
    } catch (cause) {
      const isOfConnection = cause instanceof EtcdDoubt || cause instanceof EtcdUnavailable;
      if (isOfConnection && this.#connection === connection) this.#connection.close();
      throw cause;
    }
  }

  #connected(): SimEtcdConnection {
    if (this.#isClosed) throw new EtcdUnavailable('the client is closed');
    if (this.#connection?.isOver !== false) {
      this.#connection = new SimEtcdConnection(this.#process, this.#server, this.#network);
    }
    return this.#connection;
  }
}
