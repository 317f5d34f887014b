import type { Statement } from 'pgsql-ast-parser';
import { SqlUnsupported } from './unsupported.ts';

/** What the parser does not know, and what differs from message to message. */
export type Command =
  | { readonly type: 'listen'; readonly channel: string }
  | { readonly type: 'isolation'; readonly level: string }
  | { readonly type: 'set local'; readonly name: string; readonly value: string };

export type Parsed = Statement | Command;

/** Parsing takes a hundred times as long as executing, and the texts are few. */
const known = new Map<string, readonly Parsed[]>();

let parser: typeof import('pgsql-ast-parser') | undefined;

/** Loads the parser, to be awaited before the first statement: it takes a quarter of a second, and most runs need no SQL. */
export async function loadParser(): Promise<void> {
  parser ??= await import('pgsql-ast-parser');
}

/** Parses statements with `$1`, `$2`, … @throws SqlUnsupported for what cannot be parsed */
export function parse(text: string): readonly Parsed[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const parsed = commandsIn(text) ?? statementsIn(text);
  known.set(text, parsed);
  return parsed;
}

function commandsIn(text: string): readonly Command[] | undefined {
  const channel = /^LISTEN (\w+)$/.exec(text)?.[1];
  if (channel !== undefined) return [{ type: 'listen', channel }];
  const [setting, name = '', value = ''] = /^SET LOCAL (\w+) = (\w+)$/.exec(text) ?? [];
  if (setting !== undefined) return [{ type: 'set local', name, value }];
  const level = /^SET TRANSACTION ISOLATION LEVEL ([A-Z ]+)$/.exec(text)?.[1];
  return level === undefined ? undefined : [{ type: 'isolation', level }];
}

function statementsIn(text: string): readonly Statement[] {
  if (text.trim() === '') return [];
  if (parser === undefined) throw new Error('await loadParser() before the first statement');
  try {
    return parser.parse(text);
  } catch (cause) {
    throw new SqlUnsupported(`the SQL ${text} (${String(cause).split('\n', 1)[0]})`);
  }
}
