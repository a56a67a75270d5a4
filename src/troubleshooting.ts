/** Where the entries are: the page as it is in the newest version 1. */
export const TROUBLESHOOTING_PAGE = 'https://github.com/org/pulumi-runner-action/blob/v1/TROUBLESHOOTING.md';

/**
 * The first words of each error that TROUBLESHOOTING.md has an entry for: its heading there. An ellipsis stands for what differs
 * from case to case. A test compares them with the page's headings and with every error of the sources.
 */
export const BEGINNINGS: readonly string[] = [
  "Failed to load the agent's configuration",
  'Failed to read the command line',
  'Failed to read … for the agent',
  'Failed to open the log for the agent',
  'Failed to open syslog for the agent',
  'Failed to serve /healthz for the agent',
  'Failed to make the directory for the run',
  'Failed to write to the run directory',
  'Failed to write the configuration',
  'Failed to start the agent',
  'Failed to run the agent for the pool',
  'Failed to run … for this job',
  'Failed to plan for this job',
  'The agent (process …) was killed',
  'The agent (process …) ended with exit code',

  "Failed to get this job's ID token",
  'Failed to read the ID token',
  'Failed to exchange the ID token',
  'Failed to authenticate',
  'Failed to use the token for the pool',
  'Failed to ask what the pool token may do',

  'Failed to look up',
  'Failed to connect to',
  'Failed to get through the proxy',
  'Failed to trust',

  'Failed to poll for work',
  'Failed to greet Pulumi Cloud',
  'Failed to read the claim',
  'Failed to acknowledge the claim',
  "Failed to read the deployment's status",
  'Failed to read the job definition',
  'Failed to read the timeout',
  'Failed to report step',
  'Failed to send log lines',
  'Failed to send a heartbeat',
  "Failed to watch the agent's main thread",

  'Failed to reach the Docker engine',
  'Failed to use the Docker engine',
  'Failed to read the Docker context',
  'Failed to read … for the Docker target',
  'Failed to read … for the encrypted connection',
  'Failed to read the Docker configuration',
  'Failed to ask … for the login of',

  'Failed to use the image for the job',
  "Failed to read the image's name",
  'Failed to pull the image for the job',
  'Failed to find the image for the job',

  'Failed to start a container for the job',
  'Failed to make a network for the job',
  'Failed to start the step in its container',
  'Failed to follow the step in its container',
  'Failed to finish the step in container',
  'Failed to read the environment file',
  'Failed to remove container',
  'Failed to remove network',

  'Failed to run … of the workflow',
  'Failed to run the workflow',
  'Failed to finish',
  "The workflow's steps succeeded, but Pulumi Cloud",

  'Failed to find the cluster for jobs',
  'Failed to read … for the cluster',
  'Failed to reach the Kubernetes API server',
  'Failed to get access to',
  'Failed to … for the job: the cluster does not accept these credentials',
  'Failed to … for the job: the cluster forbids it',
  "Failed to … for the job: the namespace's quota is used up",
  "Failed to … for the job: the namespace's quota wants to know",
  'Failed to … for the job: an admission rule of the cluster refused it',
  'Failed to … for the job: the cluster calls it invalid',
  'Failed to … for the job: a proxy or an ingress before the API server',
  'Failed to … for the job: the API server answered',
  'Failed to read the pod template',
  'Failed to use the pod template',
  'Failed to start pod',
  'Failed to schedule pod',
  'Failed to pull image … for the job',
  'Failed to find image … for the job',
  'Failed to enter the pod',
  'Failed to put file',
  'Failed to start the step for the job',
  'Failed to finish the step in pod',
  'Failed to remove pod',

  'Failed to start … for',
  'Failed to start … deployments for their stacks',
  'Failed to choose the stacks',
  'Failed to list the stacks',
  "Failed to read the organization's load",
  'Failed to read the deployments',

  'Failed to upload the artifact',
  'Failed to write the summary',
  'Failed to write report.html',
  'Failed to write the result',
  'Failed to look for old run directories',
  'Failed to remove the run directory',
  'Failed to write an event',
  'Failed to read an event',
  'Failed to read the result',
  'Failed to … the step log',
  'Failed to write to syslog',
  'Failed to finish the run in the post step',
  'Failed to remove … after the run',
  'Failed to read the job for debug workflow-runner',
];

/** The one of `BEGINNINGS` that `message` starts with; of several the longest, and one without an ellipsis first. */
export function beginningOf(message: string): string | undefined {
  const open = (beginning: string) => Number(beginning.includes('…'));
  return BEGINNINGS.filter((beginning) => startsWith(message, beginning)).sort(
    (a, b) => open(a) - open(b) || b.length - a.length,
  )[0];
}

/** The address of the entry for `message`; undefined when it has none. */
export function entryFor(message: string): string | undefined {
  const beginning = beginningOf(message);
  return beginning === undefined ? undefined : `${TROUBLESHOOTING_PAGE}#${anchorOf(beginning)}`;
}

/** `message` with the address of its entry behind it, on a line of its own where the message has several; alone without one. */
export function withEntry(message: string): string {
  const entry = entryFor(message);
  // No full stop: a terminal would take it for a part of the address.
  return entry === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${entry}`;
}

/** The anchor that GitHub gives a heading: small letters, blanks as hyphens, without punctuation. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Characters that an ellipsis stands for at most: a name, of a step with any characters. */
const MAX_NAME = 300;

function startsWith(message: string, beginning: string): boolean {
  const [first = '', rest] = beginning.split('…');
  if (!message.startsWith(first)) return false;
  if (rest === undefined) return true;
  const at = message.indexOf(rest, first.length + 1);
  return at !== -1 && at - first.length <= MAX_NAME && !message.slice(first.length, at).includes('\n');
}
