import {
  type EtcdClient,
  EtcdDoubt,
  type ReadOp,
  type ServerStatus,
  type Txn,
  type WatchListener,
} from '../../../src/port.ts';

type Kind = 'grant' | 'revoke' | 'keepAlive' | 'range' | 'txn';
/** What happens to a request: its reply is lost, or it is held until `letThrough`. */
type Loss = 'reply' | 'held';

/** A client of real servers, of which single requests lose their reply, or arrive late. */
export class LossyClient implements EtcdClient {
  readonly requests: Kind[] = [];
  /** The number of watches that a server has begun. */
  watches = 0;
  readonly #client: EtcdClient;
  readonly #losses = new Map<Kind, Loss>();
  readonly #held: (() => Promise<unknown>)[] = [];

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  get address(): string {
    return this.#client.address;
  }

  /** The next request of this kind loses its reply, or is held. The client is told of doubt. */
  lose(kind: Kind, loss: Loss = 'reply'): void {
    this.#losses.set(kind, loss);
  }

  /** Sends what was held; resolves with the number of requests that were applied. */
  async letThrough(): Promise<number> {
    const replies = await Promise.allSettled(this.#held.splice(0).map((send) => send()));
    return replies.filter(({ status }) => status === 'fulfilled').length;
  }

  grant(...args: Parameters<EtcdClient['grant']>): ReturnType<EtcdClient['grant']> {
    return this.#send('grant', () => this.#client.grant(...args));
  }

  revoke(...args: Parameters<EtcdClient['revoke']>): ReturnType<EtcdClient['revoke']> {
    return this.#send('revoke', () => this.#client.revoke(...args));
  }

  keepAlive(...args: Parameters<EtcdClient['keepAlive']>): ReturnType<EtcdClient['keepAlive']> {
    return this.#send('keepAlive', () => this.#client.keepAlive(...args));
  }

  range(read: ReadOp, deadlineMs: number): ReturnType<EtcdClient['range']> {
    return this.#send('range', () => this.#client.range(read, deadlineMs));
  }

  txn(txn: Txn, deadlineMs: number): ReturnType<EtcdClient['txn']> {
    // What was held is sent long after its deadline.
    const late = deadlineMs + LATE_MS;
    const isHeld = this.#losses.get('txn') === 'held';
    return this.#send('txn', () => this.#client.txn(txn, isHeld ? late : deadlineMs));
  }

  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    const created = (): void => {
      this.watches += 1;
      listener.created();
    };
    const deleted = (): void => listener.deleted();
    const ended = (cause: unknown): void => listener.ended(cause);
    return this.#client.watch(key, fromRevision, { created, deleted, ended });
  }

  status(deadlineMs: number): Promise<readonly ServerStatus[]> {
    return this.#client.status(deadlineMs);
  }

  close(): void {
    this.#client.close();
  }

  async #send<T>(kind: Kind, send: () => Promise<T>): Promise<T> {
    this.requests.push(kind);
    const loss = this.#losses.get(kind);
    this.#losses.delete(kind);
    if (loss === 'held') this.#held.push(send);
    else if (loss === 'reply') await send();
    else return await send();
    throw new EtcdDoubt('the reply was lost');
  }
}

const LATE_MS = 60_000;
