// Makes the built package in the current folder smaller, which is about to be packed: its JavaScript loses the comments.
// The declarations beside it keep theirs: editors show them. In both the indentation is one tab for four spaces.
// A comment's lines go with it, since no map counts them. Declarations that no entry leads to stay at home.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { hiddenDeclarations } from './hidden-declarations.mjs';
import { withTabs } from './with-tabs.mjs';

const dist = join(process.cwd(), 'dist');

function withoutComments(path, text) {
  const { comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  let code = '';
  let from = 0;
  for (const { start, end } of comments) {
    const comment = text.slice(start, end);
    // What a bundler or a tool reads.
    if (/webpackIgnore|@vite-ignore|@__PURE__|sourceMappingURL/.test(comment)) continue;
    code += text.slice(from, start).replace(/[ \t]+$/, '');
    // A line of its own leaves none; JavaScript ends a statement by a break, so one that is inside of a comment stays.
    const isWhole = (code === '' || code.endsWith('\n')) && text[end] === '\n';
    if (!isWhole && comment.includes('\n')) code += '\n';
    from = isWhole ? end + 1 : end;
  }
  return code + text.slice(from);
}

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const isDeclaration = file.endsWith('.d.ts');
  if ((!isDeclaration && !file.endsWith('.js')) || file.startsWith('commonjs')) continue;
  const path = join(dist, file);
  const text = readFileSync(path, 'utf8');
  const code = withTabs(path, isDeclaration ? text : withoutComments(path, text));
  if (code === text) continue;
  // At once: tests may load it meanwhile.
  writeFileSync(`${path}.tmp`, code);
  renameSync(`${path}.tmp`, path);
}

writeFileSync(join(dist, '.npmignore'), `${hiddenDeclarations(process.cwd()).join('\n')}\n`);
