import type { Backend } from '@holdfast/core/backend';
import { type SimProcess, World } from '@holdfast/harness/simulator';
import type { BackendUnderTest } from '../../src/index.ts';
import { capabilities, openSessions, SESSION_MS, SessionClient } from './session-backend.ts';
import { SessionStore } from './session-store.ts';

/** Changes that turn the correct session lock into a broken one. */
export interface SpoiltSession {
  readonly backend?: (backend: Backend, client: SessionClient) => Backend;
  readonly store?: () => SessionStore;
}

/** A session backend in a virtual world. */
export function sessionSubject(spoilt: SpoiltSession = {}): BackendUnderTest {
  const world = new World({ trace: false });
  const store = spoilt.store?.() ?? new SessionStore();
  const processes = new Map<string, SimProcess>();
  const clients = new Map<string, SessionClient>();
  const processOf = (name: string): SimProcess => {
    const process = processes.get(name) ?? world.process(name);
    processes.set(name, process);
    return process;
  };
  return {
    capabilities,
    ttlMs: SESSION_MS,
    slackMs: 0,
    runtimeOf: (name) => processOf(name).runtime,
    open: async (host) => {
      const client = new SessionClient(store, host, processOf(host.label));
      clients.set(host.label, client);
      const backend = openSessions(client);
      return spoilt.backend?.(backend, client) ?? backend;
    },
    play: (run) => world.run(run),
    faults: {
      outlive: async (name) => {
        await new Promise<void>((resume) => {
          processOf(name).runtime.timer(SESSION_MS, resume, { awaited: true });
        });
        clients.get(name)?.end();
      },
    },
  };
}
