import type {
  AssignmentStatement,
  Expression,
  ForGenericStatement,
  ForNumericStatement,
  FunctionDeclaration,
  Identifier,
  IfStatement,
  LocalStatement,
  ReturnStatement,
  Statement,
} from 'luaparse';
import { type Emission, Expressions } from './emit-expressions.ts';
import { LuaSyntaxError, notLua } from './errors.ts';
import { operandName } from './operators.ts';
import { isCall, lineOf } from './parse.ts';
import { FunctionScope } from './scope.ts';

/** Counts the steps of loops and calls, so that an endless script is detected. */
const STEP = 'if (--machine.steps < 0) machine.exhausted();';

/** The code of statements and of the functions made of them. */
export class Statements implements Emission {
  readonly source: string;
  readonly #expressions: Expressions;

  constructor(source: string) {
    this.source = source;
    this.#expressions = new Expressions(this);
  }

  functionCode(declaration: FunctionDeclaration, outer: FunctionScope, withSelf: boolean): string {
    const { parameters } = declaration;
    const isVariadic = parameters.some(({ type }) => type === 'VarargLiteral');
    const scope = new FunctionScope(outer, isVariadic);
    const names = parameters.flatMap((one) => (one.type === 'Identifier' ? [one.name] : []));
    const codes = [...(withSelf ? ['self'] : []), ...names].map((name) => scope.declare(name));
    if (isVariadic) codes.push('...$varargs');
    const body = this.functionBody(declaration.body, scope);
    // The caller continues in its own line.
    return `(${codes.join(', ')}) => {${STEP}const $line = machine.line;try {${body}} finally {machine.line = $line;}}`;
  }

  functionBody(body: readonly Statement[], scope: FunctionScope): string {
    const code = this.#block(body, scope);
    const { temporaries } = scope;
    const declared = temporaries.length === 0 ? '' : `let ${temporaries.join(', ')};`;
    return `${declared}${code}return NOTHING;`;
  }

  #block(body: readonly Statement[], scope: FunctionScope): string {
    return scope.block(() => this.#sequence(body, scope));
  }

