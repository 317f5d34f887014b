import { expect, test } from 'vitest';
import { redactText, redactUrl } from '../src/config/redact.ts';

test.for([
  ['redis://user:secret@host:6379/0', 'redis://***@host:6379/0'],
  ['redis://:se/cr?et#@host', 'redis://***@host'],
  ['redis://user:sec@ret@host', 'redis://***@host'],
  ['redis:/user:secret@host', 'redis:/***@host'],
  ['redis://user:two words@host', 'redis://***@host'],
  ['redis://host?password=secret&db=1', 'redis://host?password=***&db=1'],
  ['zk://user:secret@a,b:1/chroot?sessionTimeout=100', 'zk://***@a,b:1/chroot?sessionTimeout=100'],
  ['redis://localhost', 'redis://localhost'],
])('of %s only what is no secret is shown', ([url, shown]) => {
  expect(redactUrl(url ?? '')).toBe(shown);
});

test('credentials are taken out of the middle of a sentence, and the rest stays', () => {
  const text = 'cannot reach "redis://user:secret@host" (see redis://docs.example)';

  expect(redactText(text)).toBe('cannot reach "redis://***@host" (see redis://docs.example)');
});
