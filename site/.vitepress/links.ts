import { existsSync } from 'node:fs';
import { posix } from 'node:path';

/** Where the sources of everything that is not a page can be read. */
export const REPOSITORY = 'https://github.com/holdfast-locks/holdfast';

/** Pages beside those of `docs/`, by their path in the repository. */
const OTHERS: Readonly<Record<string, string>> = {
  'site/playground.md': 'playground.md',
  'site/debate.md': 'debate.md',
  'ARCHITECTURE.md': 'inside/architecture.md',
  'CONTRIBUTING.md': 'inside/contributing.md',
  'CHANGELOG.md': 'inside/changelog.md',
  'SECURITY.md': 'inside/security.md',
};

/** The path of a page on the site; undefined for a file that is not a page. */
export function pageOf(path: string): string | undefined {
  if (Object.hasOwn(OTHERS, path)) return OTHERS[path];
  const [, inside] = /^docs\/(.+\.md)$/.exec(path) ?? [];
  return inside?.replace(/(^|\/)README\.md$/, '$1index.md');
}

/**
 * The address of what a page of the repository links to: another page of the site, or a file on the hosting service.
 * @param from the page's path in the repository
 */
export function addressOf(from: string, href: string, root: string): string {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(from), path).replace(/\/$/, '');
  const end = anchor === undefined ? '' : `#${anchor}`;
  const file = [target, `${target}/README.md`].find(
    (each) => pageOf(each) !== undefined && existsSync(`${root}/${each}`),
  );
  if (file !== undefined) return `/${pageOf(file)}${end}`;
  const view = /\.[a-z0-9]+$/i.test(target) ? 'blob' : 'tree';
  return `${REPOSITORY}/${view}/main/${target}${end}`;
}
