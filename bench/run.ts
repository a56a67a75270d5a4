import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { actionStart } from './action-start.ts';
import { agentStart } from './agent-start.ts';
import type { BenchOptions, Claim, Figure } from './claim.ts';
import { missOf, table, unmeasured } from './figures.ts';
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
import { relay } from './relay.ts';
import { scaleOut } from './scale-out.ts';

const CLAIMS: readonly Claim[] = [
  actionStart,
  agentStart,
  firstOutput,
  furtherSteps,
  interrupt,
  memory,
  logPath,
  relay,
  logsAway,
  lasting,
  heartbeatJitter,
  scaleOut,
  kubernetes,
  kubernetesLoad,
];
const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/internals/bench.md', import.meta.url));
const IMAGE = 'pulumi-runner-test/job:1';
const AUTH = ['--depth', '1', '--branch', 'v3', 'https://github.com/google-github-actions/auth'];

const USAGE = `Usage: node bench/run.ts [claim…] [--dist DIR] [--samples N] [--image TAG] [--auth DIR]

Measures what the product claims and prints it as a table, each figure against a baseline of the same run. Without a claim it
measures all of them and writes the table into docs/internals/bench.md. Fails (exit code 1) when a target is missed, and says which.

  claims     ${CLAIMS.map(({ name }) => name).join(', ')}
  --dist     the built programs; dist/ of this repository by default
  --samples  rounds for each claim, for single claims; heartbeats, agents or jobs where a claim counts those
  --auth     a checkout of google-github-actions/auth, which action-start is measured against; cloned by git unless given
  --image    the job image; ${IMAGE} by default, which scripts/job-image makes
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: DIST },
    samples: { type: 'string' },
    image: { type: 'string', default: IMAGE },
    auth: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const isWhole = positionals.length === 0;
const samples = values.samples === undefined ? undefined : Number(values.samples);
const isWrong =
  positionals.some((name) => !CLAIMS.some((claim) => claim.name === name)) ||
  (samples !== undefined && (isWhole || !(samples >= 1)));
if (values.help || isWrong) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const dist = resolve(values.dist);
if (!existsSync(join(dist, 'agent', 'index.js'))) {
  console.error(`Failed to measure ${dist}: it holds no agent/index.js. Run npm run build first.`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${availableParallelism()} CPUs, load ${load()}.`);
const claims = CLAIMS.filter(({ name }) => isWhole || positionals.includes(name));
const clone = claims.includes(actionStart) && values.auth === undefined ? cloned() : undefined;
const auth = clone ?? values.auth;
const figures: Figure[] = [];
try {
  for (const claim of claims) {
    console.log(`${claim.name} …`);
    const progress = (line: string) => console.log(`  ${line}`);
    const options = {
      dist,
      image: values.image,
      progress,
      ...(auth && { auth: resolve(auth) }),
      ...(samples && { samples }),
    };
    figures.push(...(await measured(claim, options)));
  }
} finally {
  if (clone !== undefined) rmSync(clone, { recursive: true, force: true });
}
console.log(`\n${table(figures)}\n\nload at the end ${load()}`);
if (isWhole) writePage();
for (const missed of figures.filter(({ met }) => met === false)) {
  console.error(missOf(missed));
  process.exitCode = 1;
}

/** Measures the claim; one that can't be measured is a missed row, so that the others' figures aren't lost with it. */
async function measured(claim: Claim, options: BenchOptions): Promise<readonly Figure[]> {
  try {
    return await claim.measure(options);
  } catch (error) {
    console.error(error);
    return [unmeasured(claim.name, error)];
  }
}

function writePage(): void {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(/(?<=<!-- figures -->\n)/);
  const [, after = ''] = rest.split(/(?=<!-- \/figures -->)/);
  writeFileSync(PAGE, `${before}${table(figures)}\n${after}`);
}

/** Clones the action that ours is measured against; returns the folder. */
function cloned(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pulumi-runner-bench-auth-'));
  execFileSync('git', ['clone', '--quiet', ...AUTH, folder], { stdio: 'inherit', timeout: 120_000 });
  return folder;
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ');
}
