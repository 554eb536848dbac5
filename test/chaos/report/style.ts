export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #333); --soft: light-dark(#666, #999);
  --lock0: light-dark(#3b82c4, #5b9bd5); --lock1: light-dark(#4d9a51, #6cb870); --lock2: light-dark(#9065b0, #b08cd0); }
body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; }
h1 { font: 600 15px/1.4 ui-monospace, monospace; }
table { border-collapse: collapse; } td { padding: 2px 12px 2px 0; vertical-align: top; } td b { color: #d33; }
.violations { max-height: 240px; overflow-y: auto; } .violations a { color: #d33; }
.legend { display: flex; flex-wrap: wrap; gap: 16px; list-style: none; padding: 0; }
.legend i { display: inline-block; width: 24px; height: 10px; margin-right: 6px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); }
svg text { font: 10px ui-monospace, monospace; fill: currentColor; }
svg .second, svg .name, svg .lane { fill: var(--soft); } svg .fence { fill: #fff; pointer-events: none; }
svg .tick { stroke: var(--line); }
.lock0 { fill: var(--lock0); background: var(--lock0); } .lock1 { fill: var(--lock1); background: var(--lock1); }
.lock2 { fill: var(--lock2); background: var(--lock2); } .hold { stroke: light-dark(#fff, #000); stroke-width: .5; }
.lost { stroke: #c60; stroke-width: 2; border: 2px solid #c60; } .wait { fill: var(--soft); background: var(--soft); opacity: .6; }
.serving { fill: var(--line); background: var(--line); }
.fault { fill: #d90; background: #d90; opacity: .18; } .fault.data, .fault.fences { fill: #d33; } .fault.leases { fill: #d63; }
.violation { fill: none; stroke: #d33; stroke-width: 2; stroke-dasharray: 4 2; } svg .alarm { fill: #d33; font-weight: 700; }
g:target .violation { fill: #d33; fill-opacity: .15; }
`;
