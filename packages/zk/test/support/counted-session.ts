import type { ZooKeeperSession } from '@holdfast/zk';

/** A session whose requests are counted by name, in `counts`. */
export function countedSession(
  session: ZooKeeperSession,
  counts: Map<string, number>,
): ZooKeeperSession {
  return new Proxy(session, {
    get: (_, name) => {
      const member: unknown = Reflect.get(session, name, session);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
        return Reflect.apply(member, session, args);
      };
    },
  });
}
