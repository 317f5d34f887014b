import { expect, test } from 'vitest';
import { NodeReplyError } from '../src/port.ts';
import { classifyReply, codeOf, REPLY_TABLE } from '../src/replies.ts';

test.each([
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE'],
  ['-READONLY You cannot write against a read only replica.', 'READONLY'],
  ['NOSCRIPT', 'NOSCRIPT'],
  ['ERR value is not an integer or out of range', 'ERR'],
  ['something a module says', 'ERR'],
  ['', 'ERR'],
  // Redis 7: the code comes through.
  ['WRONGTYPE Operation against a key script: 1f2e, on @user_script:1.', 'WRONGTYPE'],
  // Redis 6.2 wraps it.
  [
    'ERR Error running script (call to f_1f2e): @user_script:3: WRONGTYPE Operation against a key ',
    'WRONGTYPE',
  ],
  [
    "ERR Error running script (call to f_1f2e): @user_script:1: @user_script: 1: -READONLY You can't write ",
    'READONLY',
  ],
  [
    'ERR Error running script (call to f_1f2e): @user_script:1: user_script:1: attempt to index a nil ',
    'ERR',
  ],
])('the code of %j is %s', (text, code) => {
  expect(codeOf(text)).toBe(code);
});

test.each([
  ['DENIED Redis is running in protected mode', 'refused'],
  ['ERR max number of clients reached', 'unavailable'],
  ["ERR unknown command 'EVALSHA', with args beginning with: ", 'refused'],
  [
    'ERR Error running script (call to f_1f2e): @user_script:1: @user_script: 1: -OOM command not allowed ',
    'unavailable',
  ],
  ['ERR something else', 'unknown'],
  ['NEWCODE of a server to come', 'unknown'],
])('%j means %s', (text, meaning) => {
  expect(classifyReply(text)).toBe(meaning);
  expect(classifyReply(new NodeReplyError(codeOf(text), text))).toBe(meaning);
});

test('every row means what it says, and none stands behind one that hides it', () => {
  for (const { code, text, meaning } of REPLY_TABLE) {
    expect(classifyReply(`${code} ${text ?? 'whatever follows'}`)).toBe(meaning);
  }
});
