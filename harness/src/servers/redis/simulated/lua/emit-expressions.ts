import type {
  BinaryExpression,
  Expression,
  FunctionDeclaration,
  Identifier,
  LogicalExpression,
  TableConstructorExpression,
  UnaryExpression,
} from 'luaparse';
import { LuaSyntaxError, notLua } from './errors.ts';
import { LIBRARY } from './library/globals.ts';
import { ARITHMETIC, isComparison, ORDERS, operandName, quoted } from './operators.ts';
import { aroundCall, callArguments, isCall, isInParentheses, type LuaCall } from './parse.ts';
import type { FunctionScope } from './scope.ts';

/** The parts of the compiler that expressions use. */
export interface Emission {
  readonly source: string;
  /** The code of a function's body needs statements, which need expressions. */
  functionCode(declaration: FunctionDeclaration, scope: FunctionScope, withSelf: boolean): string;
}

/** The code of expressions: each evaluates to one Lua value, unless said otherwise. */
export class Expressions {
  readonly #emission: Emission;

  constructor(emission: Emission) {
    this.#emission = emission;
  }

  one(expression: Expression, scope: FunctionScope): string {
    switch (expression.type) {
      case 'NilLiteral':
        return 'undefined';
      case 'BooleanLiteral':
      case 'NumericLiteral':
        return `${expression.value}`;
      case 'StringLiteral':
        return JSON.stringify(expression.value);
      case 'VarargLiteral':
        return `${varargs(scope)}[0]`;
      case 'Identifier':
        return this.#variable(expression, scope);
      case 'FunctionDeclaration':
        return `(${this.#emission.functionCode(expression, scope, false)})`;
      case 'MemberExpression':
        return `index(${this.one(expression.base, scope)}, ${JSON.stringify(expression.identifier.name)}, ${operandName(expression.base, scope)})`;
      case 'IndexExpression':
        return `index(${this.one(expression.base, scope)}, ${this.one(expression.index, scope)}, ${operandName(expression.base, scope)})`;
      case 'TableConstructorExpression':
        return this.#table(expression, scope);
      case 'LogicalExpression':
        return this.#logical(expression, scope);
      case 'UnaryExpression':
        return this.#unary(expression, scope);
      case 'BinaryExpression':
        return this.#binary(expression, scope);
      case 'CallExpression':
      case 'StringCallExpression':
      case 'TableCallExpression':
        return `first(${this.call(expression, scope)})`;
      default:
        return notLua(expression);
    }
  }

  /** Code with JavaScript's truth, for conditions. */
  condition(expression: Expression, scope: FunctionScope): string {
    if (expression.type === 'BooleanLiteral') return `${expression.value}`;
    if (expression.type === 'UnaryExpression' && expression.operator === 'not')
      return `!(${this.condition(expression.argument, scope)})`;
    if (expression.type === 'LogicalExpression') {
      const operator = expression.operator === 'and' ? '&&' : '||';
      return `(${this.condition(expression.left, scope)} ${operator} ${this.condition(expression.right, scope)})`;
    }
    const code = this.one(expression, scope);
    return isComparison(expression) ? code : `isTrue(${code})`;
  }

  /** Comma-separated code of all values: the last expression may yield any number of them. */
  list(expressions: readonly Expression[], scope: FunctionScope, around = 0): string {
    const last = expressions.length - 1;
    const codes = expressions.map((expression, at) =>
      at === last && this.isOpen(expression, expressions.length === 1 ? around : 0)
        ? `...${this.spread(expression, scope)}`
        : this.one(expression, scope),
    );
    return codes.join(', ');
  }

