import { zkClient } from './built.ts';
import type { OpenPairs } from './pair-workload.ts';

export const openOurs: OpenPairs = async (servers, sessionMs) => {
  const { Session } = await zkClient();
  const session = await Session.open({ servers, sessionTimeoutMs: sessionMs });
  return {
    create: async (path) => (await session.create(path, '', { mode: 'ephemeral-sequential' })).path,
    delete: (path) => session.delete(path),
    close: () => session.close(),
  };
};
