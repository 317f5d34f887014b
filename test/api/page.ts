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

Every name of \`holdfast\`, from its docstrings. The [overview](reference/api.md) is one screen.
`;

/** The page without what nobody looks up: constructors of errors, and where a member is inherited from. */
function shortened(page: string): string {
  return page
    .replace(/^# .*\n/, HEAD)
    .replaceAll(/^#### Constructors\n[\s\S]*?(?=^#{2,4} |^\*\*\*$)/gm, '')
    .replaceAll(/^#+ (?:Overrides|Inherited from)\n[\s\S]*?(?=^#+ |^\*\*\*$)/gm, '')
    .replaceAll(/<a id="([^"]*)"><\/a> /g, (anchor: string, id: string) =>
      page.includes(`](#${id})`) ? anchor : '',
    )
    .replaceAll(/^\*\*\*\n\n/gm, '')
    .replaceAll(/\| -{6} /g, '| --- ')
    .replaceAll(/ \| - \|$/gm, ' | |');
}
