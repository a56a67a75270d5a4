// Looks at a result again and again; reports how often, and how often it was not whole.
import { readFileSync } from 'node:fs';

const path = process.argv[2] ?? '';
process.send?.('ready');
const report = { looks: 0, broken: 0 };
const end = performance.now() + 1_000;
while (performance.now() < end || report.looks < 200) {
  report.looks += 1;
  try {
    JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    report.broken += 1;
  }
}
process.send?.(report);
