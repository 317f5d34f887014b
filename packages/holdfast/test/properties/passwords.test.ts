import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { LockError } from '@holdfast/core';
import { createHost, createLocks, openMemory, redactText } from '@holdfast/core/backend';
import * as fc from 'fast-check';
import { type Config, loadConfig, openLocks } from 'holdfast';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-passwords-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SCHEMES = [
  'redis://',
  'rediss://',
  'redlock://',
  'zk://',
  'etcd://',
  'memory:',
  'Redis://',
  '',
  'rediss//',
  'zk//',
  '//',
  '/',
  './',
  '../',
  '/etc/',
  'redis:/',
  'redis:',
  'redis:///',
  'reds://',
  'http://',
  'redis ://',
  'redis;//',
  ' redis://',
  '"redis://',
  '://',
  'redis%3A%2F%2F',
  'redis:\\\\',
  'redis+sentinel://',
  'node_modules/@scope/',
];
const SPECIAL = [...Array.from(':/?#%@ "\'\\[]()&=,{}<>;'), '%2F', '%40', '../', '://'];
const HOSTS = [
  'h',
  '127.0.0.1:1',
  '[::1]:1',
  'h:x',
  'a,b:no',
  'x.json',
  'x.mjs',
  'h/0?db=1',
  'h/a',
  '',
];

