import fc from 'fast-check';

/** Constants of all types, some of which are numbers only to arithmetic. */
const atom = fc.constantFrom(
  '0',
  '1',
  '2',
  '3',
  '-1',
  '0.5',
  '7.25',
  '100',
  '1e15',
  '4294967296',
  '1790000000000001',
  "''",
  "'a'",
  "'abc'",
  "'10'",
  "' 7 '",
  "'0x1f'",
  "'1e3'",
  "'x1'",
  "'Zz'",
  'nil',
  'true',
  'false',
  '{}',
  '{1, 2, 3}',
  'KEYS[1]',
  'ARGV[2]',
  '#ARGV',
  'x',
  'n',
);

const binary = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '%',
  '..',
  '==',
  '~=',
  '<',
  '<=',
  '>',
  '>=',
  'and',
  'or',
);
const unary = fc.constantFrom('-', 'not ', '#');
const unaryCall = fc.constantFrom(
  'show',
  'tonumber',
  'type',
  'math.floor',
  'math.ceil',
  'math.abs',
  'string.len',
  'string.upper',
  'string.reverse',
  'string.byte',
  'redis.sha1hex',
  'cjson.encode',
);
const binaryCall = fc.constantFrom(
  'math.max',
  'math.min',
  'math.fmod',
  'string.sub',
  'string.find',
  'string.match',
  'bit.band',
  'bit.bxor',
  'bit.lshift',
  'select',
  'tonumber',
);
const format = fc.constantFrom(
  '%d',
  '%5.2f',
  '%s',
  '%x',
  '%g',
  '%.14g',
  '%.17g',
  '%q',
  '%e',
  '%5s|',
  '%-5s|',
  '%05d',
  '%c',
  '%.0f',
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: atom },
      {
        weight: 5,
        arbitrary: fc
          .tuple(inner, binary, inner)
          .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      },
      { weight: 1, arbitrary: fc.tuple(unary, inner).map(([operator, a]) => `(${operator}${a})`) },
      { weight: 1, arbitrary: fc.tuple(unaryCall, inner).map(([call, a]) => `(${call}(${a}))`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(binaryCall, inner, inner)
          .map(([call, a, b]) => `(${call}(${a}, ${b}))`),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(format, inner).map(([text, a]) => `string.format('${text}', ${a})`),
      },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `({${a}, k = ${b}}).k`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(inner, inner)
          .map(([a, b]) => `({pcall(function() return ${a} end), ${b}})[2]`),
      },
    ),
  };
});

/** Addresses of tables differ, and so does the sign of NaNs, which JavaScript does not show. */
const PREAMBLE = `
local x, n = {a = 1}, 5
local function show(v)
  if type(v) == 'table' or type(v) == 'function' then return 'a ' .. type(v) end
  if v ~= v then return 'not a number' end
  return tostring(v)
end`;

/** Scripts that show one expression: its type and value, or its error. */
export const luaExpressions: fc.Arbitrary<string> = expression.map(
  (code) => `${PREAMBLE}\nlocal v = ${code}\nreturn type(v) .. ' ' .. show(v)`,
);
