import { ConfigError } from '@holdfast/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SentinelDeployment } from '../../../../harness/test/kit/real-servers.ts';
import { take } from '../../../../test/support/contending.ts';
import { CERTIFICATE, startTls } from '../../../../test/support/tls-server.ts';
import { ClusterWorld, PASSWORD } from './support/cluster-world.ts';
import { type Opening, Openings } from './support/openings.ts';

const LIBRARIES = ['ioredis', 'redis', 'resp'] as const;
const TRUSTED = { ca: CERTIFICATE };

let openings: Openings;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  openings = new Openings();
});
afterEach(() => openings.close());
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A TLS port in front of a plain one. */
async function tlsFor({ port }: { readonly port: number }): Promise<number> {
  const tls = await startTls(port);
  closing.push(() => tls.server.close());
  return tls.port;
}

describe('behind sentinels', () => {
  let redis: SentinelDeployment;
  let plain: string;
  let secure: string;
  let master: { readonly host: string; readonly port: number };
  beforeAll(async () => {
    redis = await SentinelDeployment.start({ sentinels: 2, replicas: 0 });
    closing.push(() => redis.close());
    const ports = await Promise.all(redis.sentinels.map(tlsFor));
    plain = `${redis.hosts}/${redis.name}`;
    secure = `${ports.map((port) => `localhost:${port}`).join(',')}/${redis.name}`;
    const [server] = redis.servers;
    if (server === undefined) throw new Error('no master');
    master = { host: 'localhost', port: await tlsFor(server) };
  });
  const natMap = (): { host: string; port: number } => master;

  test.each(LIBRARIES)(
    'TLS is spoken to the sentinels and the master, or to either, through %s',
    async (library) => {
      const openingsOf: readonly Opening[] = [
        { source: `rediss+sentinel://${secure}`, tls: TRUSTED, natMap },
        { source: `rediss+sentinel://${plain}`, tls: TRUSTED, natMap, sentinelTls: false },
        { source: `redis+sentinel://${secure}`, sentinelTls: TRUSTED },
      ];
      for (const options of openingsOf) {
        const backend = await openings.open({ ...options, library });
        await (await take(backend, 'tls')).release();
      }
      expect(openings.events).toEqual([]);
    },
  );

  test.each<readonly [string, RegExp, () => Opening]>([
    [
      'sentinels that speak TLS and are not meant to',
      /has the sentinel localhost:\d+, which speaks TLS: set sentinelTls to true/,
      () => ({ source: `redis+sentinel://${secure}` }),
    ],
    [
      'sentinels that do not speak TLS and are meant to',
      /has the sentinel 127.0.0.1:\d+, which does not speak TLS: set sentinelTls to false/,
      () => ({ source: `rediss+sentinel://${plain}`, tls: TRUSTED, natMap }),
    ],
    [
      'a master that speaks TLS and is not meant to',
      /has the master localhost:\d+, which speaks TLS: the URL begins with rediss\+sentinel:/,
      () => ({ source: `redis+sentinel://${plain}`, natMap }),
    ],
    [
      'a master that does not speak TLS and is meant to',
      /has the master 127.0.0.1:\d+, which does not speak TLS: the URL begins with redis\+sentinel:/,
      () => ({ source: `rediss+sentinel://${secure}`, tls: TRUSTED }),
    ],
    [
      'sentinels whose certificate is not trusted',
      /has a certificate that is not trusted/,
      () => ({ source: `rediss+sentinel://${secure}`, natMap }),
    ],
  ])('%s: refused on opening', async (_, message, options) => {
    for (const library of LIBRARIES) {
      const opening = openings.open({ ...options(), library });
      const error: unknown = await opening.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toMatch(message);
    }
  });
});

test('on a cluster TLS is spoken to every node, also where a redirect leads', async () => {
  const world = await ClusterWorld.start({ masters: 2, replicas: 0 });
  closing.push(() => world.close());
  const natMap: Record<string, { host: string; port: number }> = {};
  for (const { address, server } of world.cluster.masters)
    natMap[address] = { host: 'localhost', port: await tlsFor(server) };
  const [seed] = Object.values(natMap);
  const source = `rediss+cluster://:${PASSWORD}@localhost:${seed?.port}`;
  for (const library of LIBRARIES) {
    const backend = await world.open({ source, library, natMap, tls: TRUSTED });
    for (const key of await world.keysOnEachMaster(library)) {
      expect(await (await take(backend, key)).release()).toEqual({ kind: 'released' });
      await world.cluster.moveSlot(await world.slotOf(key), await world.otherThan(key));
      expect(await (await take(backend, key)).release()).toEqual({ kind: 'released' });
    }
  }
});
