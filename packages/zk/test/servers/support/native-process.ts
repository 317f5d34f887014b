import { systemRuntime } from '@holdfast/core/backend';
import { ask, tell } from '../../../../../test/support/parent.ts';
import { nativeSessions } from '../../../src/adapters/zookeeper.ts';
import { type Adapter, playCheck } from './play-check.ts';
import { CHECKS, TIMEOUT_MS } from './session-checks.ts';

/** All checks through npm `zookeeper`, one after the other; `process.argv` has the addresses. */
const [direct = '', proxied = '', trickling = '', nowhere = ''] = process.argv.slice(2);
const runtime = systemRuntime();
const adapter: Adapter = (address, chroot) =>
  nativeSessions({ servers: [address], chroot, sessionTimeoutMs: TIMEOUT_MS }, runtime);
const network = {
  cut: () => ask('cut'),
  slow: () => ask('slow'),
  loseReplies: () => ask('loseReplies'),
  reset: () => ask('reset'),
  heal: () => ask('heal'),
};

process.on('unhandledRejection', (error) => {
  tell({ check: 'no rejection is left unhandled', error: String(error) });
});
for (const check of CHECKS) {
  tell({ check: check.name, started: true });
  try {
    await playCheck(check, adapter, { direct, proxied, trickling, nowhere }, network);
    tell({ check: check.name });
  } catch (error) {
    tell({ check: check.name, error: error instanceof Error ? error.stack : String(error) });
  }
}
tell('done');
process.exit();
