import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf } from './links.ts';

/** Tags that pages use on purpose; all others are words in angle brackets. */
const TAG = /^<\/?(?:a|br|details|img|p|picture|source|sub|summary|sup)\b|^<!--/;

/** The anchor of a heading, as the hosting service makes it: links between pages rely on it. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Lets Markdown that was written for the hosting service pass as a template of Vue. */
export function plainMarkdown(md: MarkdownRenderer, root: string): void {
  const { rules } = md.renderer;
  for (const name of ['html_inline', 'html_block'] as const)
    rules[name] = (tokens, at) => {
      const { content } = tokens[at]!;
      return TAG.test(content) ? content : md.utils.escapeHtml(content);
    };
  const text = rules.text!;
  rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
  md.core.ruler.push('links-between-files', ({ tokens, env }) => {
    const path: string | undefined = env.realPath ?? env.path;
    // Titles are rendered apart, and link nowhere.
    if (path === undefined) return;
    const from = posix.relative(root, path);
    for (const { children } of tokens)
      for (const token of children ?? [])
        if (token.type === 'link_open')
          token.attrSet('href', addressOf(from, token.attrGet('href') ?? '', root));
  });
}
