import type { OpenSession, ZooKeeperSession } from '@holdfast/zk/port';
import { Proxy } from '../../../../../harness/src/processes/proxy/proxy.ts';
import { type Check, TIMEOUT_MS, type World } from './session-checks.ts';

/** Makes openers of the adapter that is on trial. */
export type Adapter = (address: string, chroot?: string) => OpenSession;

/** What the proxy in front of the server can do, here or in another process. */
export type Network = Pick<World, 'cut' | 'slow' | 'loseReplies' | 'reset' | 'heal'>;

export function networkOf(proxy: Proxy): Network {
  const pass = async (): Promise<void> => proxy.heal({ drop: true });
  return {
    cut: async () => proxy.cut(),
    slow: async () => proxy.delay({ down: 300 }),
    loseReplies: async () => proxy.cut('down'),
    reset: async () => {
      await pass();
      proxy.reset();
    },
    heal: pass,
  };
}

/** Of servers, and of ways to them. */
export interface Addresses {
  readonly direct: string;
  readonly proxied: string;
  readonly trickling: string;
  readonly nowhere: string;
}

export async function playCheck(
  check: Check,
  adapter: Adapter,
  addresses: Addresses,
  network: Network,
): Promise<void> {
  const opened: ZooKeeperSession[] = [];
  const kept =
    (open: OpenSession): OpenSession =>
    async (deadlineMs) => {
      const session = await open(deadlineMs);
      opened.push(session);
      return session;
    };
  try {
    await check.run({
      ...network,
      root: `/${encodeURIComponent(check.name)}`,
      open: kept(adapter(addresses.proxied)),
      observe: kept(adapter(addresses.direct)),
      openBelow: (chroot) => kept(adapter(addresses.direct, chroot)),
      openTrickling: kept(adapter(addresses.trickling)),
      openNowhere: adapter(addresses.nowhere),
    });
  } finally {
    await network.heal();
    await Promise.all(opened.map((session) => session.close({ timeoutMs: TIMEOUT_MS })));
  }
}
