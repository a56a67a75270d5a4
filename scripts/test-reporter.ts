import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, UserConsoleLog } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';

const PROGRESS_MS = 20_000;
const REASON_LINES = 40;
const OUTPUT_LINES = 30;

/** A test or a file that failed, with all that a person needs to see why. */
export interface Failure {
  readonly name: string;
  readonly reason: string;
}

/** The results of one run of vitest, as `scripts/test-totals.ts` adds them up. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

/** The message, the difference and the place in our own code, without vitest's frames. */
function reasonOf({ message, stack = '', diff }: SerializedError): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line));
  const text = stripVTControlCharacters([message, diff ?? '', ...frames.slice(0, 4)].join('\n'));
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, REASON_LINES)
    .join('\n');
}

/**
 * Reports a run in a few lines: its progress every 20 seconds, each failure at once by name, and the reasons in the file that
 * `TEST_RESULTS` names, for the end of the log. What a failed test printed stands with its reason.
 */
export default class TestReporter implements Reporter {
  #vitest: Vitest | undefined;
  #began = 0;
  #files = 0;
  #ended = 0;
  #passed = 0;
  #skipped = 0;
  #shown = 0;
  readonly #failures: Failure[] = [];
  readonly #output = new Map<string, string[]>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#began = this.#shown = Date.now();
  }

  onUserConsoleLog({ taskId, content }: UserConsoleLog): void {
    if (taskId === undefined) return;
    const lines = this.#output.get(taskId) ?? [];
    lines.push(...content.trimEnd().split('\n'));
    this.#output.set(taskId, lines.slice(-OUTPUT_LINES));
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'passed') this.#passed += 1;
    else if (state === 'skipped') this.#skipped += 1;
    else if (state === 'failed')
      this.#fail(`${fileOf(test.module)}: ${test.fullName}`, errors, this.#output.get(test.id));
    this.#output.delete(test.id);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended += 1;
    if (module.errors().length > 0) this.#fail(fileOf(module), module.errors());
    for (const suite of module.children.allSuites())
      if (suite.errors().length > 0) this.#fail(`${fileOf(module)}: ${suite.fullName}`, suite.errors());
    const now = Date.now();
    if (now - this.#shown < PROGRESS_MS) return;
    this.#shown = now;
    const counts = `${this.#passed} passed, ${this.#failures.length} failed`;
    process.stdout.write(
      `  ${this.#ended} of ${this.#files} files after ${seconds(now - this.#began)}: ${counts}\n`,
    );
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const error of unhandled) this.#fail('an error outside a test', [error]);
    const [passed, failed, skipped] = [this.#passed, this.#failures.length, this.#skipped];
    const took = seconds(Date.now() - this.#began);
    process.stdout.write(
      `  ${this.#ended} files in ${took}: ${passed} passed, ${failed} failed, ${skipped} skipped\n`,
    );
    const results: Results = { passed, failed, skipped, failures: this.#failures };
    const { TEST_RESULTS } = process.env;
    if (TEST_RESULTS !== undefined) writeFileSync(TEST_RESULTS, JSON.stringify(results));
    else
      for (const failure of this.#failures) this.#vitest?.logger.log(`\n${failure.name}\n${failure.reason}`);
  }

  #fail(name: string, errors: readonly SerializedError[], output: readonly string[] = []): void {
    process.stdout.write(`  FAILED ${name}\n`);
    const printed = output.length === 0 ? [] : ['It printed:', ...output.map((line) => `| ${line}`)];
    this.#failures.push({ name, reason: [...errors.map(reasonOf), ...printed].join('\n') });
  }
}

const fileOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
