import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/source-file.ts';
import { examplesIn, unexemplifiedIn, unexemplifiedOf } from './examples.ts';
import { undocumentedIn, undocumentedOf } from './undocumented.ts';

const PACKAGES = readdirSync(join(root, 'packages'));

test.each(PACKAGES)(
  'every public name of %s has a docstring, and so has every member of its interfaces',
  (name) => {
    expect(undocumentedOf(`packages/${name}`)).toEqual([]);
  },
);

test.each(PACKAGES)(
  // Not what a program never calls: interfaces of plain data, type aliases, and ports, which backends implement.
  'every public function and class of %s has an example, and so has every method that users call',
  (name) => {
    expect(unexemplifiedOf(`packages/${name}`)).toEqual([]);
  },
);

test('what lacks a docstring is named', () => {
  const text = `interface Lease {
  /** Its key. */
  readonly key: string;
  readonly owner: string;
  release(): void;
}`;

  expect(undocumentedIn(text)).toEqual(['', '.owner', '.release']);
  expect(undocumentedIn(`/** Opens. */\nfunction open(): void;`)).toEqual([]);
});

/** A docstring with an example. */
const SHOWN = `/**
 * @example
 * \`\`\`ts
 * open();
 * \`\`\`
 */
`;

test('what lacks an example is named', () => {
  expect(unexemplifiedIn('/** Opens. */\nfunction open(): void;', false)).toEqual(['']);
  expect(unexemplifiedIn('const open: (a: string) => void;', false)).toEqual(['']);
  expect(unexemplifiedIn(`class Store {\n${SHOWN}get(): void;\n}`, false)).toEqual(['']);
  expect(unexemplifiedIn(`${SHOWN}class Store {\nget(): void;\n}`, false)).toEqual([]);
  expect(unexemplifiedIn('const MAX = 5;', false)).toEqual([]);
});

test('one overload with an example is enough', () => {
  const first = `${SHOWN}function open(): void;\nfunction open(a: 1): void;`;

  expect(unexemplifiedIn(first, false)).toEqual([]);
  expect(
    unexemplifiedIn(`function open(a: 1): void;\n${SHOWN}function open(): void;`, false),
  ).toEqual([]);
});

test('a method of an interface that users call needs an example, one of a port needs none', () => {
  const text = `interface Lease {
readonly key: string;
${SHOWN}extend(ms: number): void;
extend(): void;
/** Ends it. */
release(): void;
}`;

  expect(unexemplifiedIn(text, true)).toEqual(['.release']);
  expect(unexemplifiedIn(text, false)).toEqual([]);
});

test('an example that could not be compiled is refused', () => {
  expect(examplesIn('open', SHOWN)).toEqual([{ name: 'open', code: 'open();\n' }]);
  expect(() => examplesIn('open', '/** @example open() */')).toThrow('not a block of TypeScript');
});
