import { beforeEach, expect, test } from 'vitest';
import { Node } from '../src/node.ts';
import type { Reply, Script } from '../src/port.ts';
import { digestOf } from '../src/script.ts';
import { HandDialer, HandRuntime } from './support/by-hand.ts';

const script: Script = { name: 'one', source: 'return 1' };
const other: Script = { name: 'two', source: 'return 2' };
const noScript = { error: 'NOSCRIPT No matching script.' };
const inFull = ({ source }: Script, key: string): string => `EVAL ${source} 1 ${key}`;
const byDigest = (named: Script, key: string): string => `EVALSHA ${digestOf(named)} 1 ${key}`;

let runtime: HandRuntime;
let dialer: HandDialer;
let node: Node;
beforeEach(() => {
  runtime = new HandRuntime();
  dialer = new HandDialer();
  node = new Node({ runtime, dialer, connectMs: 1_000, silenceMs: 500 });
});

function call(key: string, { named = script, inMs = 400 } = {}): Promise<Reply> {
  return node.script(named, [key], [], { deadlineMs: runtime.now().monotonicMs + inMs });
}

/** The server's reaction to all commands that were written and have no reply yet. */
function answerAll(answer: (key: string) => Reply | { readonly error: string }): void {
  for (const message of dialer.last.written.splice(1)) {
    const reply = answer(message.args.at(-1) ?? '');
    if (typeof reply === 'object' && reply !== null && 'error' in reply)
      message.refused(reply.error);
    else message.answered(reply);
  }
}

test('the first call on a connection teaches the script, and those behind it rely on that at once', () => {
  dialer.last.becomeReady();

  for (const key of ['a', 'b', 'c']) void call(key);
  void call('d', { named: other });

  expect(dialer.last.names).toEqual([
    inFull(script, 'a'),
    byDigest(script, 'b'),
    byDigest(script, 'c'),
    inFull(other, 'd'),
  ]);
});

test('calls that waited for the connection are taught by the first of them that still leaves', async () => {
  const late = call('a', { inMs: 50 });
  for (const key of ['b', 'c']) void call(key);
  runtime.pass(60);

  dialer.last.becomeReady();

  await expect(late).rejects.toThrow('no connection by the deadline');
  expect(dialer.last.names).toEqual([inFull(script, 'b'), byDigest(script, 'c')]);
});

test('a new connection is taught anew, because the server may have restarted', () => {
  dialer.last.becomeReady();
  call('a').catch(() => undefined);
  dialer.last.events.closed(new Error('gone'));
  runtime.pass(300);
  dialer.last.becomeReady();

  for (const key of ['b', 'c']) void call(key);

  expect(dialer.last.names).toEqual([inFull(script, 'b'), byDigest(script, 'c')]);
});

test('a server that has forgotten the script is called once more in full, within the same deadline', async () => {
  dialer.last.becomeReady();
  void call('a');
  const forgotten = [call('b'), call('c')];
  runtime.pass(300);
  answerAll((key) => (key === 'a' ? 1 : noScript));

  expect(dialer.last.names).toEqual([inFull(script, 'b'), inFull(script, 'c')]);
  void call('d');
  expect(dialer.last.names.at(-1)).toBe(byDigest(script, 'd'));

  dialer.last.written[1]?.answered(2);
  runtime.pass(100);
  expect(await forgotten[0]).toBe(2);
  await expect(forgotten[1]).rejects.toThrow('EVAL: no reply by the deadline');
});

test('a server that refused may not have learned: the next call teaches it again', async () => {
  dialer.last.becomeReady();
  const refused = [call('a'), call('b')];
  answerAll(() => ({ error: 'LOADING Redis is loading the dataset in memory' }));
  await Promise.allSettled(refused);

  for (const key of ['c', 'd']) void call(key);

  expect(dialer.last.names).toEqual([inFull(script, 'c'), byDigest(script, 'd')]);
});

test('a server that does not know what it was sent in full is not called a third time', async () => {
  dialer.last.becomeReady();
  const refused = call('a');
  answerAll(() => noScript);
  answerAll(() => noScript);

  expect(dialer.last.names).toEqual([]);
  await expect(refused).rejects.toThrow('NOSCRIPT');
});
