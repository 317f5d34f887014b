import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours of the page, light and dark. */
const COLOURS = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, color: 'var(--soft)' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--green)' },
    { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--magenta)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--yellow)' },
    { tag: [tags.typeName, tags.definition(tags.variableName)], color: 'var(--accent)' },
  ]),
);

const LOOK = EditorView.theme({
  '&': { border: '1px solid var(--line)', borderRadius: '6px', backgroundColor: 'var(--raised)' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace,Menlo,monospace',
    fontSize: '13px',
    maxHeight: '420px',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--soft)', border: '0' },
  '.cm-changed': { backgroundColor: 'var(--mark)', boxShadow: 'inset 4px 0 var(--yellow)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Marks the lines of a range: a selection without the focus can hardly be seen. */
function marked({ from, to }: Range): Extension {
  const line = Decoration.line({ class: 'cm-changed' });
  const linesIn = (doc: Text): DecorationSet => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(Math.max(from, to)).number];
    const starts = Array.from({ length: last - first + 1 }, (_, i) => doc.line(first + i).from);
    return Decoration.set(starts.map((start) => line.range(start)));
  };
  return StateField.define<DecorationSet>({
    create: ({ doc }) => linesIn(doc),
    update: (lines, { changes }) => lines.map(changes),
    provide: (field) => EditorView.decorations.from(field),
  });
}

/** An editor of TypeScript. Tab leaves it, so that nobody is caught in it. */
export class Editor {
  readonly #view: EditorView;
  readonly #onChange: (text: string) => void;

  constructor(parent: HTMLElement, root: ShadowRoot, onChange: (text: string) => void) {
    this.#onChange = onChange;
    this.#view = new EditorView({ parent, root });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Shows another text, and forgets what was done to the one before. */
  show(text: string, label: string, selected?: Range): void {
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        javascript({ typescript: true }),
        COLOURS,
        LOOK,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        ...(selected === undefined ? [] : [marked(selected)]),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) this.#onChange(this.text);
        }),
      ],
    });
    this.#view.setState(state);
    if (selected !== undefined)
      this.#view.dispatch({ effects: EditorView.scrollIntoView(selected.from, { y: 'center' }) });
  }
}
