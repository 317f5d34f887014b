import { expect, test } from 'vitest';
import { layoutOf } from '../src/keys.ts';
import { SessionHandle } from '../src/session-handle.ts';
import { CrowdPacer } from '../src/store.ts';
import { Bench, CONTAINER } from './support/bench.ts';

/** One name of 60 characters, which with its length takes 64 bytes of a listing. */
const nameOf = (i: number): string => `x${String(i).padStart(59, '0')}`;

/** A session, and a container whose listing is of `count` such names. */
async function stage(count: number): Promise<{ at: Bench; handle: SessionHandle }> {
  const at = new Bench();
  const { session, host } = await at.actor('a');
  at.tree.create(CONTAINER, '', 0n, false);
  for (let i = 0; i < count; i++) at.tree.create(`${CONTAINER}/${nameOf(i)}`, '', 0n, false);
  const store = {
    host,
    layout: layoutOf('holdfast'),
    acl: undefined,
    pacer: new CrowdPacer(host.runtime),
    warnForeignNodes: (): void => {},
  };
  return { at, handle: new SessionHandle(session, store) };
}

test.each([
  ['forgotten once it is answered', 127, false],
  ['kept if its listing is long: the next one is given room for that', 128, true],
])('what a session knows of a key is shared during a request, and %s', async (_, count, isKept) => {
  const { at, handle } = await stage(count);
  const container = handle.container(CONTAINER);
  const listed = container.queue(true);
  expect(handle.container(CONTAINER)).toBe(container);

  expect((await at.let(listed)).foreignNodes).toHaveLength(count);

  expect(handle.container(CONTAINER) === container).toBe(isKept);
});
