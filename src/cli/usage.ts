/** The commands with one line each, in the order in which help lists them. */
export const COMMANDS = {
  run: 'serves workflows of a customer-managed pool',
  ci: 'serves one workflow as a step of a CI job, on any CI system',
  finish: 'ends what an interrupted ci left, as the last step of a CI job',
  trigger: 'starts deployments of stacks, without running them',
  plan: 'starts deployments if asked to, and reports how many jobs the queue has work for',
  doctor: 'checks the set-up of a run, without claiming anything',
  configure: 'writes a pulumi-workflow-agent.yaml',
  debug: 'runs one job definition from a file, without Pulumi Cloud',
  engine: "fetches and verifies Pulumi's own agent ahead of runs",
  sweep: 'removes what a killed agent left',
  trace: 'prints or sends a run as an OpenTelemetry trace',
  verify: 'compares the logs of a run directory with the digests in its run.json',
  wire: "compares a recording of Pulumi's agent with what this agent would send and read",
  version: 'prints the version',
  help: "prints this text, or a command's",
} as const;

export type CommandName = keyof typeof COMMANDS;

/** True when `name` is a command. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

const KEY_FLAGS = `  --config FILE          reads FILE instead of searching for pulumi-workflow-agent.yaml
  --no-search            searches for none, so that without --config no file counts
  --default KEY=VALUE    a default that the file and the environment override
  --label KEY=VALUE      a label for every Docker object that the agent makes
  --<key> VALUE          sets any key, with dashes: --polling-interval 30s; pulumi-runner-agent run --help lists them
`;

const USAGES: Readonly<Record<CommandName, string>> = {
  run: `Usage: pulumi-runner-agent run [flags]

Serves workflows of a customer-managed pool, until it is stopped or, with --single-run, until one has run.
SIGINT interrupts a running step gracefully. The first SIGTERM lets a running job finish, the second interrupts it, and one after
an interrupt drops the reports that Pulumi Cloud does not have yet.

Flags:
  --drain-on-stdin-end   acts as on SIGTERM when standard input ends, as it does when the process at its other end dies
  --interrupt-on-sigterm interrupts a running step on the first SIGTERM, too
  --no-export-trace      leaves the runs' traces to another process
  --stack-outputs FILE   with --single-run and an access token, writes the plain outputs of succeeded deployments' stacks to FILE
${KEY_FLAGS}`,
  ci: `Usage: pulumi-runner-agent ci [flags]

Serves one workflow as a step of a CI job: signs in with the CI job's own identity, starts the agent as its own process, shows
its progress, stops it gracefully when the CI job is cancelled, and leaves the record in pulumi-runner/ of the checkout.
It knows GitLab CI, Buildkite, Azure Pipelines and Jenkins, and runs in any shell. No configuration file is searched for: --config
names one, else /etc/pulumi-workflow-agent.yaml counts.
The exit code is that of the outcome; 75 for no work with --on-no-work fail.

Flags:
  --identity-token-env NAME     the variable with the CI job's ID token
  --identity-token-command CMD  a shell command that prints a fresh ID token
  --on-no-work HOW              succeed, warn or fail when no workflow came; succeed when absent
  --doctor                      checks the set-up instead of waiting for work
  --cancel-window TIME          time from a signal until the CI system kills this command; 285s in a plain shell
${KEY_FLAGS}`,
  finish: `Usage: pulumi-runner-agent finish

Ends what a ci of the same CI job left when it was interrupted: waits for the agent, publishes the run and removes temporary files.
It takes no flags, can be run any number of times, and always exits with 0.
`,
  trigger: `Usage: pulumi-runner-agent trigger [org/project/stack …] --operation OPERATION [--json] [flags of run]

Starts a deployment of each stack with the stack's own settings, over which those of PULUMI_AGENT_TRIGGER_SETTINGS go, and leaves
it to the agents of its pool. Project and stack may contain * and ?: acme/*/prod. It needs an access token (PULUMI_AGENT_ACCESS_TOKEN), or an OIDC token to exchange for one.
The exit code is 0 when all were started, else that of the first failure's outcome.

Flags:
  --operation OPERATION  update, preview, refresh, destroy (only of stacks named in full), detect-drift or remediate-drift
  --expected-version N   starts it only if the one stack that is named still has version N
  --trigger-jitter TIME  starts each at a random time within TIME
  --json                 prints a report as JSON on standard output
${KEY_FLAGS}`,
  plan: `Usage: pulumi-runner-agent plan [--plan-max N] [--trigger STACKS --operation OPERATION] [flags of run]

Prints as JSON how many deployments wait for the pool, and a matrix of as many jobs, but at most --plan-max, 256, and as many
as the organization may still run. With --trigger it starts deployments first, as the command trigger does.
It needs --organization-name, --runner-pool-id, and an access token or an OIDC token, as trigger does.
The exit code is 0, or that of the first failure's outcome; the report is printed all the same.

