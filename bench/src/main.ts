import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { RedisServer, redisServerVersion } from '@holdfast/harness/real';
import { assertExcludes, type Candidate } from './candidate.ts';
import { holdfastIoredis, holdfastNodeRedis } from './holdfast.ts';
import { isRaw, measure, type Result } from './measure.ts';
import { redisSemaphore } from './peers/redis-semaphore.ts';
import { redlock4 } from './peers/redlock-4.ts';
import { redlock5 } from './peers/redlock-5.ts';
import { redlockUniversalIoredis, redlockUniversalNodeRedis } from './peers/redlock-universal.ts';
import { verrou } from './peers/verrou.ts';
import { rawIoredis, rawNodeRedis } from './raw.ts';
import { showProgress } from './show-progress.ts';
import { measureSimulator, type SimulatorFigures, simulatorText } from './sim/figures.ts';
import { measureSlowNode, type SlowNode, slowNodeText } from './slow-node.ts';
import { table } from './table.ts';
import { measureZooKeeper, type ZooKeeperFigures, zooKeeperText } from './zk/figures.ts';

const candidates: readonly Candidate[] = [
  rawIoredis,
  holdfastIoredis,
  redlock4,
  redlock5,
  redisSemaphore,
  verrou,
  redlockUniversalIoredis,
  rawNodeRedis,
  holdfastNodeRedis,
  redlockUniversalNodeRedis,
];

const { values } = parseArgs({
  options: {
    /** Number of counted rounds. */
    rounds: { type: 'string', default: '15' },
    /** Only contenders whose name and client contain this, e.g. `holdfast ioredis`; raw calls always run. */
    only: { type: 'string', default: '' },
  },
});

const OUT = 'out/bench';

async function play(chosen: readonly Candidate[], rounds: number): Promise<Result[]> {
  const server = await RedisServer.start();
  try {
    for (const contender of chosen) await assertExcludes(contender, server.url);
    const onRound = (round: number): void => {
      showProgress(round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`);
    };
    return await measure(chosen, server.url, { rounds, warmUps: 2, onRound });
  } finally {
    showProgress('');
    await server.close();
  }
}

async function write(
  results: readonly Result[],
  slowNodes: readonly SlowNode[],
  simulator: SimulatorFigures,
  zookeeper: ZooKeeperFigures | undefined,
  rounds: number,
): Promise<void> {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  const at = new Date().toISOString();
  const report = {
    version: 1,
    at,
    machine,
    redis: redisServerVersion(),
    rounds,
    results,
    slowNodes,
    simulator,
    zookeeper,
  };
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}/report.json`, `${JSON.stringify(report, undefined, 2)}\n`);
}

const rounds = Number(values.rounds);
const results = await play(
  candidates.filter(
    (contender) =>
      isRaw(contender) || `${contender.name} ${contender.client}`.includes(values.only),
  ),
  rounds,
);
const slowNodes = [await measureSlowNode('ioredis'), await measureSlowNode('node-redis')];
const simulator = await measureSimulator(showProgress);
const zookeeper = await measureZooKeeper(rounds, showProgress);
showProgress('');
await write(results, slowNodes, simulator, zookeeper, rounds);

console.log(`Acquire + release that nobody contends: medians of ${rounds} rounds, all taking turns.
× raw: against two EVALSHA with the same scripts, over the same client in the same round.
Only raw and holdfast draw a fencing token and wake waiters; the peers do less per cycle.

${table(results)}

${slowNodeText(slowNodes)}

${simulatorText(simulator)}

${zooKeeperText(zookeeper)}

${OUT}/report.json has the figures. For a profile:
  node --cpu-prof --cpu-prof-dir=${OUT} bench/dist/main.js --only holdfast`);
