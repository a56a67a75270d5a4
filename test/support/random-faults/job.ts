import { definition } from '../e2e/stage.ts';
import type { StepPlan } from './plan.ts';

/** Where the folder lies in the container that outlives it, and tells what a step could still do. */
export const MARKS = '/marks';
/** What a saving step prints when it was interrupted and had its time. */
export const SAVED = 'interrupted\nsaved\n';
/** Printed as `***` by steps, and looked for everywhere else. Their lengths are multiples of three: base64 without `=`. */
export const CANARIES = {
  job: 'canary-job-7Hd2pWx1Kq9mZ',
  forwarded: 'canary-forwarded-Zq81xL4',
  later: 'canary-later-8Bn2Yt6vQe4',
  oidc: 'eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOiJvaWRjIn0.canary-oidc-1Gx47ab',
} as const;
/** A secret of the first job that the second one prints: it must be forgotten by then. */
export const FORMER = 'canary-former-5Kf9sT2wLp';

const PADDING = 50_000;
const SECRET_LINES = 20;
const MASK = '***';

/** Bash drops a SIGINT that comes just as a program it waits for ends by itself, but for the program of a `wait`. */
const pause = (seconds: number) => `sleep ${seconds} >/dev/null 2>&1 & wait $!`;

/** A step's script, and its whole output as everybody may see it. */
export interface PlannedStep {
  readonly script: string;
  readonly output: string;
}

/** The steps of a planned job. Each leaves marks: it began, it could save, it ended. */
export function plannedSteps(steps: readonly StepPlan[]): PlannedStep[] {
  return steps.map((step, at) => {
    const number = at + 1;
    const printed = printing(step, number);
    const mark = (name: string) => `echo x >>${MARKS}/${name}-${number}`;
    const trap = `trap 'echo; echo interrupted; sleep ${step.savesSlowly ? 2.5 : 0.3}; ${mark('saved')}; echo saved; exit 1' INT`;
    const before = steps.slice(0, at).some(({ writesVariables }) => writesVariables);
    const script = [
      ...(step.saves ? [trap] : []),
      mark('began'),
      'file=${PULUMI_ENV_FILE:-/PULUMI_ENV}',
      ...(before ? ['echo "later $LATER_TOKEN $WRITTEN"'] : []),
      ...printed.script,
      ...(step.writesVariables
        ? [
            `printf 'LATER_TOKEN=%s\\nWRITTEN=alpha-beta\\n' '${CANARIES.later.slice(0, 9)}''${CANARIES.later.slice(9)}' >>"$file"`,
          ]
        : []),
      `printf 'end of step ${number}${step.openEnd ? '' : '\\n'}'`,
      ...(step.timeoutSeconds === undefined ? [pause(step.tailMs / 1000)] : [pause(60)]),
      mark('ended'),
      `exit ${step.exitCode}`,
    ].join('\n');
    const first = before ? `later ${MASK} alpha-beta\n` : '';
    return { script, output: `${first}${printed.output}end of step ${number}${step.openEnd ? '' : '\n'}` };
  });
}

/** Commands that print a step's lines, with a pause in the middle. */
function printing({ style, lines }: StepPlan, number: number): { script: string[]; output: string } {
  const half = Math.ceil(lines / 2);
  if (style === 'secret') {
    const count = Math.min(lines, SECRET_LINES);
    const one = `printf "${number}.$i %s" "\${JOB_SECRET:0:9}"; ${pause(0.01)}; printf "%s\\n" "\${JOB_SECRET:9}"`;
    const encoded = 'printf %s "$FORWARDED_SECRET" | base64 -w0; echo; cat /mnt/pulumi/pulumi.oidc; echo';
    const text = Array.from({ length: count }, (_, at) => `${number}.${at + 1} ${MASK}\n`).join('');
    return {
      script: [`for i in {1..${count}}; do ${one}; done`, pause(0.3), encoded],
      output: `${text}${MASK}\n${MASK}\n`,
    };
  }
  const [before, after] = DECORATIONS[style];
  const quoted = (text: string) => JSON.stringify(text).replaceAll('\\u001b', '\\e').slice(1, -1);
  const setUp = style === 'long' ? [`pad=$(printf '%0${PADDING}d' 0)`] : [];
  const format = `$'${number}.%d ${quoted(before)}'${style === 'long' ? '"$pad"' : ''}$'${quoted(after)}\\n'`;
  const print = (from: number, to: number) => `printf ${format} {${from}..${to}}`;
  const line = (at: number) =>
    `${number}.${at} ${before}${style === 'long' ? '0'.repeat(PADDING) : ''}${after}\n`;
  return {
    script: [...setUp, print(1, half), pause(0.3), ...(half < lines ? [print(half + 1, lines)] : [])],
    output: Array.from({ length: lines }, (_, at) => line(at + 1)).join(''),
  };
}

/** What each style puts before and after the text of a line. */
const DECORATIONS: Readonly<Record<Exclude<StepPlan['style'], 'secret'>, readonly [string, string]>> = {
  plain: ['a line', ''],
  crlf: ['of Windows', '\r'],
  ansi: ['\u001b[32mgreen', ' again\u001b[0m'],
  unicode: ['žluťoučký kůň 漢字', ' 🎉'],
  long: ['', ' end'],
};

/** The job of a plan, as Pulumi Cloud sends it. */
export function jobOf(steps: readonly StepPlan[], image: string): object {
  const scripts = plannedSteps(steps).map(({ script }, at) => [`Step ${at + 1}`, script] as const);
  const { steps: defined, ...job } = definition(Object.fromEntries(scripts)) as { steps: object[] };
  return {
    ...job,
    image: { reference: image },
    env: { JOB_SECRET: { secret: CANARIES.job }, FORMER: { secret: FORMER } },
    steps: defined.map((step, index) => {
      const { timeoutSeconds } = steps[index - 1] ?? {};
      return timeoutSeconds === undefined ? step : { ...step, timeout: `${timeoutSeconds}s` };
    }),
  };
}

/** The second job of a lasting agent: nothing disturbs it, and what was secret in the first is not in it. */
export const NEXT_OUTPUT = `the former secret was ${FORMER}\n`;
export function nextJob(): object {
  return definition({ Next: `printf '${NEXT_OUTPUT.replace('\n', '\\n')}'` });
}

/** How the job ends if nothing happens to it. */
export function naturalOutcome(steps: readonly StepPlan[]): 'succeeded' | 'failed' {
  return steps.every(({ exitCode }) => exitCode === 0) ? 'succeeded' : 'failed';
}
