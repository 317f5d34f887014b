import { expect, test } from 'vitest';
import { SimLimitError, SimUnsupportedError } from '../../src/simulator/index.ts';
import { engineStage } from './support/engine-stage.ts';

test('a key is there in its last millisecond, and gone in the next', () => {
  const stage = engineStage();
  stage.engine.execute(['SET', 'k', 'v', 'PX', '100']);

  stage.nowMs += 100;
  expect(stage.engine.execute(['PTTL', 'k'])).toBe(0);
  stage.nowMs += 1;

  expect(stage.engine.execute(['GET', 'k'])).toBeNull();
});

test('a clock that jumps back gives a key more time, one that jumps ahead takes it away', () => {
  const stage = engineStage();
  stage.engine.execute(['SET', 'k', 'v', 'PX', '1000']);

  stage.nowMs -= 30_000;
  expect(stage.engine.execute(['PTTL', 'k'])).toBe(31_000);
  stage.nowMs += 60_000;

  expect(stage.engine.execute(['SET', 'k', 'other', 'NX', 'PX', '1000'])).toBe('OK');
});

test('the time of a script is one: nothing ends between its commands', () => {
  const stage = engineStage();
  let reads = 0;
  Object.defineProperty(stage, 'nowMs', { get: () => 1_790_000_000_000 + 500 * reads++ });

  const script =
    "redis.call('SET', 'k', 'v', 'PX', 1) local t = redis.call('TIME') return {redis.call('GET', 'k'), t[2]}";

  expect(stage.engine.execute(['EVAL', script, '0'])).toEqual(['v', '0']);
  expect(reads).toBe(1);
});

test('writes are announced with absolute times, and without the conditions that were met', () => {
  const stage = engineStage();

  stage.engine.execute(['SET', 'k', 'v', 'NX', 'PX', '100']);
  stage.engine.execute(['SET', 'k', 'v', 'NX', 'PX', '100']);
  stage.engine.execute(['EXPIRE', 'k', '10']);
  stage.engine.execute([
    'EVAL',
    "redis.call('INCR', 'n') return redis.call('DEL', 'k', 'none')",
    '0',
  ]);
  stage.engine.execute(['GET', 'n']);

  expect(stage.effects).toEqual([
    ['SET', 'k', 'v', 'PXAT', '1790000000100'],
    ['PEXPIREAT', 'k', '1790000010000'],
    ['INCR', 'n'],
    ['DEL', 'k'],
  ]);
});

test('a master announces that a key has ended when it is next touched', () => {
  const stage = engineStage();
  stage.engine.execute(['SET', 'k', 'v', 'PX', '100']);
  stage.nowMs += 101;

  stage.engine.execute(['EXISTS', 'k']);

  expect(stage.effects.at(-1)).toEqual(['DEL', 'k']);
});

test('a replica hides what has ended by its own clock, keeps it, and refuses writes', () => {
  const stage = engineStage();
  stage.engine.role = 'replica';
  stage.engine.apply(['SET', 'k', 'v', 'PXAT', `${stage.nowMs + 100}`]);

  stage.nowMs += 101;
  expect(stage.engine.execute(['GET', 'k'])).toBeNull();
  expect(stage.engine.execute(['SET', 'k', 'w'])).toEqual({
    error: "READONLY You can't write against a read only replica.",
  });
  expect(stage.engine.execute(['EVAL', "return redis.call('DEL', 'k')", '0'])).toEqual({
    error: expect.stringMatching(
      /^READONLY You can't write against a read only replica\. script: [0-9a-f]{40}, on @user_script:1\.$/,
    ),
  });
  stage.nowMs -= 101;

  expect(stage.engine.execute(['GET', 'k'])).toBe('v');
  expect(stage.effects).toEqual([]);
});

test('a replica’s clock does not expire its keys: a key that the master still prolongs stays', () => {
  const stage = engineStage();
  stage.engine.role = 'replica';
  stage.engine.apply(['SET', 'k', 'v', 'PXAT', '1']);
  stage.engine.apply(['PEXPIREAT', 'k', `${stage.nowMs + 1_000}`]);

  expect(stage.engine.execute(['PTTL', 'k'])).toBe(1_000);
});

