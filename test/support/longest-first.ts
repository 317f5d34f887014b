import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Paths of the test files that take longest. Started late, one worker would run them alone for minutes at the end. */
const LONGEST = [
  'test/matrix/',
  'test/broken/redlock.',
  'test/broken/',
  'test/servers/lab',
  'test/servers/compare.',
  'test/contract/on-servers',
  'test/servers/sale.',
  'test/servers/zk-',
  'packages/zk/test/servers/',
  'packages/zk-client/test/servers/',
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
