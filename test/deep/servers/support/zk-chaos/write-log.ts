import {
  type OpenSession,
  SessionDoubt,
  SessionReplyError,
  SessionUnavailable,
  type ZooKeeperSession,
} from '@holdfast/zk/port';

/** The outcome of one request, as its client saw it. */
export type ReportedOutcome = 'done' | 'doubt' | 'not-sent' | 'refused';

/** One node that one client created and deleted again, each once; with the outcomes it saw. */
export interface Line {
  readonly path: string;
  readonly created: ReportedOutcome;
  /** Present if the creation is known to have been done. */
  readonly czxid?: string;
  /** Undefined: it was left. */
  readonly deleted?: ReportedOutcome;
}

export const LEDGER = '/ledger';

/** A client of bare sessions that records the outcomes it saw, to compare them with the nodes that exist in the end. */
export class Bookkeeper {
  readonly lines: Line[] = [];
  readonly #name: string;
  readonly #open: OpenSession;
  readonly #now: () => number;
  #session: ZooKeeperSession | undefined;
  expired = 0;
  /** Promises of the port that were broken: an error of another kind. */
  readonly strange: string[] = [];

  constructor(name: string, open: OpenSession, now: () => number) {
    this.#name = name;
    this.#open = open;
    this.#now = now;
  }

  /** Makes a node; deletes two of three again. */
  async write(count: number): Promise<void> {
    const session = await this.#connected();
    if (session === undefined) return;
    const path = `${LEDGER}/${this.#name}-${count}`;
    let czxid: string | undefined;
    const created = await this.#told(async () => {
      czxid = String((await session.create(path, '', { mode: 'persistent' })).czxid);
    });
    const line = { path, created, ...(czxid === undefined ? {} : { czxid }) };
    if (created !== 'done' || count % 3 === 0) return void this.lines.push(line);
    this.lines.push({ ...line, deleted: await this.#told(() => session.delete(path)) });
  }

  async close(): Promise<void> {
    await this.#session?.close({ timeoutMs: 2_000 });
  }

  async #connected(): Promise<ZooKeeperSession | undefined> {
    const state = this.#session?.state;
    if (state === 'connected') return this.#session;
    if (state === 'disconnected') return undefined;
    if (state === 'expired') this.expired++;
    this.#session = await this.#open(this.#now() + 3_000).catch(() => undefined);
    return this.#session;
  }

  async #told(request: () => Promise<unknown>): Promise<ReportedOutcome> {
    try {
      await request();
      return 'done';
    } catch (error) {
      if (error instanceof SessionDoubt) return 'doubt';
      if (error instanceof SessionUnavailable) return 'not-sent';
      if (!(error instanceof SessionReplyError)) this.strange.push(String(error));
      return 'refused';
    }
  }
}

/** Returns what is wrong with a line, given the nodes that exist; undefined if nothing is. */
export function faultOf(line: Line, status: ReadonlyMap<string, bigint>): string | undefined {
  const czxid = status.get(line.path);
  const told = `${line.path} was created: ${line.created}, deleted: ${line.deleted ?? 'never'}`;
  if (line.created === 'refused') return `${told}, although nobody else makes it`;
  if (line.created === 'not-sent' && czxid !== undefined) return `${told}, but it stands`;
  if (line.created !== 'done') return undefined;
  if (line.deleted === 'refused') return `${told}, although nobody else deletes it`;
  if (line.deleted === 'done') return czxid === undefined ? undefined : `${told}, but it stands`;
  if (line.deleted === 'doubt') return undefined;
  if (czxid === undefined) return `${told}, but it does not stand`;
  return String(czxid) === line.czxid ? undefined : `${told} by another transaction`;
}
