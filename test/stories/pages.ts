import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captionOf, drawSvg, drawText, plainStyle, type Scene } from '@holdfast/harness/draw';
import { parseStoryText, play, type Story } from '@holdfast/harness/simulator';
import {
  find,
  formatFinding,
  inlineRunner,
  plain,
  type SearchRequest,
  sceneOf,
} from '../../harness/test/kit/find.ts';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import {
  formatChart,
  formatHeadings,
  formatStep,
  runSales,
  type SaleSettings,
  saleSelectionOf,
  simulatedEnvironment,
} from '../../harness/test/kit/sale.ts';
import { conditionsTable, livenessTable } from './choosing.ts';
import { textOf } from './matrix-stories.ts';
import { measuredTable } from './measured.ts';
import { promisesTable } from './promises.ts';
import { debateTable } from './redlock-debate.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

/** The output of a run is between `<!-- story: NAME -->`, or `picture`, `find`, `sale` or `measured`, and `<!-- / -->`. */
const PART =
  /<!-- (story|picture|find|sale|matrix|debate|measured): (.+) -->\n[\s\S]*?<!-- \/ -->/g;

/** The pages that have such parts, by their paths below the folder of the docs. */
export function pages(): readonly string[] {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md') && partsOf(name).length > 0,
  );
}

export function pathOf(page: string): string {
  return `${DOCS}${page}`;
}

/** Names of the stories that pages show a picture of. */
export function pictured(): readonly string[] {
  const names = pages().flatMap((page) =>
    partsOf(page).flatMap(({ kind, about }) => (kind === 'picture' ? [about] : [])),
  );
  return [...new Set(names)];
}

export function pathOfPicture(name: string): string {
  return `${DOCS}pictures/${name}.svg`;
}

export async function pictureOf(name: string): Promise<string> {
  return drawSvg(await sceneNamed(name));
}

interface Part {
  readonly whole: string;
  readonly kind: string;
  /** The name of a story, or the arguments of `find`. */
  readonly about: string;
}

function partsOf(page: string): readonly Part[] {
  const found = readFileSync(pathOf(page), 'utf8').matchAll(PART);
  return Array.from(found, ([whole, kind = '', about = '']) => ({ whole, kind, about }));
}

/** A page with every part as it would be written now. */
export async function renewed(page: string): Promise<string> {
  let all = readFileSync(pathOf(page), 'utf8');
  for (const { whole, kind, about } of partsOf(page)) {
    const text = await WRITERS[kind]?.(about, page);
    all = all.replace(whole, () => `<!-- ${kind}: ${about} -->\n${text}\n<!-- / -->`);
  }
  return all;
}

const WRITERS: Readonly<Record<string, (about: string, page: string) => Promise<string>>> = {
  story: async (name) =>
    `${fenced(drawText(await sceneNamed(name)))}\n\n\`npx holdfast replay ${name}\``,
  picture: async (name, page) =>
    `![${captionOf(await sceneNamed(name))}](${relative(dirname(pathOf(page)), pathOfPicture(name))})`,
  find: async (about) => fenced(await findingOf(about)),
  matrix: async (about) => (await TABLES[about]?.()) ?? '',
  debate: debateTable,
  measured: (about) => Promise.resolve(measuredTable(about)),
  sale: async (about) => fenced(await saleOf(about)),
};

/** Promises of a lock, and the backends that keep them. */
const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  promises: promisesTable,
  liveness: livenessTable,
  conditions: conditionsTable,
};

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

async function sceneNamed(name: string): Promise<Scene> {
  const story: Story = parseStoryText(textOf(name));
  const subject = builtInSubject(story.backend);
  if (subject === undefined) throw new Error(`unknown lock "${story.backend}"`);
  return sceneOf(await play(story.schedule, subject, { trace: true }), story);
}

/** The output of the command for a lock and one fault, with its replay string cut short. */
async function findingOf(about: string): Promise<string> {
  const [, lock = '', fault = ''] = /^(\S+) --fault (\S+)$/.exec(about) ?? [];
  const subject = builtInSubject(lock);
  if (subject === undefined) throw new Error(`unknown lock "${lock}"`);
  const request: SearchRequest = { ...REQUEST, lock, faults: [fault] };
  const witness = { onProgress: () => {}, onShrink: () => {} };
  const finding = await find(request, [inlineRunner(subject)], witness);
  const lines = formatFinding(finding, request, `out/find/${lock}-${fault}.json`, plainStyle);
  return lines.join('\n').replace(/r1\.[\w-]+/, 'r1.…');
}

/** The output of the command for these steps, without its heading and its legend. */
async function saleOf(about: string): Promise<string> {
  const lines: string[] = [formatHeadings(plain)];
  await runSales(simulatedEnvironment(), SALE, saleSelectionOf(about.split(',')), {
    step: () => {},
    head: () => {},
    stepDone: (held) => lines.push(...formatStep(held, plain)),
    chart: (chart) => lines.splice(0, Infinity, ...formatChart(chart, plain)),
  });
  return lines.join('\n');
}

/** As `sale` takes it when nothing else is said. */
const SALE: SaleSettings = {
  stock: 300,
  requests: 1_000,
  users: 200,
  apps: 2,
  ttlMs: 500,
  workMs: 1,
  products: 1,
};

/** As `find` takes it when nothing else is said. */
const REQUEST: Omit<SearchRequest, 'lock' | 'faults'> = {
  folder: '.',
  fenced: false,
  budget: 20_000,
  seed: 1,
};
