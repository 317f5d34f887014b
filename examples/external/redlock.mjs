/** redlock 5 on the bench, with every server that it is given as a node. */
import { Redis } from 'ioredis';
import { ExecutionError, default as Redlock, ResourceLockedError } from 'redlock-5';
import { serve } from './bench-lines.mjs';

const RETRY_MS = 50;

serve(async ({ servers, ttlMs }) => {
  const nodes = servers.map((server) => {
    const [host, port] = server.split(':');
    // Without a commandTimeout a request on a link that is cut never ends, and a release may wait without limit.
    const commandTimeout = Math.floor(ttlMs / 4);
    return new Redis({ host, port: Number(port), maxRetriesPerRequest: 1, commandTimeout });
  });
  for (const node of nodes) node.on('error', () => undefined);
  const redlock = new Redlock(nodes, { retryDelay: RETRY_MS, retryJitter: 20 });
  redlock.on('error', (error) => {
    if (!(error instanceof ResourceLockedError)) console.error(error.message);
  });
  const held = new Map();

  /** `using` extends the lock for as long as its routine runs, and aborts its signal when it cannot. */
  const acquire = async (key, waitMs) => {
    const retryCount = Math.floor(waitMs / RETRY_MS);
    let leave;
    const left = new Promise((resolve) => {
      leave = resolve;
    });
    let grant;
    const granted = new Promise((resolve) => {
      grant = resolve;
    });
    const threshold = { automaticExtensionThreshold: Math.floor(ttlMs / 2) };
    const done = redlock.using([key], ttlMs, { retryCount, ...threshold }, async (signal) => {
      grant(signal);
      await left;
    });
    done.catch(() => undefined);
    const refused = done.catch((error) => {
      if (error instanceof ExecutionError) return undefined;
      throw error;
    });
    const signal = await Promise.race([granted, refused]);
    if (signal === undefined) return false;
    held.set(key, { signal, leave, done });
    return true;
  };

  return {
    name: `redlock 5.0.0-beta.2 on ${nodes.length === 1 ? 'one server' : `${nodes.length} servers`}`,
    options: `using(), retryDelay ${RETRY_MS}, commandTimeout a quarter of the ttl, extended from half of the ttl on; stops when its signal is aborted`,
    locks: {
      acquire,
      holds: async (key) => !held.get(key).signal.aborted,
      release: async (key) => {
        const { leave, done } = held.get(key);
        held.delete(key);
        leave();
        return await done.then(
          () => true,
          () => false,
        );
      },
    },
  };
});
