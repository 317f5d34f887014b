import type { FaultId } from '@holdfast/core';

/** As the formatter of this repository breaks lines. */
const WIDTH_MAX = 100;
const START = 'export const SURVIVES: readonly FaultId[] = ';

/** The source file by which a backend knows what it survives: recipes depend on nothing that reads the matrix. */
export function survivesSource(faults: readonly FaultId[], faultId: string): string {
  const names = faults.map((fault) => `'${fault}'`);
  const short = `[${names.join(', ')}];`;
  const list =
    START.length + short.length <= WIDTH_MAX
      ? short
      : `[\n${names.map((name) => `  ${name},\n`).join('')}];`;
  return `import type { FaultId } from '${faultId}';

// Made from docs/matrix.json; \`vitest -u\` on packages/holdfast/test/matrix-survives.test.ts writes it.

/** Faults under which no two leases are valid at once. */
${START}${list}
`;
}
