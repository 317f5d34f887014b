import { readFileSync, writeFileSync } from 'node:fs';
import type { WatchEvent } from '@holdfast/zk-client';
import type { NetworkSession } from '../../src/session.ts';

/** Bytes of a real server, in hexadecimal: its reply to the request for a session, then everything else. */
export interface Recording {
  readonly greeting: string;
  readonly rest: string;
}

const file = new URL('recorded-replies.json', import.meta.url);

export function readRecording(): Recording {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function writeRecording(recording: Recording): void {
  writeFileSync(file, `${JSON.stringify(recording, undefined, 2)}\n`);
}

/** Sends requests for each kind of reply. All are sent at once, so that the server's bytes fit every replay. */
export function sendScene(
  session: NetworkSession,
  heard: (event: WatchEvent) => void,
): Promise<unknown>[] {
  return [
    session.addAuth({ scheme: 'digest', auth: 'user:password' }),
    session.create('/scene', 'data'),
    session.create('/scene/n-', 'é', { mode: 'ephemeral-sequential' }),
    session.create('/scene/box', '', { mode: 'container' }),
    session.exists('/scene'),
    session.existsWatch('/scene/later', heard),
    session.getData('/scene'),
    session.getData('/none'),
    session.getChildrenWatch('/scene', heard),
    session.getAcl('/scene'),
    session.setData('/scene', new Uint8Array([1, 2, 3])),
    session.setData('/scene', 'x', 7),
    session.setAcl('/scene/box', [{ scheme: 'world', id: 'anyone', permissions: ['read'] }]),
    session.multi([
      { kind: 'create', path: '/scene/later', data: '' },
      { kind: 'check', path: '/scene', version: 1 },
      { kind: 'set', path: '/scene', data: '' },
      { kind: 'delete', path: '/scene/later' },
    ]),
    session.multi([
      { kind: 'delete', path: '/scene/box' },
      { kind: 'delete', path: '/none' },
    ]),
    session.sync('/scene'),
    session.getChildren('/scene'),
  ];
}

/** Returns the result of every request, without what differs between servers: times and transaction ids. */
export async function outcomesOf(requests: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(requests);
  return settled.map((each) => {
    if (each.status === 'rejected') return String(each.reason);
    const text = JSON.stringify(each.value, (name, value: unknown) => {
      if (/^sentAt$|zxid$|timeMs$|^ephemeralOwner$/.test(name)) return undefined;
      return value instanceof Uint8Array ? [...value] : value;
    });
    return text ?? 'undefined';
  });
}
