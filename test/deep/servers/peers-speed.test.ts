import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { findZooKeeper, ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { LOADS, type Load, type Row, ratesOf, SPEED_FILE, type Speed } from '../../peers/speed.ts';
import { curatorVersion, javaCommand } from '../../servers/support/neighbour-process.ts';
import { bundle } from '../../support/bundle.ts';

/** `PEERS_SPEED=write` keeps what it measured for docs/evidence/other-libraries.md. */
const WRITES = process.env['PEERS_SPEED'] === 'write';
const ROUNDS = WRITES ? 21 : 1;
const TURN_MS = WRITES ? 500 : 300;
const WARM_UPS = 4;
const CURATOR = fileURLToPath(new URL('../../peers/speed/CuratorSpeed.java', import.meta.url));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that replies to every line with one. */
async function start(command: string): Promise<(line: string) => Promise<string>> {
  const child = spawn(`exec ${command}`, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${command} has ended`);
    return value;
  };
  await next();
  return async (line) => {
    child.stdin.write(`${line}\n`);
    return await next();
  };
}

const java = javaCommand(CURATOR);

test.skipIf(java === undefined)(
  'acquisitions and releases of Curator and of ours, in turns on one ZooKeeper',
  { timeout: 1_800_000 },
  async () => {
    const server = await ZooKeeperServer.start({ tickMs: 3_000 });
    const before = loadavg()[0] ?? 0;
    const them = await start(`${java} ${server.address}`);
    const us = await start(
      `'${process.execPath}' ${await bundle('peers/speed/ours-process.ts')} ${server.address}`,
    );
    const sides = { ours: us, curator: them } as const;
    const rateOf = async (side: keyof typeof sides, { callers, keys }: Load): Promise<number> => {
      const fromMs = performance.now();
      const pairs = Number(await sides[side](`${callers} ${keys} ${TURN_MS}`));
      return (pairs / (performance.now() - fromMs)) * 1_000;
    };
    const rows: Row[] = [];
    for (const load of LOADS) {
      const rates = { ours: [] as number[], curator: [] as number[] };
      for (let round = -WARM_UPS; round < ROUNDS; round++)
        // Each goes first as often as second: the machine may get slower meanwhile.
        for (const side of round % 2 === 0
          ? (['ours', 'curator'] as const)
          : (['curator', 'ours'] as const)) {
          const rate = await rateOf(side, load);
          if (round >= 0) rates[side].push(rate);
        }
      const ratios = rates.ours.map((rate, i) => rate / (rates.curator[i] ?? Number.NaN));
      const [ours, curator] = [ratesOf(rates.ours), ratesOf(rates.curator)];
      rows.push({ ...load, ours, curator, ratio: ratesOf(ratios, 2) });
    }
    await server.close();
    const by = [
      `Curator ${curatorVersion()}`,
      `ZooKeeper ${findZooKeeper()?.version}`,
      `Node ${process.version}`,
    ];
    const speed: Speed = {
      date: new Date().toISOString().slice(0, 10),
      by,
      rounds: ROUNDS,
      turnMs: TURN_MS,
      load: [before, loadavg()[0] ?? 0],
      cores: availableParallelism(),
      rows,
    };
    console.info(rows.map((row) => JSON.stringify(row)).join('\n'));
    if (WRITES) writeFileSync(SPEED_FILE, `${JSON.stringify(speed)}\n`);

    for (const row of rows) expect(Math.min(row.ours.min, row.curator.min)).toBeGreaterThan(0);
  },
);
