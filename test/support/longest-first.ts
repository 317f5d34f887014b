import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, by its path: of two workers one would else go on alone with it for minutes at the end. */
const LONGEST = [
  'test/matrix/',
  'test/broken/redlock.',
  'test/broken/',
  'test/servers/lab',
  'test/servers/compare.',
  'test/contract/on-servers',
  'test/servers/sale.',
  'test/servers/zk-',
];

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((part) => moduleId.includes(part));
  return place === -1 ? LONGEST.length : place;
}

/** Begins with the files that are known to take long, on a fresh clone too, where nothing has been measured yet. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}
