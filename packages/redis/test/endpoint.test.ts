import { ConfigError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { addressOf, parseRedisUrl } from '../src/endpoint.ts';

test.each([
  ['redis://localhost', { host: 'localhost', port: 6379, db: 0, isTls: false }, 'localhost:6379'],
  [
    'rediss://cache.example:7000/2',
    { host: 'cache.example', port: 7000, db: 2, isTls: true },
    'cache.example:7000/2',
  ],
  ['redis://[::1]:7000', { host: '::1', port: 7000, db: 0, isTls: false }, '[::1]:7000'],
  ['redis://:only%20password@h', { host: 'h', password: 'only password' }, 'h:6379'],
  ['redis://us%3Aer:p%40ss%2Fw@h:1/0', { username: 'us:er', password: 'p@ss/w', port: 1 }, 'h:1'],
  ['redis:///3', { host: 'localhost', db: 3 }, 'localhost:6379/3'],
  ['redis+unix:///run/redis.sock', { path: '/run/redis.sock', db: 0 }, '/run/redis.sock'],
  ['unix://u:p%40%2Fw@/a%20b.sock?db=2', { username: 'u', password: 'p@/w' }, '/a%20b.sock?db=2'],
  ['redis+unix://:pw@/7.sock', { username: undefined, password: 'pw' }, '/7.sock'],
])('%s is read, and named without credentials', (url, expected, address) => {
  const endpoint = parseRedisUrl(url);

  expect(endpoint).toMatchObject(expected);
  expect(addressOf(endpoint)).toBe(address);
});

test.each(['redis://u%3Asecret%40h', 'redis://u%3Asecret%40h:6379/1', 'rediss://u:secret%40h'])(
  '%s has no host, and none is made of a password whose "@" was encoded too',
  (url) => {
    expect(() => parseRedisUrl(url)).toThrow(ConfigError);
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/);
  },
);

test.each([
  'unix://u:se/cret@/r.sock',
  'unix:///r.sock?password=secret',
  'redis+unix://host/secret',
  'redis+unix:r.sock',
])('%s is no URL of a socket, and nothing of it is shown', (url) => {
  expect(() => parseRedisUrl(url)).toThrow(ConfigError);
  expect(() => parseRedisUrl(url)).not.toThrow(/secret|cret/);
});

test.each(['redis://u:12?secret@h', 'redis://u:12#secret@h', 'redis://h/0?secret=x'])(
  '%s is refused, and nothing behind the sign shown, which may be the rest of a password',
  (url) => {
    expect(() => parseRedisUrl(url)).toThrow(ConfigError);
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/);
  },
);
