import type { ZooKeeperSession } from '@holdfast/zk';

/** Returns a session whose requests are counted by name, in `asked`. */
export function countedSession(
  session: ZooKeeperSession,
  asked: Map<string, number>,
): ZooKeeperSession {
  return new Proxy(session, {
    get: (_, name) => {
      const member: unknown = Reflect.get(session, name, session);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        asked.set(String(name), (asked.get(String(name)) ?? 0) + 1);
        return Reflect.apply(member, session, args);
      };
    },
  });
}
