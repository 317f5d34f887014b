import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecked } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import { partsOf } from './report.ts';

/** The page of every name of `holdfast`. */
export const PAGE: string = join(root, 'docs/api.md');
const DOCS = join(root, 'docs');
const TYPEDOC = join(DOCS, 'node_modules/.bin/typedoc');

/** Makes the page anew from the docstrings, which takes TypeDoc some seconds. */
export async function madePage(): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), 'holdfast-api-'));
  try {
    const { output } = await runChecked(TYPEDOC, ['--out', out, '--logLevel', 'Warn'], {
      cwd: DOCS,
    });
    if (output !== '') throw new Error(output);
    const body = shortened(readFileSync(join(out, 'api.md'), 'utf8'));
    return `<!-- Generated from docstrings by npm run api, with seal ${sealOf(body)} -->\n\n${body}`;
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** What is wrong with a page that should be what `madePage` makes; undefined if nothing is. Costs next to nothing. */
export function faultOf(page: string): string | undefined {
  const [, seal, body = ''] = /^<!-- .* seal (\w+) -->\n\n([\s\S]*)$/.exec(page) ?? [];
  return seal === sealOf(body) ? undefined : 'docs/api.md is out of date: npm run api';
}

/** A hash of the page and of all that it is made from. */
function sealOf(body: string): string {
  const names = ['packages/core', 'packages/holdfast'].flatMap((path) =>
    partsOf(path, { docs: true }),
  );
  const settings = readFileSync(join(DOCS, 'typedoc.json'), 'utf8');
  const hash = createHash('sha256').update([...names, settings, body].join('\n'));
  return hash.digest('hex').slice(0, 16);
}

const HEAD = `# API

What \`holdfast\` exports, from its docstrings. Start with [\`openLocks\`](#openlocks), [\`Locks\`](#locks) and [\`Lease\`](#lease).
Other pages have the [configuration](guides/configuration.md) of each backend and the [events](guides/errors-and-events.md#events).
`;

/** Names that are described on other pages, as people look them up. */
const ELSEWHERE = /^(?:[A-Z]\w+Config|LockEvent)$/;

/** The page without what nobody looks up: constructors of errors, origins of members, and what each signature says. */
function shortened(page: string): string {
  return withoutInherited(withoutElsewhere(page))
    .replace(/^# .*\n/, HEAD)
    .replaceAll(/^#### Constructors\n[\s\S]*?(?=^#{2,4} |^\*\*\*$)/gm, '')
    .replaceAll(
      /^#+ (?:Overrides|Inherited from|Extended by|Type Parameters)\n[\s\S]*?(?=^#+ |^\*\*\*$)/gm,
      '',
    )
    .replaceAll(/^#+ Returns\n\n[^\n]*`[^\n]*\n\n/gm, '')
    .replaceAll(/^#+ Parameters\n\n\| Parameter \| Type \|\n(?:\|.*\n)+\n/gm, '')
    .replaceAll(/<a id="([^"]*)"><\/a> /g, (anchor: string, id: string) =>
      page.includes(`](#${id})`) ? anchor : '',
    )
    .replaceAll(/^\*\*\*\n\n/gm, '')
    .replaceAll(/^#+ (?:Properties|Methods|Call Signature)\n\n/gm, '')
    .replaceAll(/\| -{6} /g, '| --- ')
    .replaceAll(/ \| - \|$/gm, ' | |');
}

/** The page without the sections of those names; what linked there has the name alone. */
function withoutElsewhere(page: string): string {
  return page
    .split(/^(?=###? )/m)
    .filter((section) => !ELSEWHERE.test(/^### (\w+)/.exec(section)?.[1] ?? ''))
    .join('')
    .replaceAll(/\[`(\w+)`\]\(#[\w-]+\)/g, (link: string, name: string) =>
      ELSEWHERE.test(name) ? `\`${name}\`` : link,
    );
}

/** The page without the rows that a type has from one that it extends, and names. */
function withoutInherited(page: string): string {
  const sections = page.split(/^(?=### )/m);
  const rows = new Map(
    sections.map((text) => [/^### (\w+)/.exec(text)?.[1] ?? '', new Set(text.match(/^\|.*$/gm))]),
  );
  return sections.map((text) => withoutRows(text, parentsOf(text), rows)).join('');
}

function parentsOf(section: string): readonly string[] {
  const list = /^#### Extends\n\n((?:- .*\n)+)/m.exec(section)?.[1] ?? '';
  return Array.from(list.matchAll(/`(\w+)`/g), ([, name = '']) => name);
}

function withoutRows(
  section: string,
  parents: readonly string[],
  rows: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  return section.replaceAll(/^\| (?:<a [^>]*><\/a> )?`.*\n/gm, (row) =>
    parents.some((name) => hasRow(rows.get(name), row)) ? '' : row,
  );
}

/** True if a table has this row, whatever its anchor is. */
function hasRow(rows: ReadonlySet<string> | undefined, row: string): boolean {
  return [...(rows ?? [])].some((each) => plain(each) === plain(row));
}

function plain(row: string): string {
  return row.replaceAll(/<a [^>]*><\/a> /g, '').trim();
}
