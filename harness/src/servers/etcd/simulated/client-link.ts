import {
  type Answered,
  EtcdReplyError,
  type Granted,
  type Header,
  type KeptAlive,
  type LeaseRequest,
  type RangeReply,
  type ReadOp,
  type Txn,
  type TxnReply,
  type WatchListener,
} from '@holdfast/etcd/port';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Command, Proposal } from './entry.ts';
import type { Renewal } from './lessor.ts';
import type { Program } from './program.ts';
import type { StoreReply } from './store.ts';

/** What a server says about itself. */
export interface MemberStatus extends Answered {
  readonly version: string;
  readonly hasLeader: boolean;
}

/** A release in which a leader asks whether it still leads before it revokes leases, and one in which it does not. */
const VERSIONS = { cured: '3.6.0', old: '3.4.23' } as const;

/** The part of a reply that differs from request to request. */
export type FieldsOf<T extends Answered> = Omit<T, 'header' | 'sentAt'>;
/** Takes a reply in the client's process. */
export type Reply<Fields> = (reply: (Fields & { readonly header: Header }) | Error) => void;

const NO_LEADER = 'etcdserver: no leader';
/** A server that does not lead asks the leader again so soon. */
const RENEW_AGAIN_MS = 50;

/** A watch of this connection. */
interface LinkedWatch {
  readonly key: string;
  readonly listener: WatchListener;
  readonly stop: () => void;
}

/** A server's end of a client's connection. */
export class ClientLink {
  readonly connection: Connection;
  readonly #program: Program;
  readonly #watches = new Set<LinkedWatch>();
  #isOver = false;

  constructor(program: Program, connection: Connection) {
    this.#program = program;
    this.connection = connection;
  }

  /** The keys that are watched. */
  get watched(): readonly string[] {
    return Array.from(this.#watches, ({ key }) => key);
  }

  grant({ id, ttlSeconds }: LeaseRequest, reply: Reply<FieldsOf<Granted>>): void {
    const granted = Math.max(ttlSeconds, this.#minTtlSeconds);
    const command: Command = { kind: 'grant', id, ttlMs: granted * 1_000 };
    this.#propose('grant', command, reply, () => ({ ttlSeconds: granted }));
  }

  revoke(id: bigint, reply: Reply<object>): void {
    this.#propose('revoke', { kind: 'revoke', id }, reply, () => ({}));
  }

  range(read: ReadOp, reply: Reply<FieldsOf<RangeReply>>): void {
    this.#read('range', reply, () => {
      const { reads, count } = this.#program.store.range(read);
      return { keys: reads[0] ?? [], count };
    });
  }

  /** A transaction that only reads is not part of the log. */
  txn(txn: Txn, label: string, reply: Reply<FieldsOf<TxnReply>>): void {
    const writes = [...txn.success, ...txn.failure].some(({ kind }) => kind !== 'read');
    if (writes) this.#propose(label, { kind: 'txn', txn }, reply, outcomeOf);
    else this.#read(label, reply, () => outcomeOf(this.#program.store.txn(txn)));
  }

  /** Answered by the server that this one believes to lead, without asking a majority. */
  keepAlive(id: bigint, reply: Reply<FieldsOf<KeptAlive>>): void {
    const done = (renewal: Renewal): void => {
      if (renewal !== 'no leader') {
        const ttlSeconds = renewal === 'unknown' ? 0 : renewal.ttlMs / 1_000;
        return this.#reply('keepAlive', reply, { ttlSeconds });
      }
      this.#program.after(RENEW_AGAIN_MS, renew);
    };
    const renew = (): void => {
      if (!this.#isOver) this.#renewAtLeader(id, done);
    };
    renew();
  }

  settings(ready: () => void): void {
    if (!this.#isOver) this.connection.reply('settings', this.#program.departUs, ready);
  }

  status(reply: Reply<FieldsOf<MemberStatus>>): void {
    const { settings, raft } = this.#program;
    const version = settings.revokesUnasked ? VERSIONS.old : VERSIONS.cured;
    this.#reply('status', reply, { version, hasLeader: raft.leader !== 0 });
  }

  /** Returns the end of the watch; undefined if it was refused. */
  watch(key: string, fromRevision: bigint, listener: WatchListener): (() => void) | undefined {
    const { store, raft } = this.#program;
    const why =
      raft.leader === 0
        ? NO_LEADER
        : store.isCompacted(fromRevision)
          ? 'etcdserver: mvcc: required revision has been compacted'
          : undefined;
    if (why !== undefined) {
      this.#push('ended', () => listener.ended(new Error(why)));
      return undefined;
    }
    this.#push('created', () => listener.created());
    const stop = store.watch(key, fromRevision, () =>
      this.#push('watch', () => listener.deleted()),
    );
    const watch: LinkedWatch = { key, listener, stop };
    this.#watches.add(watch);
    return () => this.#end(watch);
  }

  #end(watch: LinkedWatch): void {
    if (this.#watches.delete(watch)) watch.stop();
  }

  /** Ends all watches: they ask for a server that knows a leader. */
  endWatches(): void {
    for (const watch of Array.from(this.#watches)) {
      this.#end(watch);
      this.#push('ended', () => watch.listener.ended(new Error(NO_LEADER)));
    }
  }

  disconnected(): void {
    this.#isOver = true;
    for (const watch of Array.from(this.#watches)) this.#end(watch);
  }

  /** Whole seconds, one and a half election timeouts at least. */
  get #minTtlSeconds(): number {
    return Math.ceil((1.5 * this.#program.settings.electionMs) / 1_000);
  }

  #renewAtLeader(id: bigint, done: (renewal: Renewal) => void): void {
    const { raft, peers, lessor, machine } = this.#program;
    if (raft.leads) return lessor.renew(id, done);
    const leader = peers.named(raft.leader);
    if (leader === undefined) return done('no leader');
    const asked = (there: Program): void => {
      const asker = there.peers.named(machine.id);
      there.lessor.renew(id, (renewal) => {
        if (asker !== undefined) there.peers.to(asker, 'renew', () => done(renewal), false);
      });
    };
    peers.to(leader, 'renew', asked, false);
  }

  #propose<Fields extends object>(
    label: string,
    command: Command,
    reply: Reply<Fields>,
    fields: (result: StoreReply) => Fields,
  ): void {
    const proposal: Proposal = {
      command,
      client: this.connection.process.name,
      waiter: {
        origin: this.#program,
        isWanted: () => !this.#isOver,
        applied: (result) =>
          this.#reply(label, reply, result instanceof EtcdReplyError ? result : fields(result)),
      },
    };
    this.#program.withDisk(() => this.#program.raft.propose(proposal));
  }

  #read<Fields extends object>(label: string, reply: Reply<Fields>, read: () => Fields): void {
    const isWanted = (): boolean => !this.#isOver;
    this.#program.linearizable(isWanted, () => this.#reply(label, reply, read()));
  }

  #reply<Fields extends object>(label: string, reply: Reply<Fields>, fields: Fields | Error): void {
    if (this.#isOver) return;
    const { header, departUs } = this.#program;
    const result = fields instanceof Error ? fields : { ...fields, header };
    this.connection.reply(label, departUs, () => reply(result));
  }

  #push(label: string, run: () => void): void {
    if (!this.#isOver) this.connection.push(label, this.#program.departUs, run);
  }
}

function outcomeOf({ succeeded, reads }: StoreReply): FieldsOf<TxnReply> {
  return { succeeded, reads };
}
