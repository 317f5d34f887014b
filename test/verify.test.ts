import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from './support/run.ts';
import { root } from './support/source-file.ts';

const NOWHERE = '/nonexistent/redis-server';

/** Runs scripts/verify.mjs, only with stages that start nothing. */
async function verify(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; lines: string[] }> {
  const script = join(root, 'scripts', 'verify.mjs');
  const { code, output } = await run(process.execPath, [script, ...args], { cwd: root, env });
  return { code, lines: output.trimEnd().split('\n') };
}

describe('npm test', () => {
  test('names a server that is missing and the command that installs it, and passes', async () => {
    const { code, lines } = await verify(['--no-build', 'servers'], {
      CI: '',
      REDIS_SERVER: NOWHERE,
    });

    expect(lines.at(-1)).toBe('0 passed, 0 failed');
    expect(lines.at(-3)).toMatch(/^Not run: servers, because REDIS_SERVER=.*redis/);
    expect(lines.at(-3)).toMatch(/(?:apt-get|brew) install redis/);
    expect(code).toBe(0);
  });

  test('fails for that reason under CI, too', async () => {
    const { code, lines } = await verify(['--no-build', 'servers'], {
      CI: 'true',
      REDIS_SERVER: NOWHERE,
    });

    expect(lines.at(-1)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });

  test('names ZooKeeper when that is missing', async () => {
    const { code, lines } = await verify(['--no-build', 'servers'], {
      CI: '',
      ZOOKEEPER_HOME: '/nonexistent/zookeeper',
    });

    expect(lines.at(-3)).toMatch(/^Not run: servers, because ZOOKEEPER_HOME=.* install zookeeper$/);
    expect(code).toBe(0);
  });

  test('names Java when ZooKeeper has nothing to run on', async () => {
    const { code, lines } = await verify(['--no-build', 'servers'], {
      CI: '',
      REDIS_SERVER: process.execPath,
      ZOOKEEPER_HOME: root,
      PATH: '/nonexistent',
      JAVA_HOME: '/nonexistent',
    });

    expect(lines.at(-3)).toMatch(/^Not run: servers, because zookeeper needs java, .* zookeeper$/);
    expect(code).toBe(0);
  });

  test('runs without a browser, also under CI, and says so', async () => {
    const { code, lines } = await verify(['--no-build', 'browser'], {
      CI: 'true',
      CHROMIUM: '/nonexistent/chromium',
    });

    expect(lines.at(-1)).toBe('0 passed, 0 failed');
    expect(lines.at(-3)).toMatch(/^Not run: browser, because CHROMIUM=.* chromium$/);
    expect(code).toBe(0);
  });

  test('refuses a stage that does not exist', async () => {
    const { code, lines } = await verify(['unti'], {});

    expect(lines.join('\n')).toContain('unknown stage "unti"');
    expect(code).toBe(2);
  });
});
