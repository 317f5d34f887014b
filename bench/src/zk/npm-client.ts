import { once } from 'node:events';
import { npmZooKeeper } from './built.ts';
import type { OpenPairs } from './pair-workload.ts';

const EPHEMERAL_SEQUENTIAL = 3;
const ANY_VERSION = -1;

/** By callbacks, which is its fastest way. */
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
        // Then it never calls back.
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
