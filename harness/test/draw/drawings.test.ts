import { describe, expect, test } from 'vitest';
import {
  captionOf,
  drawMultiples,
  drawSvg,
  drawText,
  meaningOf,
  type Scene,
  type TextStyle,
} from '../../src/draw/index.ts';
import { story } from '../check/support/story.ts';
import { actor, calm, clientClock, failover, message, pause, restart } from './scenes.ts';

const scenes = { failover, pause, restart, clientClock, calm };
const multiples = drawMultiples('One fault, two answers', [failover, pause]);

/** Marks what would be coloured, so that it can be taken away again. */
const markedInk: TextStyle = {
  colour: (name, text) => `<${name}>${text}</>`,
  bold: (text) => `<bold>${text}</>`,
  dim: (text) => `<dim>${text}</>`,
};

describe.each(Object.entries(scenes))('the drawing of %s', (name, scene) => {
  test('is the picture that is kept', async () => {
    await expect(drawSvg(scene)).toMatchFileSnapshot(`expected/${name}.svg`);
  });

  test('is the timeline that is kept', async () => {
    await expect(`${drawText(scene)}\n`).toMatchFileSnapshot(`expected/${name}.txt`);
  });

  test('has a caption of at most 25 words, which is also what is read out', () => {
    const caption = captionOf(scene);

    expect(caption.split(/\s+/).length).toBeLessThanOrEqual(25);
    expect(unescaped(drawSvg(scene))).toContain(`<desc id="holdfast-desc">${caption}</desc>`);
  });

  test('numbers at most twelve events, and lists each', () => {
    const numbers = discsOf(drawSvg(scene));

    expect(numbers).toBeLessThanOrEqual(24);
    expect(numbers % 2).toBe(0);
  });

  test('fits 100 columns, or fewer', () => {
    for (const width of [100, 80]) {
      const lines = drawText(scene, { width }).split('\n');

      expect(lines.filter((line) => line.length > width)).toEqual([]);
    }
  });

  test('says the same with colour and without, and needs no escape codes', () => {
    const bare = drawText(scene);

    expect(bare).not.toContain('\u001B');
    expect(drawText(scene, { ink: markedInk }).replaceAll(/<\/?\w*>/g, '')).toBe(bare);
  });

  test('closes every element that it opens', () => {
    expect(unbalanced(drawSvg(scene))).toEqual([]);
  });
});

test('small multiples are the picture that is kept, and closes every element', async () => {
  await expect(multiples).toMatchFileSnapshot('expected/multiples.svg');
  expect(unbalanced(multiples)).toEqual([]);
});

test('a story that is over the top is cut down to what tells it', () => {
  const polls = Array.from({ length: 200 }, (_, i) => message('B', 'n1', 'acquire', 20.5 + i));
  const chatty: Scene = { ...failover, messages: [...failover.messages, ...polls] };

  expect(discsOf(drawSvg(chatty))).toBe(24);
  expect(drawText(chatty).split('\n').length).toBeLessThan(50);
  expect(drawText(chatty)).toContain('200 minor lines omitted');
});

test('names that look like markup stay names', () => {
  const key = '</text><script>&"\u0007';
  const history = failover.history.map((event) => ({ ...event, key }));
  const hostile: Scene = { ...failover, title: key, history };

  expect(drawSvg(hostile)).not.toContain('<script');
  expect(drawSvg(hostile)).not.toContain('\u0007');
  expect(unbalanced(drawSvg(hostile))).toEqual([]);
});

test('a message that never arrives ends in a cross, and the timeline says so', () => {
  expect(drawText(clientClock)).toContain('DEL to A: it never arrives');
  expect(drawSvg(clientClock)).toContain('class="cross s-magenta"');
});

test('a slow message is shown with its delay', () => {
  const slow: Scene = {
    ...failover,
    messages: [...failover.messages, message('A', 'n1', 'release', 12, { arrivedMs: 58 })],
  };

  expect(drawText(slow)).toContain('release from A arrives, after 46 ms');
});

