import type { Acl, CreateMode, NodeStat, ZooKeeperSession } from '@holdfast/zk/port';
import fc from 'fast-check';

export type Who = 'a' | 'b';

/** One thing that one of two sessions does. Paths are below a folder of the sequence's own. */
export type Step =
  | {
      readonly do: 'create';
      readonly who: Who;
      readonly path: string;
      readonly mode: CreateMode;
      readonly data: string;
      readonly acl: readonly Acl[] | undefined;
    }
  | {
      readonly do: 'setData';
      readonly who: Who;
      readonly path: string;
      readonly data: string;
      readonly version: number | undefined;
    }
  | {
      readonly do: 'delete' | 'read' | 'list' | 'watch';
      readonly who: Who;
      readonly path: string;
    }
  /** The session ends, and another takes its place. */
  | { readonly do: 'reopen'; readonly who: Who };

const anyone = fc.constantFrom<Who>('a', 'b');
const rightPath = fc.constantFrom(
  '/x',
  '/y',
  '/x/y',
  '/x/y/z',
  '/q',
  '/q/l-0000000000',
  '/q/l-0000000002',
);
const anyPath = fc.oneof(
  { weight: 20, arbitrary: rightPath },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/x//y', '/x/./y', '/x/..', '/x/', '/\u{1f512}', '/\u0007'),
  },
);
const place = fc.constantFrom('/x', '/y', '/x/y', '/q/l-', '/q/l-', '/q/l-', '/nowhere/l-');
const anyData = fc.constantFrom('', 'one', 'zwei, drei', '\u{1f512}');
const acl = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly Acl[]>(
      [],
      [{ who: 'creator', may: ['read', 'write', 'create', 'delete', 'admin'] }],
      [{ who: 'anybody', may: ['read', 'create'] }],
      [
        { who: 'anybody', may: ['delete'] },
        { who: 'creator', may: ['write', 'create'] },
      ],
    ),
  },
);

const create = fc.record({
  do: fc.constant('create' as const),
  who: anyone,
  path: anyPath,
  mode: fc.constantFrom<CreateMode>('persistent', 'container', 'ephemeral'),
  data: anyData,
  acl,
});
const createSequential = fc.record({
  do: fc.constant('create' as const),
  who: anyone,
  path: place,
  mode: fc.constant<CreateMode>('ephemeral-sequential'),
  data: anyData,
  acl: fc.constant(undefined),
});
const setData = fc.record({
  do: fc.constant('setData' as const),
  who: anyone,
  path: anyPath,
  data: anyData,
  version: fc.constantFrom(undefined, undefined, 0, 1),
});
const other = fc.record({
  do: fc.constantFrom('delete' as const, 'delete' as const, 'read' as const, 'list' as const),
  who: anyone,
  path: anyPath,
});
const watch = fc.record({ do: fc.constant('watch' as const), who: anyone, path: rightPath });
const reopen = fc.record({ do: fc.constant('reopen' as const), who: anyone });

/** Requests that clients of a lock send, and ones that they should not. */
export const sequences: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 7, arbitrary: create },
    { weight: 5, arbitrary: createSequential },
    { weight: 3, arbitrary: setData },
    { weight: 7, arbitrary: other },
    { weight: 5, arbitrary: watch },
    { weight: 1, arbitrary: reopen },
  ),
  { minLength: 5, maxLength: 40 },
);

/** The server that executes the steps: real or simulated. */
export interface Stage {
  open(who: Who): Promise<ZooKeeperSession>;
}

/** Takes the steps below `folder`; returns what each came to, in words, and which watches it set off. */
export async function take(
  stage: Stage,
  folder: string,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const player = new Player(folder, { a: await stage.open('a'), b: await stage.open('b') });
  const outcomes = [await player.begin()];
  for (const step of steps) {
    if (step.do === 'reopen') await player.replace(step.who, () => stage.open(step.who));
    outcomes.push(`${await player.take(step)} ${await player.fired()}`);
  }
  await player.end();
  return outcomes;
}

class Player {
  readonly #folder: string;
  readonly #sessions: Record<Who, ZooKeeperSession>;
  readonly #names = new Map<bigint, string>([[0n, 'nobody']]);
  #fired: string[] = [];
  #watches = 0;
  #firstZxid = 0n;

  constructor(folder: string, sessions: Record<Who, ZooKeeperSession>) {
    this.#folder = folder;
    this.#sessions = sessions;
    this.#name();
  }

  async begin(): Promise<string> {
    const created = await this.#sessions.a.create(this.#folder, '', { mode: 'persistent' });
    this.#firstZxid = created.czxid;
    return created.path;
  }

  async replace(who: Who, open: () => Promise<ZooKeeperSession>): Promise<void> {
    await this.#sessions[who].close();
    this.#sessions[who] = await open();
    this.#name();
  }

  async end(): Promise<void> {
    for (const session of Object.values(this.#sessions)) await session.close();
  }

  async take(step: Step): Promise<string> {
    try {
      return `${step.do}: ${await this.#do(step)}`;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return `${step.do}: ${String(error.code)}`;
      throw error;
    }
  }

  /** Returns the watches that have fired once both sessions have heard of everything, in the order of their sessions. */
  async fired(): Promise<string> {
    await Promise.all(Object.values(this.#sessions).map((session) => session.sync('/')));
    const fired = this.#fired.toSorted().join(' ');
    this.#fired = [];
    return fired;
  }

  async #do(step: Step): Promise<string> {
    if (step.do === 'reopen') return 'done';
    const session = this.#sessions[step.who];
    const at = this.#folder + step.path;
    if (step.do === 'create') {
      const { path, czxid } = await session.create(at, step.data, step);
      return `${path} ${this.#since(czxid)}`;
    }
    if (step.do === 'read') {
      const { data, stat } = await session.read(at);
      return `${data} ${this.#shown(stat)}`;
    }
    if (step.do === 'watch') return this.#watch(session, step, at);
    if (step.do === 'list') return (await session.list(at)).children.toSorted().join(' ');
    if (step.do === 'setData') await session.setData(at, step.data, step.version);
    else await session.delete(at);
    return 'done';
  }

  async #watch(
    session: ZooKeeperSession,
    { who, path }: Extract<Step, { path: string }>,
    at: string,
  ): Promise<string> {
    const name = `${who}${this.#watches++}:${path}`;
    const { stat } = await session.existsWatch(at, () => void this.#fired.push(name));
    return stat === undefined ? 'none' : this.#shown(stat);
  }

  #shown({ czxid, ephemeralOwner, version }: NodeStat): string {
    return `${this.#since(czxid)} ${this.#names.get(ephemeralOwner) ?? 'a stranger'} v${version}`;
  }

  /** The number of transactions after the first: rejected ones and those of sessions count too. */
  #since(zxid: bigint): string {
    return `#${zxid - this.#firstZxid}`;
  }

  #name(): void {
    for (const [who, { id }] of Object.entries(this.#sessions))
      if (!this.#names.has(id)) this.#names.set(id, `${who}${this.#names.size}`);
  }
}
