/** An adapter that misbehaves as its first argument says. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [how, mark] = process.argv.slice(2);

function write(line) {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}

/** Stays when its input ends. */
setInterval(() => undefined, 60_000);

const early = {
  silent: () => undefined,
  dead: () => {
    console.error('no such lock');
    process.exit(3);
  },
  'version-2': () => write({ ready: 2 }),
  chatty: () => write('welcome\n'.repeat(10_000)),
  endless: () => process.stdout.write('x'.repeat(200_000)),
};

const onRequest = {
  hanging: () => undefined,
  dying: () => process.exit(4),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  granting: () => write({ granted: 'k' }),
  ahead: () => write({ id: 7, ok: true }),
  twice: ({ id }) => {
    write({ id, ok: true });
    write({ id, ok: true });
  },
  flooding: ({ id }) => {
    for (let n = 0; n < 100_000; n++) write({ id, ok: true });
  },
  'ready-again': () => write({ ready: 1 }),
  warning: ({ id }) => {
    write('[0.058s][warning][cds] Unable to use shared archive.');
    write({ id, ok: true });
  },
  'with-child': ({ id }) => write({ id, ok: true }),
};

if (how === 'with-child')
  spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)', mark], {
    stdio: 'ignore',
  });

let isGreeted = false;
createInterface({ input: process.stdin }).on('line', (line) => {
  if (isGreeted) onRequest[how](JSON.parse(line));
  else if (how in early) early[how]();
  else write({ ready: 1, name: 'a test' });
  isGreeted = true;
});
