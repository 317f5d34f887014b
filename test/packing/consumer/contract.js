// Plays the contract of one backend in this runtime: contract.js NAME [LIBRARY] [ADDRESS#PID…].
// Where all process ids are given, it also pauses the servers. Prints every rule that is broken, and the counts.
import { CHECKS, runCheck } from '@holdfast/conformance';
import { createHost, MemoryStore, openMemory } from '@holdfast/core/backend';
import * as getset from '@holdfast/redis-getset';
import * as simple from '@holdfast/redis-simple';
import * as redlock from '@holdfast/redlock';
import * as zk from '@holdfast/zk';

const [name, library, ...servers] = process.argv.slice(2);
const addresses = servers.map((server) => server.split('#')[0]);
const pids = servers.flatMap((server) => Number(server.split('#')[1]) || []);
const [first] = addresses;

const TTL_MS = 2_000;
const send = async (signal) => pids.forEach((pid) => process.kill(pid, signal));
const faults =
  pids.length > 0 ? { stop: () => send('SIGSTOP'), resume: () => send('SIGCONT') } : {};

const subjects = {
  memory: async () => {
    const store = new MemoryStore(() => performance.now());
    const open = (host) => openMemory({ store }, host);
    return { capabilities: (await open(createHost())).capabilities, open };
  },
  'redis-simple': () => ({
    capabilities: simple.capabilities,
    open: (host) => simple.openRedisSimple({ source: first, library }, host),
  }),
  'redis-getset': () => ({
    capabilities: getset.capabilities,
    open: (host) => getset.openRedisGetset({ source: first, library }, host),
    flaws: {
      'after a takeover the old holder’s release is not-held, and does not affect the new holder':
        'DEL removes whatever is stored',
    },
  }),
  redlock: () => ({
    capabilities: redlock.capabilities,
    open: (host) => redlock.openRedlock({ sources: addresses, library }, host),
  }),
  zk: () => ({
    capabilities: zk.capabilities,
    open: (host) => zk.openZk({ servers: addresses, sessionTimeoutMs: TTL_MS }, host),
  }),
};

async function play(check, extra) {
  const subject = { ttlMs: TTL_MS, ...(await subjects[name]()), ...extra };
  return await runCheck(check, subject);
}

// Most rules wait for a lease to end, so they do that side by side. A paused server would disturb the others.
const outcomes = await Promise.all(CHECKS.map((check) => play(check, {})));
for (const [n, { kind }] of outcomes.entries())
  if (kind === 'skipped' && pids.length > 0) outcomes[n] = await play(CHECKS[n], { faults });

const count = (kind) => outcomes.filter((outcome) => outcome.kind === kind).length;
for (const { kind, check, reason } of outcomes)
  if (kind === 'broken') console.log(`broken: ${check}: ${reason}`);
console.log(`${name}: ${count('kept')} kept, ${count('skipped')} skipped`);
process.exitCode = count('broken') > 0 ? 1 : 0;