  #sequence(body: readonly Statement[], scope: FunctionScope): string {
    return body
      .map(
        (statement) => `machine.line = ${lineOf(statement)};${this.#statement(statement, scope)}\n`,
      )
      .join('');
  }

  #statement(statement: Statement, scope: FunctionScope): string {
    switch (statement.type) {
      case 'LocalStatement':
        return this.#local(statement, scope);
      case 'AssignmentStatement':
        return this.#assignment(statement, scope);
      case 'CallStatement':
        if (!isCall(statement.expression)) throw new LuaSyntaxError('a call was expected');
        return `${this.#expressions.call(statement.expression, scope)};`;
      case 'ReturnStatement':
        return this.#return(statement, scope);
      case 'IfStatement':
        return this.#if(statement, scope);
      case 'WhileStatement':
        return `while (${this.#expressions.condition(statement.condition, scope)}) {${STEP}${this.#block(statement.body, scope)}}`;
      case 'RepeatStatement':
        return scope.block(() => {
          const body = this.#sequence(statement.body, scope);
          const until = this.#expressions.condition(statement.condition, scope);
          return `while (true) {${STEP}${body}if (${until}) break;}`;
        });
      case 'DoStatement':
        return `{${this.#block(statement.body, scope)}}`;
      case 'ForNumericStatement':
        return this.#numericFor(statement, scope);
      case 'ForGenericStatement':
        return this.#genericFor(statement, scope);
      case 'FunctionDeclaration':
        return this.#function(statement, scope);
      case 'BreakStatement':
        return 'break;';
      case 'GotoStatement':
      case 'LabelStatement':
        throw new LuaSyntaxError(
          `user_script:${lineOf(statement)}: ${statement.type} is not Lua 5.1`,
        );
      default:
        return notLua(statement);
    }
  }

  /** Names are declared after the values are compiled: `local x = x` means the outer one. */
  #local({ variables, init }: LocalStatement, scope: FunctionScope): string {
    const values = this.#values(init, variables.length, scope);
    const codes = variables.map(({ name }) => scope.declare(name));
    return `${values.before}let ${codes.map((code, at) => `${code} = ${values.codes[at] ?? 'undefined'}`).join(', ')};`;
  }

  #assignment({ variables, init }: AssignmentStatement, scope: FunctionScope): string {
    const [target] = variables;
    const values = this.#values(init, variables.length, scope);
    if (variables.length === 1 && target !== undefined)
      return `${values.before}${this.#assign(target, values.codes[0] ?? 'undefined', scope)}`;
    // All values are evaluated before the first is assigned.
    const kept = variables.map(() => scope.fresh());
    const keep = kept.map((code, at) => `${code} = ${values.codes[at] ?? 'undefined'}`).join(', ');
    const assigns = variables.map((variable, at) => this.#assign(variable, kept[at] ?? '', scope));
    return `${values.before}const ${keep};${assigns.toReversed().join('')}`;
  }

  #assign(target: Expression, value: string, scope: FunctionScope): string {
    const one = (expression: Expression): string => this.#expressions.one(expression, scope);
    if (target.type === 'MemberExpression')
      return `setIndex(${one(target.base)}, ${JSON.stringify(target.identifier.name)}, ${value}, ${operandName(target.base, scope)});`;
    if (target.type === 'IndexExpression')
      return `setIndex(${one(target.base)}, ${one(target.index)}, ${value}, ${operandName(target.base, scope)});`;
    const local = target.type === 'Identifier' ? scope.find(target.name) : undefined;
    return local === undefined ? `${value}; globalWrite();` : `${local.code} = ${value};`;
  }

  /** One code per wanted value; surplus values are evaluated too, in `before` if necessary. */
  #values(
    init: readonly Expression[],
    wanted: number,
    scope: FunctionScope,
  ): { before: string; codes: readonly string[] } {
    const last = init.at(-1);
    const opens = last !== undefined && init.length < wanted && this.#expressions.isOpen(last, 0);
    if (!opens && init.length <= wanted)
      return {
        before: '',
        codes: init.map((expression) => this.#expressions.one(expression, scope)),
      };
    const all = scope.fresh();
    return {
      before: `const ${all} = [${this.#expressions.list(init, scope)}];`,
      codes: Array.from({ length: wanted }, (_, at) => `${all}[${at}]`),
    };
  }

  #return({ arguments: values }: ReturnStatement, scope: FunctionScope): string {
    const [only] = values;
    if (only === undefined) return 'return NOTHING;';
    if (values.length > 1) return `return [${this.#expressions.list(values, scope)}];`;
    if (!this.#expressions.isOpen(only, 0)) return `return ${this.#expressions.one(only, scope)};`;
    return isCall(only)
      ? `return ${this.#expressions.call(only, scope)};`
      : `return ${this.#expressions.spread(only, scope)};`;
  }

  #if({ clauses }: IfStatement, scope: FunctionScope): string {
    return clauses
      .map((clause) => {
        const body = `{${this.#block(clause.body, scope)}}`;
        if (clause.type === 'ElseClause') return body;
        return `if (${this.#expressions.condition(clause.condition, scope)}) ${body}`;
      })
      .join(' else ');
  }

  #numericFor(loop: ForNumericStatement, scope: FunctionScope): string {
    const number = (expression: Expression | null, role: string): string =>
      expression === null
        ? '1'
        : `forNumber(${this.#expressions.one(expression, scope)}, '${role}')`;
    const [start, end, step] = [
      number(loop.start, 'initial'),
      number(loop.end, 'limit'),
      number(loop.step, 'step'),
    ];
    return scope.block(() => {
      const variable = scope.declare(loop.variable.name);
      const body = `${STEP}let ${variable} = $at;${this.#sequence(loop.body, scope)}`;
      return (
        `{const $start = ${start}, $end = ${end}, $step = ${step};` +
        `for (let $at = $start; $step > 0 ? $at <= $end : $at >= $end; $at += $step) {${body}}}`
      );
    });
  }

  #genericFor(loop: ForGenericStatement, scope: FunctionScope): string {
    const values = this.#expressions.list(loop.iterators, scope);
    return scope.block(() => {
      const names = loop.variables.map(({ name }: Identifier) => scope.declare(name));
      return `for (let [${names.join(', ')}] of iterate(${values})) {${STEP}${this.#sequence(loop.body, scope)}}`;
    });
  }

  #function(declaration: FunctionDeclaration, scope: FunctionScope): string {
    const { identifier, isLocal } = declaration;
    if (identifier === null) throw new LuaSyntaxError('a function needs a name here');
    if (isLocal && identifier.type === 'Identifier') {
      const code = scope.declare(identifier.name);
      return `let ${code} = ${this.functionCode(declaration, scope, false)};`;
    }
    const isMethod = identifier.type === 'MemberExpression' && identifier.indexer === ':';
    return this.#assign(identifier, `(${this.functionCode(declaration, scope, isMethod)})`, scope);
  }
}
