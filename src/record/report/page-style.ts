/**
 * The page's style, embedded verbatim: its content security policy allows no other. Each text has a contrast of at least
 * 4.5 to 1 on its background (WCAG 2.2, AA), and so has each of the sixteen colours of a log.
 */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --panel: #f5f6f9; --text: #1b1f27; --quiet: #566071; --line: #d9dde5;
  --accent: #4a44b5; --good: #1a7a3c; --bad: #bd2838; --warn: #8a5700; --mark: #ffe27a;
  --c0: #1b1f27; --c1: #b3222e; --c2: #17682f; --c3: #7a5000; --c4: #1d50b8; --c5: #86299a; --c6: #0a626c; --c7: #4b5462;
  --c8: #566071; --c9: #bd2838; --c10: #1a7a3c; --c11: #875600; --c12: #275fd0; --c13: #9532a9; --c14: #0b6f7a; --c15: #1b1f27 }
@media (prefers-color-scheme: dark) { :root { --back: #0f1218; --panel: #171b23; --text: #e7eaf0; --quiet: #9ba5b4; --line: #2d3440;
  --accent: #a8a4ff; --good: #4cc36b; --bad: #ff7179; --warn: #e0a93e; --mark: #665200;
  --c0: #8f99a8; --c1: #ff7179; --c2: #4cc36b; --c3: #e0a93e; --c4: #6fa8ff; --c5: #d58bea; --c6: #45c6d4; --c7: #c6cdd8;
  --c8: #9ba5b4; --c9: #ff8b91; --c10: #6edb8a; --c11: #f2c464; --c12: #93bfff; --c13: #e3a8f2; --c14: #72dbe6; --c15: #fff } }
* { box-sizing: border-box } [hidden] { display: none !important }
body { font: 15px/1.55 system-ui, sans-serif; background: var(--back); color: var(--text); max-width: 1180px; margin: 0 auto; padding: 24px 20px 64px }
a { color: var(--accent); text-underline-offset: 2px } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code, .lines { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
h2 { font-size: 17px; margin: 32px 0 10px } small, .quiet { font-size: 13px; color: var(--quiet) } p { margin: 8px 0; overflow-wrap: anywhere }
.sign { vertical-align: -3px; margin-right: 2px } .sign circle { fill: var(--tone) }
.sign path { fill: none; stroke: var(--back); stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round }
.success, .unlocked { --tone: var(--good) } .failure, .refused { --tone: var(--bad) } .stopped, .running, .locked, .warning { --tone: var(--warn) }
.idle, .skipped, .not-started { --tone: var(--quiet) } .waiting { --tone: var(--accent) }
header { background: var(--panel); border: 1px solid var(--line); border-top: 4px solid var(--tone); border-radius: 10px; padding: 18px 22px 12px }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 10px; overflow-wrap: anywhere } h1 a { color: inherit; text-decoration-color: var(--quiet) }
.facts { list-style: none; display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0 0 12px; padding: 0; overflow: hidden; overflow-wrap: anywhere }
.facts li:not(.outcome) { position: relative } .facts li:not(.outcome)::before { content: '·'; position: absolute; left: -11px; color: var(--quiet) }
.outcome { font-weight: 600; color: var(--tone) } .outcome .sign { margin-right: 6px }
table { border-collapse: collapse; width: 100%; font-size: 14px } th { text-align: left; font-weight: 600; color: var(--quiet) }
th, td { border-bottom: 1px solid var(--line); padding: 6px 12px 6px 0; vertical-align: top; overflow-wrap: anywhere }
details { border: 1px solid var(--line); border-radius: 8px; margin: 8px 0; padding: 0 14px } summary { cursor: pointer; padding: 9px 0; overflow-wrap: anywhere }
details[open] { padding-bottom: 12px } summary::marker { color: var(--quiet) } .technical { margin-top: 36px } .technical > summary { font-weight: 600 }
.log { display: grid; grid-template-columns: 230px minmax(0, 1fr); gap: 22px; align-items: start }
nav { position: sticky; top: 8px; max-height: calc(100vh - 16px); overflow: auto; padding: 2px } nav ol { list-style: none; margin: 0; padding: 0; font-size: 14px }
nav a { display: flex; gap: 6px; align-items: baseline; padding: 5px 8px; border-radius: 6px; color: inherit; text-decoration: none }
nav a:hover { background: var(--panel) } nav svg { flex: none; align-self: center } nav span { flex: 1; min-width: 0; overflow-wrap: anywhere } nav small { flex: none }
#tools { position: sticky; top: 0; z-index: 1; background: var(--back); padding: 8px 0; display: flex; gap: 10px; flex-wrap: wrap; align-items: center }
input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: 5px 10px }
button { font-size: 13px; padding: 2px 10px; cursor: pointer } button:hover { border-color: var(--quiet) } #search { flex: 1; min-width: 10em } select { max-width: 14em }
.step { scroll-margin-top: 56px } div.step { padding: 0 14px } .step.failed { border-color: var(--bad) } .count { float: right }
.file { display: flex; gap: 8px 14px; flex-wrap: wrap; justify-content: space-between; align-items: center; font-size: 13px; margin: 0 0 8px } .buttons { display: flex; gap: 6px }
.lines { background: var(--panel); border-radius: 6px; overflow: auto; max-height: 65vh; padding: 8px 0 } .lines > div { display: flex; padding-right: 12px }
.lines > div:hover, .lines .target { background: color-mix(in srgb, var(--accent) 12%, transparent) } .lines .target { box-shadow: inset 3px 0 var(--accent) }
.lines .number { flex: none; width: 5.5em; padding-right: 1.2em; text-align: right; color: var(--quiet); text-decoration: none; user-select: none }
.lines .text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; tab-size: 4 } .lines .gap { font-style: italic; padding-left: 5.5em; color: var(--warn) }
.lines button { margin: 4px 0 4px 5.5em } mark { background: var(--mark); color: var(--text) }
.bold { font-weight: 700 } .faint { color: var(--quiet) } .italic { font-style: italic } .underline { text-decoration: underline }
${Array.from({ length: 16 }, (_, colour) => `.c${colour} { color: var(--c${colour}) }`).join(' ')}
.timeline text { font-size: 13px; fill: currentColor } .timeline line { stroke: var(--line) } .timeline .tick { font-size: 11px; fill: var(--quiet) }
.legend { font-size: 13px; display: flex; gap: 16px; flex-wrap: wrap } .legend svg { vertical-align: -2px }
rect.queue, rect.reporting { fill: color-mix(in srgb, var(--quiet) 55%, var(--back)) } rect.preparation { fill: var(--accent) } rect.steps { fill: var(--good) } rect.failed { fill: var(--bad) } rect.unfinished { fill: var(--warn) }
@media (max-width: 860px) { .log { grid-template-columns: minmax(0, 1fr) } nav { display: none } }
@media (max-width: 760px) { body { padding: 12px 10px 48px } header { padding: 14px } h1 { font-size: 20px } .timeline .odd { display: none }
  th { position: absolute; clip-path: inset(50%) } table, tbody, tr, td { display: block } tr { border-bottom: 1px solid var(--line); padding: 6px 0 } td { border: 0; padding: 2px 0 }
  td[data-title]::before { content: attr(data-title) ': '; color: var(--quiet) } td:empty { display: none }
  .lines .number, .lines .gap { width: 4em; padding-left: 0 } .lines button { margin-left: 8px } .lines .number { padding-right: .8em } }
`;
