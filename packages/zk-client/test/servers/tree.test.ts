import {
  type MultiOperation,
  type Permission,
  ReplyError,
  type Session,
  type Stat,
  type WatchEvent,
  type WatchListener,
} from '@holdfast/zk-client';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ALL,
  type Outcome,
  TreeModel,
  type WatchedKind,
  world as worldAcl,
} from './support/tree-model.ts';
import { textOf, World } from './support/zk-client-world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

type Write =
  | { do: 'create'; path: string; data: string; isEphemeral: boolean; isSequential: boolean }
  | { do: 'delete' | 'check'; path: string; version: number }
  | { do: 'set'; path: string; data: string; version: number };

type Step = { by: 0 | 1 } & (
  | Write
  | { do: 'setAcl'; path: string; acl: readonly Permission[]; version: number }
  | { do: 'get' | 'list' | 'exists' | 'getAcl'; path: string }
  | { do: 'multi'; writes: Write[] }
  | { do: 'watch'; kind: WatchedKind; path: string }
  | { do: 'leave' }
);

const PATHS = ['/a', '/b', '/a/x', '/a/y', '/b/x', '/a/x/z'];
const path = fc.constantFrom(...PATHS);
const data = fc.constantFrom('', 'one', 'two');
const version = fc.constantFrom(-1, -1, -1, 0, 1, 2);
const fixed = <T extends string>(name: T): fc.Arbitrary<T> => fc.constant(name);
const create = fc.record({
  do: fixed('create'),
  path,
  data,
  isEphemeral: fc.boolean(),
  isSequential: fc.boolean(),
});
const write: fc.Arbitrary<Write> = fc.oneof(
  create,
  fc.record({ do: fixed('delete'), path, version }),
  fc.record({ do: fixed('set'), path, data, version }),
);
const part = fc.oneof(write, fc.record({ do: fixed('check'), path, version }));
const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom<0 | 1>(0, 1),
    fc.oneof(
      { weight: 6, arbitrary: create },
      { weight: 4, arbitrary: write },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fixed('setAcl'),
          path,
          acl: fc.subarray([...ALL]).filter((acl) => acl.length > 0),
          version,
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constantFrom('get', 'list', 'exists', 'getAcl'), path }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fixed('multi'),
          writes: fc.array(part, { minLength: 1, maxLength: 4 }),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fixed('watch'),
          kind: fc.constantFrom('node', 'children'),
          path,
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fixed('leave') }) },
    ),
  )
  .map(([by, what]) => ({ by, ...what }));

/** The outcome of one step by the model. */
function modelled(tree: TreeModel, act: Step | (Write & { by: 0 | 1 })): unknown {
  const { by } = act;
  switch (act.do) {
    case 'create':
      return tree.create(act.path, act.data, act.isEphemeral ? by : undefined, act.isSequential);
    case 'delete':
    case 'check':
      return tree[act.do](act.path, act.version);
    case 'set':
      return tree.set(act.path, act.data, act.version);
    case 'setAcl':
      return tree.setAcl(act.path, act.acl, act.version);
    case 'get':
    case 'list':
    case 'exists':
    case 'getAcl':
      return tree[act.do](act.path);
    case 'multi':
      return tree.multi(act.writes.map((each) => (inner) => modelled(inner, { by, ...each })));
    case 'watch': {
      const seen = act.kind === 'node' ? tree.exists(act.path) : tree.list(act.path);
      tree.watch(act.kind, act.path);
      return seen;
    }
    case 'leave':
      return tree.leave(by);
    default:
      throw new Error(`unknown step ${String(act satisfies never)}`);
  }
}

/** Two clients of one chroot; the first one watches. */
class Clients {
  readonly #chroot: string;
  readonly #sessions: Session[];
  /** Watches that have not fired yet. */
  readonly #armed = new Set<string>();
  readonly events: string[] = [];

  private constructor(chroot: string, sessions: Session[]) {
    this.#chroot = chroot;
    this.#sessions = sessions;
  }

  static async open(chroot: string): Promise<Clients> {
    const sessions = [await world.open({ chroot }), await world.open({ chroot })];
    return new Clients(chroot, sessions);
  }

