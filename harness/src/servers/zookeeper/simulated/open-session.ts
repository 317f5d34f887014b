import { openSessions } from '@holdfast/zk/network';
import type { OpenSession, ZooKeeperSession } from '@holdfast/zk/port';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { simClientNetwork } from './dial.ts';
import type { SimZooKeeper } from './ensemble.ts';
import type { SimZooKeeperServer } from './server.ts';

export interface SimSessionOptions {
  /** Requested session timeout; the servers limit it. Default 30 000. */
  readonly timeoutMs?: number;
  /** Servers that the client may connect to; all of the ensemble by default, in an order of its own. */
  readonly servers?: readonly SimZooKeeperServer[];
  /** The identity that the client proves, for nodes that only their creator may access. */
  readonly identity?: string;
  /** Called with every session that is opened. For the harness. */
  readonly opened?: (session: ZooKeeperSession) => void;
  /** A client other than the shipped one: a mutant of it. */
  readonly openSessions?: typeof openSessions | undefined;
}

/**
 * Opens sessions of the simulated ensemble from a process, with the shipped client. Their calls count for the anchors
 * of the process and for the rules of the network. The labels are the names of the port's methods, and `connect` (the
 * network's), `session` (the first message on a connection), `auth`, `setWatches`, `removeWatch`, `ping`, and `watch`
 * for notifications.
 */
export function simOpenSession(
  process: SimProcess,
  ensemble: SimZooKeeper,
  network: Network,
  options: SimSessionOptions = {},
): OpenSession {
  const { timeoutMs = 30_000, servers = ensemble.servers, identity, opened } = options;
  const open = (options.openSessions ?? openSessions)(
    {
      network: simClientNetwork(process, network, servers),
      servers: servers.map(({ name }) => name),
      sessionTimeoutMs: timeoutMs,
      auth: identity === undefined ? undefined : { user: identity, password: identity },
    },
    process.clientRuntime,
  );
  return async (...opening) => {
    const session = await open(...opening);
    opened?.(session);
    return session;
  };
}
