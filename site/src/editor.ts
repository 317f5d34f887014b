import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
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
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});

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
  show(
    text: string,
    label: string,
    selected?: { readonly from: number; readonly to: number },
  ): void {
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
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) this.#onChange(this.text);
        }),
      ],
      ...(selected && { selection: { anchor: selected.from, head: selected.to } }),
    });
    this.#view.setState(state);
    if (selected !== undefined)
      this.#view.dispatch({ effects: EditorView.scrollIntoView(selected.from, { y: 'center' }) });
  }
}
