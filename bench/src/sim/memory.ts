import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { simulator } from '../built.ts';
import { judged } from './benchmark-schedule.ts';

/** Memory in use after a search, and after a search that is ten times as long. */
export interface Memory {
  readonly schedules: number;
  readonly heapMb: number;
  readonly heapMbAfterTenTimes: number;
}

const SCHEDULES = 1_024;
/** Allowance for code that is compiled meanwhile, and similar. */
const GROWTH_MB_MAX = 2;

/** The live heap, right after a collection. */
export async function measureMemory(tell: (text: string) => void): Promise<Memory> {
  const { search, subjectOf } = await simulator();
  const subject = subjectOf('redis-simple');
  const collect = collector();
  const used = async (schedules: number): Promise<number> => {
    await search({ subject, faults: ['pause'], budget: schedules, seed: 1 });
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  tell('memory: warming up');
  await used(SCHEDULES);
  tell(`memory: ${SCHEDULES} schedules`);
  const heapMb = await used(SCHEDULES);
  tell(`memory: ${10 * SCHEDULES} schedules`);
  return { schedules: SCHEDULES, heapMb, heapMbAfterTenTimes: await used(10 * SCHEDULES) };
}

export function memoryText({ schedules, heapMb, heapMbAfterTenTimes }: Memory): string {
  const growthMb = heapMbAfterTenTimes - heapMb;
  const bound = judged(growthMb < GROWTH_MB_MAX, `+ ${GROWTH_MB_MAX} MB`);
  return `Live heap after ${schedules} schedules: ${heapMb.toFixed(1)} MB; after ${10 * schedules} more: ${heapMbAfterTenTimes.toFixed(1)} MB; ${bound}`;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node does not let itself be collected');
  return () => void Reflect.apply(collect, undefined, []);
}