test('scripts may publish on a replica, and EVAL_RO may not write on a master', () => {
  const stage = engineStage();

  expect(stage.engine.execute(['EVAL_RO', "return redis.call('SET', 'k', 'v')", '0'])).toEqual({
    error: expect.stringMatching(
      /^ERR Write commands are not allowed from read-only scripts\. script: /,
    ),
  });
  stage.engine.role = 'replica';

  expect(stage.engine.execute(['EVAL', "return redis.call('PUBLISH', 'ü', 'gone')", '0'])).toBe(1);
  expect(stage.published).toEqual([{ channel: 'ü', message: 'gone', sharded: false }]);
});

test('a snapshot is a copy, and brings data with their times back into another engine', () => {
  const from = engineStage();
  const to = engineStage();
  from.engine.execute(['HSET', 'h', 'f', '1']);
  from.engine.execute(['SET', 'ключ', 'v', 'PX', '100']);
  const snapshot = from.engine.snapshot();
  from.engine.execute(['HSET', 'h', 'f', '2']);
  from.engine.execute(['DEL', 'ключ']);

  to.engine.restore(snapshot);

  expect(to.engine.execute(['HGET', 'h', 'f'])).toBe('1');
  expect([...to.engine.expiries()]).toEqual([{ key: 'ключ', atUs: (to.nowMs + 101) * 1000 }]);
});

test('a script is known by its digest once it was loaded, until the scripts are flushed', () => {
  const { engine } = engineStage();
  const noScript = { error: 'NOSCRIPT No matching script. Please use EVAL.' };
  const sha1 = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db';

  expect(engine.execute(['EVALSHA', sha1, '0'])).toEqual(noScript);
  expect(engine.execute(['SCRIPT', 'LOAD', 'return 1'])).toBe(sha1);
  expect(engine.execute(['EVALSHA', sha1.toUpperCase(), '0'])).toBe(1);
  engine.execute(['SCRIPT', 'FLUSH']);

  expect(engine.execute(['EVALSHA', sha1, '0'])).toEqual(noScript);
});

test.each([
  'while true do end',
  'repeat until false',
  'for i = 1, math.huge do end',
  'while true do pcall(error) end',
  'for k in function() return 1 end do end',
])('a script that never ends is found out, and the server goes on: %s', (script) => {
  const { engine } = engineStage();

  expect(() => engine.execute(['EVAL', script, '0'])).toThrow(SimLimitError);

  expect(engine.execute(['EVAL', 'return 1', '0'])).toBe(1);
});

test('a recursion without end is an error of the script', () => {
  const { engine } = engineStage();

  expect(engine.execute(['EVAL', 'local function f() return 1 + f() end f()', '0'])).toEqual({
    error: expect.stringMatching(/^ERR user_script:1: stack overflow script: /),
  });
});

test.each(['globalThis', 'process', 'constructor', 'machine', 'RUNTIME', '__proto__'])(
  'a script cannot reach %s',
  (name) => {
    const { engine } = engineStage();

    expect(engine.execute(['EVAL', `return ${name}`, '0'])).toEqual({
      error: expect.stringContaining(`nonexistent global variable '${name}'`),
    });
    expect(
      engine.execute([
        'EVAL',
        `local t = {} return type(t.${name}) .. type(('').${name}) .. type(string.${name})`,
        '0',
      ]),
    ).toBe('nilnilnil');
  },
);

test('an unsupported command throws, and gets no reply that a server might send', () => {
  const { engine } = engineStage();

  expect(() => engine.execute(['XADD', 's', '*', 'f', 'v'])).toThrow(SimUnsupportedError);
  expect(() => engine.execute(['EVAL', 'return setmetatable({}, {})', '0'])).toThrow(
    SimUnsupportedError,
  );
  expect(() => engine.execute(['EVAL', 'return tostring({})', '0'])).toThrow(SimUnsupportedError);
  expect(engine.execute(['XYZ', 'a'])).toEqual({
    error: "ERR unknown command 'XYZ', with args beginning with: 'a' ",
  });
});

test('math.random is the same in every new server, and continues from script to script', () => {
  const draw = ['EVAL', 'return {math.random(1000), math.random(1000)}', '0'];
  const [first, second] = [engineStage().engine, engineStage().engine];

  expect(first.execute(draw)).toEqual([397, 841]);
  expect(first.execute(draw)).not.toEqual([397, 841]);
  expect(second.execute(draw)).toEqual([397, 841]);
});
