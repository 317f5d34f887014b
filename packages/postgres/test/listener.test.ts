import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { ChannelListener } from '../src/database/listener.ts';
import type { Session, SessionReply } from '../src/database/session.ts';

const CALL_MS = 100;

/** A connection whose end becomes known only when the network says so. */
class SlowToEnd implements Session {
  readonly #ended = new Set<() => void>();
  readonly #pid: string;
  isClosed = false;

  constructor(pid: string) {
    this.#pid = pid;
  }

  run(): Promise<SessionReply> {
    return Promise.resolve({ rows: [{ pid: this.#pid }] });
  }

  onNotification(): void {
    // None comes.
  }

  onEnd(listener: () => void): void {
    this.#ended.add(listener);
  }

  close(): void {
    this.isClosed = true;
  }

  end(): void {
    for (const listener of this.#ended) listener();
  }
}

test('the late end of a connection that was given up is no end of the one that listens now', async () => {
  const world = new World({ trace: false });
  const { runtime } = world.process('a');
  const opened: SlowToEnd[] = [];
  const dialer = {
    address: 'pg',
    dial: async () => {
      opened.push(new SlowToEnd(`${opened.length}`));
      return opened.at(-1) ?? new SlowToEnd('');
    },
  };
  // No other connection in time, so the first try is given up.
  const others = [new Promise<string>(() => undefined), Promise.resolve('other')];
  const listener = new ChannelListener(dialer, runtime, () => others.shift() ?? Promise.reject());
  const events: string[] = [];
  const listen = (): Promise<unknown> =>
    listener.listen('channel', ({ kind }) => void events.push(kind), {
      deadlineMs: runtime.now().monotonicMs + CALL_MS,
    });
  await world.run(async () => {
    await expect(listen()).rejects.toThrow('not listening in time');
    await world.advance(1);
    await listen();
    opened[0]?.end();

    expect(events).toEqual([]);
    listener.close();
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });
});
