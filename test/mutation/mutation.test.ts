import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refusedByCompiler } from './compiles.ts';
import { judgeMutants } from './judge-mutants.ts';
import { Ledger } from './ledger.ts';
import { type Mutant, mutantOf } from './mutant.ts';
import { mutantsOfPackage, mutantsOfText } from './mutants.ts';
import { PACKAGES, sourceOf } from './targets.ts';

/** Of every package: some seconds in all; `npm run test:deep` judges each mutant that is new. */
const SAMPLE = 2;

/** Returns mutants spread over the whole package, and a stable choice as long as nothing changes there. */
function sampleOf(mutants: readonly Mutant[]): readonly Mutant[] {
  const step = mutants.length / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, i) => mutants[Math.floor(i * step)]).filter(
    (mutant) => mutant !== undefined,
  );
}

function isQuick(result: string | undefined): boolean {
  return result?.startsWith('contract: ') === true;
}

test.for(PACKAGES)('a sample of the mutants of %s is noticed once more', async (of, { skip }) => {
  const ledger = new Ledger(of);
  const known = mutantsOfPackage(of).filter((mutant) => isQuick(ledger.of(mutant)));
  skip(known.length === 0, `all files of ${of} have changed since its mutants were judged`);
  const sample = sampleOf(known);
  const found = new Map<string, string | null>();

  const court = {
    script: 'judge-process.ts',
    workers: 1,
    untilMs: Number.POSITIVE_INFINITY,
  } as const;
  await judgeMutants(of, sample, court, ({ digest, finding }) => found.set(digest, finding));

  // Fewer where most files have changed since; `npx vitest run --project deep test/deep/mutation.test.ts` plays the new ones.
  expect(sample).toHaveLength(SAMPLE);
  expect(sample.map(({ digest }) => found.get(digest))).toEqual(
    sample.map((mutant) => ledger.of(mutant)),
  );
});

test('a mutant differs from its source, and from every other', () => {
  const text =
    'export function isOver(a: number, b: number): boolean {\n  return a < b || a < 1;\n}\n';

  const mutants = mutantsOfText('core', 'x.ts', text);

  expect(mutants.map(({ what, line }) => `${line}: ${what}`)).toEqual([
    '2: <= for <',
    '2: && for ||',
    '2: <= for <',
    '2: another constant',
  ]);
});

function digests(text: string): readonly string[] {
  return mutantsOfText('core', 'x.ts', text).map(({ digest }) => digest);
}

test('a mutant keeps its digest when only comments and line breaks change', () => {
  expect(digests('/** Says one. */\nexport const one =\n  1;\n')).toEqual(
    digests('/** Another comment. */\nexport const one = 1;\n'),
  );
  expect(digests('export const one = 1;\n')).not.toEqual(digests('export const two = 1;\n'));
});

test('a call of what every object can do is left alone', () => {
  expect(mutantsOfText('core', 'x.ts', 'export const text = [].toString();\n')).toEqual([]);
});

test('the compiler refuses a mutant of a wrong type beside one that cannot be parsed', async () => {
  const source = readFileSync(sourceOf('zk', 'identity.ts'), 'utf8');
  const right = { text: source, code: source };
  const mutants = ['const wrong: number = "1";', 'const = 1;', 'const right = 1;'].map((text) =>
    mutantOf('zk', 'identity.ts', right, { what: text, start: 0, end: 0, text }),
  );

  const refused = await refusedByCompiler('zk', mutants);

  expect(mutants.map(({ digest }) => refused.has(digest))).toEqual([true, true, false]);
});
