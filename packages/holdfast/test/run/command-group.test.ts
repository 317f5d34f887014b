import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { CommandGroup } from '../../src/cli/run/command-group.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function spawnGroup(script: string): ChildProcess & { readonly pid: number } {
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  if (child.pid === undefined) throw new Error('no sh');
  return Object.assign(child, { pid: child.pid });
}

test('a process that has the pid of a command that has ended gets no signal', async () => {
  const other = spawnGroup('echo up; exec sleep 1000');
  await once(other.stdout ?? other, 'data');
  const group = new CommandGroup(other.pid, 'another start');
  group.signal('SIGKILL');

  expect(group.isOver).toBe(true);
  expect(new CommandGroup(other.pid).isOver).toBe(false);
});

test('a zombie is over, and a process that it leaves behind is not', async () => {
  // The shell becomes a program that reaps no child.
  const parent = spawnGroup(
    'setsid sh -c "sleep 1000 & echo \\$\\$ \\$!; exec true" & exec sleep 1000',
  );
  const [pids] = await once(parent.stdout ?? parent, 'data');
  const [leader = 0, left = 0] = `${pids}`.trim().split(' ').map(Number);
  const group = new CommandGroup(leader);
  expect(group.isOver).toBe(false);
  process.kill(left, 'SIGKILL');
  await group.over();

  expect(() => process.kill(leader, 0)).not.toThrow();
  parent.kill('SIGKILL');
});