  /** True if the expression may yield any number of values. */
  isOpen(expression: Expression, around: number): boolean {
    const open = expression.type === 'VarargLiteral' || isCall(expression);
    return open && !isInParentheses(expression, around, this.#emission.source);
  }

  /** The code of an array with all values of an open expression. */
  spread(expression: Expression, scope: FunctionScope): string {
    if (expression.type === 'VarargLiteral') return varargs(scope);
    if (isCall(expression)) return `many(${this.call(expression, scope)})`;
    throw new LuaSyntaxError('only a call or ... gives several values');
  }

  /** The code of a call, which evaluates to a LuaResult. */
  call(call: LuaCall, scope: FunctionScope): string {
    const args = callArguments(call);
    const { base } = call;
    if (base.type === 'MemberExpression' && base.indexer === ':') {
      const self = scope.temporary();
      const method = JSON.stringify(base.identifier.name);
      const values = args.length === 0 ? '' : `, ${this.list(args, scope, aroundCall(call))}`;
      const found = `index(${self} = ${this.one(base.base, scope)}, ${method}, ${operandName(base.base, scope)})`;
      return `callable(${found}, ${quoted('method', base.identifier.name)})(${self}${values})`;
    }
    const values = this.list(args, scope, aroundCall(call));
    const known = this.#libraryFunction(base, scope);
    if (known !== undefined) return `${known}(${values})`;
    return `callable(${this.one(base, scope)}, ${operandName(base, scope)})(${values})`;
  }

  /** A script cannot replace functions such as `redis.call`, so they are looked up only once. */
  #libraryFunction(base: Expression, scope: FunctionScope): string | undefined {
    if (base.type !== 'MemberExpression' || base.base.type !== 'Identifier') return undefined;
    const { name } = base.base;
    if (scope.find(name) !== undefined) return undefined;
    const code = `${name}$${base.identifier.name}`;
    return LIBRARY.has(code) ? code : undefined;
  }

  #variable({ name }: Identifier, scope: FunctionScope): string {
    const local = scope.find(name);
    if (local !== undefined) return local.code;
    if (name === 'KEYS' || name === 'ARGV') return name;
    const code = `global$${name}`;
    return LIBRARY.has(code) ? code : `missingGlobal(${JSON.stringify(name)})`;
  }

  #table({ fields }: TableConstructorExpression, scope: FunctionScope): string {
    const values = fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []));
    if (values.length === fields.length) return `new LuaTable([${this.list(values, scope)}])`;
    let at = 0;
    const steps = fields.map((field) => {
      if (field.type !== 'TableValue') {
        const key =
          field.type === 'TableKey' ? this.one(field.key, scope) : JSON.stringify(field.key.name);
        return `$table.set(${key}, ${this.one(field.value, scope)})`;
      }
      const isLast = ++at === values.length && field === fields.at(-1);
      const value = isLast ? this.list([field.value], scope) : this.one(field.value, scope);
      return `$list.push(${value})`;
    });
    return `(($table, $list) => (${steps.join(', ')}, $table.fill($list)))(new LuaTable(), [])`;
  }

  #logical({ operator, left, right }: LogicalExpression, scope: FunctionScope): string {
    const kept = scope.temporary();
    const test = `isTrue(${kept} = ${this.one(left, scope)})`;
    const other = this.one(right, scope);
    return operator === 'and' ? `(${test} ? ${other} : ${kept})` : `(${test} ? ${kept} : ${other})`;
  }

  #unary({ operator, argument }: UnaryExpression, scope: FunctionScope): string {
    if (operator === 'not') return `!(${this.condition(argument, scope)})`;
    const name = operator === '-' ? 'negate' : 'length';
    return `${name}(${this.one(argument, scope)}, ${operandName(argument, scope)})`;
  }

  #binary({ operator, left, right }: BinaryExpression, scope: FunctionScope): string {
    const [a, b] = [this.one(left, scope), this.one(right, scope)];
    if (operator === '==') return `(${a} === ${b})`;
    if (operator === '~=') return `(${a} !== ${b})`;
    const order = ORDERS[operator];
    // a > b is b < a, in errors too; a is evaluated first.
    if (order !== undefined) return `${order}(${a}, ${b})`;
    const name = ARITHMETIC[operator];
    if (name === undefined) throw new LuaSyntaxError(`operator ${operator} is not Lua 5.1`);
    return `${name}(${a}, ${b}, ${operandName(left, scope)}, ${operandName(right, scope)})`;
  }
}

function varargs(scope: FunctionScope): string {
  if (!scope.isVariadic) throw new LuaSyntaxError("cannot use '...' outside a vararg function");
  return '$varargs';
}
