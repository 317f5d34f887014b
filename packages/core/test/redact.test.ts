import { expect, test } from 'vitest';
import { redactText, redactUrl } from '../src/quote.ts';

test.for([
  ['redis://user:secret@host:6379/0', 'redis://***@host:6379/0'],
  ['redis://:se/cr?et#@host', 'redis://***@host'],
  ['redis://user:sec@ret@host', 'redis://***@host'],
  ['redis:/user:secret@host', 'redis:/***@host'],
  ['redis://user:two words@host', 'redis://***@host'],
  ['redis://host?password=secret&db=1', 'redis://host?password=***&db=1'],
  ['redis+sentinel://a,b/m?sentinelPassword=secret', 'redis+sentinel://a,b/m?sentinelPassword=***'],
  ['zk://user:secret@a,b:1/chroot?sessionTimeout=100', 'zk://***@a,b:1/chroot?sessionTimeout=100'],
  ['redis://u:secret', 'redis://***'],
  ['redis://u:sec/ret?x#y', 'redis://***'],
  ['redis://u:123456', 'redis://***'],
  ['redis://u:[secret', 'redis://***'],
  ['redis://u:/secret', 'redis://***'],
  ['rediss//u:secret', 'rediss//***'],
  ['redis:/u:secret', 'redis:/***'],
  ['redis:///u:secret', 'redis:///***'],
  ['redis://u%3Asecret', 'redis://***'],
  ['redis://u:12.secret', 'redis://***'],
  ['redis://u:12;secret', 'redis://***'],
  ['redis://u:12)secret', 'redis://***'],
  ['redis://host?passwd=secret', 'redis://host?passwd=***'],
  ['redis://host?db=1&pw=secret', 'redis://host?db=1&pw=***'],
  ['redis://host?pwd=secret', 'redis://host?pwd=***'],
  ['redis://host?passphrase=secret', 'redis://host?passphrase=***'],
  ['redis://localhost', 'redis://localhost'],
  ['redis://localhost:6379/0', 'redis://localhost:6379/0'],
  ['redis://localhost:', 'redis://localhost:'],
  ['redis://[::1]:6379', 'redis://[::1]:6379'],
  ['zk://a:2181,b:2181/chroot', 'zk://a:2181,b:2181/chroot'],
  ['rediss//u:pw@h', 'rediss//***@h'],
  ['//u:pw@h', '//***@h'],
  ['zk//u:pw@h', 'zk//***@h'],
  ['u:pw@h', 'u:***@h'],
  ['./u:pw@x.json', './***@x.json'],
  ['redis%3A%2F%2Fu%3Apw%40h', '***%40h'],
  ['redis://pw@h', 'redis://***@h'],
  ['me@x.json', 'me@x.json'],
  ['./node_modules/@holdfast/x.json', './node_modules/@holdfast/x.json'],
  [
    'C:\\work\\node_modules\\.pnpm\\@holdfast+core@1\\x.json',
    'C:\\work\\node_modules\\.pnpm\\@holdfast+core@1\\x.json',
  ],
])('of %s only what is no secret is shown', ([url, shown]) => {
  expect(redactUrl(url ?? '')).toBe(shown);
});

test('credentials are taken out of the middle of a sentence, and the rest stays', () => {
  const text = 'cannot reach "redis://user:secret@host" (see redis://docs.example)';

  expect(redactText(text)).toBe('cannot reach "redis://***@host" (see redis://docs.example)');
});

test('credentials are found within a sentence, also with blanks, quotes or no scheme in them', () => {
  expect(redactText('cannot reach redis://u:two words"@h, nor u:pw@h')).toBe(
    'cannot reach redis://***@h, nor u:***@h',
  );
  expect(redactText('connect ECONNREFUSED redis://h:6379 for me@home')).toBe(
    'connect ECONNREFUSED redis://h:6379 for me@home',
  );
});

test.for([
  'connect ECONNREFUSED redis://h:6379: refused',
  'neither redis://h:6379, redis://[::1]:6379 nor zk://a:1,b:2/x; see (redis://h:6379).',
  'at webpack-internal:///(rsc)/./x.ts:1:2',
])('addresses in a sentence are shown: %s', (text) => {
  expect(redactText(text)).toBe(text);
});

test.for([
  '    at file:///srv/app/node_modules/@holdfast/core/dist/hold.js:10:5',
  '    at run (file:///C:/me/node_modules/.pnpm/@holdfast+core@1.0.0/node_modules/@holdfast/core/x.js:10:5)',
  '    at run (/srv/app/node_modules/.pnpm/ioredis@5.0.0/node_modules/ioredis/x.js:10:5)',
  '    at run (C:\\me\\node_modules\\.pnpm\\ioredis@5.0.0\\x.js:10:5)',
  '    at https://unpkg.com/@holdfast/core@1.2.3/dist/x.js:10:5',
])('a stack keeps its paths: %s', (line) => {
  expect(redactText(`Error: boom\n${line}`)).toBe(`Error: boom\n${line}`);
});

test('an exported lease is taken out, wherever it is', () => {
  expect(redactText('job {"lease":"holdfast-lease:1:eyJr-Zq_9"} failed')).toBe(
    'job {"lease":"holdfast-lease:1:***"} failed',
  );
  expect(redactUrl('Holdfast-Lease:12:Zq9')).toBe('Holdfast-Lease:12:***');
});

test('a long text is looked through in no time to speak of', () => {
  const begins = 'redis://u:'.repeat(20_000);

  expect(redactText(begins)).toBe('redis://***');
  expect(redactUrl(`${'a:/'.repeat(100_000)}@h`)).toMatch(/\*\*\*@h$/);
});
