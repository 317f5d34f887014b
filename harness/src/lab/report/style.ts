/** Paper and inks; the colours of outcomes are those of drawings and terminal. */
export const PAGE_SHADES = {
  light: {
    paper: '#ffffff',
    ink: '#1f2328',
    soft: '#57606a',
    line: '#d8dee4',
    band: '#f3f5f7',
    green: '#1a7f37',
    yellow: '#8a5a00',
    red: '#c4161c',
    gray: '#57606a',
    magenta: '#8250df',
    blue: '#0a58ca',
    cyan: '#0b6b7a',
  },
  dark: {
    paper: '#0d1117',
    ink: '#e6edf3',
    soft: '#9198a1',
    line: '#30363d',
    band: '#161b22',
    green: '#3fb950',
    yellow: '#e3b341',
    red: '#ff7b72',
    gray: '#9198a1',
    magenta: '#d2a8ff',
    blue: '#79b8ff',
    cyan: '#56d4dd',
  },
} as const;

function variables(shade: keyof typeof PAGE_SHADES): string {
  return Object.entries(PAGE_SHADES[shade])
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** Of the signs of backends. */
function signColours(): string {
  return ['blue', 'yellow', 'magenta', 'cyan', 'gray']
    .map((name) => `.sign.${name}{color:var(--${name})}`)
    .join('');
}

/** The style sheet of the page: light, dark where the reader prefers that, and print. */
export function pageStyle(): string {
  return `
:root{color-scheme:light dark;${variables('light')}}
@media (prefers-color-scheme:dark){:root{${variables('dark')}}}
@media print{:root{color-scheme:light;${variables('light')}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:14px 24px;max-width:1280px;background:var(--paper);color:var(--ink);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:19px;line-height:1.3;margin:0 0 2px}h2{font-size:17px;margin:36px 0 6px}h3{font-size:14px;font-weight:400;margin:18px 0 0}
p{margin:4px 0;max-width:110ch}.soft{color:var(--soft)}.partial{border:2px solid var(--ink);font-weight:600;padding:4px 8px}
ul.says{list-style:none;margin:6px 0 8px;padding:0}ul.says li{margin:1px 0;padding-left:14em;text-indent:-14em}ul.says b{display:inline-block;min-width:14em;text-indent:0}
.sign{display:inline-block;width:1.3em;font-weight:400}${signColours()}
table{border-collapse:collapse}th,td{text-align:left;padding:2px 10px;font-weight:400}
.matrix{width:100%;table-layout:fixed}.matrix th[scope=row],.matrix th:first-child{width:14.5em}
.matrix tr{border-top:1px solid var(--line)}.matrix thead tr{border:0}.matrix thead th{font-weight:600;vertical-align:bottom;line-height:1.25;padding-left:12px}
.matrix th:first-child{padding-left:0}.matrix td a{display:inline-block;padding:0 6px;border-radius:12px;color:inherit;text-decoration:none;white-space:nowrap}
.matrix td a:hover{background:var(--band);text-decoration:underline}
.glyph{font-weight:700;display:inline-block;width:1.2em}.number{font-variant-numeric:tabular-nums}
.late .glyph{color:var(--yellow)}.holds .glyph{color:var(--green)}.nothing .glyph{color:var(--magenta)}.inert{color:var(--soft)}
.fence{padding-left:8px;color:var(--soft)}.fence.breaks{color:var(--ink);font-weight:700}.ring{outline:2px solid var(--red);outline-offset:0}
.dense{font-size:13px;line-height:1.27}.dense th,.dense td{padding-top:1px;padding-bottom:1px}
.scroll{overflow-x:auto}.legend{font-size:12px;color:var(--soft);margin:6px 0;max-width:none}
details{border-top:1px solid var(--line);padding:6px 0}summary{cursor:pointer}.cell{scroll-margin-top:3em}
details:has(:target){background:var(--band)}details img{max-width:100%;height:auto;display:block;margin:8px 0}
.story{margin:12px 0 4px}.both th{overflow-wrap:normal}.both th[scope=row]{color:var(--soft)}.both a{color:inherit}.both td{font-variant-numeric:tabular-nums;white-space:nowrap}.both tr.first{border-top:1px solid var(--line)}.both .different{font-weight:600}
.figures th{color:var(--soft);padding-left:0}.figures td{font-variant-numeric:tabular-nums}
figure{margin:4px 0}figure svg{display:block;max-width:100%;height:auto;background:transparent!important;color:var(--ink);overflow:visible}.narrow{display:none}
pre{white-space:pre-wrap;background:var(--band);padding:8px;margin:4px 0}
@media screen and (max-width:700px){body{padding:12px}.wide{display:none}.narrow{display:block}
ul.says li{padding:0;text-indent:0;margin:5px 0}ul.says b{min-width:0;margin-right:.5em}
.matrix{font-size:11px;line-height:1.25}.matrix th,.matrix td{padding:2px 0}.matrix th[scope=row],.matrix th:first-child{width:8.6em}
.matrix wbr{display:none}.matrix thead th{height:14em;padding:0;overflow-wrap:normal}.matrix thead .name{writing-mode:vertical-rl;white-space:nowrap}.matrix thead .sign{width:auto;height:1.4em}
.matrix td a{padding:0 1px;white-space:normal}.glyph{width:1.1em}.word{display:none}.fence{padding:0 0 0 1px;display:block}.fence::before{content:"f "}
.both,.figures{font-size:11px}.both th,.both td,.figures th,.figures td{padding:1px 2px;white-space:normal}}
@media print{body{max-width:none;padding:0}ul.says{font-size:12px}.matrix{font-size:10px}.dense{font-size:9px}.matrix th,.matrix td{padding:1px 2px}.matrix th[scope=row],.matrix th:first-child{width:11em}.matrix td a{padding:0 1px}.fence{padding-left:4px}.both{font-size:10px}.both th,.both td{padding:1px 4px;white-space:normal}.scroll{overflow:visible}details,figure{break-inside:avoid}h3{break-after:avoid}a{color:inherit}}
`;
}
