// Adds up the JSON reports of vitest runs and lists the failed tests again, at the end of what may be a long log.
// Usage: node scripts/test-totals.mjs REPORT.json...   (exit code 1 if a test failed or was skipped, or none passed)
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const reasonLines = 12;
const sum = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
let empty = false;

/** The first lines of why a test or a file failed, without vitest's own stack frames. */
const reason = (messages) =>
  stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, reasonLines)
    .join('\n    ');

for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  empty ||= report.numPassedTests === 0;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((result) => result.status === 'failed');
    for (const { fullName, failureMessages } of failed)
      failures.push(`${file}: ${fullName}\n    ${reason(failureMessages)}`);
    if (status === 'failed' && failed.length === 0) failures.push(`${file}\n    ${reason([message])}`);
  }
}

const ends = failures.map((failure) => `\nfailed: ${failure}\n`).join('');
process.stdout.write(`${ends}\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exitCode = failures.length > 0 || sum.skipped > 0 || empty ? 1 : 0;
