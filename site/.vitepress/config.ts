import { cpSync, existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { pageOf, REPOSITORY } from './links.ts';
import { anchorOf, plainMarkdown } from './markdown.ts';
import { sidebar } from './sidebar.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** The names of languages above code are too pale by default. */
const STYLE = ".vp-doc div[class*='language-']>span.lang{color:var(--vp-c-text-1)}";
/** The playground as it was bundled: a page that also works by itself. */
const PLAY = `${root}/out/play`;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
};

export default defineConfig({
  title: 'Holdfast',
  description: 'Distributed locks for TypeScript, and the simulator that shows how locks break.',
  lang: 'en',
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, STYLE],
  ],
  srcDir: '..',
  outDir: `${root}/out/site`,
  cacheDir: `${root}/out/site-cache`,
  srcExclude: [
    '{packages,harness,test,bench,examples,out,scripts}/**',
    'README.md',
    'docs/package.json',
  ],
  rewrites: (id: string) => pageOf(id) ?? id,
  markdown: { config: (md) => plainMarkdown(md, root), anchor: { slugify: anchorOf } },
  themeConfig: {
    nav: [
      { text: 'Playground', link: '/playground' },
      { text: 'Quick start', link: '/start/quick-start' },
      { text: 'Choose', link: '/start/choosing' },
      { text: 'Learn', link: '/lessons/' },
    ],
    sidebar: sidebar(root),
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: { provider: 'local' },
    outline: [2, 3],
  },
  buildEnd: ({ outDir }) => cpSync(PLAY, `${outDir}/play`, { recursive: true }),
  vite: {
    plugins: [
      {
        // Pages lie outside of this package, which alone depends on Vue.
        name: 'holdfast:vue',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) =>
          ssr === true && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined,
      },
      {
        name: 'holdfast:play',
        configureServer: ({ middlewares }) => {
          middlewares.use((request, response, next) => {
            const [, path] = /\/play\/([\w./-]+)/.exec(request.url ?? '') ?? [];
            const file = `${PLAY}/${path}`;
            if (path === undefined || path.includes('..') || !existsSync(file)) return next();
            response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain');
            response.end(readFileSync(file));
          });
        },
      },
    ],
  },
});
