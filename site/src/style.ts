import { styleRules } from '@holdfast/harness/draw';

const OWN = `
:host{--paper:#fff;--ink:#1f2328;--soft:#57606a;--line:#d0d7de;--raised:#f6f8fa;--accent:#0a58ca;--on-accent:#fff;--green:#1a7f37;--yellow:#8a5a00;--red:#c4161c;--gray:#57606a;--magenta:#8250df;--mark:#fff3c4;
display:block;color:var(--ink);background:var(--paper);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
:host([data-dark]){--paper:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#30363d;--raised:#161b22;--accent:#79b8ff;--on-accent:#0d1117;--green:#3fb950;--yellow:#e3b341;--red:#ff7b72;--gray:#9198a1;--magenta:#d2a8ff;--mark:#3a3005}
*{box-sizing:border-box}[hidden]{display:none!important}
.row{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:end;margin:8px 0}
label{font-size:13px;color:var(--soft);display:flex;flex-direction:column;gap:2px;min-width:0}
label.check{flex-direction:row;align-items:center;gap:6px;color:var(--ink);min-height:28px}
select,button,input[type=number],input[type=text],textarea{font:inherit;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:5px 10px;min-height:36px;max-width:100%}
button{cursor:pointer}button:hover{border-color:var(--accent)}button.main{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
button:disabled{opacity:.55;cursor:default}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
figure.stage{margin:12px 0;padding:0}figcaption{margin-bottom:4px}.stage svg{display:block;width:100%;height:auto;touch-action:pan-y}
.verdict{font-size:17px;margin-right:10px}.title{color:var(--soft)}.why{margin:2px 0}
.v-green{color:var(--green)}.v-yellow{color:var(--yellow)}.v-red{color:var(--red)}.v-gray{color:var(--gray)}.v-magenta{color:var(--magenta)}
.bar{position:sticky;bottom:0;background:var(--paper);border-top:1px solid var(--line);padding:6px 0;z-index:2}
.bar .row{margin:4px 0;align-items:center}.time{flex:1 1 160px;min-width:120px}.time input{display:block;width:100%;margin:0;accent-color:var(--accent);height:28px;contain:strict}
.bar button{min-width:44px}.now{margin:4px 0;min-height:3em;font-size:16px}.now.fitted{contain:strict;overflow:auto}.now b{color:var(--soft);font-weight:400}
.problem{border-left:4px solid var(--red);padding:8px 12px;background:var(--raised);overflow-wrap:anywhere}
ol.steps{max-height:320px;overflow:auto;padding:0;margin:8px 0;list-style:none;border:1px solid var(--line);border-radius:6px}
ol.steps button{display:flex;gap:12px;width:100%;text-align:left;border:0;border-radius:0;background:none;min-height:32px;padding:4px 10px}
ol.steps button[aria-current]{background:var(--raised);box-shadow:inset 4px 0 var(--accent)}
ol.steps span{flex:none;width:64px;text-align:right;color:var(--soft);font-variant-numeric:tabular-nums}
summary{cursor:pointer;min-height:32px;padding:4px 0;font-weight:600}code,textarea{font-family:ui-monospace,Menlo,monospace;font-size:13px;overflow-wrap:anywhere}
textarea{width:100%;min-height:64px}.hint{color:var(--soft);font-size:14px;margin:4px 0}.palette button{touch-action:none;flex:none}.palette{flex-wrap:nowrap;overflow-x:auto;padding:4px}
.layers{position:relative;overflow:hidden}.stage svg.over{position:absolute;inset:0;height:100%}.veil{position:absolute;inset:0;background:color-mix(in srgb,var(--paper) 82%,transparent);border-left:2px solid var(--accent);will-change:transform;pointer-events:none}.moving{position:absolute;inset:0;pointer-events:none;will-change:transform;contain:strict}.moving span{position:absolute;left:0;top:0;width:80px;height:13px;overflow:hidden;contain:strict;font:10px/13px ui-monospace,Menlo,monospace;color:var(--ink)}.margin{fill:var(--paper)}
.dot{position:absolute;left:-5px;top:-5px;width:10px;height:10px;border-radius:50%;background:var(--accent);border:1.5px solid var(--paper);pointer-events:none}.dot.lost{background:var(--magenta)}
.drop{stroke:var(--magenta);stroke-width:2;stroke-dasharray:4 3}.handle{fill:var(--magenta);stroke:var(--paper);stroke-width:2;cursor:ew-resize;touch-action:none}
.handle:focus-visible{outline:3px solid var(--accent)}
@media (max-width:640px){.now{font-size:15px}select{max-width:46vw}}
`;

/** All rules of the playground: its own, and those of the drawings, light and dark. */
export function styles(): string {
  const { light, dark } = styleRules();
  const onDark = dark.replaceAll(/\.[a-z-]+\{/g, (rule) => `:host([data-dark]) ${rule}`);
  return `${light.replace(/^\s*svg\{/, '.stage svg{')}${onDark}${OWN}`;
}
