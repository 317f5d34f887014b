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
  },
} as const;

function variables(shade: keyof typeof PAGE_SHADES): string {
  return Object.entries(PAGE_SHADES[shade])
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** The style sheet of the page: light, dark where the reader prefers that, and print. */
export function pageStyle(): string {
  return `
:root{color-scheme:light dark;${variables('light')}}
@media (prefers-color-scheme:dark){:root{${variables('dark')}}}
@media print{:root{color-scheme:light;${variables('light')}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:16px 24px;max-width:1280px;background:var(--paper);color:var(--ink);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:19px;margin:0 0 2px}h2{font-size:17px;margin:36px 0 6px}h3{font-size:14px;margin:0}
p{margin:4px 0;max-width:110ch}.soft{color:var(--soft)}.partial{border:2px solid var(--ink);font-weight:600;padding:4px 8px}
ul.says{list-style:none;margin:8px 0 10px;padding:0}ul.says li{margin:2px 0;padding-left:13em;text-indent:-13em}ul.says b{display:inline-block;min-width:13em;text-indent:0}
table{border-collapse:collapse}th,td{text-align:left;padding:2px 10px;font-weight:400}
.matrix{width:100%;table-layout:fixed}.matrix th[scope=row]{width:15em}
.matrix tr{border-top:1px solid var(--line)}.matrix thead tr{border:0}.matrix thead th{font-weight:600;vertical-align:bottom}
.matrix td a,.matrix td span{display:inline-block;padding:0 6px;border-radius:12px;color:inherit;text-decoration:none;white-space:nowrap}
.matrix td a:hover{background:var(--band);text-decoration:underline}
.glyph{font-weight:700;display:inline-block;width:1.2em}.number{font-variant-numeric:tabular-nums}
.breaks .glyph{color:var(--red)}.late .glyph{color:var(--yellow)}.holds .glyph{color:var(--green)}.nothing .glyph{color:var(--magenta)}
.none,.inert{color:var(--soft)}.ring{outline:2px solid var(--red);outline-offset:0}
.scroll{overflow-x:auto}.legend{font-size:12px;color:var(--soft);margin:6px 0}
details{border-top:1px solid var(--line);padding:6px 0}summary{cursor:pointer}
details:target{background:var(--band)}details img{max-width:100%;height:auto;display:block;margin:8px 0}
.story{margin:12px 0 4px}.both th{overflow-wrap:normal}.both th[scope=row]{color:var(--soft)}.both a{color:inherit}.both td{font-variant-numeric:tabular-nums;white-space:nowrap}.both tr.first{border-top:1px solid var(--line)}.both .different{font-weight:600}
.figures th{color:var(--soft);padding-left:0}.figures td{font-variant-numeric:tabular-nums}
figure{margin:8px 0;overflow-x:auto}figure svg{max-width:none;height:auto;background:transparent!important;color:var(--ink)}
pre{white-space:pre-wrap;background:var(--band);padding:8px}
@media (max-width:700px){body{padding:12px}.matrix{font-size:12px;min-width:560px}.matrix th,.matrix td{padding:2px 2px}.matrix th[scope=row]{width:8.5em}
.matrix td a,.matrix td span{padding:0 1px}.matrix td .fence{display:none}ul.says li{padding:0;text-indent:0}ul.says b{min-width:0;margin-right:.5em}}
@media print{body{max-width:none;padding:0}.matrix{font-size:10px}.matrix th,.matrix td{padding:1px 2px}.matrix th[scope=row]{width:9.5em}.matrix td a,.matrix td span{padding:0 1px}.both{font-size:10px}.both th,.both td{padding:1px 4px;white-space:normal}figure{overflow:visible}figure svg{max-width:100%}.scroll{overflow:visible}details{break-inside:avoid}a{color:inherit}}
`;
}
