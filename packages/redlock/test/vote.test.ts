import { NodeReplyError } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { Bench, CALL_MS, slow, TTL_MS, took } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const DRIFT_MS = 12;
/** The time after a request for which a vote may be stored: the request may arrive as late as a call may take. */
const STORED_MS_MAX = TTL_MS + DRIFT_MS + CALL_MS;

function taken(nodes: readonly VotingNode[], ms = 500): void {
  for (const node of nodes) node.give('b:1:other', ms);
}

describe('a vote', () => {
  test('is won with the last millisecond of validity', async () => {
    const at = await Bench.open(3);
    at.runtime.elapsedMs = () => TTL_MS - DRIFT_MS - 1;

    expect((await at.attempt(at.contend('a'))).kind).toBe('granted');
  });

  test('counts what is answered at the very deadline', async () => {
    const at = await Bench.open(3);
    for (const node of at.nodes) node.mute();
    const attempting = at.contend('a').attempt(FOREVER_MS);
    await at.runtime.pass(0);

    at.runtime.block(CALL_MS);
    for (const node of at.nodes) node.heal();

    expect((await at.let(attempting)).kind).toBe('granted');
  });

  test.each([
    ['two that agree before one that refuses', 1],
    ['two that agree and two that refuse', 2],
  ])('is open after %s', async (_, others) => {
    const at = await Bench.open();
    taken(at.nodes.slice(0, others));
    for (const node of at.nodes.slice(others + 2)) slow(at, node, 'acquire', 5);

    expect((await at.attempt(at.contend('a'))).kind).toBe('granted');
  });

  test('is lost at once when a majority has said who holds the key, though one is foreign and one silent', async () => {
    const at = await Bench.open();
    const [first] = at.nodes;
    if (first !== undefined) first.strange = -2;
    taken(at.nodes.slice(1, 4));
    at.nodes[4]?.mute();

    expect(await took(at, at.contend('a').attempt(FOREVER_MS))).toBe(0);
  });

  test('is refused as soon as enough nodes refuse, whatever the others may say', async () => {
    const at = await Bench.open();
    for (const node of at.nodes.slice(0, 3)) node.strange = -2;
    for (const node of at.nodes.slice(3)) node.mute();

    expect(await took(at, at.contend('a').attempt(FOREVER_MS))).toBe(0);
  });

  test('that no majority can answer any more is lost before the silent nodes have used up their time', async () => {
    const at = await Bench.open(4);
    for (const node of at.nodes.slice(0, 2)) node.isDown = true;
    for (const node of at.nodes.slice(2)) node.mute();

    expect(await took(at, at.contend('a').attempt(FOREVER_MS))).toBeLessThanOrEqual(CALL_MS);
  });

  test('keeps its undo for as long as it may stand', async () => {
    const at = await Bench.open(3);
    const [first] = at.nodes;
    const kept: (number | undefined)[] = [];
    const script = first?.script.bind(first);
    if (first === undefined || script === undefined) return;
    first.script = (named, keys, args, options) => {
      if (named.name === 'acquire') kept.push(options.undo?.keepUntilMs);
      return script(named, keys, args, options);
    };
    const { monotonicMs } = at.runtime.now();
    await at.take('a');

    expect(kept).toEqual([monotonicMs + STORED_MS_MAX]);
  });

  test('that a node has for less than a millisecond is somebody’s, not something foreign', async () => {
    const at = await Bench.open(3);
    for (const node of at.nodes) node.strange = 0;

    expect(await at.attempt(at.contend('a'))).toMatchObject({ kind: 'busy', holderRemainingMs: 0 });
  });

  test.each([
    ['READONLY', "READONLY You can't write against a read only replica.", 'unavailable'],
    ['ERR', "ERR The user executing the script can't run this command or subcommand", 'refused'],
  ])('that nodes answer with %s %s is %s', async (code, text, kind) => {
    const at = await Bench.open(3);
    for (const node of at.nodes) node.strange = new NodeReplyError(code, text);

    expect((await at.attempt(at.contend('a'))).kind).toBe(kind);
  });

  test('that cannot be won is refused by an error that names the backend', async () => {
    const at = await Bench.open(3);
    for (const node of at.nodes) node.strange = -2;

    expect(await at.attempt(at.contend('a'))).toMatchObject({ error: { backend: 'redlock' } });
  });

  test('that was won is listened for no longer', async () => {
    const at = await Bench.open(3);
    taken(at.nodes, 50);
    const contender = at.contend('a');
    await at.attempt(contender);
    void contender.changed?.(new AbortController().signal);
    await at.runtime.pass(60);

    expect((await at.attempt(contender)).kind).toBe('granted');
    expect(at.nodes.map(({ listeners }) => listeners.size)).toEqual([0, 0, 0]);
  });
});

describe('a majority that came too late', () => {
  test('is not busy, and wakes those that wait', async () => {
    const at = await Bench.open();
    taken(at.nodes.slice(0, 2));
    let heard = 0;
    at.nodes[4]?.listeners.add(() => (heard += 1));
    at.runtime.elapsedMs = () => TTL_MS;

    expect((await at.attempt(at.contend('a'))).kind).toBe('unavailable');
    expect(heard).toBe(1);
  });
});
