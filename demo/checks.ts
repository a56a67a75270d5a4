import { OUTCOMES } from '../src/base/outcome.ts';
import type { RunResult } from '../src/record/schema.ts';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Step } from '../test/emulators/pulumi-cloud/step.ts';
import type { DemoProgram } from './job.ts';

/** What was checked, in a sentence, and what is wrong with it: nothing if all is well. */
export interface Check {
  readonly title: string;
  readonly problems: readonly string[];
}

/** Checks that the run succeeded, as the CI job sees it. */
export function checkOutputs(
  outputs: Readonly<Record<string, string>>,
  conclusion: string,
  deployment: Deployment,
  artifactId: string,
): Check {
  const { outcome = '', 'deployment-id': id = '' } = outputs;
  const missing = ['run-id', 'job-id', 'artifact-url', 'wait-seconds', 'run-seconds', 'run-directory']
    .filter((name) => !outputs[name])
    .map((name) => `output ${name} is empty`);
  const sentence =
    outcome in OUTCOMES ? OUTCOMES[outcome as keyof typeof OUTCOMES].sentence : 'not an outcome';
  return {
    title: `The step was green, its outcome "${outcome}"`,
    problems: [
      ...(conclusion === 'success' ? [] : [`the step's conclusion is ${conclusion}`]),
      ...(outcome === 'succeeded' ? [] : [`outcome "${outcome}": ${sentence}`]),
      ...(id === deployment.id ? [] : [`output deployment-id is "${id}", not ${deployment.id}`]),
      ...(outputs['artifact-id'] === artifactId
        ? []
        : [`output artifact-id is "${outputs['artifact-id'] ?? ''}"`]),
      ...missing,
    ],
  };
}

/** Checks that Pulumi Cloud saw the deployment succeed: every step running, then succeeded, one after the other. */
export function checkDeployment(deployment: Deployment): Check {
  const { status, endReason, steps, heartbeats, acknowledged } = deployment;
  const wrong = steps.flatMap(({ index, name, statusHistory }, at) => {
    const history = statusHistory.map((change) => change.status).join(', ');
    const began = statusHistory.at(0)?.at ?? Number.POSITIVE_INFINITY;
    const before = steps[at - 1]?.statusHistory.at(-1)?.at ?? 0;
    return [
      ...(history === 'running, succeeded'
        ? []
        : [`step ${index} "${name}" was reported as: ${history || 'nothing'}`]),
      ...(began >= before ? [] : [`step ${index} "${name}" began before the one before it ended`]),
    ];
  });
  return {
    title: `Pulumi Cloud was told of ${steps.length} steps, each running, then succeeded`,
    problems: [
      ...(status === 'succeeded' && endReason === 'steps'
        ? []
        : [`the deployment is ${status} (${endReason})`]),
      ...(heartbeats.length > 0 ? [] : ['no heartbeat came']),
      ...(acknowledged ? [] : ['the claim was not acknowledged']),
      ...wrong,
    ],
  };
}

/** The lines of a step's log file, including their line feeds. */
export function linesOf(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

/** Checks that Pulumi Cloud stored the same log lines as the artifact, in order and at the right offsets. */
export function checkLogs(
  result: RunResult,
  files: ReadonlyMap<string, Buffer>,
  steps: readonly Step[],
): Check {
  let total = 0;
  const problems = steps.flatMap((step) => {
    const log = result.steps[step.index]?.log;
    const content = log === undefined ? undefined : files.get(log);
    if (content === undefined) return [`the artifact has no log of step ${step.index} "${step.name}"`];
    const kept = linesOf(content.toString('utf8'));
    total += kept.length;
    const stored = step.lines.map(({ l }) => l);
    const first = kept.findIndex((line, index) => line !== stored[index]);
    if (kept.length !== stored.length || first >= 0) {
      const at = first < 0 ? kept.length : first;
      return [
        `${log} has ${kept.length} lines, Pulumi Cloud ${stored.length}; the first difference is in line ${at + 1}: ` +
          `${JSON.stringify(kept[at])} in the artifact, ${JSON.stringify(stored[at])} in Pulumi Cloud`,
      ];
    }
    return offsetProblems(step);
  });
  return { title: `All ${total} log lines in the artifact are in Pulumi Cloud too, in order`, problems };
}

function offsetProblems({ index, logCalls, lines }: Step): string[] {
  let next = 0;
  for (const { offset, count } of logCalls) {
    if (offset !== next) return [`a log call of step ${index} has offset ${offset} instead of ${next}`];
    next += count;
  }
  return next === lines.length
    ? []
    : [`the log calls of step ${index} have ${next} lines, stored are ${lines.length}`];
}

/** Checks that the logs mask the secrets that the program printed, and that step 0's script never ran. */
export function checkPrinted(
  steps: readonly Step[],
  printed: readonly string[],
  neverPrinted: string,
): Check {
  const lines = steps.flatMap((step) => step.lines.map(({ l }) => l));
  return {
    title: 'Secrets that the program printed are logged as ***, and step 0 was reported but never executed',
    problems: [
      ...printed
        .filter((text) => !lines.some((line) => line.includes(text)))
        .map((text) => `no line has "${text}"`),
      ...lines
        .filter((line) => line.includes(neverPrinted))
        .map((line) => `step 0's script ran: ${line.trim()}`),
      ...(steps[0]?.lines.length ? [] : ['step 0 has no log']),
    ],
  };
}

/** The names of the resources in a state; none if it is missing or can't be parsed. */
export function createdBy(program: DemoProgram, state: string | undefined): string[] {
  try {
    return state === undefined ? [] : program.created(state);
  } catch {
    return [];
  }
}

/** Checks that the state names every resource and that its lock is free. */
export function checkState(state: string | undefined, lock: object | undefined, program: DemoProgram): Check {
  const created = createdBy(program, state);
  return {
    title: `The state names all ${program.expected.length} resources, and its lock is free`,
    problems: [
      ...program.expected
        .filter((name) => !created.includes(name))
        .map((name) => `${name} is not in the state`),
      ...(lock === undefined ? [] : [`the lock is held: ${JSON.stringify(lock)}`]),
    ],
  };
}

/** A text that must not contain a secret. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Checks that no place contains a secret. */
export function checkSecrets(secrets: readonly string[], places: readonly Place[]): Check {
  const sought = [...new Set(secrets)];
  const problems = places.flatMap(({ name, text }) =>
    sought
      .filter((secret) => text.includes(secret))
      .map((secret) => `${name} holds a secret of ${secret.length} characters`),
  );
  return { title: `None of ${sought.length} secret values is in any of ${places.length} places`, problems };
}
