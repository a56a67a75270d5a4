/**
 * The page's style and script, embedded verbatim: its content security policy allows only these.
 */

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #fff3a3;
  --bad: #cf222e; --good: #1a7f37; --queue: #6e7781; --ready: #0969da; --open: #9a6700; --tell: #8250df }
@media (prefers-color-scheme: dark) { :root { --mark: #7a6200;
  --bad: #f85149; --good: #3fb950; --queue: #8b949e; --ready: #58a6ff; --open: #d29922; --tell: #a371f7 } }
body { font: 15px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; max-width: 1100px; margin: 0 auto; padding: 16px }
h2 { margin-top: 28px; border-bottom: 1px solid var(--line) }
table { border-collapse: collapse } th { text-align: left }
th, td { border: 1px solid var(--line); padding: 4px 10px; overflow-wrap: break-word }
code, .lines { font: 13px/1.5 ui-monospace, monospace }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0; padding: 4px 10px }
details.failed { border-color: var(--bad) } summary { cursor: pointer } summary small { opacity: .85 } details.step > a { font-size: 13px; overflow-wrap: anywhere }
header { border: 1px solid var(--line); border-left: 6px solid var(--bad); border-radius: 8px; padding: 4px 16px }
header.succeeded { border-left-color: var(--good) } header.no-work { border-left-color: var(--queue) }
h1 { font-size: 22px; margin: 8px 0; overflow-wrap: anywhere } .facts { font-size: 13px; opacity: .85; overflow-wrap: anywhere }
svg { font-size: 13px; fill: currentColor; vertical-align: -2px } svg line { stroke: var(--line) } svg .tick { font-size: 11px }
.legend { font-size: 13px; display: flex; gap: 16px; flex-wrap: wrap } div.wide { overflow-x: auto } div.wide table { min-width: 640px }
rect.queue { fill: var(--queue) } rect.preparation { fill: var(--ready) } rect.steps { fill: var(--good) }
rect.failed { fill: var(--bad) } rect.unfinished { fill: var(--open) } rect.reporting { fill: var(--tell) }
#tools { position: sticky; top: 0; background: Canvas; padding: 8px 0; display: flex; gap: 12px; flex-wrap: wrap }
#search { flex: 1; min-width: 12em; font: inherit; padding: 4px 8px }
.lines { overflow: auto; max-height: 65vh; margin-top: 4px } .lines div { display: flex; white-space: pre } .lines div:hover { background: var(--soft) }
.lines i { flex: 0 0 5.5em; text-align: right; padding-right: 1em; opacity: .55; font-style: normal; user-select: none }
.lines div.gap { font-style: italic; padding-left: 5.5em; color: var(--bad) } mark { background: var(--mark); color: inherit }
@media (max-width: 600px) { svg .odd { display: none } } [hidden] { display: none !important }
`;

export const SCRIPT = `
'use strict';
const PAGE = 2000;
const search = document.getElementById('search');
const only = document.getElementById('step');
const hits = document.getElementById('hits');
const steps = [...document.querySelectorAll('details.step')].map((box) => ({
  box, lines: box.querySelector('.lines'), count: box.querySelector('.count'), found: [], hits: 0, from: 0, to: 0, rows: undefined,
}));
function rowsOf(step) {
  if (step.rows) return step.rows;
  step.rows = [];
  for (const part of JSON.parse(document.getElementById('log-' + step.box.dataset.step).textContent)) {
    if (part.gap !== undefined) step.rows.push({ gap: true, number: '', text: part.gap });
    else part.lines.forEach((text, at) => step.rows.push({ number: part.first === null ? '' : part.first + at, text }));
  }
  return step.rows;
}
function element(name, content, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(content);
  return made;
}
function rowElement({ gap, number, text }, term) {
  if (gap) return element('div', text, 'gap');
  const row = document.createElement('div');
  const line = document.createElement('span');
  const lower = text.toLowerCase();
  let done = 0;
  // Lower-casing may change the length; the offsets would then be off, so nothing is marked.
  for (let at = term && lower.length === text.length ? lower.indexOf(term) : -1; at >= 0; at = lower.indexOf(term, done)) {
    line.append(text.slice(done, at), element('mark', text.slice(at, at + term.length)));
    done = at + term.length;
  }
  line.append(text.slice(done));
  row.append(element('i', String(number)), line);
  return row;
}
function button(label, act) {
  const made = element('button', label);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}
function draw(step) {
  const term = search.value.toLowerCase();
  const { found, from, to } = step;
  const rows = found.slice(from, to).map((row) => rowElement(row, term));
  if (from > 0) rows.unshift(button(Math.min(PAGE, from) + ' lines before', () => { step.from = Math.max(0, from - PAGE); draw(step); }));
  if (to < found.length) rows.push(button(Math.min(PAGE, found.length - to) + ' lines more', () => { step.to = Math.min(found.length, to + PAGE); draw(step); }));
  step.lines.replaceChildren(...rows);
}
function show(step) {
  const term = search.value.toLowerCase();
  const rows = rowsOf(step);
  step.found = term ? rows.filter(({ gap, text }) => gap || text.toLowerCase().includes(term)) : rows;
  step.hits = term ? step.found.filter(({ gap }) => !gap).length : 0;
  step.count.textContent = term ? ' ' + step.hits + ' found' : '';
  const fromEnd = !term && step.box.classList.contains('failed');
  step.from = fromEnd ? Math.max(0, step.found.length - PAGE) : 0;
  step.to = fromEnd ? step.found.length : Math.min(PAGE, step.found.length);
  if (step.box.open) draw(step);
  if (fromEnd) step.lines.scrollTop = step.lines.scrollHeight;
}
function filter() {
  const term = search.value;
  let total = 0;
  let cut = false;
  for (const step of steps) {
    const wanted = only.value === '' || only.value === step.box.dataset.step;
    if (wanted && term) {
      show(step);
      total += step.hits;
      cut ||= step.found.length > step.hits;
      step.box.open = step.hits > 0;
    } else if (wanted && step.box.open) show(step);
    else step.count.textContent = '';
    step.box.hidden = !wanted || (term !== '' && step.hits === 0);
  }
  const what = total + (total === 1 ? ' line' : ' lines') + ' found' + (cut ? ' in the part that this page holds' : '');
  hits.textContent = term === '' ? '' : what;
}
let timer;
search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 150); });
only.addEventListener('change', () => { if (only.value) steps.find(({ box }) => box.dataset.step === only.value).box.open = true; filter(); });
for (const step of steps) {
  step.box.addEventListener('toggle', () => { if (step.box.open) show(step); });
  if (step.box.open) show(step);
}
addEventListener('hashchange', () => { const at = document.getElementById(location.hash.slice(1)); if (at && at.matches('details')) at.open = true; });
`;
