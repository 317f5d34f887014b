import type {
  Answered,
  EtcdClient,
  Granted,
  Header,
  KeptAlive,
  LeaseRequest,
  RangeReply,
  ReadOp,
  Txn,
  TxnReply,
} from './port.ts';

/** The requests of one opened backend. Remembers who gave the latest linearizable reply, for proofs of life. */
export class Requests {
  readonly #client: EtcdClient;
  #latest: Header | undefined;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  /** The header of the latest linearizable reply that has come; undefined without one. */
  get latest(): Header | undefined {
    return this.#latest;
  }

  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted> {
    return this.#noted(this.#client.grant(lease, deadlineMs));
  }

  revoke(id: bigint, deadlineMs: number): Promise<Answered> {
    return this.#noted(this.#client.revoke(id, deadlineMs));
  }

  range(read: ReadOp, deadlineMs: number): Promise<RangeReply> {
    return this.#noted(this.#client.range(read, deadlineMs));
  }

  txn(txn: Txn, deadlineMs: number): Promise<TxnReply> {
    return this.#noted(this.#client.txn(txn, deadlineMs));
  }

  /** Not linearizable, so its header is not noted. */
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive> {
    return this.#client.keepAlive(id, deadlineMs);
  }

  async #noted<T extends Answered>(request: Promise<T>): Promise<T> {
    const reply = await request;
    this.#latest = reply.header;
    return reply;
  }
}
