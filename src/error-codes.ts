/**
 * The code of each error that a user can meet, with the first words of its sentence; an ellipsis stands for what differs from case to
 * case. TROUBLESHOOTING.md has an entry for each. A code is never used again for something else.
 */
export const ERROR_CODES = {
  'PRA-CONFIG-01': "Failed to load the agent's configuration",
  'PRA-CONFIG-02': 'Failed to read the command line',
  'PRA-CONFIG-03': 'Failed to read … for the agent',
  'PRA-CONFIG-04': 'Failed to open the log for the agent',
  'PRA-CONFIG-05': 'Failed to open syslog for the agent',
  'PRA-CONFIG-06': 'Failed to serve /healthz for the agent',
  'PRA-CONFIG-07': 'Failed to make the directory for the run',
  'PRA-CONFIG-08': 'Failed to write to the run directory',
  'PRA-CONFIG-09': 'Failed to write the configuration',
  'PRA-CONFIG-10': 'Failed to start the agent',
  'PRA-CONFIG-11': 'Failed to run the agent for the pool',
  'PRA-CONFIG-12': 'Failed to run … for this job',
  'PRA-CONFIG-13': 'Failed to plan for this job',
  'PRA-CONFIG-14': 'The agent (process …) was killed',
  'PRA-CONFIG-15': 'The agent (process …) ended with exit code',
  'PRA-AUTH-01': "Failed to get this job's ID token",
  'PRA-AUTH-02': 'Failed to read the ID token',
  'PRA-AUTH-03': 'Failed to exchange the ID token',
  'PRA-AUTH-04': 'Failed to authenticate',
  'PRA-AUTH-05': 'Failed to use the token for the pool',
  'PRA-AUTH-06': 'Failed to ask what the pool token may do',
  'PRA-NET-01': 'Failed to look up',
  'PRA-NET-02': 'Failed to connect to',
  'PRA-NET-03': 'Failed to get through the proxy',
  'PRA-NET-04': 'Failed to trust',
  'PRA-CLOUD-01': 'Failed to poll for work',
  'PRA-CLOUD-02': 'Failed to greet Pulumi Cloud',
  'PRA-CLOUD-03': 'Failed to read the claim',
  'PRA-CLOUD-04': 'Failed to acknowledge the claim',
  'PRA-CLOUD-05': "Failed to read the deployment's status",
  'PRA-CLOUD-06': 'Failed to read the job definition',
  'PRA-CLOUD-07': 'Failed to read the timeout',
  'PRA-CLOUD-08': 'Failed to report step',
  'PRA-CLOUD-09': 'Failed to send log lines',
  'PRA-CLOUD-10': 'Failed to send a heartbeat',
  'PRA-CLOUD-11': "Failed to watch the agent's main thread",
  'PRA-DOCKER-01': 'Failed to reach the Docker engine',
  'PRA-DOCKER-02': 'Failed to use the Docker engine',
  'PRA-DOCKER-03': 'Failed to read the Docker context',
  'PRA-DOCKER-04': 'Failed to read … for the Docker target',
  'PRA-DOCKER-05': 'Failed to read … for the encrypted connection',
  'PRA-DOCKER-06': 'Failed to read the Docker configuration',
  'PRA-DOCKER-07': 'Failed to ask … for the login of',
  'PRA-IMAGE-01': 'Failed to use the image for the job',
  'PRA-IMAGE-02': "Failed to read the image's name",
  'PRA-IMAGE-03': 'Failed to pull the image for the job',
  'PRA-IMAGE-04': 'Failed to find the image for the job',
  'PRA-CONTAINER-01': 'Failed to start a container for the job',
  'PRA-CONTAINER-02': 'Failed to make a network for the job',
  'PRA-CONTAINER-03': 'Failed to start the step in its container',
  'PRA-CONTAINER-04': 'Failed to follow the step in its container',
  'PRA-CONTAINER-05': 'Failed to finish the step in container',
  'PRA-CONTAINER-06': 'Failed to read the environment file',
  'PRA-CONTAINER-07': 'Failed to remove container',
  'PRA-CONTAINER-08': 'Failed to remove network',
  'PRA-JOB-01': 'Failed to run … of the workflow',
  'PRA-JOB-02': 'Failed to run the workflow',
  'PRA-JOB-03': 'Failed to finish',
  'PRA-JOB-04': "The workflow's steps succeeded, but Pulumi Cloud",
  'PRA-JOB-05': 'The agent was asked to stop before',
  'PRA-JOB-06': 'Failed to finish … in time',
  'PRA-JOB-07': 'Failed to finish … within its memory',
  'PRA-K8S-01': 'Failed to find the cluster for jobs',
  'PRA-K8S-02': 'Failed to read … for the cluster',
  'PRA-K8S-03': 'Failed to reach the Kubernetes API server',
  'PRA-K8S-04': 'Failed to get access to',
  'PRA-K8S-05': 'Failed to … for the job: the cluster does not accept these credentials',
  'PRA-K8S-06': 'Failed to … for the job: the cluster forbids it',
  'PRA-K8S-07': "Failed to … for the job: the namespace's quota is used up",
  'PRA-K8S-08': "Failed to … for the job: the namespace's quota wants to know",
  'PRA-K8S-09': 'Failed to … for the job: an admission rule of the cluster refused it',
  'PRA-K8S-10': 'Failed to … for the job: the cluster calls it invalid',
  'PRA-K8S-11': 'Failed to … for the job: a proxy or an ingress before the API server',
  'PRA-K8S-12': 'Failed to … for the job: the API server answered',
  'PRA-K8S-13': 'Failed to read the pod template',
  'PRA-K8S-14': 'Failed to use the pod template',
  'PRA-K8S-15': 'Failed to start pod',
  'PRA-K8S-16': 'Failed to schedule pod',
  'PRA-K8S-17': 'Failed to pull image … for the job',
  'PRA-K8S-18': 'Failed to find image … for the job',
  'PRA-K8S-19': 'Failed to enter the pod',
  'PRA-K8S-20': 'Failed to put file',
  'PRA-K8S-21': 'Failed to start the step for the job',
  'PRA-K8S-22': 'Failed to finish the step in pod',
  'PRA-K8S-23': 'Failed to remove pod',
  'PRA-TRIGGER-01': 'Failed to start … for',
  'PRA-TRIGGER-02': 'Failed to start … deployments for their stacks',
  'PRA-TRIGGER-03': 'Failed to choose the stacks',
  'PRA-TRIGGER-04': 'Failed to list the stacks',
  'PRA-TRIGGER-05': "Failed to read the organization's load",
  'PRA-TRIGGER-06': 'Failed to read the deployments',
  'PRA-TRIGGER-07': 'Failed to read the deployment',
  'PRA-TRIGGER-08': 'Failed to follow the deployments for the run',
  'PRA-TRIGGER-09': 'Failed to finish … of',
  'PRA-RECORD-01': 'Failed to upload the artifact',
  'PRA-RECORD-02': 'Failed to write the summary',
  'PRA-RECORD-03': 'Failed to write report.html',
  'PRA-RECORD-04': 'Failed to write the result',
  'PRA-RECORD-05': 'Failed to look for old run directories',
  'PRA-RECORD-06': 'Failed to remove the run directory',
  'PRA-RECORD-07': 'Failed to write an event',
  'PRA-RECORD-08': 'Failed to read an event',
  'PRA-RECORD-09': 'Failed to read the result',
  'PRA-RECORD-10': 'Failed to … the step log',
  'PRA-RECORD-11': 'Failed to write to syslog',
  'PRA-RECORD-12': 'Failed to finish the run in the post step',
  'PRA-RECORD-13': 'Failed to remove … after the run',
  'PRA-RECORD-14': 'Failed to read the job for debug workflow-runner',
} as const;

/** The code of an error. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The address of the entry of `code` on `page`, the address of TROUBLESHOOTING.md. */
export function entryOf(code: string, page: string): string {
  return `${page}#${code.toLowerCase()}`;
}

/** `message` with the code of its entry behind it, on a line of its own where the message has several. */
export function withEntry(message: string, code: string | undefined): string {
  // No full stop: a terminal would take it for a part of the address that may follow.
  return code === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${code}`;
}

/** `text` with its address behind each entry that it names; as it is where the page's address isn't known. */
export function withLinks(text: string, page: string | undefined): string {
  if (page === undefined) return text;
  return text.replace(/\bSee (PRA-[A-Z0-9]+-\d{2})\b/g, (named, code: string) => `${named}: ${entryOf(code, page)}`);
}
