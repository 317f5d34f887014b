import { filesBelow, type SourceFile } from './source-file.ts';

/** Every page of the project. */
export const MARKDOWN: readonly SourceFile[] = filesBelow('.', (name) => name.endsWith('.md'));

export function pageAt(path: string): SourceFile {
  const page = MARKDOWN.find((each) => each.path === path);
  if (page === undefined) throw new Error(`unknown page "${path}"`);
  return page;
}

/** Returns the prose of a page, without code and comments. */
function proseOf(text: string): string {
  return text
    .replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, '·'));
}

/** The targets of links and pictures that lead to files or headings of this project. */
export function linksOf({ text }: SourceFile): readonly string[] {
  const links = proseOf(text).matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, target = '']) => target).filter((each) => !/^[a-z]+:/.test(each));
}

/** The anchors that GitHub and its kin make of headings, and those that a page sets itself. */
export function anchorsOf({ text }: SourceFile): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, own = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(own);
  for (const [, heading = ''] of proseLines(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = slugOf(heading);
    const taken = [...anchors].filter((each) => each === slug || isNumbered(each, slug)).length;
    anchors.add(taken === 0 ? slug : `${slug}-${taken}`);
  }
  return anchors;
}

function isNumbered(anchor: string, slug: string): boolean {
  return anchor.startsWith(`${slug}-`) && /^\d+$/.test(anchor.slice(slug.length + 1));
}

function proseLines(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}
