import { setImmediate } from 'node:timers/promises';
import { ask, tell } from '../support/parent.ts';
import { COPIED, copiedLock } from './copied-lock.ts';
import { makeCopies, removeCopies } from './copies.ts';
import { type Detection, Judge } from './judge.ts';
import type { Mutable } from './mutant.ts';
import { Watchdog } from './watchdog.ts';

/** A package to be judged: the whole text of one file is another. */
export interface Case {
  readonly digest: string;
  readonly file: string;
  readonly text: string;
}

const [package_ = '', folder = '', by = 'contract'] = process.argv.slice(2);
const of = package_ as Mutable;
/** Of processor time, for one mutant: many times what the right lock takes for everything. */
const CPU_MS_MAX = 30_000;
/** Virtual time never waits. */
const IDLE_MS_MAX = 15_000;
/** Until whatever a copy has left behind has run. */
const TURNS = 3;

/** Errors that no code catches. */
let uncaughtError: string | undefined;

async function judgeCase(judge: Judge, { digest, file, text }: Case): Promise<Detection> {
  const at = `${folder}/${process.pid}-${digest}`;
  makeCopies(at, COPIED[of], { file, text });
  try {
    const suspect = await copiedLock(of, at).catch(() => undefined);
    if (suspect === undefined) return 'import';
    const finding = await (by === 'contract'
      ? judge.findByContract(suspect)
      : judge.findBySchedules(suspect));
    for (let turn = 0; turn < TURNS; turn++) await setImmediate();
    return finding ?? (uncaughtError === undefined ? undefined : 'stray error');
  } finally {
    uncaughtError = undefined;
    removeCopies(at);
  }
}

const right = `${folder}/${process.pid}-right`;
makeCopies(right, COPIED[of]);
const judge = new Judge(await copiedLock(of, right));
const onUncaught = (reason: unknown): void => {
  uncaughtError = String(reason);
};
process.on('uncaughtException', onUncaught);
process.on('unhandledRejection', onUncaught);
const watchdog = new Watchdog({ cpuMsMax: CPU_MS_MAX, idleMsMax: IDLE_MS_MAX });
for (;;) {
  const next = (await ask('next')) as Case | null;
  if (next === null) break;
  watchdog.reset();
  const finding = (await judgeCase(judge, next)) ?? null;
  watchdog.rest();
  tell({ digest: next.digest, finding });
}
removeCopies(right);
process.exit();