  async try(act: Step): Promise<Outcome> {
    try {
      return { value: await this.#do(act) };
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      const { code, index } = error;
      return { code: index === undefined ? code : `${code} at ${index}` };
    }
  }

  async seenAll(): Promise<readonly string[]> {
    await this.#of(0).sync('/');
    return this.events;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }

  async #do(act: Step): Promise<unknown> {
    const session = this.#of(act.by);
    switch (act.do) {
      case 'create':
        return (await session.create(act.path, act.data, { mode: modeOf(act) })).path;
      case 'delete':
        return session.delete(act.path, act.version).then(() => true);
      case 'check':
        return session.multi([{ kind: 'check', ...act }]).then(() => true);
      case 'set':
        return this.#stat((await session.setData(act.path, act.data, act.version)).stat);
      case 'setAcl':
        return this.#stat((await session.setAcl(act.path, worldAcl(act.acl), act.version)).stat);
      case 'get': {
        const content = await session.getData(act.path);
        return { data: textOf(content.data), stat: this.#stat(content.stat) };
      }
      case 'list':
        return this.#listing(await session.getChildren(act.path));
      case 'exists':
        return this.#stat((await session.exists(act.path)).stat);
      case 'getAcl':
        return (await session.getAcl(act.path)).acl[0]?.permissions;
      case 'multi':
        return (await session.multi(act.writes.map(operationOf))).results.length;
      case 'watch':
        return this.#watch(act.kind, act.path);
      case 'leave':
        return this.#leave(act.by);
      default:
        throw new Error(`unknown step ${String(act satisfies never)}`);
    }
  }

  async #watch(kind: WatchedKind, at: string): Promise<unknown> {
    const session = this.#of(0);
    const watch = `${kind} ${at}`;
    // What the other client did may have fired an event that is still on its way; a reply comes after it.
    await session.exists('/');
    // All listeners of one watch are called; the model counts one.
    const isFirst = !this.#armed.has(watch);
    const hear = ({ type, path: changed }: WatchEvent): void => {
      if (!isFirst || type === 'session-ended') return;
      this.#armed.delete(watch);
      this.events.push(`${kind}: ${type} ${changed}`);
    };
    this.#armed.add(watch);
    try {
      return await this.#look(session, kind, at, hear);
    } catch (error) {
      if (isFirst) this.#armed.delete(watch);
      throw error;
    }
  }

  async #look(
    session: Session,
    kind: WatchedKind,
    at: string,
    hear: WatchListener,
  ): Promise<unknown> {
    if (kind === 'children') return this.#listing(await session.getChildrenWatch(at, hear));
    return this.#stat((await session.existsWatch(at, hear)).stat);
  }

  /** The watching client stays connected, since its events are compared. */
  async #leave(by: 0 | 1): Promise<undefined> {
    if (by === 0) return;
    await this.#of(1).close();
    this.#sessions[1] = await world.open({ chroot: this.#chroot });
  }

  #listing({ children, stat }: { children: readonly string[]; stat: Stat }): unknown {
    return { children: children.toSorted(), stat: this.#stat(stat) };
  }

  #stat(stat: Stat | undefined): unknown {
    if (stat === undefined) return undefined;
    const { dataLength, version: changes, aversion, cversion, ephemeralOwner, numChildren } = stat;
    const owner = this.#sessions.findIndex(({ id }) => id === ephemeralOwner);
    return {
      dataLength,
      version: changes,
      aversion,
      cversion,
      owner: owner === -1 ? undefined : owner,
      numChildren,
    };
  }

  #of(by: 0 | 1): Session {
    const session = this.#sessions[by];
    if (session === undefined) throw new Error('no such client');
    return session;
  }
}

function modeOf({ isEphemeral, isSequential }: Write & { do: 'create' }) {
  const lifetime = isEphemeral ? 'ephemeral' : 'persistent';
  return isSequential ? (`${lifetime}-sequential` as const) : lifetime;
}

function operationOf(act: Write): MultiOperation {
  if (act.do === 'create') return { kind: 'create', ...act, mode: modeOf(act) };
  if (act.do === 'set') return { kind: 'set', ...act };
  return { kind: act.do, path: act.path, version: act.version };
}

let runs = 0;

test('generated operations of two clients do what a simple model says, and fire the watches it says', async () => {
  const founder = await world.open();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const chroot = `/run-${runs++}`;
      await founder.create(chroot, '');
      const clients = await Clients.open(chroot);
      const tree = new TreeModel();
      try {
        for (const each of steps) {
          const act = each.do === 'leave' ? { ...each, by: 1 as const } : each;
          const expected = tree.try((inner) => modelled(inner, act));
          const actual = await clients.try(act);
          expect(actual, JSON.stringify(act)).toEqual(expected);
        }
        // Events of one transaction, and of a session that ends, have no promised order.
        const isCertain = (event: string): boolean => !tree.hidden.has(event);
        const events = (await clients.seenAll()).filter(isCertain);
        expect(events.toSorted()).toEqual(tree.events.filter(isCertain).toSorted());
      } finally {
        await clients.close();
      }
    }),
    { numRuns: 150 },
  );
}, 120_000);
