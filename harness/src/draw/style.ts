import { type Colour, SHADES } from './notation.ts';

const NAMES: readonly Colour[] = ['green', 'yellow', 'red', 'gray', 'magenta', 'blue'];
const PAPER = { light: '#ffffff', dark: '#0d1117' } as const;
const INK = { light: '#1f2328', dark: '#e6edf3' } as const;
const FAINT = { light: '#d8dee4', dark: '#30363d' } as const;

type Shade = 'light' | 'dark';

const SHAPES = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px}
.halo{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}.clock{font-family:ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;font-size:9px}
.head{font-size:16px;font-weight:700}.name{font-size:13px;font-weight:600}.small{font-size:10px}.clash{font-size:11px;font-weight:700}
.number{font-size:10px;font-weight:700}
.believes{fill:none;stroke-width:1.5}.waits{stroke-width:1.5;stroke-dasharray:2 3}.message{stroke-width:1}
.odd{stroke-width:1.5;stroke-dasharray:5 2}.fault-line{stroke-width:1.5;stroke-dasharray:6 3}.cross{stroke-width:2;fill:none}.badge{stroke-width:1.5}
.hatch{stroke-width:2}`;

/** The look of a picture on light paper, and on dark where the reader prefers that. Shapes and words say everything too. */
export function styleSheet(): string {
  return `<style>${SHAPES}\n${shades('light')}\n@media (prefers-color-scheme:dark){${shades('dark')}}</style>`;
}

function shades(shade: Shade): string {
  const colours = NAMES.map(
    (name) => `.${name}{fill:${SHADES[name][shade]}}.s-${name}{stroke:${SHADES[name][shade]}}`,
  );
  return [
    `.paper{fill:${PAPER[shade]}}.halo{stroke:${PAPER[shade]}}.ink{fill:${INK[shade]}}.s-ink{stroke:${INK[shade]}}`,
    `.on-ink{fill:${PAPER[shade]}}.faint{fill:${FAINT[shade]}}.s-faint{stroke:${FAINT[shade]}}`,
    ...colours,
  ].join('');
}
