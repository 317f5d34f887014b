import { createHash, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { lockScripts } from './built.ts';
import { type Candidate, TTL_MS, type Unlock } from './candidate.ts';

/** Runs a script by its hash; the server has loaded it before. */
type Evalsha = (sha: string, keys: string[], args: string[]) => Promise<unknown>;

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** The lower bound: the two scripts of redis-simple, called directly. */
function twoCalls(
  evalsha: Evalsha,
  scripts: { acquire: string; release: string },
): (key: string) => Promise<Unlock | undefined> {
  const [acquireSha, releaseSha] = [sha1(scripts.acquire), sha1(scripts.release)];
  return async (key) => {
    const stem = `raw:v1:{${key}}:`;
    const owner = `${randomUUID()}:1:bench`;
    const reply = await evalsha(
      acquireSha,
      [`${stem}lock`, `${stem}fence`],
      [owner, String(TTL_MS)],
    );
    if (typeof reply !== 'string') return undefined;
    return () => evalsha(releaseSha, [`${stem}lock`], [owner, `${stem}channel`]);
  };
}

export const rawIoredis: Candidate = {
  name: 'raw EVALSHA',
  client: 'ioredis',
  async open(url) {
    const scripts = await lockScripts();
    const client = new Redis(url);
    for (const source of Object.values(scripts)) await client.script('LOAD', source);
    const evalsha: Evalsha = (sha, keys, args) =>
      client.evalsha(sha, keys.length, ...keys, ...args);
    return { acquire: twoCalls(evalsha, scripts), close: () => client.quit() };
  },
};

export const rawNodeRedis: Candidate = {
  name: 'raw EVALSHA',
  client: 'node-redis',
  async open(url) {
    const scripts = await lockScripts();
    const client = await createClient({ url }).connect();
    for (const source of Object.values(scripts)) await client.scriptLoad(source);
    const evalsha: Evalsha = (sha, keys, args) => client.evalSha(sha, { keys, arguments: args });
    return { acquire: twoCalls(evalsha, scripts), close: () => client.close() };
  },
};
