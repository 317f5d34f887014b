import { once } from 'node:events';
import { npmZooKeeper, zkClient } from './built.ts';
import type { OpenPairs } from './pair-workload.ts';

const EPHEMERAL_SEQUENTIAL = 3;
const ANY_VERSION = -1;

/** npm `zookeeper`, with callbacks, which are its fastest interface. */
export const openNpm: OpenPairs = async (servers, sessionMs) => {
  const ZooKeeper = npmZooKeeper();
  const client = new ZooKeeper();
  const connected = once(client, 'connect');
  const connect = servers.join(',');
  client.init({ connect, timeout: sessionMs, response_counter_limit: 1e9 });
  await connected;
  return {
    create: (path) =>
      new Promise((done, fail) => {
        const refusal = client.a_create(path, '', EPHEMERAL_SEQUENTIAL, (code, text, name) => {
          if (code === 0) done(name);
          else fail(new Error(`create: ${text}`));
        });
        // After a refusal it never calls back.
        if (refusal !== 0) fail(new Error(`create: ${refusal}`));
      }),
    delete: (path) =>
      new Promise<void>((done, fail) => {
        // oxlint-disable-next-line no-underscore-dangle -- the library's own name
        client.a_delete_(path, ANY_VERSION, (code, text) => {
          if (code === 0) done();
          else fail(new Error(`delete: ${text}`));
        });
      }),
    close: async () => client.close(),
  };
};

/** The client of Holdfast. */
export const openOurs: OpenPairs = async (servers, sessionMs) => {
  const { Session } = await zkClient();
  const session = await Session.open({ servers, sessionTimeoutMs: sessionMs });
  return {
    create: async (path) => (await session.create(path, '', { mode: 'ephemeral-sequential' })).path,
    delete: (path) => session.delete(path),
    close: () => session.close(),
  };
};
