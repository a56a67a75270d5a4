/** The page's script, embedded verbatim: its content security policy allows no other. Untrusted text is only ever a text node. */
export const SCRIPT = `
'use strict';
const PAGE = 2000;
const search = document.getElementById('search');
const only = document.getElementById('step');
const hits = document.getElementById('hits');
const steps = [...document.querySelectorAll('details.step')].map((box) => ({
  box, lines: box.querySelector('.lines'), count: box.querySelector('.count'), found: [], hits: 0, from: 0, to: 0, rows: undefined, term: undefined,
}));
let target;
function rowsOf(step) {
  if (step.rows) return step.rows;
  step.rows = [];
  for (const part of JSON.parse(document.getElementById('log-' + step.box.dataset.step).textContent)) {
    if (part.gap !== undefined) step.rows.push({ gap: true, pieces: [[part.gap, '']], text: part.gap });
    else part.lines.forEach((line, at) => {
      const pieces = (typeof line === 'string' ? [line] : line).map((piece) => typeof piece === 'string' ? [piece, ''] : piece);
      const text = pieces.map(([content]) => content).join('');
      step.rows.push({ number: part.first === null ? undefined : part.first + at, pieces, text });
    });
  }
  return step.rows;
}
function element(name, content, className) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(content);
  return made;
}
function marksOf(text, term) {
  const marks = [];
  const lower = text.toLowerCase();
  // Lower-casing may change the length; the offsets would then be off, so nothing is marked.
  if (!term || lower.length !== text.length) return marks;
  for (let at = lower.indexOf(term); at >= 0; at = lower.indexOf(term, at + term.length)) marks.push([at, at + term.length]);
  return marks;
}
function textElement({ pieces, text }, term) {
  const line = element('span', '', 'text');
  const marks = marksOf(text, term);
  let next = 0;
  let start = 0;
  for (const [content, look] of pieces) {
    const home = look === '' ? line : line.appendChild(element('span', '', look));
    const end = start + content.length;
    let done = start;
    for (; next < marks.length && marks[next][0] < end; next += 1) {
      const [from, to] = [Math.max(start, marks[next][0]), Math.min(end, marks[next][1])];
      home.append(text.slice(done, from), element('mark', text.slice(from, to)));
      done = to;
      if (marks[next][1] > end) break;
    }
    home.append(text.slice(done, end));
    start = end;
  }
  return line;
}
function rowElement(step, row, term) {
  if (row.gap) return element('div', row.text, 'gap');
  const shown = document.createElement('div');
  const number = element('a', row.number === undefined ? '' : String(row.number), 'number');
  if (row.number !== undefined) {
    number.href = '#' + step.box.id + '-L' + row.number;
    // The Tab key would stop at thousands of links.
    number.tabIndex = -1;
    if (target && target.step === step && target.number === row.number) shown.className = 'target';
  }
  shown.append(number, textElement(row, term));
  return shown;
}
function button(label, act) {
  const made = element('button', label);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}
function draw(step) {
  const term = search.value.toLowerCase();
  step.term = term;
  const { found, from, to } = step;
  const rows = found.slice(from, to).map((row) => rowElement(step, row, term));
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
  else step.term = undefined;
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
function follow(event) {
  const [, id, line] = /^#(step-\\d+)(?:-L(\\d+))?$/.exec(location.hash) ?? [];
  const step = steps.find(({ box }) => box.id === id);
  if (!step) return;
  target = line ? { step, number: Number(line) } : undefined;
  if (search.value || only.value) { search.value = ''; only.value = ''; filter(); }
  step.box.open = true;
  if (step.term !== '') show(step);
  const at = target ? step.found.findIndex(({ number }) => number === target.number) : -1;
  const isFar = at < step.from || at >= step.to;
  if (at >= 0 && isFar) { step.from = Math.max(0, at - PAGE / 2); step.to = Math.min(step.found.length, at + PAGE / 2); }
  draw(step);
  if (at < 0) step.box.scrollIntoView();
  else step.lines.querySelector('.target').scrollIntoView({ block: event && !isFar ? 'nearest' : 'center' });
}
const whole = (step) => rowsOf(step).map(({ text }) => text + '\\n').join('');
async function copy(step, made) {
  const done = await navigator.clipboard.writeText(whole(step)).then(() => 'Copied', () => 'The browser refused');
  made.textContent = done;
  setTimeout(() => { made.textContent = 'Copy'; }, 2000);
}
function download(step) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([whole(step)], { type: 'text/plain' }));
  link.download = step.box.querySelector('.file a').textContent.split('/').pop();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
let timer;
search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 150); });
only.addEventListener('change', () => { if (only.value) steps.find(({ box }) => box.dataset.step === only.value).box.open = true; filter(); });
for (const step of steps) {
  const buttons = step.box.querySelector('.buttons');
  if (navigator.clipboard) { const made = button('Copy', () => copy(step, made)); buttons.append(made); }
  buttons.append(button('Download', () => download(step)));
  step.box.addEventListener('toggle', () => { if (step.box.open && step.term !== search.value.toLowerCase()) show(step); });
  if (step.box.open) show(step);
}
addEventListener('hashchange', follow);
follow();
`;
