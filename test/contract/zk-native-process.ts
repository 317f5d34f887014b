import { type BackendUnderTest, CHECKS, runCheck } from '@holdfast/conformance';
import { capabilities, nativeSessions, openZk } from '@holdfast/zk';
import { ask, tell } from '../support/parent.ts';

/** The contract through npm `zookeeper`, check by check; the parent injects faults into the servers and the network. */
const [ttl = ''] = process.argv.slice(2);
const ttlMs = Number(ttl);

function subject(): BackendUnderTest {
  const sessions = new Map<string, string>();
  return {
    capabilities,
    ttlMs,
    async open(host) {
      const address = String(await ask('way', host.label));
      const open = nativeSessions({ servers: [address], sessionTimeoutMs: ttlMs }, host.runtime);
      const noting = {
        ...host,
        emit: (event: Parameters<typeof host.emit>[0]) => {
          const outcome = event.type === 'node' ? event.outcome : '';
          const id = /^session (0x[\da-f]+)$/.exec(outcome)?.[1];
          if (id !== undefined) sessions.set(host.label, id);
          host.emit(event);
        },
      };
      return await openZk({ open, sessionTimeoutMs: ttlMs }, noting);
    },
    close: async () => void (await ask('close')),
    faults: {
      stop: async () => void (await ask('stop')),
      resume: async () => void (await ask('resume')),
      loseReplies: async (name) => void (await ask('loseReplies', name)),
      restoreReplies: async (name) => void (await ask('restoreReplies', name)),
      outlive: async (name) => void (await ask('outlive', name, sessions.get(name) ?? '')),
      putForeign: async (key) => {
        await ask('putForeign', key);
        return async () => (await ask('foreignStands', key)) === true;
      },
    },
  };
}

for (const check of CHECKS) {
  tell({ check: check.name, kind: 'started' });
  const { kind, reason } = await runCheck(check, subject());
  tell({ check: check.name, kind, reason });
}
process.exit();