/** Parts of a password, none of which may be shown, with what people have between them. */
const secret = fc
  .array(fc.tuple(fc.constantFrom(...SPECIAL, ''), fc.integer({ min: 0, max: 99 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map(([special, n], at) => `${at === 0 ? '' : special}Zq${n}`).join(''));

const url = fc
  .record({
    scheme: fc.constantFrom(...SCHEMES),
    user: fc.constantFrom('u', 'user', '', 'two words'),
    colon: fc.constantFrom(':', ':', ':', '%3A', ':/', ':?', ':#', ':1/'),
    secret,
    at: fc.constantFrom('@', '@', '@', '%40'),
    host: fc.constantFrom(...HOSTS),
  })
  .map(({ scheme, user, colon, secret: hidden, at, host }) =>
    [scheme, user, colon, hidden, at, host].join(''),
  );

/** The host was forgotten; what follows an `@` in the password would be taken for it. */
const hostless = fc
  .record({
    scheme: fc.constantFrom('redis://', 'rediss://', 'redlock://', 'zk://', 'reds://', 'rediss//'),
    user: fc.constantFrom('u', 'user', ''),
    secret: secret.filter((hidden) => !/@|%40|["'`\s]/.test(hidden)),
  })
  .map(({ scheme, user, secret: hidden }) => `${scheme}${user}:${hidden}`);

/** All that a log could write of an error. */
function shown(error: unknown): string {
  const seen = [
    String(error),
    inspect(error, { depth: 12, showHidden: true, maxStringLength: null }),
  ];
  for (let each = error; each instanceof Error; each = each.cause)
    seen.push(
      each.message,
      String(each.stack),
      JSON.stringify(Object.entries(each)),
      JSON.stringify(each),
    );
  return seen.join('\n');
}

async function failure(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** No backend makes both of these promises, so that nothing connects. */
const IMPOSSIBLE = { require: ['fifo', 'per-call-ttl'] };

async function opened(source: unknown, options: object = IMPOSSIBLE): Promise<void> {
  const locks = await openLocks(source as Config, options);
  await locks.close({ timeoutMs: 0 });
}

const host = createHost();
const memory = await openMemory({}, host);
const locks = createLocks(memory, host);

/** Wherever people put a URL, or what they take for one. */
const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'the source': (text) => opened(text),
  'the path of a file': (text) => loadConfig(text),
  'the path of a JSON file': (text) => loadConfig(`${text}.json`),
  'a backend': (text) => opened({ backend: text }),
  'a backend file': (text) => opened({ backend: `./${text}.mjs` }),
  'a url of zk': (text) => opened({ backend: 'zk', url: `${text}//` }),
  'a url of postgres': (text) => opened({ backend: 'postgres', url: `postgres://${text}//` }),
  'a url of redis': (text) => opened({ backend: 'redis-simple', url: `x${text}` }),
  'one of the nodes': (text) => opened({ backend: 'redlock', nodes: ['redis://a', `x${text}`] }),
  'a list for a url': (text) => opened({ backend: 'redis-simple', url: [text] }),
  'an object for a url': (text) => opened({ backend: 'redis-simple', url: { url: text } }),
  'a number': (text) => opened({ backend: 'memory', ttlMs: text }),
  'a requirement': (text) => opened({ backend: 'memory', require: [text] }),
  'the name of an option': (text) => opened({ backend: 'memory', [text]: 1 }),
  'an option of an imported backend': (text) => opened({ backend: './mine.mjs', [text]: 1 }),
  'the chosen store': (text) => opened({ stores: { a: { backend: 'memory' } } }, { store: text }),
  'a store of no stores': (text) => opened('memory:', { store: text }),
  'the name of a store': (text) => opened({ stores: { [text]: { backend: 'memory' } } }),
  'the name of a wrong store': (text) =>
    opened({ stores: { [text]: { backend: 'memory', tllMs: 1 } } }, { store: text }),
  'what stands beside stores': (text) => opened({ stores: {}, [text]: 1 }, { store: 'a' }),
  'the second argument': (text) => opened('memory:', { [text]: 1 }),
  'a requirement of the code': (text) => opened('memory:', { require: [text] }),
  'a listener': (text) => opened('memory:', { on: { [text]: 1, lost: text } }),
  'an option of a call': (text) => locks.acquire('k', { ttlMs: text as never }),
  'the name of an option of a call': (text) => locks.acquire('k', { [text]: 1 }),
  'a JSON file': async (text) => {
    const path = join(folder, 'config.json');
    writeFileSync(path, `{ "backend": "redis-simple", "url": ${JSON.stringify(text)} , m }`);
    return await loadConfig(path);
  },
  'the name of a variable': async (text) => {
    const path = join(folder, 'variable.json');
    writeFileSync(path, JSON.stringify({ backend: 'redis-simple', url: `\${${text}}` }));
    return await loadConfig(path);
  },
  'a module that throws': async (text) => {
    const path = join(folder, `throws-${modules++}.mjs`);
    const message = JSON.stringify(`cannot reach redis://u:${text.replaceAll(/[\s"'`]/g, '')}`);
    writeFileSync(path, `throw Object.assign(new Error(${message}), { url: ${message} });`);
    return await loadConfig(path);
  },
};
let modules = 0;

test.for(Object.keys(PLACES))(
  'no error shows a password that was given in place of %s',
  async (place) => {
    const isWritten = place === 'a module that throws';
    await fc.assert(
      fc.asyncProperty(fc.oneof({ arbitrary: url, weight: 3 }, hostless), async (text) => {
        const error = await failure(() => PLACES[place]?.(text));

        expect(error === undefined || error instanceof LockError).toBe(true);
        expect(shown(error)).not.toContain('Zq');
      }),
      { numRuns: isWritten ? 50 : 300 },
    );
  },
);

/** Texts as `lease.export` returns them, some of them damaged or of another format. */
const exportedText = fc
  .record({
    prefix: fc.constantFrom('holdfast-lease:', 'Holdfast-Lease:'),
    version: fc.constantFrom('1', '2', '0', '007'),
    lease: fc.record({
      key: fc.constantFrom('k', '', 'Zq-key'),
      backend: fc.constantFrom('memory', 'redlock'),
      owner: fc.constantFrom('Zq-owner:1:p', ''),
      ttlMs: fc.constantFrom(1_000, 0, '1'),
    }),
    isDamaged: fc.boolean(),
  })
  .map(({ prefix, version, lease, isDamaged }) => {
    const body = Buffer.from(JSON.stringify(lease)).toString('base64url');
    return `${prefix}${version}:${isDamaged ? body.slice(1) : body}`;
  });

test('no error shows an exported lease that cannot be adopted, nor one in place of an option', async () => {
  await fc.assert(
    fc.asyncProperty(exportedText, async (text) => {
      const secrets = [text.slice(-12), 'Zq-owner'];
      const errors = [
        await failure(() => locks.adopt(text)),
        await failure(() => locks.adopt(`${text}!`)),
        await failure(() => opened(text)),
        await failure(() => locks.acquire('k', { ttlMs: text as never })),
        await failure(() => locks.acquire('k', { [text]: 1 })),
      ];

      for (const error of errors) {
        expect(error).toBeInstanceOf(LockError);
        for (const hidden of secrets) expect(shown(error)).not.toContain(hidden);
      }
    }),
    { numRuns: 100 },
  );
});

/** In a sentence, what follows an `@` and a blank may be anything. */
const inSentence = secret.filter((hidden) => !/@.*\s/.test(hidden));

test('a sentence of somebody else does not show the password of the URL in it', () => {
  fc.assert(
    fc.property(inSentence, fc.constantFrom('redis', 'rediss', 'zk'), (hidden, scheme) => {
      const said = redactText(`cannot reach "${scheme}://u:${hidden}@h:1/0" (see the log)`);

      expect(said).not.toContain('Zq');
      expect(said).toMatch(/^cannot reach .*@h:1\/0" \(see the log\)$/);
    }),
  );
});
