type Flag = readonly [flag: string, does: string];

/** The help of one command. */
export interface CommandHelp {
  /** The heading in the list of commands; the order is that of the list. */
  readonly group: string;
  /** One line for the list. */
  readonly line: string;
  /** What follows the command's name. */
  readonly synopsis: string;
  /** Is wrapped; an empty line begins a paragraph. */
  readonly text: string;
  /** The command's own flags. */
  readonly flags?: readonly Flag[];
  /** Every setting is a flag too. */
  readonly takesSettings?: true;
  /** Command lines, after the program's name. */
  readonly examples: readonly string[];
}

/** The flags of every command that reads the configuration of a run. */
export const COMMON_FLAGS: readonly Flag[] = [
  ['--config FILE', 'reads FILE instead of searching for pulumi-workflow-agent.yaml'],
  ['--no-search', 'reads no configuration file except that of --config'],
  ['--default KEY=VALUE', 'a default that the file and the environment override'],
  ['--label KEY=VALUE', 'a label for every Docker object that the agent makes'],
  ['--<key> VALUE', 'any setting, with dashes: --max-wait 5m; pulumi-runner-agent help settings'],
];

/** Every command, in the order of help. */
export const COMMANDS = {
  'set-up': {
    group: 'Set up',
    line: 'writes the workflow for your CI system, and says what to set in Pulumi Cloud',
    synopsis: '[flags]',
    text: `Writes the workflow that serves a pool on your CI system, prints the policy that lets it sign in to
Pulumi Cloud, and sets the pool of your stacks. On a terminal it asks for what the flags leave open,
and once more before it changes anything in Pulumi Cloud. With an access token
(PULUMI_AGENT_ACCESS_TOKEN) it finds the pool and sets it; all other settings of the stacks stay.
Without one it changes nothing there.`,
    flags: [
      ['--organization-name NAME', 'the Pulumi organization'],
      ['--runner-pool-id ID', 'the pool; --runner-pool-name NAME is found with an access token'],
      [
        '--stack STACK',
        'a stack that the pool deploys, as project/stack, or a pattern: network/*; can be repeated',
      ],
      ['--ci SYSTEM', 'github, gitlab, buildkite, azure-pipelines, jenkins, circleci, bitbucket'],
      ['--cloud CLOUD', 'where the keys of deployments come from: aws, google, azure, none'],
      ['--repository OWNER/NAME', "the repository of the workflow; the checkout's when absent"],
      ['--branch NAME', 'the branch that can deploy; main when absent'],
      ['--environment NAME', 'the GitHub environment of the job, whose rules then count'],
      ['--action OWNER/NAME@COMMIT', 'your copy of the action, for GitHub; a placeholder when absent'],
      [
        '--package NAME@VERSION',
        "your copy of the agent's package, for the others; a placeholder when absent",
      ],
      ['--output FILE', "where to write; the CI system's own place when absent"],
      ['--apply', "sets the stacks' pool without asking; --no-apply leaves Pulumi Cloud as it is"],
      ['--config FILE', 'settings, such as service_url; no file is searched for'],
      ['--<key> VALUE', 'any setting, with dashes; pulumi-runner-agent help settings'],
    ],
    examples: [
      'set-up',
      'set-up --ci github --cloud aws --stack network/prod --stack web/prod',
      'set-up --ci gitlab --cloud none --stack network/prod --no-apply',
    ],
  },
  configure: {
    group: 'Set up',
    line: 'writes a pulumi-workflow-agent.yaml',
    synopsis: '[--output FILE] [--force] [--token-file FILE] [--<key> VALUE …]',
    text: `Writes a configuration file for run. On a terminal it asks for missing settings; otherwise the flags
must be enough: --organization-name, --runner-pool-id and --oidc-token-file, or --token-file.
The environment is not read.`,
    flags: [
      ['--output FILE', 'where to write; pulumi-workflow-agent.yaml in the current directory when absent'],
      ['--force', 'replaces an existing file'],
      ['--token-file FILE', 'reads the pool token from FILE, - for standard input'],
      ['--<key> VALUE', 'any setting, with dashes: --max-wait 5m; pulumi-runner-agent help settings'],
    ],
    examples: [
      'configure',
      'configure --token-file pool-token --max-wait 5m',
      'configure --output agent.yaml --force',
    ],
  },
  doctor: {
    group: 'Set up',
    line: 'checks the set-up of a run, without claiming anything',
    synopsis: '[--json] [flags]',
    text: `Checks the configuration, the connection to Pulumi Cloud, the credentials, and Docker with its disks
or the cluster with each permission there. It never polls, so it claims nothing.

The exit code is 0 when nothing failed, else that of the first failed check's outcome (auth-error 3,
target-error 5 …).`,
    flags: [
      ['--json', 'prints the report as JSON'],
      ['--image IMAGE', 'pulls IMAGE and starts a container of it'],
    ],
    takesSettings: true,
    examples: ['doctor', 'doctor --image pulumi/pulumi:latest', 'doctor --json --config agent.yaml'],
  },
  run: {
    group: 'Run deployments',
    line: 'serves deployments of a customer-managed pool',
    synopsis: '[flags]',
    text: `Serves deployments of a customer-managed pool, until it is stopped or, with --single-run, until one has
run. SIGINT interrupts a running step gracefully. The first SIGTERM lets a running job finish, the
second interrupts it, and one after an interrupt drops the reports that Pulumi Cloud does not have yet.`,
    flags: [
      [
        '--drain-on-stdin-end',
        'treats the end of standard input like SIGTERM; it also ends if the process at its other end dies',
      ],
      ['--interrupt-on-sigterm', 'interrupts a running step on the first SIGTERM, too'],
      ['--no-export-trace', "leaves the runs' traces to another process"],
      [
        '--stack-outputs FILE',
        "with --single-run and an access token, writes the plain outputs of succeeded deployments' stacks to FILE",
      ],
    ],
    takesSettings: true,
    examples: [
      'run --single-run --max-wait 5m',
      'run --config /etc/pulumi-workflow-agent.yaml',
      'run --deploy-target kubernetes --namespace pulumi',
    ],
  },
  ci: {
    group: 'Run deployments',
    line: 'serves one deployment as a step of a CI job, on any CI system',
    synopsis: '[flags]',
    text: `Serves one deployment as a step of a CI job: signs in with the CI job's own identity, starts the agent
as its own process, shows its progress, stops it gracefully when the CI job is cancelled, and leaves
the record in pulumi-runner/ of the checkout. It knows GitLab CI, Buildkite, Azure Pipelines and
Jenkins, and runs in any shell. No configuration file is searched for: --config names one, else
/etc/pulumi-workflow-agent.yaml counts.

The exit code is that of the outcome; 75 for no work with --on-no-work fail.`,
    flags: [
      ['--identity-token-env NAME', "the variable with the CI job's ID token"],
      ['--identity-token-command CMD', 'a shell command that prints a fresh ID token'],
      ['--on-no-work HOW', 'succeed, warn or fail when no deployment came; succeed when absent'],
      ['--doctor', 'checks the set-up instead of waiting for work'],
      [
        '--cancel-window TIME',
        'time from a signal until the CI system kills this command; 285s in a plain shell',
      ],
    ],
    takesSettings: true,
    examples: [
      'ci --organization-name acme --runner-pool-id 7a1c0e52-…',
      'ci --identity-token-env BITBUCKET_STEP_OIDC_TOKEN',
      'ci --doctor',
    ],
  },
  finish: {
    group: 'Run deployments',
    line: 'finishes the work of an interrupted ci, as the last step of a CI job',
    synopsis: '',
    text: `Finishes the work of an interrupted ci of the same CI job: waits for the agent, publishes the run and
removes temporary files. It takes no flags, can be run any number of times, and always exits with 0.`,
    examples: ['finish'],
  },
  trigger: {
    group: 'Start deployments',
    line: 'starts deployments of stacks, without running them',
    synopsis: '[org/project/stack …] --operation OPERATION [--json] [flags]',
    text: `Starts a deployment of each stack, and leaves it to the agents of its pool. The stack's own settings
apply, unless PULUMI_AGENT_TRIGGER_SETTINGS overrides them. Project and stack can contain * and ?.
It needs an access token (PULUMI_AGENT_ACCESS_TOKEN), or an OIDC token to exchange for one. The exit
code is 0 when all were started, else that of the first failure's outcome.`,
    flags: [
      [
        '--operation OPERATION',
        'update, preview, refresh, destroy (only of stacks named in full), detect-drift or remediate-drift',
      ],
      ['--expected-version N', 'starts it only if the one stack that is named still has version N'],
      ['--trigger-jitter TIME', 'starts each at a random time within TIME'],
      ['--json', 'prints a report as JSON on standard output'],
    ],
    takesSettings: true,
    examples: [
      'trigger acme/web/prod --operation preview',
      "trigger 'acme/*/prod' --operation detect-drift --trigger-jitter 10m",
    ],
  },
  plan: {
    group: 'Start deployments',
    line: 'starts deployments if asked to, and reports how many jobs the queue has work for',
    synopsis: '[--plan-max N] [--trigger STACKS --operation OPERATION] [flags]',
    text: `Prints as JSON how many deployments wait for the pool, and a matrix of as many jobs, but at most
--plan-max, 256, and as many as the organization can still run. With --trigger it starts deployments
first, as the command trigger does. It needs --organization-name, --runner-pool-id, and an access token
or an OIDC token, as trigger does. The exit code is 0, or that of the first failure's outcome; the
report is printed all the same.`,
    takesSettings: true,
    examples: [
      'plan --organization-name acme --runner-pool-id 7a1c0e52-… --plan-max 5',
      "plan --trigger 'acme/*/prod' --operation detect-drift",
    ],
  },
  trace: {
    group: 'Look at a run',
    line: 'prints or sends a run as an OpenTelemetry trace',
    synopsis: 'RUN_DIRECTORY [--send]',
    text: `Prints the run that a run directory records as an OpenTelemetry trace, in OTLP JSON: the same each
time, for an unpacked artifact too. It calls nothing unless --send is given. The exit code is 1 when
the trace could not be sent.`,
    flags: [
      ['--send', 'sends it to the collector of OTEL_EXPORTER_OTLP_ENDPOINT instead, and takes 3 s at most'],
    ],
    examples: ['trace pulumi-runner', 'trace --send pulumi-runner'],
  },
  verify: {
    group: 'Look at a run',
    line: 'compares the logs of a run directory with the digests in its run.json',
    synopsis: 'RUN_DIRECTORY',
    text: `Compares the SHA-256 of each step's log with the one in run.json, and of each record in deployments/
with the run's, and names every file that is missing, has no digest or has another one. It reads no
configuration and calls no one. It verifies no signature, so it can't notice a change of run.json
itself: it prints the command that does. The exit code is 0 when every file is as recorded, 1 when one
is not, and 2 when there is no record.`,
    examples: ['verify pulumi-runner'],
  },
  debug: {
    group: 'For special cases',
    line: 'runs one job definition from a file, without Pulumi Cloud',
    synopsis: 'workflow-runner JOB.json [--to N] [flags]',
    text: `Runs one job definition, in the form in which Pulumi Cloud sends it, in a container, as run would,
without calling Pulumi Cloud. The steps' output goes to standard output, everything else to standard
error; the run directory is made as in a run. SIGINT interrupts the running step gracefully. The exit
code is that of the job's outcome.`,
    flags: [
      ['JOB.json', 'the file; - for standard input'],
      ['--to N', "the last step to run; step 0 is the agent's own and always done"],
    ],
    takesSettings: true,
    examples: ['debug workflow-runner job.json', 'debug workflow-runner job.json --to 1'],
  },
  sweep: {
    group: 'For special cases',
    line: 'removes what a killed agent left',
    synopsis: '--run-directory DIR [--grace DURATION]',
    text: `Removes what the agent that wrote the run directory DIR left, if it was killed, and what provably dead
agents of this machine left, but nothing of an agent that is alive or could be elsewhere. The run
directory says where to look: the engine, or the cluster's kubeconfig, context and namespace. Before a
claim it doesn't say so yet. Then the configuration decides, as for run.`,
    flags: [
      ['--run-directory DIR', 'the directory of the killed run'],
      [
        '--grace DURATION',
        'time for containers to end by themselves, as they do without their agent; 12s when absent',
      ],
      ['--config FILE, --no-search', 'as for run'],
    ],
    examples: ['sweep --run-directory pulumi-runner', 'sweep --run-directory pulumi-runner --grace 0s'],
  },
  engine: {
    group: 'For special cases',
    line: "fetches and verifies Pulumi's own agent ahead of runs",
    synopsis: 'install [flags]',
    text: `Fetches Pulumi's own agent for this machine, verifies it, and keeps it for runs with the key engine set
to pulumi, below XDG_CACHE_HOME or ~/.cache of the user that will run them. It does not run it. The
keys engine_version, engine_download_url and engine_public_key say which version, from where, and who
signed it; engine_digest pins its bytes.`,
    takesSettings: true,
    examples: ['engine install', 'engine install --engine-version 2.2.0'],
  },
  wire: {
    group: 'For special cases',
    line: "compares a recording of Pulumi's agent with what this agent would send and read",
    synopsis: 'compare FILE',
    text: `Reads wire.ndjson, which a run of Pulumi's agent with engine_record leaves, and lists call by call
where it differs from what this project's own agent would send and read. The exit code is 0 when
nothing differs, else 1.`,
    examples: ['wire compare pulumi-runner/wire.ndjson'],
  },
  version: {
    group: 'Help',
    line: 'prints the version',
    synopsis: '',
    text: 'Prints the version.',
    examples: [],
  },
  help: {
    group: 'Help',
    line: 'prints this text, the help of a command, or settings by subject',
    synopsis: '[COMMAND | settings [SUBJECT | KEY]]',
    text: 'Lists the commands, or prints the help of one. With settings it prints those of a subject, or one.',
    examples: ['help run', 'help settings kubernetes', 'help settings max_wait'],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** The help of a command, including its optional parts. */
export function helpOf(name: CommandName): CommandHelp {
  return COMMANDS[name];
}

/** True when `name` is a command. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
