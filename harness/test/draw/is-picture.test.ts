import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isPicture } from '../../src/draw/is-picture.ts';

const PICTURES = new URL('../../../docs/pictures/', import.meta.url);
const names = readdirSync(PICTURES).filter((name) => name.endsWith('.svg'));

test('whatever Holdfast draws is a picture', () => {
  const others = names.filter((name) => !isPicture(readFileSync(new URL(name, PICTURES), 'utf8')));

  expect(names.length).toBeGreaterThan(20);
  expect(others).toEqual([]);
});

test.each([
  ['a script', '<svg><script>alert(1)</script></svg>'],
  ['a script in another element', '<svg><g><script>alert(1)</script></g></svg>'],
  ['a handler', '<svg onload="alert(1)"></svg>'],
  ['a handler behind another attribute', '<svg><rect x="1" onclick="alert(1)"/></svg>'],
  ['a handler that is not quoted', '<svg><rect x="1" onclick=alert(1)/></svg>'],
  ['a handler in other quotes', "<svg><rect onclick='alert(1)'/></svg>"],
  ['a link', '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>'],
  ['another picture', '<svg><image href="http://example.org/x"/></svg>'],
  ['a reference to another file', '<svg><use href="http://example.org/x#y"/></svg>'],
  ['HTML', '<svg><foreignObject><body/></foreignObject></svg>'],
  ['an animation', '<svg><set attributeName="href" to="javascript:alert(1)"/></svg>'],
  ['an address in an attribute', '<svg><rect fill="url(http://example.org/x)"/></svg>'],
  ['an address in other letters', '<svg><rect fill="URL(http://example.org/x)"/></svg>'],
  ['an address behind an own part', '<svg><rect fill="url(#a) url(//x)"/></svg>'],
  ['a hidden address', '<svg><rect fill="&#117;rl(//x)"/></svg>'],
  ['a style that imports', '<svg><style>@import "http://example.org/x";</style></svg>'],
  ['a style that loads', '<svg><style>.a{fill:url(http://example.org/x)}</style></svg>'],
  ['a style that hides what it loads', '<svg><style>.a{fill:\\75rl(//x)}</style></svg>'],
  ['a style that is left early', '<svg><style>a</svg><script/>'],
  ['markup in a style', '<svg><style><rect/></style></svg>'],
  ['a style attribute', '<svg><rect style="fill:url(//x)"/></svg>'],
  ['another name space', '<svg xmlns="http://www.w3.org/1999/xhtml"></svg>'],
  ['a prefix', '<svg><x:script>1</x:script></svg>'],
  ['an entity', '<!DOCTYPE svg [<!ENTITY a "b">]><svg><text>&a;</text></svg>'],
  ['a comment', '<svg><!-- > --></svg>'],
  ['CDATA', '<svg><text><![CDATA[<script>]]></text></svg>'],
  ['an instruction', '<?xml-stylesheet href="x"?><svg></svg>'],
  ['a second picture', '<svg></svg><svg></svg>'],
  ['text behind it', '<svg></svg>x'],
  ['text before it', 'x<svg></svg>'],
  ['an element that is not closed', '<svg><g></svg>'],
  ['an element that is closed twice', '<svg></svg></svg>'],
  ['an end', '</svg>'],
  ['half of an element', '<svg><rect'],
  ['a quote', '<svg><rect id="a" b"/></svg>'],
  ['nothing', ''],
  ['text', 'no picture'],
])('%s is none', (_, markup) => {
  expect(isPicture(markup)).toBe(false);
});

test('a picture with all it may have is one', () => {
  expect(
    isPicture(
      '<svg xmlns="http://www.w3.org/2000/svg"><style>.a{fill:#fff}@media (prefers-color-scheme:dark){.a{fill:#000}}</style>\n<g><text x="1">a &lt; b "c" &amp;</text><rect fill="url(#p-1)"/></g></svg>\n',
    ),
  ).toBe(true);
});
