import { join } from 'node:path';
import { withEntry } from '../base/error-codes.ts';
import { plainText, shortLine } from '../base/log/plain-text.ts';
import { counted, duration } from '../base/quantity.ts';
import { deploymentName, type Identity, kindText, stackText } from '../base/stack.ts';
import type { OwnDeployment } from '../record/deployment.ts';
import { type Line, lastLines } from '../record/growing-lines.ts';
import { quotedError } from '../record/output/error.ts';
import type { RecordEvent } from '../record/schema.ts';
import type { FollowedStep, RunListener } from './follow.ts';
import { continued, SET_UP } from './groups.ts';
import type { Host } from './host.ts';

/** Lines of a failed step that its annotation repeats. */
export const TAIL_LINES = 20;

/**
 * GitHub cuts an annotation's message at 4,096 characters, including the sentence before the tail.
 */
const MAX_TAIL_CHARACTERS = 3_500;

/** In front of a step's lines outside of its group, which so can't pass for lines of ours. */
const INDENT = '  ';

/** Characters of an unfinished line beside the sign of life. */
const MAX_UNFINISHED = 200;

/**
 * A waiting agent polls every few seconds; one line a minute is enough, and after five minutes one
 * in five.
 */
const WAITING_EVERY_MS = 60_000;
const WAITING_LONG_MS = 300_000;

/**
 * Shows a run in the CI job's console: a group for the set-up, a line for each event of interest, a group
 * for each step.
 */
export class Console implements RunListener {
  readonly #host: Host;
  readonly #directory: string;
  readonly #signal: AbortSignal;
  #stepBytes = 0;
  #runBytes = 0;
  /** Nothing was waited for or claimed yet. */
  #isSettingUp = true;
  /** The deployments that the run started, by stack. */
  readonly #own = new Map<string, OwnDeployment>();
  /** The running job: its deployment, if known by name, and whether the run started it. */
  #job: { identity: Identity | undefined; isOwn: boolean } = { identity: undefined, isOwn: true };
  #waitingSince: number | undefined;
  #waitingShown = Number.NEGATIVE_INFINITY;

  /** Once `signal` aborts, printing no longer waits for a slow reader. */
  constructor(host: Host, directory: string, signal: AbortSignal) {
    this.#host = host;
    this.#directory = directory;
    this.#signal = signal;
  }

  async resumed(step: FollowedStep): Promise<void> {
    this.#openGroup(continued(stepTitle(step.index, step.name)));
  }

  async lines(step: FollowedStep, lines: readonly Line[]): Promise<boolean> {
    const { stepBytes, runBytes } = this.#host.consoleLimits;
    const shown: string[] = [];

    for (const { text, cutBytes } of lines) {
      const pointer = cutBytes === 0 ? '' : ` … (${cutBytes} more bytes: see ${step.log} of the run)`;
      const bytes = Buffer.byteLength(text) + 1;

      this.#stepBytes += bytes;
      this.#runBytes += bytes;

      if (this.#stepBytes > stepBytes || this.#runBytes > runBytes) {
        shown.push(
          `… The console shows no more of this step. Its complete log is ${step.log} in the run directory.`,
        );
        await this.#host.print(shown, this.#signal);
        return false;
      }

      shown.push(`${text}${pointer}`);
    }

    await this.#host.print(shown, this.#signal);

    return true;
  }

  async quiet({ index, name, began }: FollowedStep, unfinished: string): Promise<void> {
    const minutes = Math.max(0, Math.floor((this.#host.steady() - began) / 60_000));
    const text = plainText(unfinished, 2_000);
    const tail = text.length > MAX_UNFINISHED ? `…${text.slice(-MAX_UNFINISHED)}` : text;
    const line = tail === '' ? '' : ` Its unfinished line: ${tail.toWellFormed()}`;
    this.#say(`${stepTitle(index, name)}: still running, ${minutes} min.${line}`);
  }

  async unreadable(message: string): Promise<void> {
    this.#host.warning(withEntry(plainText(message), 'PRA-RECORD-08'));
  }

  /** Ends an open group, so that later output does not disappear into it. */
  close(): void {
    this.#isSettingUp = false;
    this.#host.endGroup();
  }

  async event(event: RecordEvent, step: FollowedStep | undefined): Promise<void> {
    switch (event.type) {
      case 'agent-started':
        return this.#sayInSetUp(`Agent ${event.version} started.`);
      case 'health-listening':
        return this.#sayInSetUp(`Health: ${event.url}`);
      case 'target-ready':
        return this.#sayInSetUp(`Jobs run on ${event.target}: ${event.detail}`);
      case 'authenticated':
        return this.#sayInSetUp(
          `Signed in to Pulumi Cloud with ${event.method === 'oidc' ? "this job's ID token" : 'a pool token'}.`,
        );
      case 'waiting':
        return this.#waiting(event.nextPollSeconds);
      case 'claimed':
        return this.#claimed(event);
      case 'identified':
        return this.#identified(event);
      case 'own-deployment':
        return this.#ownChanged(event);
      case 'job-loaded':
        return this.#say(`Image ${event.image}, ${counted(event.steps.length, 'step')}.`);
      case 'step-started':
        this.#stepBytes = 0;
        return this.#openGroup(stepTitle(event.index, event.step));
      case 'step-finished':
        return this.#stepFinished(event, step);
      case 'stopping':
        this.#endSetUp();
        return this.#say(`Stopping: ${event.reason}`);
      case 'notice':
        if (event.level === 'info') return this.#say(event.message);
        this.#host.warning(plainText(event.message));
        return;
      case 'outcome':
        return this.close();
    }
  }

  #say(sentence: string): void {
    this.#host.info(plainText(sentence, 2_000));
  }

  /** What comes before the wait for a deployment: few need it, so it is folded away. */
  #sayInSetUp(sentence: string): void {
    if (this.#isSettingUp) this.#host.group(SET_UP);
    this.#say(sentence);
  }

  #endSetUp(): void {
    if (this.#isSettingUp) this.close();
  }

  #claimed({ deploymentId, kind, identity, waitSeconds }: RecordEvent & { type: 'claimed' }): void {
    const isOwn =
      this.#own.size === 0 || [...this.#own.values()].some((each) => each.deploymentId === deploymentId);
    this.#job = { identity, isOwn };
    this.#endSetUp();
    const unnamed = kind === undefined ? 'a deployment' : `work ${kindText(kind)}`;
    const work = identity === undefined ? unnamed : nameOf(identity);
    const note = isOwn ? '' : ' This step did not start it, so its outcome does not count here.';
    this.#say(`Claimed ${work} after ${duration(waitSeconds)}.${note}`);
  }