test('messages that arrive or are lost together are named once and share a line', () => {
  const nodes = ['n1', 'n2'].map((id) => actor(id, 'node'));
  const actors = [...failover.actors.filter(({ kind }) => kind === 'client'), ...nodes];
  const messages = ['n1', 'n2'].flatMap((node) => [
    message(node, 'A', 'answer', 2, { arrivedMs: 900 }),
    message('B', node, 'cry', 5, { arrivedMs: null }),
  ]);
  const quick = Array.from({ length: 9 }, (_, i) => message('A', 'n1', 'ask', i));
  const scene = { ...failover, actors, serverState: [], messages: [...quick, ...messages] };

  const [picture, text] = [drawSvg(scene), drawText(scene)];

  expect(picture.match(/>answer</g)).toHaveLength(1);
  expect(picture.match(/>cry</g)).toHaveLength(1);
  expect(text).toContain('answer from n1,n2: they arrive, after 898 ms');
  expect(text).toContain('cry to n1,n2: they never arrive');
});

test('two valid holders are broken in red, a late one is late', () => {
  expect(drawSvg(failover)).toMatch(/class="conflict red halo"[^>]*>broken</);
  expect(drawSvg(pause)).toMatch(/class="conflict yellow halo"[^>]*>late</);
  expect(drawText(failover)).toMatch(/^LOCK BROKEN: two valid holders\n✗/);
  expect(drawText(pause)).toMatch(/^LATE HOLDER: a client continued after its lease had ended\n◐/);
});

test('what it means names who, for how long, why, and what a token would do about it', () => {
  expect(meaningOf(failover)).toBe(
    "The lock granted k to B while A's lease had 976 ms left, because the replica that took over did not know of the lock; a resource that compares fencing tokens would refuse what A writes after that.",
  );
  expect(meaningOf(restart)).toContain('it issues no fencing token');
  expect(
    meaningOf({
      ...calm,
      property: 'ownership',
      verdicts: [
        { property: 'ownership', kind: 'violated', message: 'a prolonged what b wrote', proof: [] },
      ],
    }),
  ).toBe('A prolonged what b wrote.');
  expect(meaningOf(calm)).toBe('Under this schedule the lock holds.');
});

test.each([
  ['9', 'would refuse B, whose token is the smaller one.'],
  ['5', 'both have the same fencing token, so a resource cannot tell them apart.'],
  ['1', 'would refuse what A writes after that.'],
])(
  'with token %s of the first and 5 of the second it says which client a resource refuses',
  (first, said) => {
    const history = failover.history.map((event) =>
      event.type === 'granted' ? { ...event, token: event.client === 'A' ? first : '5' } : event,
    );

    expect(meaningOf({ ...failover, history })).toContain(said);
  },
);

test('a client that waits forever is the headline if nothing else went wrong', () => {
  const stuck: Scene = { ...calm, property: 'liveness', complaints: ['B waits forever'] };

  expect(drawText(stuck)).toMatch(/^LOCK STUCK: B waits forever\n✗/);
});

test('a history that cannot be relied on gets no verdict, and is drawn all the same', () => {
  const flawed = story([5, 'A', { type: 'enter' }], [4, 'B', { type: 'acquire' }]);
  const verdicts = [
    { property: 'validity', kind: 'unknown', message: 'time runs backwards', proof: [] },
  ] as const;
  const scene: Scene = { ...failover, history: flawed, verdicts };

  expect(drawText(scene)).toMatch(/^NO VERDICT: time runs backwards\n\?/);
  expect(unbalanced(drawSvg(scene))).toEqual([]);
});

test('an empty scene is drawn empty', () => {
  const empty: Scene = { ...calm, actors: [], history: [] };

  expect(unbalanced(drawSvg(empty))).toEqual([]);
  expect(drawText(empty)).toContain('LOCK HOLDS');
});

/** Names of elements that are closed without having been opened, or never. */
/** The number of round badges; each is a line without length. */
function discsOf(svg: string): number {
  return svg.match(/M[\d.]+ [\d.]+h0/g)?.length ?? 0;
}

function unbalanced(svg: string): readonly string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = '', self] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
    if (self === '/') continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