Flags:
${KEY_FLAGS}`,
  doctor: `Usage: pulumi-runner-agent doctor [--json] [flags of run]

Checks the configuration, the connection to Pulumi Cloud, the credentials, and Docker with its disks or the cluster
with each permission there. It never polls, so it claims nothing.
The exit code is 0 when nothing failed, else that of the first failed check's outcome (auth-error 3, target-error 5 …).

Flags:
  --json                 prints the report as JSON
  --image IMAGE          pulls IMAGE and starts a container of it
${KEY_FLAGS}`,
  configure: `Usage: pulumi-runner-agent configure [--output FILE] [--force] [--token-file FILE] [--<key> VALUE …]

Writes a configuration file for run. On a terminal it asks for missing settings; otherwise the flags must be enough:
--organization-name, --runner-pool-id and --oidc-token-file, or --token-file. The environment is not read.

Flags:
  --output FILE          where to write; pulumi-workflow-agent.yaml in the current directory when absent
  --force                replaces an existing file
  --token-file FILE      reads the pool token from FILE, - for standard input
  --<key> VALUE          any key, with dashes; pulumi-runner-agent run --help lists them
`,
  debug: `Usage: pulumi-runner-agent debug workflow-runner JOB.json [--to N] [flags of run]

Runs one job definition, in the form in which Pulumi Cloud sends it, in a container, as run would, without calling Pulumi Cloud.
The steps' output goes to standard output, everything else to standard error; the run directory is made as in a run.
SIGINT interrupts the running step gracefully. The exit code is that of the job's outcome.

Flags:
  JOB.json               the file; - for standard input
  --to N                 the last step to run; step 0 is the agent's own and always done
${KEY_FLAGS}`,
  engine: `Usage: pulumi-runner-agent engine install [flags of run]

Fetches Pulumi's own agent for this machine, verifies it, and keeps it for runs with the key engine set to pulumi, below
XDG_CACHE_HOME or ~/.cache of the user that will run them. It does not run it. The keys engine_version, engine_download_url and
engine_public_key say which version, from where, and who signed it; engine_digest pins its bytes.

Flags:
${KEY_FLAGS}`,
  sweep: `Usage: pulumi-runner-agent sweep --run-directory DIR [--grace DURATION]

Removes what the agent that wrote the run directory DIR left, if it was killed, and what provably dead agents of this machine
left, but nothing of an agent that is alive, or may be elsewhere. The run directory says where to look: the engine, or the
cluster's kubeconfig, context and namespace. If it does not, as before a claim, the configuration does, as run would read it.

Flags:
  --config FILE, --no-search   as for run
  --grace DURATION       time for containers to end by themselves, as they do without their agent; 12s when absent
`,
  trace: `Usage: pulumi-runner-agent trace RUN_DIRECTORY [--send]

Prints the run that a run directory records as an OpenTelemetry trace, in OTLP JSON: the same each time, for an
unpacked artifact too. It calls nothing unless --send is given. The exit code is 1 when the trace could not be sent.

Flags:
  --send                 sends it to the collector of OTEL_EXPORTER_OTLP_ENDPOINT instead, and takes 3 s at most
`,
  verify: `Usage: pulumi-runner-agent verify RUN_DIRECTORY

Compares the SHA-256 of each step's log with the one in run.json, and of each record in deployments/ with the run's, and names
every file that is missing, has no digest or has another one. It reads no configuration and calls no one. It verifies no signature,
so it can't notice a change of run.json itself: it prints the command that does.
The exit code is 0 when every file is as recorded, else 1.
`,
  wire: `Usage: pulumi-runner-agent wire compare FILE

Reads wire.ndjson, which a run of Pulumi's agent with engine_record leaves, and lists call by call where it differs from what this
project's own agent would send and read. The exit code is 0 when nothing differs, else 1.
`,
  version: 'Usage: pulumi-runner-agent version\n\nPrints the version.\n',
  help: 'Usage: pulumi-runner-agent help [command]\n\nLists the commands, or prints the help of one.\n',
};

/** The text of `help`, and of `help <command>`; `reference` lists the keys. */
export function usage(reference: string, of?: CommandName): string {
  if (of === 'run') return `${USAGES.run}\n${reference}\n`;
  if (of !== undefined) return USAGES[of];
  const lines = Object.entries(COMMANDS).map(([name, what]) => `  ${name.padEnd(11)}${what}\n`);
  return `Usage: pulumi-runner-agent <command> [flags]\n\n${lines.join('')}
pulumi-runner-agent <command> --help lists a command's flags.

Flags of run, doctor and debug:
${KEY_FLAGS}
${reference}
`;
}
