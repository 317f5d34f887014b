import { expect, test } from 'vitest';
import { redactText, redactUrl } from '../src/redact.ts';

test.for([
  ['redis://user:secret@host:6379/0', 'redis://***@host:6379/0'],
  ['redis://:se/cr?et#@host', 'redis://***@host'],
  ['redis://user:sec@ret@host', 'redis://***@host'],
  ['redis:/user:secret@host', 'redis:/***@host'],
  ['redis://user:two words@host', 'redis://***@host'],
  ['redis://host?password=secret&db=1', 'redis://host?password=***&db=1'],
  ['zk://user:secret@a,b:1/chroot?sessionTimeout=100', 'zk://***@a,b:1/chroot?sessionTimeout=100'],
  ['redis://localhost', 'redis://localhost'],
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
  '    at file:///srv/app/node_modules/@holdfast/core/dist/hold.js:10:5',
  '    at run (file:///C:/me/node_modules/.pnpm/@holdfast+core@1.0.0/node_modules/@holdfast/core/x.js:10:5)',
  '    at run (/srv/app/node_modules/.pnpm/ioredis@5.0.0/node_modules/ioredis/x.js:10:5)',
  '    at run (C:\\me\\node_modules\\.pnpm\\ioredis@5.0.0\\x.js:10:5)',
  '    at https://unpkg.com/@holdfast/core@1.2.3/dist/x.js:10:5',
])('a stack keeps its paths: %s', (line) => {
  expect(redactText(`Error: boom\n${line}`)).toBe(`Error: boom\n${line}`);
});

test('a long text is looked through in no time to speak of', () => {
  const begins = 'redis://u:'.repeat(20_000);

  expect(redactText(begins)).toBe(begins);
  expect(redactUrl(`${'a:/'.repeat(100_000)}@h`)).toMatch(/\*\*\*@h$/);
});
