import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { actionStart } from './action-start.ts';
import { agentStart } from './agent-start.ts';
import type { Claim, Figure } from './claim.ts';
import { markdown, table } from './figures.ts';
import { firstOutput } from './first-output.ts';
import { furtherSteps } from './further-steps.ts';
import { heartbeatJitter } from './heartbeat-jitter.ts';
import { interrupt } from './interrupt.ts';
import { kubernetes } from './kubernetes.ts';
import { kubernetesLoad } from './kubernetes-load.ts';
import { lasting } from './lasting.ts';
import { logPath } from './log-path.ts';
import { logsAway } from './logs-away.ts';
import { memory } from './memory.ts';
import { pollOverhead } from './poll-overhead.ts';
import { redactor } from './redactor.ts';
import { relay } from './relay.ts';
import { scaleOut } from './scale-out.ts';

const CLAIMS: readonly Claim[] = [
  actionStart,
  agentStart,
  firstOutput,
  furtherSteps,
  interrupt,
  memory,
  redactor,
  logPath,
  relay,
  logsAway,
  lasting,
  heartbeatJitter,
  pollOverhead,
  scaleOut,
  kubernetes,
  kubernetesLoad,
];
const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/bench.md', import.meta.url));
const IMAGE = 'pulumi-runner-test/job:1';

const USAGE = `Usage: node bench/run.ts [claim…] [--dist DIR] [--samples N] [--image TAG] [--auth DIR] [--write]

Measures what the product claims and prints it as a table, each figure against a baseline of the same run. Fails (exit code 1)
when a reach is missed.

  claims     ${CLAIMS.map(({ name }) => name).join(', ')}; all of them unless some are named
  --dist     the built programs; dist/ of this repository by default
  --samples  rounds for each claim; memory has one, to heartbeat-jitter it is the number of heartbeats, to scale-out of agents and jobs, to lasting and kubernetes-load of jobs
  --auth     a checkout of google-github-actions/auth, to measure the action's start against; against node -e 0 without
  --write    puts the table into docs/bench.md: of all claims, from this one run
  --image    the job image; ${IMAGE} by default, which scripts/job-image makes
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: DIST },
    samples: { type: 'string' },
    image: { type: 'string', default: IMAGE },
    auth: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const unknown = positionals.filter((name) => !CLAIMS.some((claim) => claim.name === name));
const samples = values.samples === undefined ? undefined : Number(values.samples);
// A table of some claims, or one without the action's own reach, is no table for the page.
const isPart = values.write && (positionals.length > 0 || values.auth === undefined);
if (values.help || unknown.length > 0 || isPart || (samples !== undefined && !(samples >= 1))) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const dist = resolve(values.dist);
if (!existsSync(join(dist, 'agent', 'index.js'))) {
  console.error(`Failed to measure ${dist}: it holds no agent/index.js. Run npm run build first.`);
  process.exit(2);
}

console.log(
  `Node ${process.version}, ${availableParallelism()} CPUs, load ${load()}. Every figure: median [quartiles] of the product / of its baseline.`,
);
const figures: Figure[] = [];
for (const claim of CLAIMS) {
  if (positionals.length > 0 && !positionals.includes(claim.name)) continue;
  console.log(`${claim.name} …`);
  const progress = (line: string) => console.log(`  ${line}`);
  const auth = values.auth === undefined ? {} : { auth: resolve(values.auth) };
  const options = { dist, image: values.image, progress, ...auth, ...(samples && { samples }) };
  figures.push(...(await claim.measure(options)));
}
console.log(`\n${table(figures)}\n\nload at the end ${load()}`);
if (values.write) writePage();
// A miss fails the command.
if (figures.some(({ met }) => met === false)) process.exitCode = 1;

function writePage(): void {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(/(?<=<!-- figures -->\n)/);
  const [, after = ''] = rest.split(/(?=<!-- \/figures -->)/);
  writeFileSync(PAGE, `${before}${markdown(figures)}\n${after}`);
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ');
}