  /**
   * A name that only the job's definition brought; where the claim had it, its page alone is news.
   */
  #identified({ identity }: RecordEvent & { type: 'identified' }): void {
    if (this.#job.identity !== undefined) return;
    this.#job = { ...this.#job, identity };
    this.#say(`It is ${nameOf(identity)}${identity.proven ? '' : ', as its own variables say'}.`);
  }

  /** Shows deployments that run elsewhere; the steps of one that runs here are shown anyway. */
  #ownChanged(deployment: OwnDeployment): void {
    const { stack, operation, state, outcome, ranHere, seconds, message = '' } = deployment;
    const before = this.#own.get(stack);

    this.#own.set(stack, deployment);
    if (ranHere || state === 'waiting' || state === before?.state) return;

    this.#endSetUp();
    const subject = `The ${operation} of ${stack}`;
    const time = seconds === undefined ? '' : ` after ${duration(seconds)}`;

    if (state === 'running') this.#say(`${subject} runs elsewhere.`);
    else if (outcome === 'succeeded') this.#say(`${subject} succeeded elsewhere${time}.`);
    // The end of the run says the rest of a single one.
    else if (this.#own.size === 1)
      this.#say(`${subject} ${outcome === 'skipped' ? 'was skipped' : 'failed'}.`);
    else if (outcome === 'skipped') this.#host.warning(plainText(message, 2_000));
    else this.#host.error(plainText(message, 2_000), plainText(`${operation} of ${stack} failed`, 100));
  }

  #waiting(nextPollSeconds: number): void {
    const now = this.#host.steady();
    this.#waitingSince ??= now;

    const waited = now - this.#waitingSince;
    if (now - this.#waitingShown < (waited > WAITING_LONG_MS ? WAITING_LONG_MS : WAITING_EVERY_MS)) return;

    this.#waitingShown = now;
    this.#endSetUp();

    const waiting =
      waited === 0
        ? 'Waiting for a deployment'
        : `Still waiting for a deployment after ${duration(waited / 1000)}`;

    this.#say(`${waiting}; asking again in ${duration(nextPollSeconds)}.`);
  }

  #openGroup(title: string): void {
    this.close();
    this.#host.group(title);
  }

  async #stepFinished(
    event: RecordEvent & { type: 'step-finished' },
    step: FollowedStep | undefined,
  ): Promise<void> {
    this.close();

    const title = stepTitle(event.index, event.step);
    const figures = `${duration(event.seconds)}, ${counted(event.lines, 'line')}`;
    if (event.status === 'succeeded') return this.#say(`${title} succeeded (${figures}).`);

    const { interruption } = step ?? {};
    const ending = interruption === undefined ? 'failed' : 'was interrupted';
    const code = event.exitCode === undefined ? '' : ` with exit code ${event.exitCode}`;
    const { reason = interruption } = event;
    const explanation = reason === undefined ? quotedError(event.error) : `: ${reason}`;

    // The last lines of an interrupted step don't explain its end, and are right above unless the
    // console cut the step.
    const tail = interruption === undefined || step?.muted === true ? await this.#tail(step?.log) : [];
    const { identity } = this.#job;
    const stack = identity === undefined ? '' : ` of ${stackText(identity)}`;
    const sentence = plainText(`${title} ${ending}${code} (${figures})${explanation}`, 800);
    const [text, heading] = [
      [sentence, ...tail.map((line) => `${INDENT}${line}`)].join('\n'),
      plainText(`${event.step}${stack} ${ending}`, 100),
    ];

    if (this.#job.isOwn) this.#host.error(text, heading);
    else this.#host.warning(text, heading);
  }

  /** The last lines of a step, as many as fit into an annotation. */
  async #tail(log: string | undefined): Promise<string[]> {
    if (log === undefined) return [];
    const lines = await lastLines(join(this.#directory, log), TAIL_LINES);
    const tail = lines.map((line) => shortLine(line, 500));
    while (tail.join(`\n${INDENT}`).length > MAX_TAIL_CHARACTERS) tail.shift();
    return tail;
  }
}

function nameOf({ operation, version, ...name }: Identity): string {
  return deploymentName({ stack: stackText(name), operation, version });
}

function stepTitle(index: number, name: string): string {
  return `Step ${index}: ${plainText(name, 200)}`;
}
