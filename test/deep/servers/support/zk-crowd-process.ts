import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Crowd } from '../../../../packages/zk/test/kit/real-clients.ts';
import { onMessage, tell } from '../../../support/parent.ts';

/** A process with a crowd in it, and one lease of another key. Arguments: `host:port`, the key, and how many wait. */
const [server = '', key = '', size = ''] = process.argv.slice(2);
const T_MS = 30_000;
const LOOK_MS = 20;

const crowd = await Crowd.open(server, T_MS);
const other = await crowd.locks.acquire(`other of ${process.pid}`);
const delay = monitorEventLoopDelay({ resolution: 5 });

function queued(): void {
  if (crowd.count('existsWatch') < Number(size)) return void setTimeout(queued, LOOK_MS);
  tell({ lists: crowd.count('list'), blockedMs: Math.round(delay.max / 1e6) });
  delay.reset();
  tell('queued');
}

crowd.onServed = () => tell({ served: crowd.served, lists: crowd.count('list') });
onMessage((message) => {
  if (message === 'queue') {
    delay.enable();
    crowd.queueUp(key, Number(size));
    queued();
  } else if (message === 'abort') {
    crowd.abort(Number(size));
    void crowd.settled().then(() => {
      tell({
        state: other.state,
        outcomes: crowd.outcomes,
        blockedMs: Math.round(delay.max / 1e6),
      });
      tell('settled');
    });
  } else if (message === 'end') void crowd.locks.close().then(() => process.exit());
});
tell('open');
