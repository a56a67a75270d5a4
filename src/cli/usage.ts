/** The commands, in the order in which help lists them, with one line each. */
export const COMMANDS = {
  run: 'serves workflows of a customer-managed pool',
  trigger: 'starts deployments of stacks, and runs none',
  plan: 'starts deployments if asked to, and says how many jobs the queue has work for',
  doctor: 'checks everything that a run needs, and claims nothing',
  configure: 'writes a pulumi-workflow-agent.yaml',
  debug: 'runs one job definition from a file, without Pulumi Cloud',
  engine: "fetches and verifies Pulumi's own agent ahead of runs",
  sweep: 'removes what a killed agent left',
  wire: "says where a recording of Pulumi's agent leaves what this one would say and read",
  version: 'prints the version',
  help: 'prints this text, or that of a command',
} as const;

export type CommandName = keyof typeof COMMANDS;

/** True when `name` is a command. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

const KEY_FLAGS = `  --config FILE          reads FILE instead of searching for pulumi-workflow-agent.yaml
  --default KEY=VALUE    a default of the caller's own: the file and the environment rank above it
  --label KEY=VALUE      a label for every Docker object that is made
  --<key> VALUE          sets any key, with dashes: --polling-interval 30s; pulumi-runner-agent run --help lists them
`;

const USAGES: Readonly<Record<CommandName, string>> = {
  run: `Usage: pulumi-runner-agent run [flags]

Serves workflows of a customer-managed pool, until it is stopped or, with --single-run, until one has run.
SIGINT interrupts a running step gracefully. The first SIGTERM lets a running job finish, the second interrupts it, and one behind
an interrupt drops the reports that Pulumi Cloud does not have yet.

Flags:
  --drain-on-stdin-end   as at a SIGTERM once its standard input ends, which it does when the process at its other end dies
${KEY_FLAGS}`,
  trigger: `Usage: pulumi-runner-agent trigger [org/project/stack …] --operation OPERATION [--json] [flags of run]

Starts a deployment of each stack with the stack's own settings, and leaves it to the agents of its pool. Project and stack may
hold * and ?: acme/*/prod. It takes an access token (PULUMI_AGENT_ACCESS_TOKEN), or an OIDC token that is exchanged for one.
The exit code is 0 when all were started, else that of the first failure's outcome.

Flags:
  --operation OPERATION  update, preview, refresh, destroy (of stacks in full only), detect-drift or remediate-drift
  --trigger-jitter TIME  starts each at a moment of its own within TIME, by chance
  --json                 prints a report as JSON on standard output
${KEY_FLAGS}`,
  plan: `Usage: pulumi-runner-agent plan [--plan-max N] [--trigger STACKS --operation OPERATION] [flags of run]

Prints as JSON how many deployments wait for the pool, and a matrix of as many jobs: no more than --plan-max, than the
organization may run besides what runs, and than 256. With --trigger it starts deployments first, as the command trigger does.
It takes --organization-name, --runner-pool-id, and an access token or an OIDC token, as trigger does.
The exit code is 0, or that of the first failure's outcome; the report is printed all the same.

Flags:
${KEY_FLAGS}`,
  doctor: `Usage: pulumi-runner-agent doctor [--json] [flags of run]

Checks the configuration, the way to Pulumi Cloud, the credentials, and Docker with its disks or the cluster with
each permission there. It never polls, so it claims nothing.
The exit code is 0 when nothing failed, else that of the first failed check's outcome (auth-error 3, target-error 5 …).

Flags:
  --json                 prints the report as JSON
  --image IMAGE          pulls IMAGE and starts a container of it
${KEY_FLAGS}`,
  configure: `Usage: pulumi-runner-agent configure [--output FILE] [--force] [--token-file FILE] [--<key> VALUE …]

Writes a configuration file that run takes. On a terminal it asks for what the flags leave open; without one, the flags must say
enough: --organization-name, --runner-pool-id and --oidc-token-file, or --token-file. The environment is not read.

Flags:
  --output FILE          where to write; pulumi-workflow-agent.yaml in the current directory when absent
  --force                replaces a file that is there
  --token-file FILE      takes the pool token from FILE, - for standard input
  --<key> VALUE          any key, with dashes; pulumi-runner-agent run --help lists them
`,
  debug: `Usage: pulumi-runner-agent debug workflow-runner JOB.json [--to N] [flags of run]

Runs one job definition, in the shape in which Pulumi Cloud sends it, in a container as run would. Pulumi Cloud is not asked for
anything. The steps' output goes to standard output, everything else to standard error; the run directory is made as in a run.
SIGINT interrupts the running step gracefully. The exit code is that of the job's outcome.

Flags:
  JOB.json               the file; - for standard input
  --to N                 the last step to run; step 0 is the agent's own and always done
${KEY_FLAGS}`,
  engine: `Usage: pulumi-runner-agent engine install [flags of run]

Fetches Pulumi's own agent for this machine, verifies it, and keeps it for runs with the key engine set to pulumi, below
XDG_CACHE_HOME or ~/.cache of the user that will run them. Nothing of it is run. The keys engine_version, engine_download_url and
engine_public_key say which, from where, and who signed it.

Flags:
${KEY_FLAGS}`,
  sweep: `Usage: pulumi-runner-agent sweep --run-directory DIR [--grace DURATION]

Removes what the agent that wrote the run directory DIR left, if it was killed, and what other agents of this machine left that
are provably dead. Nothing of an agent that lives, or that may live elsewhere. The run directory says where that is: the engine,
or the cluster's kubeconfig, context and namespace. Where it does not, as before a claim, the configuration does, as run would
read it.

Flags:
  --grace DURATION       for what runs to end by itself, as a container does without its agent; 12s when absent
`,
  wire: `Usage: pulumi-runner-agent wire compare FILE

Reads wire.ndjson, which a run of Pulumi's agent leaves with engine_record, and says call by call where that conversation leaves what
this project's own agent would send, and what it would read. The exit code is 0 when it doesn't, else 1.
`,
  version: 'Usage: pulumi-runner-agent version\n\nPrints the version.\n',
  help: 'Usage: pulumi-runner-agent help [command]\n\nPrints what there is, or the help of a command.\n',
};

/** The text of `help`, and of `help <command>`; `reference` lists the keys. */
export function usage(reference: string, of?: CommandName): string {
  if (of === 'run') return `${USAGES.run}\n${reference}\n`;
  if (of !== undefined) return USAGES[of];
  const lines = Object.entries(COMMANDS).map(([name, what]) => `  ${name.padEnd(11)}${what}\n`);
  return `Usage: pulumi-runner-agent <command> [flags]\n\n${lines.join('')}
pulumi-runner-agent <command> --help tells a command's flags.

Flags of run, doctor and debug:
${KEY_FLAGS}
${reference}
`;
}
