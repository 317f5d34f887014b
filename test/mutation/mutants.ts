import { readFileSync } from 'node:fs';
import { isLua, luaEdits } from './lua.ts';
import { type Edit, edited, type Mutable, type Mutant, mutantOf } from './mutant.ts';
import { OPERATORS } from './operators.ts';
import { type Node, parse, walk, withoutComments } from './syntax.ts';
import { FILES, sourceOf } from './targets.ts';

/** All mutants of one package, file by file in the order of their places. */
export function mutantsOfPackage(of: Mutable): readonly Mutant[] {
  return FILES[of].flatMap((file) =>
    mutantsOfText(of, file, readFileSync(sourceOf(of, file), 'utf8')),
  );
}

/** All mutants of one source file, none of them equal in text to it or to another. */
export function mutantsOfText(of: Mutable, file: string, text: string): readonly Mutant[] {
  const seen = new Set([text]);
  const code = withoutComments(file, text);
  const fresh = editsOf(file, text).filter((edit) => {
    const wrong = edited(text, edit);
    if (seen.has(wrong)) return false;
    seen.add(wrong);
    return true;
  });
  return fresh
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => mutantOf(of, file, { text, code }, edit));
}

function editsOf(file: string, text: string): readonly Edit[] {
  const edits: Edit[] = [];
  const source = ({ start, end }: Node): string => text.slice(start, end);
  walk(parse(file, text), (node, parents) => {
    if (isLua(node, source(node))) edits.push(...luaEdits(source(node), node.start));
    for (const operator of OPERATORS) edits.push(...operator({ node, parents, source }));
  });
  return edits;
}
