import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findZooKeeper } from '../../src/servers/zookeeper/real/zookeeper-install.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-install-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A release as it is unpacked, and a Java beside it. */
const home = join(folder, 'apache-zookeeper-3.9.3-bin');
const bin = join(folder, 'jdk', 'bin');
mkdirSync(join(home, 'lib'), { recursive: true });
mkdirSync(bin, { recursive: true });
writeFileSync(join(home, 'lib', 'zookeeper-jute-3.9.3.jar'), '');
writeFileSync(join(home, 'lib', 'zookeeper-3.9.3.jar'), '');
writeFileSync(join(bin, 'java'), '');
chmodSync(join(bin, 'java'), 0o755);

test('an unpacked release is found by ZOOKEEPER_HOME, with all of its jars and its version', () => {
  expect(findZooKeeper({ ZOOKEEPER_HOME: home, PATH: bin })).toEqual({
    java: join(bin, 'java'),
    classPath: [join(home, 'conf'), join(home, 'lib', '*')].join(delimiter),
    version: '3.9.3',
  });
});

test('Java is found by JAVA_HOME first, else on PATH', () => {
  const env = { ZOOKEEPER_HOME: home, PATH: '/nonexistent' };

  expect(findZooKeeper({ ...env, JAVA_HOME: join(folder, 'jdk') })?.java).toBe(join(bin, 'java'));
  expect(findZooKeeper(env)).toBeUndefined();
});

test('a ZOOKEEPER_HOME without a release is not replaced by another installation', () => {
  expect(findZooKeeper({ ZOOKEEPER_HOME: folder, PATH: bin })).toBeUndefined();
});
