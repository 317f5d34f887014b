import { ConfigError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';

import { failureOf, isReply } from '../src/adapters/zookeeper/client.ts';
import { AnsweredRequests, NativeRequests } from '../src/adapters/zookeeper/requests.ts';
import { loadNative } from '../src/adapters/zookeeper.ts';
import { SessionDoubt, SessionReplyError, SessionUnavailable } from '../src/port.ts';

function at(monotonicMs: number): { monotonicMs: number; wallMs: number } {
  return { monotonicMs, wallMs: 0 };
}

describe('npm zookeeper', () => {
  test('that is not installed is asked for by name', async () => {
    const missing = loadNative(() => Promise.reject(new Error('Cannot find package')));

    await expect(missing).rejects.toThrow(ConfigError);
    await expect(missing).rejects.toThrow(/npm i zookeeper/);
  });

  test('that is another module is not used', async () => {
    await expect(loadNative(async () => ({ default: () => undefined }))).rejects.toThrow(
      ConfigError,
    );
  });
});

describe('a code', () => {
  test.each([-1, -2, -3, -4, -5, -7, -9, -112, -113, -115, -116, -117, -118, -999])(
    'that no server says of a refused request is a doubt: %i',
    (code) => {
      expect(failureOf(code, 'text')).toBeInstanceOf(SessionDoubt);
      expect(isReply(code)).toBe(false);
    },
  );

  test.each([-6, -8, -101, -102, -108, -110, -111, -114, -125, -127])(
    'that a server says is a reply: %i',
    (code) => {
      expect(failureOf(code, 'text')).toBeInstanceOf(SessionReplyError);
      expect(isReply(code)).toBe(true);
    },
  );
});

describe('answers', () => {
  test('tell when the latest request left that was answered by then', () => {
    const answers = new AnsweredRequests();
    answers.add({ sentAt: at(10), answeredMs: 200 }, 1_000);
    answers.add({ sentAt: at(210), answeredMs: 400 }, 1_000);

    expect(answers.before(199)).toBeUndefined();
    expect(answers.before(200)).toEqual(at(10));
    expect(answers.before(399)).toEqual(at(10));
    expect(answers.before(5_000)).toEqual(at(210));
  });

  test('forget what is older than two session timeouts, and what a new connection makes void', () => {
    const answers = new AnsweredRequests();
    answers.add({ sentAt: at(10), answeredMs: 20 }, 1_000);
    answers.add({ sentAt: at(2_500), answeredMs: 2_600 }, 1_000);

    expect(answers.before(100)).toBeUndefined();
    answers.clear();
    expect(answers.before(9_000)).toBeUndefined();
  });
});

describe('a request', () => {
  test('that the library refuses to take was not sent', async () => {
    const requests = new NativeRequests(systemRuntime(), () => undefined);

    const refused = requests.send(
      () => -9,
      () => undefined,
    );

    await expect(refused).rejects.toBeInstanceOf(SessionUnavailable);
  });

  test('that the library never answers is a doubt, and its late answer is nobody’s', async () => {
    const answered: unknown[] = [];
    const requests = new NativeRequests(systemRuntime(), (sentAt) => answered.push(sentAt));
    let late: ((code: number, text: string) => void) | undefined;
    const lost = requests.send<[], void>(
      (reply) => {
        late = reply;
        return 0;
      },
      () => undefined,
    );

    requests.giveUpAll('it is stuck');

    await expect(lost).rejects.toBeInstanceOf(SessionDoubt);
    late?.(0, 'ok');
    expect(answered).toHaveLength(1);
  });
});
