import { RedisServer, ZooKeeperServer } from '@holdfast/harness/real';
import { onMessage, tell } from '../../../test/support/parent.ts';

/** Starts servers of both kinds and keeps them. Arguments: where they may leave something. */
const [folder = ''] = process.argv.slice(2);
// Read by whatever makes a temporary folder.
process.env['TMPDIR'] = folder;

const [redis, zookeeper] = await Promise.all([RedisServer.start(), ZooKeeperServer.start()]);
onMessage((message) => {
  if (message !== 'stop') return;
  redis.stop();
  zookeeper.stop();
  tell('stopped');
});
tell('serving');
