import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CERTIFICATE, KEY } from '../../../../test/support/tls-server.ts';
import { Bench } from '../kit.ts';

const ENCRYPTED =
  "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'holdfast' AND client_port > 0 AND ssl";
/** The certificate is for localhost and 127.0.0.1 alone. */
const OTHER_HOST = '127.0.0.2';

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start({ config: { listen_addresses: '*' } });
  const folder = await bench.server.sql('SHOW data_directory');
  const write = (name: string, text: string): Promise<string> =>
    bench.server.sql(
      `COPY (SELECT unnest(string_to_array($$${text.trim()}$$, E'\\n'))) TO PROGRAM 'umask 077; cat > ${folder}/${name}'`,
    );
  await write('server.crt', CERTIFICATE);
  await write('server.key', KEY);
  await bench.server.configure('ssl', 'on');
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

function urlOf(host: string): string {
  const url = new URL(bench.server.url);
  url.hostname = host;
  return url.href;
}

describe.each(['pg', 'postgres'] as const)('through %s', (library) => {
  test.each(['127.0.0.1', 'localhost'])('by %s all connections are encrypted', async (host) => {
    const source = urlOf(host);
    const { locks } = await bench.open({ source, library, tls: { ca: CERTIFICATE } });
    const lease = await locks.acquire('k');

    expect(Number(await bench.server.sql(ENCRYPTED))).toBeGreaterThan(0);
    await expect(lease.release()).resolves.toBeDefined();
  });

  test.each([
    ['that no authority has signed', '127.0.0.1', {}, /self[- ]signed/],
    ['of another host', OTHER_HOST, { ca: CERTIFICATE }, /does not match certificate/],
  ] as const)('a certificate %s is refused', async (_, host, tls, why) => {
    const { locks } = await bench.open({ source: urlOf(host), library, tls });

    await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: expect.stringMatching(why),
    });
    expect(await bench.server.sql(ENCRYPTED)).toBe('0');
  });
});
